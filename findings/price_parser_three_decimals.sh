#!/usr/bin/env bash
# price-parser 0.5.1: a point or comma before exactly three digits separates thousands, also behind a leading zero: 0.125 is
# 125, while 0.12 and 0.1234 are decimals, so of scores with one to four places those with three are a thousand times as
# large. Expected: 0.125, as no number with groups begins with 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'price-parser==0.5.1'
cat > program.py <<'PROGRAM'
from price_parser import Price, parse_price
from price_parser.parser import parse_number

for text in ("0.1", "0.12", "0.125", "0.1234", "0,125", "1.234"):
    print(
        f"{text}: price {parse_price(text).amount}, number {parse_number(text)},",
        f"with a point {Price.fromstring(text, decimal_separator='.').amount}",
    )
PROGRAM
cat > expected.txt <<'EXPECTED'
0.1: price 0.1, number 0.1, with a point 0.1
0.12: price 0.12, number 0.12, with a point 0.12
0.125: price 125, number 125, with a point 0.125
0.1234: price 0.1234, number 0.1234, with a point 0.1234
0,125: price 125, number 125, with a point 125
1.234: price 1234, number 1234, with a point 1.234
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
