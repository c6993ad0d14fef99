#!/usr/bin/env bash
# polars 2.1.0, pyarrow 26.0.1 and DuckDB 2.0.1: integers above 64 bits are written to Parquet by polars without a warning,
# and come back right only in polars. pyarrow cannot read the column, and DuckDB reads it as a BLOB of 16
# bytes, so that a comparison with a number fails in SQL.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'polars==2.1.0' 'pyarrow==26.0.1' 'duckdb==2.0.1'
cat > program.py <<'PROGRAM'
import duckdb
import polars as pl
import pyarrow.parquet

pl.DataFrame({"n": [2**70, 1]}).write_parquet("numbers.parquet")
print("polars:", pl.read_parquet("numbers.parquet")["n"].to_list())
try:
    print("pyarrow:", pyarrow.parquet.read_table("numbers.parquet")["n"].to_pylist())
except pyarrow.lib.ArrowNotImplementedError as error:
    print("pyarrow:", error)
query = "select typeof(n), octet_length(n) from 'numbers.parquet'"
print("DuckDB:", duckdb.sql(query).fetchall())
PROGRAM
cat > expected.txt <<'EXPECTED'
polars: [1180591620717411303424, 1]
pyarrow: Integers with more than 64 bits not implemented
DuckDB: [('BLOB', 16), ('BLOB', 16)]
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
