#!/usr/bin/env bash
# python-flint 0.9.0: fmpz(5) equals 5, and 5 equals Fraction(5), Decimal(5) and 5.0, but fmpz(5) equals none of these, nor
# fmpq(1, 2) Fraction(1, 2). The hashes are the same, so the size of a set depends on what else is in it. mpz of
# gmpy2 2.3.2 compares with Fraction and float by value. Expected: the same, or TypeError.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'python-flint==0.9.0' 'gmpy2==2.3.2'
cat > program.py <<'PROGRAM'
from decimal import Decimal
from fractions import Fraction

from flint import fmpq, fmpz
from gmpy2 import mpz

for left in (fmpz(5), fmpq(5), mpz(5)):
    for right in (5, 5.0, Fraction(5)):
        print(f"{type(left).__name__}(5) == {right!r}: {left == right}")
print("fmpz(5) == Decimal(5):", fmpz(5) == Decimal(5))
print("fmpq(1, 2) == Fraction(1, 2):", fmpq(1, 2) == Fraction(1, 2))
print("same hash:", hash(fmpq(1, 2)) == hash(Fraction(1, 2)))
print("set sizes:", len({5, Fraction(5), fmpz(5)}), len({Fraction(5), fmpz(5)}))
PROGRAM
cat > expected.txt <<'EXPECTED'
fmpz(5) == 5: True
fmpz(5) == 5.0: False
fmpz(5) == Fraction(5, 1): False
fmpq(5) == 5: True
fmpq(5) == 5.0: False
fmpq(5) == Fraction(5, 1): False
mpz(5) == 5: True
mpz(5) == 5.0: True
mpz(5) == Fraction(5, 1): True
fmpz(5) == Decimal(5): False
fmpq(1, 2) == Fraction(1, 2): False
same hash: True
set sizes: 1 2
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
