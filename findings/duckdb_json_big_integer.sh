#!/usr/bin/env bash
# duckdb 2.0.1: an integer of 30 digits becomes a DOUBLE when it is read from JSON lines,
# and stays a HUGEINT when the same number is read from CSV. Fifteen digits are lost, without
# a word, in the format that usually keeps types better. Up to 19 digits both agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'duckdb==2.0.1'
cat > program.py <<'PROGRAM'
import json
from pathlib import Path

import duckdb

NUMBER = 123456789012345678901234567890
Path("sums.csv").write_text(f"sum\n{NUMBER}\n")
Path("sums.jsonl").write_text(json.dumps({"sum": NUMBER}) + "\n")
for kind, file in (("csv", "sums.csv"), ("json", "sums.jsonl")):
    value, name = duckdb.sql(f"SELECT sum, typeof(sum) FROM '{file}'").fetchall()[0]
    print(f"{kind:4} {int(value)} {name}")
PROGRAM
cat > expected.txt <<'EXPECTED'
csv  123456789012345678901234567890 HUGEINT
json 123456789012345677877719597056 DOUBLE
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
