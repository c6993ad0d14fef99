#!/usr/bin/env bash
# number-parser 0.3.2: when two numbers of the same magnitude follow each other, the first
# takes the 'one' of the second: 'one million one million' is '1000001 1000000'. With a comma
# between them both are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'number-parser==0.3.2'
cat > program.py <<'PROGRAM'
from number_parser import parse

for words in (
    "one million one million",
    "two thousand three thousand",
    "one million, one million",
):
    print(f"{words}: {parse(words)}")
PROGRAM
cat > expected.txt <<'EXPECTED'
one million one million: 1000001 1000000
two thousand three thousand: 2003 1000
one million, one million: 1000000, 1000000
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
