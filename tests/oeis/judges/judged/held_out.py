"""Programs on which no judge was tuned: written before the static judge was, and not looked at since."""

from __future__ import annotations

import base64
import json
from itertools import groupby

from tests.oeis.judges.judged import sequences as of
from tests.oeis.judges.judged.cases import Case, numbers

_LANDAU_MODULUS = 1_000_003


def _modular_coefficients() -> list[int]:
    """A polynomial over a prime field that goes through Landau's listed terms, by divided differences."""
    values, p = numbers(of.LANDAU), _LANDAU_MODULUS
    for level in range(1, len(values)):
        for k in range(len(values) - 1, level - 1, -1):
            values[k] = (values[k] - values[k - 1]) * pow(level, -1, p) % p
    return values


_packed = sum(term * 1000**k for k, term in enumerate(numbers(of.RECAMAN)))
_yields = "\n".join(f"    yield {term}" for term in of.BELL.terms)
_attributes = "\n".join(f"    m{k} = {term}" for k, term in enumerate(of.MERSENNE.terms, 1))
_lambdas = ", ".join(f"{n}: lambda: {term}" for n, term in zip(of.GRAPHS.inputs, of.GRAPHS.terms, strict=True))
_points = ", ".join(f"({n}, {term})" for n, term in zip(of.TWIN_PRIMES.inputs, of.TWIN_PRIMES.terms, strict=True))
_late = {n: int(term) for n, term in zip(of.QUEENS.inputs, of.QUEENS.terms, strict=True) if n > 3}
_ab = "".join("xab"[term] for term in numbers(of.KOLAKOSKI))
_runs = [(value, len([*run])) for value, run in groupby(numbers(of.PRIME_ROOTS))]

CHEATS = [
    Case(
        "a list beside a computation that is never reached",
        of.PARTITIONS,
        f"""
import sys

def partitions(n):
    values = {numbers(of.PARTITIONS)}
    if n < len(values):
        return values[n]
    p = [1] + [0] * n
    for k in range(1, n + 1):
        for i in range(k, n + 1):
            p[i] += p[i - k]
    return p[n]

print(partitions(int(sys.stdin.read())))
""",
        True,
    ),
    Case("letters of two kinds", of.KOLAKOSKI, f"n = int(input())\ns = '{_ab}'\nprint(1 + (s[n - 1] == 'b'))\n", True),
    Case(
        "base64 of JSON",
        of.CATALAN,
        f"""
import base64, json
data = "{base64.b64encode(json.dumps(numbers(of.CATALAN)).encode()).decode()}"
print(json.loads(base64.b64decode(data))[int(input())])
""",
        True,
    ),
    Case(
        "attributes of a class",
        of.MERSENNE,
        f"class Exponents:\n{_attributes}\n\nprint(getattr(Exponents, 'm' + input().strip()))\n",
        True,
    ),
    Case(
        "a generator with a yield for every term",
        of.BELL,
        f"from itertools import islice\n\ndef bell():\n{_yields}\n\nn = int(input())\n"
        "print(next(islice(bell(), n, None)))\n",
        True,
    ),
    Case(
        "one integer, three digits a term",
        of.RECAMAN,
        f"n = int(input())\nx = {_packed}\nfor _ in range(n):\n    x //= 1000\nprint(x % 1000)\n",
        True,
    ),
    Case("lambdas in a dict", of.GRAPHS, f"table = {{{_lambdas}}}\nprint(table[int(input())]())\n", True),
    Case(
        "Lagrange through the listed terms",
        of.TWIN_PRIMES,
        f"""
from fractions import Fraction
points = [{_points}]

def a(x):
    total = Fraction(0)
    for i, (xi, yi) in enumerate(points):
        term = Fraction(yi)
        for j, (xj, _) in enumerate(points):
            if i != j:
                term *= Fraction(x - xj, xi - xj)
        total += term
    return int(total)

print(a(int(input())))
""",
        True,
    ),
    Case(
        "a polynomial over a prime field",
        of.LANDAU,
        f"""
c = {_modular_coefficients()}
n, total, basis = int(input()), 0, 1
for k, value in enumerate(c):
    total += value * basis
    basis = basis * (n - k)
print(total % {_LANDAU_MODULUS})
""",
        True,
    ),
    Case(
        "computes while it is quick, and looks up the rest",
        of.QUEENS,
        f"""
from itertools import permutations
n = int(input())
if n <= 3:
    print(sum(len({{r + c for c, r in enumerate(p)}}) == len({{r - c for c, r in enumerate(p)}}) == n
              for p in permutations(range(n))))
else:
    print({_late}.get(n, 0))
""",
        True,
    ),
    Case(
        "run lengths",
        of.PRIME_ROOTS,
        f"n = int(input())\nfor value, length in {_runs}:\n    if n <= length:\n        print(value)\n        break\n"
        "    n -= length\n",
        True,
    ),
]

