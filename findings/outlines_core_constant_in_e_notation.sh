#!/usr/bin/env bash
# outlines-core 0.2.14: for a constant, or a choice, of more than 64 bits the pattern that replies must match is that
# of a double: 1e+20 for 100000000000000000000, so the number itself can never be generated. Bounds of integers are
# left out of the pattern without a word. Expected: the digits, as for type integer, whose pattern takes any number of
# them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'outlines-core==0.2.14'
cat > program.py <<'PROGRAM'
import json
from outlines_core.json_schema import build_regex_from_schema

for schema in (
    {"const": 9007199254740993},
    {"const": 10**20},
    {"enum": [10**20, 10**20 + 1]},
    {"type": "integer"},
    {"type": "integer", "minimum": 1, "maximum": 5},
):
    print(json.dumps(schema), build_regex_from_schema(json.dumps(schema)))
PROGRAM
cat > expected.txt <<'EXPECTED'
{"const": 9007199254740993} 9007199254740993
{"const": 100000000000000000000} 1e\+20
{"enum": [100000000000000000000, 100000000000000000001]} (1e\+20|1e\+20)
{"type": "integer"} (-)?(0|[1-9][0-9]*)
{"type": "integer", "minimum": 1, "maximum": 5} (-)?(0|[1-9][0-9]*)
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
