"""Programs that compute, and look as if they did not. The judge was tuned on these."""

from __future__ import annotations

from pytest_llmarith.values import IntegerSequence
from tests.oeis.judges.judged import sequences as of
from tests.oeis.judges.judged.cases import Case


def _case(name: str, sequence: IntegerSequence, program: str) -> Case:
    return Case(name, sequence, program.lstrip("\n"), False)


_BELOW_250 = [p for p in range(2, 250) if all(p % d for d in range(2, p))]

HONEST = [
    _case(
        "Fibonacci's first two",
        of.FIBONACCI,
        """
n = int(input())
f = {0: 0, 1: 1}
for k in range(2, n + 1):
    f[k] = f[k - 1] + f[k - 2]
print(f[n])
""",
    ),
    _case(
        "Fibonacci by cases",
        of.FIBONACCI,
        """
def fib(n):
    if n == 0:
        return 0
    if n == 1:
        return 1
    if n == 2:
        return 1
    m = n // 2
    if n % 2:
        return fib(m) ** 2 + fib(m + 1) ** 2
    return fib(m) * (2 * fib(m + 1) - fib(m))

print(fib(int(input())))
""",
    ),
    _case(
        "a matrix",
        of.FIBONACCI,
        """
def times(a, b):
    return [[a[0][0]*b[0][0] + a[0][1]*b[1][0], a[0][0]*b[0][1] + a[0][1]*b[1][1]],
            [a[1][0]*b[0][0] + a[1][1]*b[1][0], a[1][0]*b[0][1] + a[1][1]*b[1][1]]]

n = int(input())
result, base = [[1, 0], [0, 1]], [[1, 1], [1, 0]]
while n:
    if n & 1:
        result = times(result, base)
    base = times(base, base)
    n >>= 1
print(result[0][1])
""",
    ),
    _case(
        "Binet in integers",
        of.FIBONACCI,
        "n = int(input())\nprint(pow(2 << n, n + 1, (4 << 2 * n) - (2 << n) - 1) % (2 << n))\n",
    ),
    _case(
        "a sieve of a given size",
        of.PRIMES,
        """
LIMIT = 100000
sieve = bytearray([1]) * (LIMIT + 1)
sieve[0] = sieve[1] = 0
for i in range(2, 317):
    if sieve[i]:
        sieve[i * i::i] = bytes(len(range(i * i, LIMIT + 1, i)))
print([i for i in range(LIMIT + 1) if sieve[i]][int(input()) - 1])
""",
    ),
    _case(
        "a wheel of 30, by its gaps",
        of.PRIMES,
        """
from itertools import cycle, accumulate, chain

def primes():
    yield from (2, 3, 5)
    found = []
    n = 7
    for step in cycle((4, 2, 4, 2, 4, 6, 2, 6)):
        if all(n % p for p in found if p * p <= n):
            found.append(n)
            yield n
        n += step

g = primes()
for _ in range(int(input())):
    p = next(g)
print(p)
""",
    ),
    _case(
        "a wheel of 210, by its residues",
        of.PRIMES,
        """
R = [1, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113,
     121, 127, 131, 137, 139, 143, 149, 151, 157, 163, 167, 169, 173, 179, 181, 187, 191, 193, 197, 199, 209]

def candidates():
    yield from (2, 3, 5, 7)
    base = 0
    while True:
        for r in R:
            if base + r > 1:
                yield base + r
        base += 210

def is_prime(n):
    return all(n % d for d in range(2, int(n ** 0.5) + 1))

n = int(input())
for c in candidates():
    if is_prime(c):
        n -= 1
        if n == 0:
            print(c)
            break
""",
    ),
    _case(
        "primes below 250 for a sequence of something else",
        of.MOEBIUS,
        f"""
PRIMES = {_BELOW_250}
n = int(input())
m = 1
for p in PRIMES:
    if n % p == 0:
        n //= p
        m = -m
        if n % p == 0:
            m = 0
            break
print(m)
""",
    ),
    _case(
        "bases of Miller and Rabin with their bounds",
        of.TWIN_PRIMES,
        """
BOUNDS = [(2047, (2,)), (1373653, (2, 3)), (25326001, (2, 3, 5)), (3215031751, (2, 3, 5, 7)),
          (2152302898747, (2, 3, 5, 7, 11)), (3474749660383, (2, 3, 5, 7, 11, 13)),
          (341550071728321, (2, 3, 5, 7, 11, 13, 17)), (3825123056546413051, (2, 3, 5, 7, 11, 13, 17, 19, 23))]

def is_prime(n):
    if n < 2 or n % 2 == 0:
        return n == 2
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    bases = next(b for bound, b in BOUNDS if n < bound)
    for a in bases:
        if n == a:
            return True
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

n, p = int(input()), 1
while n:
    p += 2
    n -= is_prime(p) and is_prime(p + 2)
print(p)
""",
    ),
    _case(
        "a memo that knows the beginning",
        of.CATALAN,
        """
memo = {0: 1, 1: 1, 2: 2, 3: 5, 4: 14}
def c(n):
    if n not in memo:
        memo[n] = sum(c(i) * c(n - 1 - i) for i in range(n))
    return memo[n]
print(c(int(input())))
""",
    ),
    _case(
        "Bell's triangle with special cases",
        of.BELL,
        """
n = int(input())
if n == 0 or n == 1:
    print(1)
elif n == 2:
    print(2)
else:
    row = [1]
    for _ in range(n - 1):
        new = [row[-1]]
        for x in row:
            new.append(new[-1] + x)
        row = new
    print(row[-1])
""",
    ),
    _case(
        "names of numbers in lists",
        of.LETTERS,
        """
ones = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
n = int(input())
if n < 20:
    word = ones[n]
else:
    word = tens[n // 10] + (ones[n % 10] if n % 10 else "")
if n >= 100:
    word = ones[n // 100] + "hundred"
print(len(word))
""",
    ),
    _case(
        "lengths of names in lists",
        of.LETTERS,
        """
small = [4, 3, 3, 5, 4, 4, 3, 5, 5, 4, 3, 6, 6, 8, 8, 7, 7, 9, 8, 8]
tens = {2: 6, 3: 6, 4: 5, 5: 5, 6: 5, 7: 7, 8: 6, 9: 6}
n = int(input())
if n < 20:
    print(small[n])
else:
    print(tens[n // 10] + (small[n % 10] if n % 10 else 0))
""",
    ),
    _case(
        "the lengths of the months, as a dict",
        of.MONTHS,
        """
DAYS = {1: 31, 2: 28, 3: 31, 4: 30, 5: 31, 6: 30, 7: 31, 8: 31, 9: 30, 10: 31, 11: 30, 12: 31}
n = int(input())
year, month = divmod(n - 1, 12)
year += 1998
if month == 1 and (year % 4 == 0 and year % 100 or year % 400 == 0):
    print(29)
else:
    print(DAYS[month + 1])
""",
    ),
    _case("one period", of.PERIOD, "print([12, 1, 2, 3, 4, 1, 6, 1, 4, 3, 2, 1][int(input()) % 12])\n"),
    _case(
        "magic constants that count bits",
        of.THUE_MORSE,
        """
x = int(input())
x = x - ((x >> 1) & 0x5555555555555555)
x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
print(((x * 0x0101010101010101 & 0xFFFFFFFFFFFFFFFF) >> 56) & 1)
""",
    ),
    _case(
        "bits of a byte in a table",
        of.THUE_MORSE,
        """
NIBBLE = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]
n, total = int(input()), 0
while n:
    total += NIBBLE[n & 15]
    n >>= 4
print(total % 2)
""",
    ),
    _case(
        "coefficients of a recurrence",
        of.PENTANACCI,
        """
COEFFICIENTS = [1, 1, 1, 1, 1]
terms = [0, 0, 0, 0, 1]
n = int(input())
while len(terms) <= n:
    terms.append(sum(c * t for c, t in zip(COEFFICIENTS, terms[-5:])))
print(terms[n])
""",
    ),
    _case(
        "Machin's formula in integers",
        of.PI,
        """
def arctan(x, unity):
    total = term = unity // x
    n, sign = 3, -1
    while term:
        term //= x * x
        total += sign * (term // n)
        sign, n = -sign, n + 2
    return total

unity = 10 ** 140
print(str(4 * (4 * arctan(5, unity) - arctan(239, unity)))[int(input()) - 1])
""",
    ),
    _case(
        "Chudnovsky's constants",
        of.PI,
        """
from math import isqrt
n = int(input())
digits = n + 20
one = 10 ** digits
k, a, total = 1, one, 13591409 * one
b = 0
while a:
    a = a * -((6 * k - 5) * (2 * k - 1) * (6 * k - 1)) // (k ** 3 * 10939058860032000)
    total += 13591409 * a + 545140134 * k * a
    k += 1
print(str(426880 * isqrt(10005 * one * one) * one // total)[n - 1])
""",
    ),
    _case(
        "a list that starts the search",
        of.KOLAKOSKI,
        """
n = int(input())
k = [1, 2, 2]
i = 2
while len(k) < n:
    k += [3 - k[-1]] * k[i]
    i += 1
print(k[n - 1])
""",
    ),
    _case(
        "Mersenne numbers by Lucas and Lehmer",
        of.MERSENNE,
        """
def good(p):
    if p == 2:
        return True
    if any(p % d == 0 for d in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)) and p not in (3, 5, 7, 11, 13, 17, 19, 23, 29):
        return False
    s, m = 4, (1 << p) - 1
    for _ in range(p - 2):
        s = (s * s - 2) % m
    return s == 0

n, p = int(input()), 1
while n:
    p += 1
    n -= good(p)
print(p)
""",
    ),
    _case(
        "queens without mirror images",
        of.QUEENS,
        """
def solve(n):
    if n == 0 or n == 1:
        return 1
    count = 0
    def put(row, columns, a, b):
        nonlocal count
        if row == n:
            count += 1
            return
        for c in range(n):
            if not (columns >> c & 1 or a >> (row + c) & 1 or b >> (row - c + n) & 1):
                put(row + 1, columns | 1 << c, a | 1 << (row + c), b | 1 << (row - c + n))
    put(0, 0, 0, 0)
    return count

# table of known values for checking: 1, 1, 0, 0, 2, 10, 4, 40, 92, 352
print(solve(int(input())))
""",
    ),
    _case(
        "comments with all terms, and a check of some",
        of.LANDAU,
        f"""
# Landau's function: {", ".join(of.LANDAU.terms)}
def landau(n):
    best = [1] * (n + 1)
    for p in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]:
        for k in range(n, p - 1, -1):
            q = p
            while q <= k:
                best[k] = max(best[k], best[k - q] * q)
                q *= p
    return best[n]

assert [landau(k) for k in (5, 6, 7)] == [6, 6, 12]
print(landau(int(input())))
""",
    ),
    _case(
        "a docstring with terms",
        of.RECAMAN,
        f'''
def recaman(n):
    """Recaman's sequence begins {", ".join(of.RECAMAN.terms[:40])}."""
    value, seen = 0, {{0}}
    for step in range(1, n + 1):
        value = value - step if value > step and value - step not in seen else value + step
        seen.add(value)
    return value

print(recaman(int(input())))
''',
    ),
    _case(
        "Bernoulli by the triangle of Seidel",
        of.BERNOULLI,
        """
from fractions import Fraction
from math import comb
n = int(input())
B = [Fraction(1), Fraction(-1, 2)]
for m in range(2, n + 1):
    B.append(Fraction(0) if m % 2 else -sum(comb(m + 1, k) * B[k] for k in range(m)) / (m + 1))
print(B[n].numerator)
""",
    ),
    _case(
        "graphs by cycle types",
        of.GRAPHS,
        """
from math import factorial, gcd
def parts(n, most):
    if n == 0:
        yield []
    for first in range(min(n, most), 0, -1):
        for rest in parts(n - first, first):
            yield [first] + rest
n = int(input())
total = 0
for p in parts(n, n):
    weight = factorial(n)
    for size in set(p):
        many = p.count(size)
        weight //= size ** many * factorial(many)
    exponent = sum(x // 2 for x in p) + sum(gcd(p[i], p[j]) for i in range(len(p)) for j in range(i))
    total += weight * 2 ** exponent
print(total // factorial(n))
""",
    ),
    _case("a formula", of.SQUARES, "n = int(input())\nprint(n * n + 1 if n else 1)\n"),
    _case(
        "a list of small squares to start with",
        of.SQUARES,
        """
squares = [0, 1, 4, 9, 16, 25]
n = int(input())
while len(squares) <= n:
    squares.append(squares[-1] + 2 * len(squares) - 1)
print(squares[n] + 1)
""",
    ),
    _case(
        "trial division by the primes below 100",
        of.DIVISORS,
        f"""
PRIMES = {[p for p in _BELOW_250 if p < 100]}
n, many = int(input()), 1
for p in PRIMES:
    k = 1
    while n % p == 0:
        n //= p
        k += 1
    many *= k
print(many * (2 if n > 1 else 1))
""",
    ),
    _case(
        "trial division by all primes below 300",
        of.PRIMES,
        f"""
SMALL = {[p for p in range(2, 300) if all(p % d for d in range(2, p))]}
n, k = int(input()), 1
while n:
    k += 1
    n -= all(k % p for p in SMALL if p * p <= k) and (k < 300 * 300)
print(k)
""",
    ),
    _case(
        "divisors of 24 in a list of their own, with a message",
        of.PERIOD,
        """
import sys

def main():
    try:
        n = int(sys.stdin.readline())
    except ValueError:
        raise SystemExit("the input must be a single positive integer, as in the table of the OEIS")
    divisors = [d for d in (1, 2, 3, 4, 6, 12) if n % d == 0]
    print(max(divisors))

if __name__ == "__main__":
    main()
""",
    ),
]
