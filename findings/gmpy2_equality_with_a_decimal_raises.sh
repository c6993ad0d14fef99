#!/usr/bin/env bash
# gmpy2 2.3.2: == of an mpz or mpq and a Decimal raises TypeError instead of being True or False, and so does `in` a list
# of decimals; an mpfr is unequal to the Decimal of the same value, though the hashes are the same. With int, float and
# Fraction all of them compare by value. Expected: == never raises.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'gmpy2==2.3.2'
cat > program.py <<'PROGRAM'
from decimal import Decimal
from fractions import Fraction

from gmpy2 import mpfr, mpq, mpz

for left in (mpz(5), mpq(5), mpfr(5)):
    for right in (5, 5.0, Fraction(5), Decimal(5)):
        try:
            result = left == right
        except TypeError as error:
            result = f"TypeError: {error}"
        print(f"{left!r} == {right!r}: {result}, same hash: {hash(left) == hash(right)}")
try:
    print(mpz(7) in [Decimal(5)])
except TypeError as error:
    print("in:", type(error).__name__)
PROGRAM
cat > expected.txt <<'EXPECTED'
mpz(5) == 5: True, same hash: True
mpz(5) == 5.0: True, same hash: True
mpz(5) == Fraction(5, 1): True, same hash: True
mpz(5) == Decimal('5'): TypeError: argument must be an integer, same hash: True
mpq(5,1) == 5: True, same hash: True
mpq(5,1) == 5.0: True, same hash: True
mpq(5,1) == Fraction(5, 1): True, same hash: True
mpq(5,1) == Decimal('5'): TypeError: argument must be an integer, same hash: True
mpfr('5.0') == 5: True, same hash: True
mpfr('5.0') == 5.0: True, same hash: True
mpfr('5.0') == Fraction(5, 1): True, same hash: True
mpfr('5.0') == Decimal('5'): False, same hash: True
in: TypeError
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
