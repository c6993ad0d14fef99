#!/usr/bin/env bash
# sympy 1.14.0, gmpy2 2.3.2, python-flint 0.9.0: a space between digits is dropped, not
# refused, so the mixed number '1 2/3' is read as 12/3 = 4 by all three, and '1 234' as 1234.
# Fraction of the standard library, sympy's own sympify and int refuse both texts.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check 'sympy==1.14.0' 'gmpy2==2.3.2' 'python-flint==0.9.0'
cat > program.py <<'PROGRAM'
from fractions import Fraction

import flint
import gmpy2
import sympy


def read(convert, text: str) -> str:
    try:
        return str(convert(text))
    except Exception as error:
        return type(error).__name__


for text, readers in (
    ("1 2/3", (sympy.Rational, gmpy2.mpq, flint.fmpq, Fraction, sympy.sympify)),
    ("1 234", (sympy.Integer, gmpy2.mpz, flint.fmpz, int, sympy.sympify)),
):
    for convert in readers:
        name = f"{convert.__module__.split('.')[0]}.{convert.__name__}"
        print(f"{text!r} {name}: {read(convert, text)}")
PROGRAM
cat > expected.txt <<'EXPECTED'
'1 2/3' sympy.Rational: 4
'1 2/3' gmpy2.mpq: 4
'1 2/3' flint.fmpq: 4
'1 2/3' fractions.Fraction: ValueError
'1 2/3' sympy.sympify: SympifyError
'1 234' sympy.Integer: 1234
'1 234' gmpy2.mpz: 1234
'1 234' flint.fmpz: 1234
'1 234' builtins.int: ValueError
'1 234' sympy.sympify: SympifyError
EXPECTED
.venv/bin/python program.py | tee seen.txt
diff expected.txt seen.txt
