#!/usr/bin/env bash
# latex2sympy2_extended 1.11.0: a thin space between groups of digits is read as the plus of a mixed number, and a
# plain space as a product: 55\,809 is 864 (55 + 809), 1 000 is 0. It is the parser of math-verify. Commas are
# read as groups.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'latex2sympy2_extended==1.11.0' 'antlr4-python3-runtime==4.11.0'
cat > program.py <<'PROGRAM'
from latex2sympy2_extended import latex2sympy

for text in ("55809", "55,809", "55{,}809", r"55\,809", r"1\,000\,000", "1 000"):
    found = latex2sympy(text)
    print(text, "->", found, "=", found.doit())
PROGRAM
cat > expected.txt <<'EXPECTED'
55809 -> 55809 = 55809
55,809 -> 55809 = 55809
55{,}809 -> 55809 = 55809
55\,809 -> 864 = 864
1\,000\,000 -> 1*0*0 = 0
1 000 -> 1*0 = 0
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
