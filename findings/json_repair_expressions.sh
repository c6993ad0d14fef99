#!/usr/bin/env bash
# json-repair 0.64.6: when a value is no JSON number, it keeps the digits in front and drops
# the rest, so an expression, a group behind a space, or a typographic minus (U+2212) becomes
# another number without a word. 5-3, 1/3 and 1,234 are kept as strings.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'json-repair==0.64.6'
cat > program.py <<'PROGRAM'
from json_repair import loads

for text in ("5-3", "1/3", "1,234", "3 + 4", "2^10", "1 234", "\u22125"):
    value = loads(f'{{"answer": {text}}}')["answer"]
    print(f"{ascii(text)}: {value!r}")
PROGRAM
cat > expected.txt <<'EXPECTED'
'5-3': '5-3'
'1/3': '1/3'
'1,234': '1,234'
'3 + 4': 3
'2^10': 2
'1 234': 1
'\u22125': 5
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
