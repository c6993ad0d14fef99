#!/usr/bin/env bash
# math-verify 0.9.0: a plus sign or the typographic minus (U+2212) before a number makes a
# reply unreadable, and an exponent leaves only the digit before it: '+42' is nothing, '1e3'
# is 1.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'math-verify==0.9.0' 'antlr4-python3-runtime==4.13.2'
cat > program.py <<'PROGRAM'
from math_verify import parse

for name, text in (
    ("42", "42"),
    ("+42", "+42"),
    ("-5", "-5"),
    ("U+2212 5", "\u22125"),
    ("1e3", "1e3"),
):
    read = parse(text)
    print(f"{name}:", read[0] if read else "nothing")
PROGRAM
cat > expected.txt <<'EXPECTED'
42: 42
+42: nothing
-5: -5
U+2212 5: nothing
1e3: 1
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
