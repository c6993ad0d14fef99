#!/usr/bin/env bash
# csvkit 2.2.0: csvlook and csvstat read a 20-digit integer exactly (as Decimal), csvjson writes it as a double, and
# all of them take a column of 0 and 1, such as right and wrong, for true and false, of which csvstat has no mean.
# Expected: the digits of the file, which JSON can hold.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'csvkit==2.2.0'
cat > sums.csv <<'ROWS'
sum,right
12345678901234567891,1
98765432109876543219,0
ROWS
cat > expected.txt <<'EXPECTED'
|                        sum | right |
| -------------------------- | ----- |
| 12,345,678,901,234,567,891 |  True |
| 98,765,432,109,876,543,219 | False |
[{"sum": 1.2345678901234567e+19, "right": true}, {"sum": 9.876543210987654e+19, "right": false}]
  1. sum: 55555555505555554304
  2. right: None
EXPECTED
{
    .venv/bin/csvlook sums.csv
    .venv/bin/csvjson sums.csv
    echo
    .venv/bin/csvstat --mean sums.csv
} | tee seen.txt
diff expected.txt seen.txt
