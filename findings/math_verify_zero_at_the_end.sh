#!/usr/bin/env bash
# math-verify 0.9.0: a zero at the end of a decimal makes a right answer wrong if the number
# is long, as both are compared as floats of the precision in which each was written. For a
# short number the zero does nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'math-verify==0.9.0' 'antlr4-python3-runtime==4.13.2'
cat > program.py <<'PROGRAM'
from math_verify import parse, verify

for number in ("1.5", "134413278493209175.386"):
    print(f"{number} and {number}0:", verify(parse(number), parse(number + "0")))
PROGRAM
cat > expected.txt <<'EXPECTED'
1.5 and 1.50: True
134413278493209175.386 and 134413278493209175.3860: False
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
