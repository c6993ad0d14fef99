#!/usr/bin/env bash
# sqlite-utils 4.2.1: `insert --csv` finds the type INTEGER for a column of 20-digit integers, and SQLite stores them
# as doubles, so that digits are lost without a word. The same numbers in JSON are refused (OverflowError). Expected:
# text, or an error in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'sqlite-utils==4.2.1'
cat > sums.csv <<'ROWS'
id,sum
1,12345678901234567891
2,98765432109876543219
ROWS
cat > sums.json <<'ROWS'
[{"id": 1, "sum": 12345678901234567891}]
ROWS
cat > expected.txt <<'EXPECTED'
[{"sum": 1.2345678901234567e+19, "type": "real"},
 {"sum": 9.876543210987654e+19, "type": "real"}]
[{"type": "INTEGER"}]
JSON: refused
EXPECTED
{
    .venv/bin/sqlite-utils insert csv.db sums sums.csv --csv > /dev/null
    .venv/bin/sqlite-utils query csv.db 'select sum, typeof(sum) as type from sums'
    .venv/bin/sqlite-utils query csv.db "select type from pragma_table_info('sums') where name = 'sum'"
    .venv/bin/sqlite-utils insert json.db sums sums.json > /dev/null 2>&1 || echo "JSON: refused"
} | tee seen.txt
diff expected.txt seen.txt
