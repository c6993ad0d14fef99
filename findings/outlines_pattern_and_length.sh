#!/usr/bin/env bash
# outlines-core 0.2.14: a JSON schema of a string with both pattern and maxLength becomes a
# regular expression without the pattern, so a model that is held to the schema may write
# letters where only digits are allowed. Limits of an integer are dropped too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'outlines-core==0.2.14'
cat > program.py <<'PROGRAM'
import json
import re

from outlines_core.json_schema import build_regex_from_schema

for schema, text in (
    ({"type": "string", "pattern": "^[0-9]+$"}, '"abc"'),
    ({"type": "string", "pattern": "^[0-9]+$", "maxLength": 3}, '"abc"'),
    ({"type": "integer", "minimum": 0, "maximum": 9}, "-12"),
):
    regex = build_regex_from_schema(json.dumps(schema))
    print(f"{json.dumps(schema)} allows {text}: {bool(re.fullmatch(regex, text))}")
PROGRAM
cat > expected.txt <<'EXPECTED'
{"type": "string", "pattern": "^[0-9]+$"} allows "abc": False
{"type": "string", "pattern": "^[0-9]+$", "maxLength": 3} allows "abc": True
{"type": "integer", "minimum": 0, "maximum": 9} allows -12: True
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
