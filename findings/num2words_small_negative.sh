#!/usr/bin/env bash
# num2words 0.5.14: the sign of a number between -1 and 0 is lost: -0.5 is 'zero point
# five'. From -1 on the sign is said.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'num2words==0.5.14'
cat > program.py <<'PROGRAM'
from decimal import Decimal

from num2words import num2words

for number in ("-0.5", "-0.05", "-1.5"):
    print(number, num2words(Decimal(number)))
PROGRAM
cat > expected.txt <<'EXPECTED'
-0.5 zero point five
-0.05 zero point zero five
-1.5 minus one point five
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
