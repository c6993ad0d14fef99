#!/usr/bin/env bash
# sympy 1.14.0: parse_latex reads 55{,}809, the usual way to write a separator of thousands in LaTeX, as 55,
# and leaves the rest out without an error. The forms 55,809 and 55\,809 are read in full.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'sympy==1.14.0' 'antlr4-python3-runtime==4.11'
cat > program.py <<'PROGRAM'
from sympy.parsing.latex import parse_latex

for text in ("55809", "55,809", r"55\,809", "55{,}809", "1{,}234{,}567 + 1"):
    print(text, "->", parse_latex(text))
PROGRAM
cat > expected.txt <<'EXPECTED'
55809 -> 55809
55,809 -> 55809
55\,809 -> 55809
55{,}809 -> 55
1{,}234{,}567 + 1 -> 1
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
