#!/usr/bin/env bash
# recognizers-text-number 1.0.2a2 (with emoji 1.7.0, as it cannot be imported with emoji 2): the value that it finds is a
# text, but rounded to 15 significant digits: 1234567890123456 and the next integer are both 1.23456789012346E+15.
# Expected: all digits, for which a text has room.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'recognizers-text-number==1.0.2a2' 'emoji==1.7.0'
cat > program.py <<'PROGRAM'
from recognizers_number import Culture, recognize_number

for text in (
    "123456789012345",
    "1234567890123456",
    "1234567890123457",
    "one third",
):
    values = [found.resolution["value"] for found in recognize_number(text, Culture.English)]
    print(f"{text}: {values}")
PROGRAM
cat > expected.txt <<'EXPECTED'
123456789012345: ['123456789012345']
1234567890123456: ['1.23456789012346E+15']
1234567890123457: ['1.23456789012346E+15']
one third: ['0.333333333333333']
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
