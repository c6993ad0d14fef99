#!/usr/bin/env bash
# mpmath 1.4.1: an mpf is compared with an int exactly, but with a Fraction or Decimal after that is rounded to mpf's own
# precision: mpf(1)/3 == Fraction(1, 3) is True, mpf(10**20) equals Fraction(10**20 + 1) and not 10**20 + 1, and so do < and
# >. The hashes differ, so the same numbers are unequal in a set. float compares all three exactly. Expected: equal numbers
# are the same number, as a check of exact answers relies on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'mpmath==1.4.1'
cat > program.py <<'PROGRAM'
from decimal import Decimal
from fractions import Fraction

from mpmath import mpf

big = 10**20
print("one third:", mpf(1) / 3 == Fraction(1, 3), "float:", 1 / 3 == Fraction(1, 3))
print("one tenth:", mpf("0.1") == Decimal("0.1"), "float:", 0.1 == Decimal("0.1"))
for kind in (int, Fraction, Decimal):
    other = kind(big + 1)
    print(f"10^20 and 1 more as {kind.__name__}: equal {mpf(big) == other}, less {mpf(big) < other}")
print("in a list:", mpf("0.1") in [Fraction(1, 10)], "in a set:", mpf("0.1") in {Fraction(1, 10)})
PROGRAM
cat > expected.txt <<'EXPECTED'
one third: True float: False
one tenth: True float: False
10^20 and 1 more as int: equal False, less True
10^20 and 1 more as Fraction: equal True, less False
10^20 and 1 more as Decimal: equal True, less False
in a list: True in a set: False
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
