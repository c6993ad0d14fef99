#!/usr/bin/env bash
# math-verify 0.9.0: two numbers below one millionth are 'equal', whatever their digits: both
# are rounded to six decimals, so 0.0000001 equals 0.0000002. Written with exponents in
# LaTeX, 2^-99 equals 2^-98.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'math-verify==0.9.0' 'antlr4-python3-runtime==4.13.2'
cat > program.py <<'PROGRAM'
from math_verify import parse, verify

for name, gold, answer in (
    ("0.0000001 and 0.0000002", "0.0000001", "0.0000002"),
    ("0.001 and 0.002", "0.001", "0.002"),
    ("2^-99 and 2^-98", "$2^{-99}$", "$2^{-98}$"),
):
    print(f"{name}:", verify(parse(gold), parse(answer)))
PROGRAM
cat > expected.txt <<'EXPECTED'
0.0000001 and 0.0000002: True
0.001 and 0.002: False
2^-99 and 2^-98: True
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
