#!/usr/bin/env bash
# pyarrow 26.0.1: a column of JSON lines whose integers need 20 digits is read as double,
# so two different sums become equal. Arrow has uint64 and decimal128, which hold both, and
# the reader of JSON gives no warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pyarrow==26.0.1'
cat > program.py <<'PROGRAM'
from pathlib import Path

import pyarrow.json

Path("sums.jsonl").write_text(
    '{"a": 12345678901234567890, "b": 12345678901234567891}\n'
)
table = pyarrow.json.read_json("sums.jsonl")
print(table.schema.field("a").type)
a, b = table["a"][0].as_py(), table["b"][0].as_py()
print("12345678901234567890 12345678901234567891 equal:", a == b)
PROGRAM
cat > expected.txt <<'EXPECTED'
double
12345678901234567890 12345678901234567891 equal: True
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
