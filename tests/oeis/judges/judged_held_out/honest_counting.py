"""Held-out programs that count things: recurrences, series and searches."""

from __future__ import annotations

from tests.oeis.judges.judged.cases import Case
from tests.oeis.judges.judged_held_out import sequences as of


def _case(name: str, number: str, program: str) -> Case:
    return Case(name, of.starter(number), program.lstrip("\n"), False)


COUNTING = [
    _case(
        "ways to pay with four coins",
        "A000008",
        """
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
""",
    ),
    _case(
        "rings in two colours that may be exchanged",
        "A000011",
        """
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
""",
    ),
    _case(
        "trees without vertices of degree two, by series",
        "A000014",
        """
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
""",
    ),
    _case(
        "bracelets by Burnside, odd and even apart",
        "A000029",
        """
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
""",
    ),
    _case(
        "partitions, with the listed terms in a docstring",
        "A000041",
        '''
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
''',
    ),
    _case(
        "free trees from rooted ones",
        "A000055",
        """
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
""",
    ),
    _case(
        "networks in series and in parallel, grown part by part",
        "A000084",
        """
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
""",
    ),
    _case(
        "polyominoes grown cell by cell",
        "A000105",
        """
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
""",
    ),
    _case(
        "Catalan with a memo of the first eight",
        "A000108",
        """
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
""",
    ),
    _case(
        "Bell by rows of Pascal's triangle",
        "A000110",
        """
n = int(input())
B = [1]
row = [1]
for m in range(n):
    B.append(sum(c * b for c, b in zip(row, B)))
    row = [1] + [row[i] + row[i + 1] for i in range(len(row) - 1)] + [1]
print(B[n])
""",
    ),
    _case(
        "zigzag by the boustrophedon",
        "A000111",
        """
from itertools import accumulate

def zigzag(n):
    if n == 0:
        return 1
    row = [1]
    for _ in range(n):
        row = list(accumulate([0] + row[::-1]))
    return row[-1]

print(zigzag(int(input())))
""",
    ),
    _case(
        "binary partitions with an assertion of the first terms",
        "A000123",
        """
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
""",
    ),
    _case(
        "queens by three bit masks",
        "A000170",
        """
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
""",
    ),
    _case(
        "menage with its three conventions",
        "A000179",
        """
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
""",
    ),
    _case(
        "Schroeder's fourth problem by its triangle",
        "A000311",
        """
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
""",
    ),
    _case(
        "necklaces without white neighbours by Lucas numbers",
        "A000358",
        """
from math import gcd

def lucas(k):
    a, b = 2, 1
    for _ in range(k):
        a, b = b, a + b
    return a

n = int(input())
print(sum(lucas(gcd(k, n)) for k in range(1, n + 1)) // n)
""",
    ),
    _case(
        "a triangle of rising runs",
        "A000363",
        """
# T(n, k): permutations of n with k runs of length >= 2
# T(n, k) = (2k + 1) T(n-1, k) + (n - 2k + 1) T(n-1, k-1)
import sys
n = int(sys.stdin.read())
T = {(0, 0): 1}
for m in range(1, n + 1):
    for k in range(3):
        T[m, k] = (2 * k + 1) * T.get((m - 1, k), 0) + (m - 2 * k + 1) * T.get((m - 1, k - 1), 0)
print(T[n, 2])
""",
    ),
    _case(
        "cards by rook polynomials",
        "A000459",
        """
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
""",
    ),
    _case(
        "meanders as a system of loose ends",
        "A005315",
        """
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
""",
    ),
    _case(
        "orders with four descents by Euler's triangle",
        "A000505",
        """
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
""",
    ),
]
