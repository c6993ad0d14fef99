#!/usr/bin/env bash
# jsonschema 4.26.0: the pattern ^[0-9]+$ accepts a number with a line break behind it, as $ is that of
# Python; JSON Schema takes patterns as ECMA 262 does, where $ is the end of the text alone. fastjsonschema
# 2.22.3 rejects it, so that "the bare number" means two things.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'jsonschema==4.26.0' 'fastjsonschema==2.22.3'
cat > program.py <<'PROGRAM'
import fastjsonschema
import jsonschema

schema = {"type": "string", "pattern": "^[0-9]+$"}
for text in ("12", "12\n", "12\n\n"):
    try:
        fastjsonschema.compile(schema)(text)
        fast = True
    except fastjsonschema.JsonSchemaValueException:
        fast = False
    print(f"{text!r}: jsonschema {jsonschema.Draft202012Validator(schema).is_valid(text)}, fastjsonschema {fast}")
PROGRAM
cat > expected.txt <<'EXPECTED'
'12': jsonschema True, fastjsonschema True
'12\n': jsonschema True, fastjsonschema False
'12\n\n': jsonschema False, fastjsonschema False
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