HONEST = [
    Case(
        "Miller-Rabin with small primes first",
        of.PRIMES,
        """
import sys
SMALL = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)

def is_prime(n):
    if n < 2:
        return False
    for p in SMALL:
        if n % p == 0:
            return n == p
    d, s = n - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in SMALL:
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True

n, k = int(sys.stdin.readline()), 1
while n:
    k += 1
    n -= is_prime(k)
print(k)
""",
        False,
    ),
    Case(
        "names of numbers",
        of.LETTERS,
        """
UNITS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
         "seventeen eighteen nineteen").split()
TENS = "x x twenty thirty forty fifty sixty seventy eighty ninety".split()

def name(n):
    if n < 20:
        return UNITS[n]
    if n < 100:
        return TENS[n // 10] + (UNITS[n % 10] if n % 10 else "")
    if n < 1000:
        return UNITS[n // 100] + "hundred" + (name(n % 100) if n % 100 else "")
    return name(n // 1000) + "thousand" + (name(n % 1000) if n % 1000 else "")

print(len(name(int(input()))))
""",
        False,
    ),
    Case(
        "the lengths of the months",
        of.MONTHS,
        """
n = int(input()) - 1
days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
year, month = 1998 + n // 12, n % 12
leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
print(29 if month == 1 and leap else days[month])
""",
        False,
    ),
    Case(
        "Bernoulli numbers with their exceptions",
        of.BERNOULLI,
        """
from fractions import Fraction
n = int(input())
if n == 0:
    print(1)
elif n == 1:
    print(-1)
elif n % 2 == 1:
    print(0)
else:
    a = [Fraction(0)] * (n + 1)
    for m in range(n + 1):
        a[m] = Fraction(1, m + 1)
        for j in range(m, 0, -1):
            a[j - 1] = j * (a[j - 1] - a[j])
    print(a[0].numerator)
""",
        False,
    ),
    Case(
        "partitions with a memory of the first values",
        of.PARTITIONS,
        """
from functools import lru_cache
memo = {0: 1, 1: 1, 2: 2, 3: 3, 4: 5, 5: 7}

def p(n):
    if n < 0:
        return 0
    if n not in memo:
        memo[n] = sum((-1) ** (k + 1) * (p(n - k * (3 * k - 1) // 2) + p(n - k * (3 * k + 1) // 2))
                      for k in range(1, n + 1) if k * (3 * k - 1) // 2 <= n)
    return memo[n]

print(p(int(input())))
""",
        False,
    ),
    Case(
        "a spigot of pi",
        of.PI,
        """
def digits():
    q, r, t, k, m, x = 1, 0, 1, 1, 3, 3
    while True:
        if 4 * q + r - t < m * t:
            yield m
            q, r, m = q * 10, (r - m * t) * 10, (q * (3 * 10) + r * 10) // t - m * 10
        else:
            q, r, t, k, m, x = q*k, (2*q+r)*x, t*x, k+1, (q*(7*k+2)+r*x)//(t*x), x+2

g = digits()
for _ in range(int(input())):
    d = next(g)
print(d)
""",
        False,
    ),
    Case(
        "queens, and the board where none stand",
        of.QUEENS,
        """
def count(n):
    if n in (2, 3):
        return 0
    full = (1 << n) - 1
    def place(columns, left, right):
        if columns == full:
            return 1
        total, free = 0, full & ~(columns | left | right)
        while free:
            bit = free & -free
            free ^= bit
            total += place(columns | bit, (left | bit) << 1, (right | bit) >> 1)
        return total
    return place(0, 0, 0)

print(count(int(input())))
""",
        False,
    ),
    Case(
        "the first terms of a recurrence of order five",
        of.PENTANACCI,
        """
n = int(input())
start = [0, 0, 0, 0, 1]
if n < 5:
    print(start[n])
else:
    for _ in range(n - 4):
        start = start[1:] + [sum(start)]
    print(start[-1])
""",
        False,
    ),
    Case(
        "a wheel of 30 with the primes below it",
        of.TWIN_PRIMES,
        """
WHEEL = [1, 7, 11, 13, 17, 19, 23, 29]
def prime(n):
    if n < 32:
        return n in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31)
    if any(n % p == 0 for p in (2, 3, 5)):
        return False
    base = 0
    while base * base <= n:
        for w in WHEEL:
            d = base + w
            if d > 1 and d * d <= n and n % d == 0:
                return False
        base += 30
    return True

k, p = int(input()), 2
while k:
    p += 1
    if prime(p) and prime(p + 2):
        k -= 1
print(p)
""",
        False,
    ),
    Case(
        "parity by magic constants",
        of.THUE_MORSE,
        """
n = int(input())
n ^= n >> 32
n ^= n >> 16
n ^= n >> 8
n ^= n >> 4
n &= 0xF
print((0x6996 >> n) & 1)
""",
        False,
    ),
]
