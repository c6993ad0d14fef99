#!/usr/bin/env bash
# tabulate 0.10.0: one number with a decimal point in a column turns the integers beside it into six digits
# with an exponent, texts and Decimals as well: 12345678901234567890123 becomes 1.23457e+22,
# Decimal("1234567.891") becomes 1.23457e+06. Alone, the integers are printed in full.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'tabulate==0.10.0'
cat > program.py <<'PROGRAM'
from decimal import Decimal
from tabulate import tabulate

def column(*values):
    return [line.strip() for line in tabulate([[value] for value in values], tablefmt="plain").splitlines()]

print(column(12345678901234567890123, 7))
print(column(12345678901234567890123, 1.5))
print(column("12345678901234567890123", "1.50", "007"))
print(column(Decimal("1234567.891"), Decimal("1.10")))
PROGRAM
cat > expected.txt <<'EXPECTED'
['12345678901234567890123', '7']
['1.23457e+22', '1.5']
['1.23457e+22', '1.5', '7']
['1.23457e+06', '1.1']
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
