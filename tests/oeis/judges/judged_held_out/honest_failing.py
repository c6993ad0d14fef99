"""Held-out programs that compute, but are slow or wrong: no table either."""

from __future__ import annotations

from tests.oeis.judges.judged.cases import Case
from tests.oeis.judges.judged_held_out import sequences as of


def _case(name: str, number: str, program: str) -> Case:
    return Case(name, of.starter(number), program.lstrip("\n"), False)


# They compute every listed term, but take more than five seconds for the last one, some of them for ever.
SLOW = [
    _case(
        "Dedekind numbers by pairs of smaller functions",
        "A000372",
        """
import sys

def monotone(n):
    # truth tables as integers; f on n variables is a pair g <= h on n - 1 variables
    if n == 0:
        return [0, 1]
    smaller = monotone(n - 1)
    size = 1 << (n - 1)
    return [g | h << size for g in smaller for h in smaller if g & h == g]

n = int(sys.stdin.read())
if n == 0:
    print(2)
else:
    half = monotone(n - 1)
    print(sum(g & h == g for g in half for h in half))
""",
    ),
    _case(
        "primes below primorials by a sieve",
        "A000849",
        """
n = int(input())
limit = 1
for p in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47][:n]:
    limit *= p
if limit < 2:
    print(0)
else:
    sieve = bytearray([1]) * (limit + 1)
    sieve[0] = sieve[1] = 0
    i = 2
    while i * i <= limit:
        if sieve[i]:
            for j in range(i * i, limit + 1, i):
                sieve[j] = 0
        i += 1
    print(sum(sieve))
""",
    ),
    _case(
        "unitary perfect numbers by trying all",
        "A002827",
        '''
import sys

def usigma(m):
    """Sum of the unitary divisors.

    The known unitary perfect numbers are 6, 60, 90, 87360 and 146361946186458562560000;
    it is not known whether there are more.
    """
    result = 1
    p = 2
    while p * p <= m:
        if m % p == 0:
            q = 1
            while m % p == 0:
                m //= p
                q *= p
            result *= q + 1
        p += 1
    if m > 1:
        result *= m + 1
    return result

n = int(sys.stdin.readline())
m = 0
while n:
    m += 2      # all of them are even
    if usigma(m) == 2 * m:
        n -= 1
print(m)
''',
    ),
    _case(
        "Latin squares row by row",
        "A000315",
        """
import sys
from itertools import permutations

def count(n):
    rows = {first: [p for p in permutations(range(n)) if p[0] == first] for first in range(n)}
    def extend(square):
        k = len(square)
        if k == n:
            return 1
        total = 0
        for p in rows[k]:
            if all(all(p[c] != r[c] for c in range(n)) for r in square):
                total += extend(square + [p])
        return total
    return extend([tuple(range(n))])

print(count(int(sys.stdin.read())))
""",
    ),
]

# Floating point is exact enough for the listed n, and not far behind them.
INEXACT = [
    _case(
        "powers of e in floats",
        "A000149",
        """
import math
n = int(input())
print(math.floor(math.exp(n)))
""",
    ),
    _case(
        "Stirling numbers by true division",
        "A000453",
        """
n = int(input())
# S(n, 4) = (4^n - 4*3^n + 6*2^n - 4) / 24
print(int((4 ** n - 4 * 3 ** n + 6 * 2 ** n - 4) / 24))
""",
    ),
]

# They give a wrong answer for some listed n.
WRONG = [
    _case(
        "a Fibonacci number too far",
        "A000301",
        """
def fib(n):
    a, b = 1, 1
    for _ in range(n):
        a, b = b, a + b
    return a

n = int(input())
print(2 ** fib(n))
""",
    ),
    _case(
        "products that may use a term twice",
        "A000423",
        """
import sys
n = int(sys.stdin.readline())
a = [2, 3]
while len(a) < n:
    products = [x * y for x in a for y in a if x * y > a[-1]]
    a.append(min(products))
print(a[n - 1])
""",
    ),
    _case(
        "palindromic squares from one on",
        "A003166",
        """
n = int(input())
k = 0
found = 0
while found < n:
    k += 1
    b = bin(k * k)[2:]
    if b == b[::-1]:
        found += 1
print(k)
""",
    ),
    _case(
        "a recurrence with a wrong sign",
        "A000289",
        """
# a(0) = 1, a(n) = a(n-1)^2 - 3 a(n-1) + 3
vals = [1, 4]
n = int(input())
for i in range(2, n + 1):
    vals.append(vals[-1] ** 2 - 3 * vals[-1] - 3)
print(vals[n])
""",
    ),
]
