#!/usr/bin/env bash
# polars 2.1.0: a product or quotient of decimals is rounded to the larger scale of the two, without a word:
# 1.10 * 1.123 is 1.235, and 1.10 / 3 is 0.37. DuckDB gives the product all five decimals. One would expect
# exact products, as decimals are taken for their exactness.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'polars==2.1.0' 'duckdb==2.0.1'
cat > program.py <<'PROGRAM'
from decimal import Decimal
import duckdb
import polars as pl

frame = pl.DataFrame({"a": [Decimal("1.10")], "b": [Decimal("1.123")], "c": [Decimal(3)]})
product, quotient = frame.select(pl.col("a") * pl.col("b"), d=pl.col("a") / pl.col("c")).row(0)
print("polars product:", product)
print("polars quotient:", quotient)
sql = "select 1.10::decimal(18, 2) * 1.123::decimal(18, 3)"
print("DuckDB product:", duckdb.sql(sql).fetchall()[0][0])
print("Python product:", Decimal("1.10") * Decimal("1.123"))
PROGRAM
cat > expected.txt <<'EXPECTED'
polars product: 1.235
polars quotient: 0.37
DuckDB product: 1.23530
Python product: 1.23530
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
