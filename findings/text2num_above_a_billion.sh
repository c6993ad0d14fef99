#!/usr/bin/env bash
# text2num 3.1.0: English numbers end at the billion. 'one trillion' stays as it is, and
# text2num() refuses it; and a decimal is cut off from its magnitude, so 'five point five
# million' becomes two numbers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'text2num==3.1.0'
cat > program.py <<'PROGRAM'
from text_to_num import alpha2digit, text2num

for words in (
    "one billion",
    "one trillion",
    "two trillion",
    "five point five million",
):
    print(f"{words}: {alpha2digit(words, 'en')}")
try:
    text2num("one trillion", "en")
except ValueError:
    print("text2num refuses one trillion")
PROGRAM
cat > expected.txt <<'EXPECTED'
one billion: 1000000000
one trillion: one trillion
two trillion: two trillion
five point five million: 5.5 1000000
text2num refuses one trillion
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
