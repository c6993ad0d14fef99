#!/usr/bin/env bash
# DuckDB 2.0.1: a half is rounded away from zero if it is a decimal or a text, and to the even neighbour if it
# is a double: 2.5 becomes 3 or 2, by its type alone; round() of the double gives 3. Whoever grades in SQL
# gets another integer from the same column after a cast to double.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'duckdb==2.0.1'
cat > program.py <<'PROGRAM'
import duckdb

for written in ("2.5", "2.5::decimal(4, 1)", "'2.5'", "2.5::double", "3.5::double"):
    (as_integer, rounded) = duckdb.sql(f"select {written}::integer, round({written}::double)").fetchall()[0]
    print(f"{written}: integer {as_integer}, round {rounded:g}")
PROGRAM
cat > expected.txt <<'EXPECTED'
2.5: integer 3, round 3
2.5::decimal(4, 1): integer 3, round 3
'2.5': integer 3, round 3
2.5::double: integer 2, round 3
3.5::double: integer 4, round 4
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
