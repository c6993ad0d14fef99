#!/usr/bin/env bash
# pandas 3.1.1: a column of CSV with an integer of 2^63 to 2^64-1 and a negative one is read as text, without a word,
# although a larger integer beside a negative one gives ints of Python with all digits. Beside 1.5 it is the other way
# round: the larger integer makes the column text, the smaller one a double.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'pandas==3.1.1'
cat > program.py <<'PROGRAM'
import io

import pandas

for first, second in (
    ("9223372036854775807", "-1"),
    ("9223372036854775808", "-1"),
    ("18446744073709551615", "-1"),
    ("18446744073709551616", "-1"),
    ("9223372036854775808", "1"),
    ("18446744073709551616", "1.5"),
    ("9223372036854775808", "1.5"),
):
    column = pandas.read_csv(io.StringIO(f"n\n{first}\n{second}\n"))["n"]
    print(first, second, "->", column.dtype, column.tolist())
PROGRAM
cat > expected.txt <<'EXPECTED'
9223372036854775807 -1 -> int64 [9223372036854775807, -1]
9223372036854775808 -1 -> str ['9223372036854775808', '-1']
18446744073709551615 -1 -> str ['18446744073709551615', '-1']
18446744073709551616 -1 -> object [18446744073709551616, -1]
9223372036854775808 1 -> uint64 [9223372036854775808, 1]
18446744073709551616 1.5 -> str ['18446744073709551616', '1.5']
9223372036854775808 1.5 -> float64 [9.223372036854776e+18, 1.5]
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
