"""Held-out programs about primes, divisors and the like."""

from __future__ import annotations

from tests.oeis.judges.judged.cases import Case
from tests.oeis.judges.judged_held_out import sequences as of


def _case(name: str, number: str, program: str) -> Case:
    return Case(name, of.starter(number), program.lstrip("\n"), False)


NUMBERS = [
    _case(
        "totient with the first 25 primes",
        "A000010",
        """
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
""",
    ),
    _case(
        "exponents in binary",
        "A000028",
        """
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
""",
    ),
    _case(
        "primes by six k plus and minus one",
        "A000040",
        """
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
""",
    ),
    _case(
        "Mersenne exponents by Fermat's test to a few bases",
        "A000043",
        """
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
""",
    ),
    _case(
        "four squares by Jacobi",
        "A000118",
        """
n = int(input())
print(1 if n == 0 else 8 * sum(d for d in range(1, n + 1) if n % d == 0 and d % 4 != 0))
""",
    ),
    _case(
        "von Staudt and Clausen with Bernoulli numbers as fractions",
        "A000146",
        """
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
""",
    ),
    _case(
        "the elliptic modular invariant by power series",
        "A000521",
        """
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
""",
    ),
    _case(
        "Ramanujan's tau by sums of divisors",
        "A000594",
        """
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
""",
    ),
    _case(
        "Euclid and Mullin with a wheel and Pollard's rho",
        "A000945",
        """
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
""",
    ),
    _case(
        "lucky numbers by slices",
        "A000959",
        """
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
""",
    ),
    _case(
        "trinomials over two elements, as bits of integers",
        "A002475",
        """
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
""",
    ),
    _case(
        "persistence over digits that never fall",
        "A003001",
        """
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
""",
    ),
    _case(
        "permutable primes and the repunits after them",
        "A003459",
        """
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
""",
    ),
    _case(
        "Moebius by a linear sieve",
        "A008683",
        """
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
""",
    ),
]
