#!/usr/bin/env bash
# pydantic-core 2.50.5: from_json(..., allow_partial=True) leaves out a string that is cut
# off, but keeps a number that is cut off, though nobody knows whether more digits follow: a
# reply of 1234567 that ended early is 123.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pydantic-core==2.50.5'
cat > program.py <<'PROGRAM'
from pydantic_core import from_json

for text in ('{"n": 1, "answer": "123', '{"n": 1, "answer": 123', '{"n": 1, "answer": 123.'):
    print(text, from_json(text, allow_partial=True))
PROGRAM
cat > expected.txt <<'EXPECTED'
{"n": 1, "answer": "123 {'n': 1}
{"n": 1, "answer": 123 {'n': 1, 'answer': 123}
{"n": 1, "answer": 123. {'n': 1}
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
