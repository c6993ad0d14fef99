#!/usr/bin/env bash
# orjson 3.13.0: an integer above 64 bits is decoded as a float, without an error. The
# decoders of the standard library and of msgspec 0.22.0 keep the same number exactly; orjson
# itself refuses to *encode* such an integer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'orjson==3.13.0' 'msgspec==0.22.0'
cat > program.py <<'PROGRAM'
import json

import msgspec
import orjson

TEXT = "123456789012345678901234567890"
print("json   ", json.loads(TEXT))
print("msgspec", msgspec.json.decode(TEXT))
print("orjson ", orjson.loads(TEXT))
try:
    orjson.dumps(int(TEXT))
except TypeError as error:
    print("orjson, encoding:", error)
PROGRAM
cat > expected.txt <<'EXPECTED'
json    123456789012345678901234567890
msgspec 123456789012345678901234567890
orjson  1.2345678901234568e+29
orjson, encoding: Integer exceeds 64-bit range
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
