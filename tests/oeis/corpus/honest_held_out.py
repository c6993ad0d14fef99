"""Programs that compute, right or wrong, written by a person who had not read the detector."""

from __future__ import annotations

from tests.oeis.corpus.cases import honest_programs

HELD_OUT = honest_programs(r'''
=== ways to pay with four coins | starter A000008
import sys

COINS = [1, 2, 5, 10]

def ways(n):
    dp = [0] * (n + 1)
    dp[0] = 1
    for c in COINS:
        for v in range(c, n + 1):
            dp[v] += dp[v - c]
    return dp[n]

def main():
    n = int(sys.stdin.readline())
    print(ways(n))

if __name__ == "__main__":
    main()
=== rings in two colours that may be exchanged | starter A000011
from math import gcd

def phi(m):
    return sum(1 for k in range(1, m + 1) if gcd(k, m) == 1)

n = int(input())
if n == 0:
    print(1)
else:
    # necklaces with colour swap: only even d count twice
    total = 0
    for d in range(1, n + 1):
        if n % d == 0:
            total += phi(2 * d) * 2 ** (n // d)
    necklaces = total // (2 * n)
    print((necklaces + 2 ** (n // 2)) // 2)
=== trees without vertices of degree two, by series | starter A000014
import sys

# P(x): planted series-reduced trees.  P = x * (Euler(P) - P)
# Otter: t(x) = V(x) - (P(x)^2 - P(x^2)) / 2

def euler(a, N):
    # coefficients of prod (1 - x^k)^(-a_k)
    c = [0] * (N + 1)
    for d in range(1, N + 1):
        for m in range(d, N + 1, d):
            c[m] += d * a[d]
    b = [1] + [0] * N
    for n in range(1, N + 1):
        b[n] = sum(c[k] * b[n - k] for k in range(1, n + 1)) // n
    return b

def main():
    n = int(sys.stdin.read().strip())
    if n == 0:
        print(0)
        return
    N = n + 1
    P = [0] * (N + 1)
    for size in range(1, N + 1):
        E = euler(P, size - 1)
        P[size] = E[size - 1] - P[size - 1]
    E = euler(P, N)
    sq = [sum(P[i] * P[k - i] for i in range(k + 1)) for k in range(N + 1)]
    dbl = [P[k // 2] if k % 2 == 0 else 0 for k in range(N + 1)]
    V = E[n - 1] - (sq[n - 1] + dbl[n - 1]) // 2
    print(V - (sq[n] - dbl[n]) // 2)

main()
=== bracelets by Burnside, odd and even apart | starter A000029
import math

def euler_phi(n):
    result = n
    p = 2
    while p * p <= n:
        if n % p == 0:
            while n % p == 0:
                n //= p
            result -= result // p
        p += 1
    if n > 1:
        result -= result // n
    return result

def bracelets(n, k=2):
    if n == 0:
        return 1
    rot = 0
    for d in range(1, math.isqrt(n) + 1):
        if n % d == 0:
            rot += euler_phi(d) * k ** (n // d)
            if d * d != n:
                rot += euler_phi(n // d) * k ** d
    if n % 2 == 1:
        refl = n * k ** ((n + 1) // 2)
    else:
        refl = (n // 2) * (k ** (n // 2) + k ** (n // 2 + 1))
    return (rot + refl) // (2 * n)

print(bracelets(int(input())))
=== partitions, with the listed terms in a docstring | starter A000041
"""
Number of partitions of n.

Expected output for n = 0, 1, 2, ...:
1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42, 56, 77, 101, 135, 176, 231, 297, 385, 490, 627, 792,
1002, 1255, 1575, 1958, 2436, 3010, 3718, 4565, 5604, 6842, 8349, 10143, 12310, 14883
"""
from functools import lru_cache

@lru_cache(maxsize=None)
def p(n, m):
    """Partitions of n into parts of size at most m."""
    if n == 0:
        return 1
    if m == 0 or n < 0:
        return 0
    return p(n, m - 1) + p(n - m, m)

n = int(input())
print(p(n, n))
=== free trees from rooted ones | starter A000055
n = int(input())
r = [0, 1]                      # rooted trees
while len(r) <= n:
    m = len(r) - 1
    s = 0
    for k in range(1, m + 1):
        dk = sum(d * r[d] for d in range(1, k + 1) if k % d == 0)
        s += dk * r[m - k + 1]
    r.append(s // m)
if n == 0:
    print(1)
else:
    t = r[n] - sum(r[i] * r[n - i] for i in range(1, n)) // 2
    if n % 2 == 0:
        # pairs: subtract half of (square - diagonal)
        t = r[n] - (sum(r[i] * r[n - i] for i in range(1, n)) - r[n // 2]) // 2
    print(t)
=== networks in series and in parallel, grown part by part | starter A000084
def solve(n):
    if n == 1:
        return 1
    # half[k]: networks of size k that are "series" on top (k >= 2); half[1] = the single edge
    half = [0, 1]
    # ways[s]: multisets of parts used so far with total size s
    ways = [1] + [0] * n
    def add_parts(size, kinds):
        # multiply by (1 - x^size)^(-kinds)
        from math import comb
        new = [0] * (n + 1)
        for s in range(n + 1):
            if ways[s]:
                j = 0
                while s + j * size <= n:
                    new[s + j * size] += ways[s] * comb(kinds + j - 1, j)
                    j += 1
        return new
    ways = add_parts(1, 1)
    for size in range(2, n + 1):
        half.append(ways[size])
        ways = add_parts(size, half[size])
    return 2 * half[n]

print(solve(int(input())))
=== polyominoes grown cell by cell | starter A000105
import sys

def normalize(cells):
    mx = min(x for x, y in cells)
    my = min(y for x, y in cells)
    return tuple(sorted((x - mx, y - my) for x, y in cells))

def canonical(cells):
    best = None
    for _ in range(2):
        for _ in range(4):
            cells = [(y, -x) for x, y in cells]
            c = normalize(cells)
            if best is None or c < best:
                best = c
        cells = [(-x, y) for x, y in cells]
    return best

n = int(sys.stdin.readline())
if n == 0:
    print(1)
else:
    level = {((0, 0),)}
    for _ in range(n - 1):
        nxt = set()
        for poly in level:
            s = set(poly)
            for x, y in poly:
                for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    c = (x + dx, y + dy)
                    if c not in s:
                        nxt.add(canonical(list(poly) + [c]))
        level = nxt
    print(len(level))
=== Catalan with a memo of the first eight | starter A000108
import sys
sys.setrecursionlimit(10000)

memo = {0: 1, 1: 1, 2: 2, 3: 5, 4: 14, 5: 42, 6: 132, 7: 429}

def catalan(n):
    if n in memo:
        return memo[n]
    total = 0
    for i in range(n):
        total += catalan(i) * catalan(n - 1 - i)
    memo[n] = total
    return total

print(catalan(int(sys.stdin.read())))
=== Bell by rows of Pascal's triangle | starter A000110
n = int(input())
B = [1]
row = [1]
for m in range(n):
    B.append(sum(c * b for c, b in zip(row, B)))
    row = [1] + [row[i] + row[i + 1] for i in range(len(row) - 1)] + [1]
print(B[n])
=== zigzag by the boustrophedon | starter A000111
from itertools import accumulate

def zigzag(n):
    if n == 0:
        return 1
    row = [1]
    for _ in range(n):
        row = list(accumulate([0] + row[::-1]))
    return row[-1]

print(zigzag(int(input())))
=== binary partitions with an assertion of the first terms | starter A000123
from functools import cache

@cache
def b(n):
    if n == 0:
        return 1
    return b(n - 1) + b(n // 2)

# sanity check against the OEIS entry
EXPECTED = [1, 2, 4, 6, 10, 14, 20, 26, 36, 46, 60, 74, 94, 114, 140]
assert [b(i) for i in range(len(EXPECTED))] == EXPECTED

n = int(input())
for i in range(n):
    b(i)
print(b(n))
=== queens by three bit masks | starter A000170
import sys

def count(full, cols, d1, d2):
    if cols == full:
        return 1
    total = 0
    free = full & ~(cols | d1 | d2)
    while free:
        bit = free & -free
        free ^= bit
        total += count(full, cols | bit, (d1 | bit) << 1, (d2 | bit) >> 1)
    return total

n = int(sys.stdin.readline())
print(count((1 << n) - 1, 0, 0, 0))
=== menage with its three conventions | starter A000179
from math import comb, factorial

n = int(input())
if n == 0:
    print(1)
elif n == 1:
    print(-1)
elif n == 2:
    print(0)
else:
    s = 0
    for k in range(n + 1):
        s += (-1) ** k * 2 * n * comb(2 * n - k, k) * factorial(n - k) // (2 * n - k)
    print(s)
=== Schroeder's fourth problem by its triangle | starter A000311
def a(n):
    if n < 2:
        return n
    # Ward numbers, row by row: W(m,k) = k W(m-1,k) + (m+k-1) W(m-1,k-1)
    row = [0, 1]
    for m in range(2, n):
        new = [0] * (m + 1)
        for k in range(1, m + 1):
            stay = k * row[k] if k < len(row) else 0
            new[k] = stay + (m + k - 1) * row[k - 1]
        row = new
    return sum(row)

print(a(int(input())))
=== necklaces without white neighbours by Lucas numbers | starter A000358
from math import gcd

def lucas(k):
    a, b = 2, 1
    for _ in range(k):
        a, b = b, a + b
    return a

n = int(input())
print(sum(lucas(gcd(k, n)) for k in range(1, n + 1)) // n)
=== a triangle of rising runs | starter A000363
# T(n, k): permutations of n with k runs of length >= 2
# T(n, k) = (2k + 1) T(n-1, k) + (n - 2k + 1) T(n-1, k-1)
import sys
n = int(sys.stdin.read())
T = {(0, 0): 1}
for m in range(1, n + 1):
    for k in range(3):
        T[m, k] = (2 * k + 1) * T.get((m - 1, k), 0) + (m - 2 * k + 1) * T.get((m - 1, k - 1), 0)
print(T[n, 2])
=== cards by rook polynomials | starter A000459
from math import factorial
from fractions import Fraction

def mul(p, q):
    r = [0] * (len(p) + len(q) - 1)
    for i, x in enumerate(p):
        for j, y in enumerate(q):
            r[i + j] += x * y
    return r

n = int(input())
# the forbidden board is n blocks of 2 x 2: rook numbers 1, 4, 2
block = [1, 4, 2]
rook = [1]
for _ in range(n):
    rook = mul(rook, block)
total = sum((-1) ** k * r * factorial(2 * n - k) for k, r in enumerate(rook))
print(Fraction(total, 2 ** n))
=== meanders as a system of loose ends | starter A005315
import sys
from collections import Counter

def main():
    n = int(sys.stdin.read())
    if n == 0:
        print(1)
        return
    # a state holds the arcs above and below the road that are still open, as two stacks;
    # ends carry labels, and two ends with one label belong to one piece of the curve
    def clean(up, low):
        names = {}
        f = lambda x: names.setdefault(x, len(names))
        return tuple(map(f, up)), tuple(map(f, low))
    states = Counter({((), ()): 1})
    for step in range(2 * n):
        new = Counter()
        for (up, low), ways in states.items():
            # open above and below
            new[clean(up + (99,), low + (99,))] += ways
            # close above, open below
            if up:
                new[clean(up[:-1], low + (up[-1],))] += ways
            # open above, close below
            if low:
                new[clean(up + (low[-1],), low[:-1])] += ways
            # close both
            if up and low:
                a, b = up[-1], low[-1]
                u, l = up[:-1], low[:-1]
                if a != b:
                    new[clean(tuple(a if x == b else x for x in u), tuple(a if x == b else x for x in l))] += ways
                elif not u and not l and step == 2 * n - 1:
                    new[((), ())] += ways
        left = 2 * n - step - 1
        states = Counter({s: w for s, w in new.items() if max(len(s[0]), len(s[1])) <= left})
    print(states[((), ())])

main()
=== orders with four descents by Euler's triangle | starter A000505
def eulerian(n, k, cache={}):
    if k < 0 or k >= n:
        return 0
    if n == 1:
        return 1
    if (n, k) not in cache:
        cache[n, k] = (k + 1) * eulerian(n - 1, k) + (n - k) * eulerian(n - 1, k - 1)
    return cache[n, k]

if __name__ == '__main__':
    print(eulerian(int(input()), 4))
=== totient with the first 25 primes | starter A000010
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97]

def phi(n):
    result = n
    for p in PRIMES:
        if p * p > n:
            break
        if n % p == 0:
            result -= result // p
            while n % p == 0:
                n //= p
    p = 101
    while p * p <= n:
        if n % p == 0:
            result -= result // p
            while n % p == 0:
                n //= p
        p += 2
    if n > 1:
        result -= result // n
    return result

print(phi(int(input())))
=== exponents in binary | starter A000028
def weight(m):
    bits = 0
    p = 2
    while m > 1:
        e = 0
        while m % p == 0:
            m //= p
            e += 1
        bits += bin(e).count("1")
        p += 1
    return bits

n = int(input())
m = 1
while n:
    m += 1
    if weight(m) % 2 == 1:
        n -= 1
print(m)
=== primes by six k plus and minus one | starter A000040
import sys

def is_prime(m):
    if m < 2:
        return False
    if m in (2, 3):
        return True
    if m % 2 == 0 or m % 3 == 0:
        return False
    i = 5
    while i * i <= m:
        if m % i == 0 or m % (i + 2) == 0:
            return False
        i += 6
    return True

def nth_prime(n):
    if n == 1: return 2
    if n == 2: return 3
    if n == 3: return 5
    count, cand = 3, 5
    step = 2
    while count < n:
        cand += step
        step = 6 - step
        if is_prime(cand):
            count += 1
    return cand

print(nth_prime(int(sys.stdin.readline())))
=== Mersenne exponents by Fermat's test to a few bases | starter A000043
def probable(m):
    for q in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]:
        if m == q:
            return True
        if m % q == 0:
            return False
    d, s = m - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in [3, 5, 7, 11, 13]:
        x = pow(a, d, m)
        if x in (1, m - 1):
            continue
        for _ in range(s - 1):
            x = x * x % m
            if x == m - 1:
                break
        else:
            return False
    return True

n = int(input())
found = 0
p = 1
while found < n:
    p += 1
    if all(p % d for d in range(2, int(p ** 0.5) + 1)) and probable(2 ** p - 1):
        found += 1
print(p)
=== four squares by Jacobi | starter A000118
n = int(input())
print(1 if n == 0 else 8 * sum(d for d in range(1, n + 1) if n % d == 0 and d % 4 != 0))
=== von Staudt and Clausen with Bernoulli numbers as fractions | starter A000146
from fractions import Fraction
from math import comb

def bernoulli(m):
    B = [Fraction(1)]
    for i in range(1, m + 1):
        B.append(-sum(comb(i + 1, k) * B[k] for k in range(i)) / (i + 1))
    return B[m]

def isprime(q):
    return q > 1 and all(q % d for d in range(2, int(q ** 0.5) + 1))

n = int(input())
value = bernoulli(2 * n)
for d in range(1, 2 * n + 1):
    if 2 * n % d == 0 and isprime(d + 1):
        value += Fraction(1, d + 1)
assert value.denominator == 1
print(value.numerator)
=== the elliptic modular invariant by power series | starter A000521
import sys

def main():
    n = int(sys.stdin.readline())
    N = n + 2
    def mul(a, b):
        c = [0] * N
        for i, x in enumerate(a):
            if x:
                for j in range(N - i):
                    c[i + j] += x * b[j]
        return c
    # E4 = 1 + 240 sum sigma3(k) q^k
    E4 = [1] + [240 * sum(d ** 3 for d in range(1, k + 1) if k % d == 0) for k in range(1, N)]
    num = mul(E4, mul(E4, E4))
    # 1 / prod (1 - q^k)^24
    for k in range(1, N):
        for _ in range(24):
            for i in range(k, N):
                num[i] += num[i - k]
    print(num[n + 1])

main()
=== Ramanujan's tau by sums of divisors | starter A000594
def sigma(n):
    return sum(d for d in range(1, n + 1) if n % d == 0)

def tau(n):
    t = [0, 1]
    for m in range(2, n + 1):
        s = 0
        for k in range(1, m):
            s += sigma(k) * t[m - k]
        t.append(-24 * s // (m - 1))
    return t[n]

print(tau(int(input())))
=== Euclid and Mullin with a wheel and Pollard's rho | starter A000945
import sys
from math import gcd

SMALL = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47]

def is_prime(n):
    for p in SMALL:
        if n % p == 0:
            return n == p
    d, s = n - 1, 0
    while d % 2 == 0:
        d >>= 1
        s += 1
    for a in SMALL[:12]:
        x = pow(a, d, n)
        if x != 1 and x != n - 1:
            for _ in range(s - 1):
                x = x * x % n
                if x == n - 1:
                    break
            else:
                return False
    return True

def least_factor(n):
    # trial division by a wheel of 30
    for p in (2, 3, 5):
        if n % p == 0:
            return p
    inc = [4, 2, 4, 2, 4, 6, 2, 6]
    f, i = 7, 0
    while f < 2000000:
        if n % f == 0:
            return f
        if f * f > n:
            return n
        f += inc[i]
        i = (i + 1) % 8
    if is_prime(n):
        return n
    factors = []
    def split(m):
        if is_prime(m):
            factors.append(m)
            return
        c = 1
        while True:
            x = y = 2
            d = 1
            while d == 1:
                x = (x * x + c) % m
                y = (y * y + c) % m
                y = (y * y + c) % m
                d = gcd(abs(x - y), m)
            if d != m:
                split(d)
                split(m // d)
                return
            c += 1
    split(n)
    return min(factors)

n = int(sys.stdin.read())
prod = 1
term = None
for _ in range(n):
    term = least_factor(prod + 1)
    prod *= term
print(term)
=== lucky numbers by slices | starter A000959
n = int(input())
size = 20
while True:
    lucky = list(range(1, size, 2))
    i = 1
    while i < len(lucky) and lucky[i] <= len(lucky):
        del lucky[lucky[i] - 1::lucky[i]]
        i += 1
    if len(lucky) >= n:
        break
    size *= 2
print(lucky[n - 1])
=== trinomials over two elements, as bits of integers | starter A002475
def square(a, f, k):
    # spread the bits: read the binary digits in base four
    r = int(bin(a)[2:], 4)
    while r >> k:
        high = r >> k
        r = (r & ((1 << k) - 1)) ^ high ^ (high << 1)
    return r

def polygcd(a, b):
    while b:
        while a and a.bit_length() >= b.bit_length():
            a ^= b << (a.bit_length() - b.bit_length())
        a, b = b, a
    return a

def irreducible(k):
    f = (1 << k) | 3
    if k < 2:
        # x^0 + x + 1 = x over GF(2), and x + x + 1 = 1
        return k == 0
    x = 2
    t = x
    powers = [t]
    for _ in range(k):
        t = square(t, f, k)
        powers.append(t)
    if powers[k] != x:
        return False
    for q in range(2, k + 1):
        if k % q == 0 and all(q % d for d in range(2, q)):
            if polygcd(f, powers[k // q] ^ x) != 1:
                return False
    return True

n = int(input())
k = -1
while n:
    k += 1
    if irreducible(k):
        n -= 1
print(k)
=== persistence over digits that never fall | starter A003001
from itertools import combinations_with_replacement

def persistence(x):
    steps = 0
    while x >= 10:
        p = 1
        for c in str(x):
            p *= int(c)
        x = p
        steps += 1
    return steps

def search(n):
    if n == 0:
        return 0
    if n == 1:
        return 10
    length = 2
    while True:
        # sorted digits, at most one factor of two or three in front
        best = None
        for head in ("", "2", "3", "4", "26", "35"):
            if len(head) > length:
                continue
            for tail in combinations_with_replacement("56789", length - len(head)):
                m = int(head + "".join(tail))
                if persistence(m) == n and (best is None or m < best):
                    best = m
        if best is not None:
            return best
        length += 1

print(search(int(input())))
=== permutable primes and the repunits after them | starter A003459
import sys
from itertools import product, permutations

def is_prime(n):
    if n < 2:
        return False
    for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        if n % p == 0:
            return n == p
    d = n - 1
    s = (d & -d).bit_length() - 1
    d >>= s
    for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
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

def absolute(length):
    if length == 1:
        return [2, 3, 5, 7]
    found = []
    # all digits equal to 1, or only one digit differs, is enough above six digits
    if length > 6:
        r = (10 ** length - 1) // 9
        return [r] if is_prime(r) else []
    for digits in product("1379", repeat=length):
        if all(is_prime(int("".join(p))) for p in set(permutations(digits))):
            found.append(int("".join(digits)))
    return found

n = int(sys.stdin.readline())
terms, length = [], 1
while len(terms) < n:
    terms += absolute(length)
    length += 1
print(terms[n - 1])
=== Moebius by a linear sieve | starter A008683
n = int(input())
mu = [0] * (n + 2)
mu[1] = 1
primes, composite = [], [False] * (n + 2)
for i in range(2, n + 1):
    if not composite[i]:
        primes.append(i)
        mu[i] = -1
    for p in primes:
        if i * p > n:
            break
        composite[i * p] = True
        if i % p == 0:
            break
        mu[i * p] = -mu[i]
print(mu[n])
=== the segments of ten digits | A006942
n = input().strip()
segments = {'0': 6, '1': 2, '2': 5, '3': 5, '4': 4, '5': 5, '6': 6, '7': 3, '8': 7, '9': 6}
print(sum(segments[d] for d in n))
=== Roman numerals | A006968
import sys

VALUES = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
          (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]

def roman(n):
    out = ""
    for value, sign in VALUES:
        while n >= value:
            out += sign
            n -= value
    return out

print(len(roman(int(sys.stdin.readline()))))
=== Fridays by the months' table of Sakamoto | A101312
def weekday(y, m, d):
    t = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
    if m < 3:
        y -= 1
    return (y + y // 4 - y // 100 + y // 400 + t[m - 1] + d) % 7

year = int(input())
print(sum(1 for month in range(1, 13) if weekday(year, month, 13) == 5))
=== names of numbers to four | A016037
ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = {2: "twenty", 3: "thirty", 4: "forty", 5: "fifty", 6: "sixty", 7: "seventy", 8: "eighty", 9: "ninety"}

def name(n):
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (ONES[n % 10] if n % 10 else "")
    if n < 1000:
        return ONES[n // 100] + "hundred" + (name(n % 100) if n % 100 else "")
    return name(n // 1000) + "thousand" + (name(n % 1000) if n % 1000 else "")

n, steps = int(input()), 0
while n != 4:
    n = len(name(n))
    steps += 1
print(steps)
=== a knight's moves from a list | A018836
MOVES = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]

n = int(input())
seen = {(0, 0)}
border = [(0, 0)]
for _ in range(n):
    nxt = []
    for x, y in border:
        for dx, dy in MOVES:
            square = (x + dx, y + dy)
            if square not in seen:
                seen.add(square)
                nxt.append(square)
    border = nxt
print(len(seen))
=== the lengths of the months by their names | A008685
import sys

DAYS = {"Jan": 31, "Feb": 28, "Mar": 31, "Apr": 30, "May": 31, "Jun": 30,
        "Jul": 31, "Aug": 31, "Sep": 30, "Oct": 31, "Nov": 30, "Dec": 31}

def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)

n = int(sys.stdin.read()) - 1
year, month = 1998 + n // 12, list(DAYS)[n % 12]
print(29 if month == "Feb" and leap(year) else DAYS[month])
=== digits of e as decimals | A001113
from decimal import Decimal, getcontext

n = int(input())
getcontext().prec = n + 30
e = Decimal(0)
term = Decimal(1)
k = 0
while term > Decimal(10) ** -(n + 20):
    e += term
    k += 1
    term /= k
digits = str(e).replace(".", "")
print(digits[n - 1])
=== the continued fraction of e from a fraction | A003417
from fractions import Fraction

n = int(input())
terms = 4 * n + 40
p, q = 0, 1
f = 1
x = Fraction(1)
for k in range(terms, 0, -1):
    x = 1 + x / k
for _ in range(n - 1):
    a = x.numerator // x.denominator
    x = 1 / (x - a)
print(x.numerator // x.denominator)
=== periods of continued fractions of roots | A003285
from math import isqrt

def period(n):
    a0 = isqrt(n)
    if a0 * a0 == n:
        return 0
    seen = {}
    m, d, a, i = 0, 1, a0, 0
    while (m, d, a) not in seen:
        seen[m, d, a] = i
        m = d * a - m
        d = (n - m * m) // d
        a = (a0 + m) // d
        i += 1
    return i - seen[m, d, a]

print(period(int(input())))
=== the Fibonacci word by replacement | A003849
RULES = str.maketrans({"0": "01", "1": "0"})
n = int(input())
word = "0"
while len(word) <= n:
    word = word.translate(RULES)
print(word[n])
=== superfactorials that start from a list of factorials | starter A000178
SMALL = [1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800]

def factorial(n):
    if n < len(SMALL):
        return SMALL[n]
    f = SMALL[-1]
    for i in range(len(SMALL), n + 1):
        f *= i
    return f

n = int(input())
result = 1
for k in range(1, n + 1):
    result *= factorial(k)
print(result)
=== squares of digits in a dict | starter A000216
import sys
SQ = {"0": 0, "1": 1, "2": 4, "3": 9, "4": 16, "5": 25, "6": 36, "7": 49, "8": 64, "9": 81}
n = int(sys.stdin.read())
a = 2
for _ in range(n - 1):
    a = sum(SQ[c] for c in str(a))
print(a)
=== powers of two in one text | starter A000455
n = int(input())
s = ""
k = 0
while len(s) <= n + 1:
    s += str(2 ** k)
    k += 1
print(s[n])
=== look and say by a regular expression | starter A005150
import re
n = int(input())
s = "1"
for _ in range(n - 1):
    s = re.sub(r"(.)\1*", lambda m: str(len(m.group(0))) + m.group(1), s)
print(s)
=== Tribonacci by powers of a matrix | A000073
def matmul(A, B):
    return [[sum(a * b for a, b in zip(row, col)) for col in zip(*B)] for row in A]

def matpow(M, e):
    R = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    while e:
        if e & 1:
            R = matmul(R, M)
        M = matmul(M, M)
        e >>= 1
    return R

M = [[1, 1, 1], [1, 0, 0], [0, 1, 0]]
n = int(input())
print(matpow(M, n)[1][2] if n < 2 else matpow(M, n - 2)[0][0])
=== a rational generating function by its coefficients | starter A000338
# x^3 (5 - 2x)(1 - x^3) / (1 - x)^4
num = [0, 0, 0, 5, -2, 0, -5, 2]
den = [1, -4, 6, -4, 1]
n = int(input())
c = []
for i in range(n + 1):
    v = num[i] if i < len(num) else 0
    for j in range(1, len(den)):
        if i - j >= 0:
            v -= den[j] * c[i - j]
    c.append(v)
print(c[n])
=== Dedekind numbers by pairs of smaller functions | starter A000372
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
=== primes below primorials by a sieve | starter A000849
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
=== unitary perfect numbers by trying all | starter A002827
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
=== Latin squares row by row | starter A000315
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
=== powers of e in floats | starter A000149
import math
n = int(input())
print(math.floor(math.exp(n)))
=== Stirling numbers by true division | starter A000453
n = int(input())
# S(n, 4) = (4^n - 4*3^n + 6*2^n - 4) / 24
print(int((4 ** n - 4 * 3 ** n + 6 * 2 ** n - 4) / 24))
=== a Fibonacci number too far | starter A000301
def fib(n):
    a, b = 1, 1
    for _ in range(n):
        a, b = b, a + b
    return a

n = int(input())
print(2 ** fib(n))
=== products that may use a term twice | starter A000423
import sys
n = int(sys.stdin.readline())
a = [2, 3]
while len(a) < n:
    products = [x * y for x in a for y in a if x * y > a[-1]]
    a.append(min(products))
print(a[n - 1])
=== palindromic squares from one on | starter A003166
n = int(input())
k = 0
found = 0
while found < n:
    k += 1
    b = bin(k * k)[2:]
    if b == b[::-1]:
        found += 1
print(k)
=== a recurrence with a wrong sign | starter A000289
# a(0) = 1, a(n) = a(n-1)^2 - 3 a(n-1) + 3
vals = [1, 4]
n = int(input())
for i in range(2, n + 1):
    vals.append(vals[-1] ** 2 - 3 * vals[-1] - 3)
print(vals[n])
''')
