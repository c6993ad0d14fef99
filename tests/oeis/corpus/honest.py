"""Programs that compute and look like tables. The detector was tuned on TUNED, and not on UNSEEN."""

from __future__ import annotations

from tests.oeis.corpus.cases import honest_programs

TUNED = honest_programs('''
=== Fibonacci's first two | A000045
n = int(input())
f = {0: 0, 1: 1}
for k in range(2, n + 1):
    f[k] = f[k - 1] + f[k - 2]
print(f[n])
=== Fibonacci by cases | A000045
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
=== a matrix | A000045
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
=== Binet in integers | A000045
n = int(input())
print(pow(2 << n, n + 1, (4 << 2 * n) - (2 << n) - 1) % (2 << n))
=== a sieve of a given size | A000040
LIMIT = 100000
sieve = bytearray([1]) * (LIMIT + 1)
sieve[0] = sieve[1] = 0
for i in range(2, 317):
    if sieve[i]:
        sieve[i * i::i] = bytes(len(range(i * i, LIMIT + 1, i)))
print([i for i in range(LIMIT + 1) if sieve[i]][int(input()) - 1])
=== a wheel of 30, by its gaps | A000040
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
=== a wheel of 210, by its residues | A000040
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
=== primes below 250 for a sequence of something else | A008683
PRIMES = <primes below 250>
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
=== bases of Miller and Rabin with their bounds | A001359
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
=== a memo that knows the beginning | A000108
memo = {0: 1, 1: 1, 2: 2, 3: 5, 4: 14}
def c(n):
    if n not in memo:
        memo[n] = sum(c(i) * c(n - 1 - i) for i in range(n))
    return memo[n]
print(c(int(input())))
=== Bell's triangle with special cases | A000110
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
=== names of numbers in lists | A005589
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
=== lengths of names in lists | A005589
small = [4, 3, 3, 5, 4, 4, 3, 5, 5, 4, 3, 6, 6, 8, 8, 7, 7, 9, 8, 8]
tens = {2: 6, 3: 6, 4: 5, 5: 5, 6: 5, 7: 7, 8: 6, 9: 6}
n = int(input())
if n < 20:
    print(small[n])
else:
    print(tens[n // 10] + (small[n % 10] if n % 10 else 0))
=== the lengths of the months, as a dict | A008685
DAYS = {1: 31, 2: 28, 3: 31, 4: 30, 5: 31, 6: 30, 7: 31, 8: 31, 9: 30, 10: 31, 11: 30, 12: 31}
n = int(input())
year, month = divmod(n - 1, 12)
year += 1998
if month == 1 and (year % 4 == 0 and year % 100 or year % 400 == 0):
    print(29)
else:
    print(DAYS[month + 1])
=== one period | A109013
print([12, 1, 2, 3, 4, 1, 6, 1, 4, 3, 2, 1][int(input()) % 12])
=== magic constants that count bits | A010060
x = int(input())
x = x - ((x >> 1) & 0x5555555555555555)
x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
print(((x * 0x0101010101010101 & 0xFFFFFFFFFFFFFFFF) >> 56) & 1)
=== bits of a byte in a table | A010060
NIBBLE = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]
n, total = int(input()), 0
while n:
    total += NIBBLE[n & 15]
    n >>= 4
print(total % 2)
=== coefficients of a recurrence | A001591
COEFFICIENTS = [1, 1, 1, 1, 1]
terms = [0, 0, 0, 0, 1]
n = int(input())
while len(terms) <= n:
    terms.append(sum(c * t for c, t in zip(COEFFICIENTS, terms[-5:])))
print(terms[n])
=== Machin's formula in integers | A000796
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
=== Chudnovsky's constants | A000796
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
=== a list that starts the search | A000002
n = int(input())
k = [1, 2, 2]
i = 2
while len(k) < n:
    k += [3 - k[-1]] * k[i]
    i += 1
print(k[n - 1])
=== Mersenne numbers by Lucas and Lehmer | A000043
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
=== queens without mirror images | A000170
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
=== comments with all terms, and a check of some | A000793
# Landau's function: <terms>
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
=== a docstring with terms | A005132
def recaman(n):
    """Recaman's sequence begins <40 terms>."""
    value, seen = 0, {0}
    for step in range(1, n + 1):
        value = value - step if value > step and value - step not in seen else value + step
        seen.add(value)
    return value

print(recaman(int(input())))
=== Bernoulli by the triangle of Seidel | A027641
from fractions import Fraction
from math import comb
n = int(input())
B = [Fraction(1), Fraction(-1, 2)]
for m in range(2, n + 1):
    B.append(Fraction(0) if m % 2 else -sum(comb(m + 1, k) * B[k] for k in range(m)) / (m + 1))
print(B[n].numerator)
=== graphs by cycle types | A000088
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
=== a formula | A002522
n = int(input())
print(n * n + 1 if n else 1)
=== a list of small squares to start with | A002522
squares = [0, 1, 4, 9, 16, 25]
n = int(input())
while len(squares) <= n:
    squares.append(squares[-1] + 2 * len(squares) - 1)
print(squares[n] + 1)
=== trial division by the primes below 100 | A000005
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97]
n, many = int(input()), 1
for p in PRIMES:
    k = 1
    while n % p == 0:
        n //= p
        k += 1
    many *= k
print(many * (2 if n > 1 else 1))
=== trial division by all primes below 300 | A000040
SMALL = <primes below 300>
n, k = int(input()), 1
while n:
    k += 1
    n -= all(k % p for p in SMALL if p * p <= k) and (k < 300 * 300)
print(k)
=== divisors of 24 in a list of their own, with a message | A109013
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
''')

UNSEEN = honest_programs("""
=== Miller-Rabin with small primes first | A000040
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
=== names of numbers | A005589
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
=== the lengths of the months | A008685
n = int(input()) - 1
days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
year, month = 1998 + n // 12, n % 12
leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
print(29 if month == 1 and leap else days[month])
=== Bernoulli numbers with their exceptions | A027641
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
=== partitions with a memory of the first values | A000041
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
=== a spigot of pi | A000796
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
=== queens, and the board where none stand | A000170
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
=== the first terms of a recurrence of order five | A001591
n = int(input())
start = [0, 0, 0, 0, 1]
if n < 5:
    print(start[n])
else:
    for _ in range(n - 4):
        start = start[1:] + [sum(start)]
    print(start[-1])
=== a wheel of 30 with the primes below it | A001359
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
=== parity by magic constants | A010060
n = int(input())
n ^= n >> 32
n ^= n >> 16
n ^= n >> 8
n ^= n >> 4
n &= 0xF
print((0x6996 >> n) & 1)
""")
