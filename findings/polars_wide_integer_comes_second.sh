#!/usr/bin/env bash
# polars 2.1.0: a list with an integer above 64 bits becomes a column of Int128 if that integer is the first
# one, and raises TypeError if a small one stands before it. from_dicts and read_json take both orders.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'polars==2.1.0'
cat > program.py <<'PROGRAM'
import io
import polars as pl

for numbers in ([2**70, 1], [1, 2**70]):
    try:
        print("Series:", pl.Series(numbers).to_list())
    except TypeError as error:
        print("Series: TypeError", str(error).split(";")[0])
    print("from_dicts:", pl.from_dicts([{"n": n} for n in numbers])["n"].to_list())
    text = "".join(f'{{"n": {n}}}\n' for n in numbers)
    print("read_ndjson:", pl.read_ndjson(io.BytesIO(text.encode()))["n"].to_list())
PROGRAM
cat > expected.txt <<'EXPECTED'
Series: [1180591620717411303424, 1]
from_dicts: [1180591620717411303424, 1]
read_ndjson: [1180591620717411303424, 1]
Series: TypeError unexpected value while building Series of type Int64
from_dicts: [1, 1180591620717411303424]
read_ndjson: [1, 1180591620717411303424]
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
