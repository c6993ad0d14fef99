#!/usr/bin/env bash
# pandas 3.1.1: read_json takes some integers of 21 digits modulo 2^64, without an error, so
# another integer comes out, though it refuses smaller ones as too big. A string of digits
# becomes a number: "007" is 7, and 30 digits in quotes are a float.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pandas==3.1.1'
cat > program.py <<'PROGRAM'
import io

import pandas

for text in (
    "18446744073709551615",
    "18446744073709551617",
    "123456789012345678901",
    '"007"',
    '"123456789012345678901234567890"',
):
    try:
        value = pandas.read_json(io.StringIO(f'[{{"sum": {text}}}]'))["sum"][0]
    except ValueError as error:
        value = error
    print(f"{text}: {value}")
PROGRAM
cat > expected.txt <<'EXPECTED'
18446744073709551615: 18446744073709551615
18446744073709551617: Value is too big! at position 8
123456789012345678901: 12776324570088369205
"007": 7
"123456789012345678901234567890": 1.2345678901234568e+29
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
