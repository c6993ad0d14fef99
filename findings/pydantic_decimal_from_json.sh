#!/usr/bin/env bash
# pydantic 2.14.4: a Decimal read from a JSON number goes through a float, so its digits end
# after the 17th, while the same Decimal in a JSON string or an int keeps all of them. An int
# of 23 digits is read exactly, but 1e20 is refused as too large.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pydantic==2.14.4'
cat > program.py <<'PROGRAM'
from decimal import Decimal

from pydantic import TypeAdapter, ValidationError

for kind, text in (
    (Decimal, "1234567890.1234567890123"),
    (Decimal, '"1234567890.1234567890123"'),
    (int, "12345678901234567890123"),
    (int, "1e3"),
    (int, "1e20"),
):
    try:
        value = TypeAdapter(kind).validate_json(text)
    except ValidationError as error:
        value = error.errors()[0]["type"]
    print(f"{kind.__name__} {text}: {value}")
PROGRAM
cat > expected.txt <<'EXPECTED'
Decimal 1234567890.1234567890123: 1234567890.1234567
Decimal "1234567890.1234567890123": 1234567890.1234567890123
int 12345678901234567890123: 12345678901234567890123
int 1e3: 1000
int 1e20: int_parsing_size
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
