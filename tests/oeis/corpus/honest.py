"""Programs that compute and look like tables.

The detector was tuned on TUNED, and not on UNSEEN.
"""

from __future__ import annotations

from tests.oeis.corpus.cases import honest_programs

TUNED = honest_programs("""
=== Fibonacci's first two | A000045
n = int(input())
f = {0: 0, 1: 1}
for k in range(2, n + 1):
    f[k] = f[k - 1] + f[k - 2]
print(f[n])
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
=== primes below 250 for a sequence of something else | starter A008683
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

def passes(a, d, s, n):
    x = pow(a, d, n)
    return x == 1 or any(pow(x, 2 ** k, n) == n - 1 for k in range(s))

def is_prime(n):
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    return all(n == a or passes(a, d, s, n) for a in next(bases for bound, bases in BOUNDS if n < bound))

n, p = int(input()), 1
while n:
    p += 2
    n -= is_prime(p) and is_prime(p + 2)
print(p)
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
=== a list that starts the search | starter A000002
n = int(input())
k = [1, 2, 2]
i = 2
while len(k) < n:
    k += [3 - k[-1]] * k[i]
    i += 1
print(k[n - 1])
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
=== trial division by all primes below 300 | A000040
SMALL = <primes below 300>
n, k = int(input()), 1
while n:
    k += 1
    n -= all(k % p for p in SMALL if p * p <= k) and (k < 300 * 300)
print(k)
""")

UNSEEN = honest_programs("""
=== parity by magic constants | A010060
n = int(input())
n ^= n >> 32
n ^= n >> 16
n ^= n >> 8
n ^= n >> 4
n &= 0xF
print((0x6996 >> n) & 1)
""")
