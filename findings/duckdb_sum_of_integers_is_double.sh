#!/usr/bin/env bash
# DuckDB 2.0.1: the sum of a BIGINT column is a HUGEINT, which is exact, but leaves DuckDB as a double through df(),
# fetchnumpy() and COPY to Parquet, without a word: two totals that differ become equal. fetchall(), arrow, polars and
# CSV keep all digits; the largest or smallest value of the same column keeps them everywhere.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'duckdb==2.0.1' 'pandas==3.1.1' 'polars==2.1.0' 'pyarrow==26.0.1'
cat > program.py <<'PROGRAM'
import duckdb

duckdb.sql("create table tokens as select unnest([9007199254740992, 1]) as n")
for what in ("sum", "max"):
    query = f"select {what}(n) as total from tokens"
    result = duckdb.sql(query)
    print(what, result.types[0])
    print("  fetchall:", result.fetchall()[0][0])
    print("  df:", duckdb.sql(query).df()["total"].tolist()[0])
    print("  fetchnumpy:", duckdb.sql(query).fetchnumpy()["total"].tolist()[0])
    print("  arrow:", duckdb.sql(query).to_arrow_table().column("total").to_pylist()[0])
    print("  polars:", duckdb.sql(query).pl()["total"].to_list()[0])
    for kind in ("parquet", "csv"):
        duckdb.sql(f"copy ({query}) to 'total.{kind}'")
        print(f"  {kind}:", duckdb.sql(f"select total from 'total.{kind}'").fetchall()[0][0])
PROGRAM
cat > expected.txt <<'EXPECTED'
sum HUGEINT
  fetchall: 9007199254740993
  df: 9007199254740992.0
  fetchnumpy: 9007199254740992.0
  arrow: 9007199254740993
  polars: 9007199254740993
  parquet: 9007199254740992.0
  csv: 9007199254740993
max BIGINT
  fetchall: 9007199254740992
  df: 9007199254740992
  fetchnumpy: 9007199254740992
  arrow: 9007199254740992
  polars: 9007199254740992
  parquet: 9007199254740992
  csv: 9007199254740992
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
