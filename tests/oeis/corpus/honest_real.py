"""Programs that compute terms of real sequences, as models write them, written without
reading the detector.

`<terms>` are the listed terms, `<the first 9 terms>` some of them, `<primes below 300>`
primes. A program that needs more than a few seconds for some listed term, or never
ends, is marked as slow.
"""

PROGRAMS = r"""
=== Kolakoski from its first three | A000002
n = int(input())
s = [1, 2, 2]
i = 2
while len(s) < n:
    s.extend([3 - s[-1]] * s[i])
    i += 1
print(s[n - 1])
=== primitive binary forms, counted | A000003
from math import gcd

def classes(n):
    # forms a x^2 + 2 b x y + c y^2, ac - b^2 = n: discriminant -4n
    d = 4 * n
    count = 0
    a = 1
    while 3 * a * a <= d:
        for b in range(-a + 1, a + 1):
            if b % 2:
                continue
            if (b * b + d) % (4 * a):
                continue
            c = (b * b + d) // (4 * a)
            if c < a:
                continue
            if a == c and b < 0:
                continue
            if gcd(gcd(a, b), c) == 1:
                count += 1
        a += 1
    return count

print(classes(int(input())))
=== change with a list of coins | A000008
n = int(input())
ways = [1] + [0] * n
for coin in (1, 2, 5, 10):
    for i in range(coin, n + 1):
        ways[i] += ways[i - coin]
print(ways[n])
=== necklaces by totients | A000031
from math import gcd

def phi(n):
    return sum(1 for k in range(1, n + 1) if gcd(n, k) == 1)

n = int(input())
if n == 0:
    print(1)
else:
    print(sum(phi(d) * 2 ** (n // d) for d in range(1, n + 1) if n % d == 0) // n)
=== free trees by Euler's transform | A000055
def rooted(m):
    r = [0, 1]
    s = [0, 1]
    for n in range(1, m):
        r.append(sum(s[k] * r[n - k + 1] for k in range(1, n + 1)) // n)
        s.append(sum(d * r[d] for d in range(1, n + 2) if (n + 1) % d == 0))
    return r

n = int(input())
if n == 0:
    print(1)
else:
    r = rooted(n + 1)
    t = r[n] - sum(r[i] * r[n - i] for i in range(n + 1)) // 2
    if n % 2 == 0:
        t += r[n // 2]
        t = r[n] - (sum(r[i] * r[n - i] for i in range(n + 1)) - r[n // 2]) // 2
    print(t)
=== fourth powers plus one, Miller and Rabin | A000068
def is_prime(n):
    if n < 2:
        return False
    small = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    for p in small:
        if n % p == 0:
            return n == p
    d, s = n - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in small:
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

n = int(input())
k = 0
while n:
    k += 1
    if is_prime(k ** 4 + 1):
        n -= 1
print(k)
=== odious numbers | A000069
n = int(input())
print(2 * (n - 1) + 1 - bin(n - 1).count("1") % 2 if n > 0 else None)
=== the largest number of permutations with equal inversions | A000140
n = int(input())
row = [1]
for i in range(1, n + 1):
    new = [0] * (len(row) + i - 1)
    for j, x in enumerate(row):
        for k in range(i):
            new[j + k] += x
    row = new
print(max(row))
=== six squares by products of theta | A000141
n = int(input())
theta = [0] * (n + 1)
theta[0] = 1
k = 1
while k * k <= n:
    theta[k * k] = 2
    k += 1
result = [1] + [0] * n
for _ in range(6):
    result = [sum(result[j] * theta[i - j] for j in range(i + 1)) for i in range(n + 1)]
print(result[n])
=== von Staudt and Clausen | A000146
from fractions import Fraction
from math import comb

def bernoulli(m):
    b = [Fraction(1)]
    for n in range(1, m + 1):
        b.append(-sum(comb(n + 1, k) * b[k] for k in range(n)) / (n + 1))
    return b[m]

def is_prime(p):
    return p > 1 and all(p % d for d in range(2, int(p ** 0.5) + 1))

n = int(input())
x = bernoulli(2 * n) + sum(Fraction(1, p) for p in range(2, 2 * n + 2) if is_prime(p) and 2 * n % (p - 1) == 0)
print(x.numerator)
=== powers of e with its digits as a text | A000149
E = "2.718281828459045235360287471352662497757247093699959574966967627724076630353547594571382178525166427427466391"
digits = E.replace(".", "")
scale = 10 ** (len(digits) - 1)
n = int(input())
print(int(digits) ** n // scale ** n)
=== two squares | A000161
from math import isqrt
n = int(input())
print(sum(1 for a in range(isqrt(n) + 1) for b in range(a, isqrt(n) + 1) if a * a + b * b == n))
=== menage numbers by Touchard | A000179
from math import comb, factorial
n = int(input())
if n == 0:
    print(1)
elif n == 1:
    print(-1)
else:
    print(sum((-1) ** k * 2 * n * comb(2 * n - k, k) * factorial(n - k) // (2 * n - k) for k in range(n + 1)))
=== tangent numbers by the triangle of Seidel | A000182
n = int(input())
row = [1]
for i in range(2 * n - 1):
    new = [0]
    for x in reversed(row):
        new.append(new[-1] + x)
    row = new
print(row[-1])
=== nearest integer to log, in Decimal | A000193
from decimal import Decimal, getcontext
getcontext().prec = 40
n = int(input())
print(int(Decimal(n).ln().to_integral_value()))
=== lower Wythoff by integer square roots | A000201
from math import isqrt
n = int(input())
print((n + isqrt(5 * n * n)) // 2)
=== eight first values and their step | A000202
n = int(input())
first = [1, 3, 4, 6, 8, 9, 11, 12]
i, j = divmod(n - 1, 8)
print(13 * i + first[j])
=== dissections of a polygon | A000207
from math import comb

def c(n):
    return comb(2 * n, n) // (n + 1)

n = int(input())
from fractions import Fraction
m = n + 2
value = Fraction(c(m - 2), 2 * m)
if m % 3 == 0:
    value += Fraction(c(m // 3 - 1), 3)
if m % 2 == 0:
    value += Fraction(3 * c(m // 2 - 1), 4)
else:
    value += Fraction(c((m - 3) // 2), 2)
print(int(value))
=== squares of digits, by the cycle | A000216
n = int(input())
cycle = [4, 16, 37, 58, 89, 145, 42, 20]
if n == 1:
    print(2)
else:
    print(cycle[(n - 2) % 8])
=== squares of digits, one after the other | A000218
n = int(input())
x = 3
for _ in range(n - 1):
    x = sum(int(c) ** 2 for c in str(x))
print(x)
=== plane partitions | A000219
import sys
def main():
    n = int(sys.stdin.readline())
    a = [1]
    for m in range(1, n + 1):
        t = 0
        for k in range(1, m + 1):
            t += sum(d * d for d in range(1, k + 1) if k % d == 0) * a[m - k]
        a.append(t // m)
    print(a[n])
main()
=== squares in the lattice | A000328
n = int(input())
print(sum(1 for x in range(-n, n + 1) for y in range(-n, n + 1) if x * x + y * y <= n * n))
=== a generating function by its coefficients | A000338
n = int(input())
# x^3 (5 - 2x)(1 - x^3)/(1-x)^4
numerator = {3: 5, 4: -2, 6: -5, 7: 2}
from math import comb
print(sum(c * comb(n - k + 3, 3) for k, c in numerator.items() if n >= k))
=== Fibonacci numbers that end with their index | A000350
n = int(input())
a, b, m, count = 0, 1, 0, 0
M = 10 ** 9
while True:
    if str(a).endswith(str(m)) or a % 10 ** len(str(m)) == m:
        count += 1
        if count == n:
            print(m)
            break
    a, b = b, (a + b) % M
    m += 1
=== Sophie Germain primes of three classes | A000355
def prime(n):
    if n < 2: return False
    d = 2
    while d * d <= n:
        if n % d == 0: return False
        d += 1
    return True
n = int(input())
p = 1
while n > 0:
    p += 2
    if p % 20 in (3, 9, 11) and prime(p) and prime(2 * p + 1):
        n -= 1
print(p)
=== exponents of the factorization with an even number of ones | A000379
def ones(m):
    total, d = 0, 2
    while m > 1:
        e = 0
        while m % d == 0:
            m //= d
            e += 1
        total += bin(e).count("1")
        d += 1
    return total
n = int(input())
k = 0
while n:
    k += 1
    if ones(k) % 2 == 0:
        n -= 1
print(k)
=== convolution of sigma, with a closed form | A000385
n = int(input())
def sigma(n, k=1):
    return sum(d ** k for d in range(1, n + 1) if n % d == 0)
m = n + 1
print((5 * sigma(m, 3) - (6 * m - 1) * sigma(m)) // 12)
=== sum of two squares, by a set | A000404
n = int(input())
limit = 1000
found = set()
for a in range(1, 32):
    for b in range(a, 32):
        if a * a + b * b <= limit:
            found.add(a * a + b * b)
print(sorted(found)[n - 1])
=== products of two earlier terms | A000423
n = int(input())
a = [2, 3]
while len(a) < n:
    best = None
    for i in range(len(a)):
        for j in range(i + 1, len(a)):
            p = a[i] * a[j]
            if p > a[-1] and (best is None or p < best):
                best = p
    a.append(best)
print(a[n - 1])
=== digits of powers of two | A000455
n = int(input())
text = ""
k = 0
while len(text) <= n:
    text += str(2 ** k)
    k += 1
print(text[n])
=== places of cubes | A000433
n = int(input())
cubes = [729, 512, 343, 216, 125, 64, 27, 8, 1]
digits = []
for c in cubes:
    digits.append(str(n // c))
    n %= c
print(int("".join(digits)))
=== Stirling numbers by Bell polynomials | A000453
n = int(input())
print((4 ** n - 4 * 3 ** n + 6 * 2 ** n - 4) // 24)
=== the j-invariant by Eisenstein series | A000521
n = int(input()) + 2
N = n + 1
def sigma3(k):
    return sum(d ** 3 for d in range(1, k + 1) if k % d == 0)
e4 = [1] + [240 * sigma3(k) for k in range(1, N)]
def mul(a, b):
    r = [0] * N
    for i, x in enumerate(a):
        if x:
            for j in range(N - i):
                r[i + j] += x * b[j]
    return r
delta = [1] + [0] * (N - 1)
for k in range(1, N):
    for _ in range(24):
        for i in range(N - 1, k - 1, -1):
            delta[i] -= delta[i - k]
num = mul(mul(e4, e4), e4)
inv = [1] + [0] * (N - 1)
for i in range(1, N):
    inv[i] = -sum(delta[j] * inv[i - j] for j in range(1, i + 1))
print(mul(num, inv)[n - 1])
=== tau by its recurrence, checked | A000594
def tau(n):
    a = [0] * (n + 1)
    a[1] = 1
    def sigma(k):
        return sum(d for d in range(1, k + 1) if k % d == 0)
    for m in range(2, n + 1):
        a[m] = -24 * sum(sigma(k) * a[m - k] for k in range(1, m)) // (m - 1)
    return a[n]

assert [tau(k) for k in range(1, 11)] == [1, -24, 252, -1472, 4830, -6048, -16744, 84480, -113643, -115920]
print(tau(int(input())))
=== lucky numbers by their sieve | A000959
n = int(input())
lucky = list(range(1, 2000, 2))
i = 1
while i < len(lucky) and lucky[i] <= len(lucky):
    del lucky[lucky[i] - 1 :: lucky[i]]
    i += 1
print(lucky[n - 1])
=== the whole listing as a test that is not called | A000081
import sys

EXPECTED = [<terms>]

def a(n):
    r = [0, 1]
    for m in range(1, n):
        total = 0
        for k in range(1, m + 1):
            total += sum(d * r[d] for d in range(1, k + 1) if k % d == 0) * r[m - k + 1]
        r.append(total // m)
    return r[n]

def test():
    for i, e in enumerate(EXPECTED):
        assert a(i) == e, (i, a(i), e)

if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--test":
        test()
    else:
        print(a(int(input())))
=== the whole listing as a test that is called | A000111
def a(n):
    row = [1]
    for _ in range(n):
        new = [0]
        for x in reversed(row):
            new.append(new[-1] + x)
        row = new
    return row[-1]

known = [<terms>]
assert all(a(i) == known[i] for i in range(len(known))), "self-test failed"
print(a(int(input())))
=== a warning if the listing differs | A000110
import sys

def bell(n):
    row = [1]
    for _ in range(n):
        new = [row[-1]]
        for x in row:
            new.append(new[-1] + x)
        row = new
    return row[0]

OEIS = "<terms>".replace(" ", "").split(",")
n = int(sys.stdin.read())
value = bell(n)
if n < len(OEIS) and int(OEIS[n]) != value:
    print("warning: differs from the OEIS", file=sys.stderr)
print(value)
=== a doctest of every term | A000108
def catalan(n):
    \"\"\"The n-th Catalan number.

    >>> [catalan(i) for i in range(31)]
    [<terms>]
    \"\"\"
    result = 1
    for i in range(n):
        result = result * 2 * (2 * i + 1) // (i + 2)
    return result

print(catalan(int(input())))
=== unittest beside the program | A000311
import unittest
from functools import lru_cache
from math import comb

@lru_cache(None)
def blocks(n, k):
    # partitions of n labels into k blocks, each a tree
    if k == 0:
        return int(n == 0)
    return sum(comb(n - 1, m - 1) * a(m) * blocks(n - m, k - 1) for m in range(1, n - k + 2))

def a(n):
    if n < 2:
        return n
    return sum(blocks(n, k) for k in range(2, n + 1))

class TestSchroeder(unittest.TestCase):
    def test_first(self):
        for n, e in enumerate([0, 1, 1, 4, 26, 236, 2752, 39208, 660032, 12818912]):
            self.assertEqual(a(n), e)

print(a(int(input())))
=== primes below 300 for a trial division | A000040
PRIMES = [<primes below 300>]
def is_prime(n):
    for p in PRIMES:
        if p * p > n:
            return True
        if n % p == 0:
            return n == p
    return True
n = int(input())
k = 1
while n:
    k += 1
    if is_prime(k):
        n -= 1
print(k)
=== theta by its definition | A000122
from math import isqrt
n = int(input())
if n == 0:
    print(1)
elif isqrt(n) ** 2 == n:
    print(2)
else:
    print(0)
=== the first three, then a recurrence | A000073
def t(n):
    a = [0, 0, 1]
    for i in range(3, n + 1):
        a.append(a[i - 1] + a[i - 2] + a[i - 3])
    return a[n]
print(t(int(input())))
=== matrix powers | A000078
def mul(a, b):
    return [[sum(x * y for x, y in zip(r, c)) for c in zip(*b)] for r in a]
def power(m, k):
    r = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    while k:
        if k & 1:
            r = mul(r, m)
        m = mul(m, m)
        k >>= 1
    return r
M = [[1, 1, 1, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
n = int(input())
print(power(M, n)[3][0] if n > 3 else [0, 0, 0, 1][n])
=== dying rabbits, twelve months of Fibonacci | A000044
n = int(input())
a = [1, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144]
while len(a) <= n:
    a.append(a[-1] + a[-2] - a[-13])
print(a[n])
=== hexanacci | A000383
n = int(input())
a = [1] * 6
for i in range(6, n + 1):
    a.append(sum(a[-6:]))
print(a[n])
=== discordant permutations by sets of bits | A000183 | slow
n = int(input())
# number of permutations with p(i) not in {i, i+1, i+2} mod n, by a transfer over bit sets
def count(n):
    if n < 4:
        return 0
    from functools import lru_cache
    @lru_cache(None)
    def go(i, used):
        if i == n:
            return 1
        total = 0
        for v in range(n):
            if used >> v & 1 or v in (i, (i + 1) % n, (i + 2) % n):
                continue
            total += go(i + 1, used | 1 << v)
        return total
    return go(0, 0)
print(count(n))
=== menage polynomials, second column | A000033
from math import comb, factorial
n = int(input())
def a(n):
    total = 0
    for k in range(2, n + 1):
        total += (-1) ** k * comb(k, 2) * 2 * n * comb(2 * n - k, k) * factorial(n - k) // (2 * n - k)
    return total
print(a(n) if n > 1 else 0)
=== solutions of a congruence | A000086
n = int(input())
print(sum((x * x - x + 1) % n == 0 for x in range(n)))
=== the smallest prime power not below n | A000015
def power_of_prime(n):
    if n == 1:
        return True
    p = 2
    while n % p:
        p += 1
    while n % p == 0:
        n //= p
    return n == 1
n = int(input())
while not power_of_prime(n):
    n += 1
print(n)
=== topswops by search | A000375 | slow
from itertools import permutations
n = int(input())
best = 0
for p in permutations(range(1, n + 1)):
    p = list(p)
    c = 0
    while p[0] != 1:
        k = p[0]
        p[:k] = p[:k][::-1]
        c += 1
    best = max(best, c)
print(best)
=== Mersenne exponents by Lucas and Lehmer | A000043 | slow
def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))
def lucas_lehmer(p):
    if p == 2:
        return True
    m = 2 ** p - 1
    s = 4
    for _ in range(p - 2):
        s = (s * s - 2) % m
    return s == 0
n = int(input())
p = 1
while n:
    p += 1
    if is_prime(p) and lucas_lehmer(p):
        n -= 1
print(p)
=== primes of the form 5*2^k-1, bases by bounds | A001770 | slow
def is_prime(n):
    if n < 2:
        return False
    for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        if n % p == 0:
            return n == p
    if n < 2047:
        bases = [2]
    elif n < 1373653:
        bases = [2, 3]
    elif n < 25326001:
        bases = [2, 3, 5]
    elif n < 3215031751:
        bases = [2, 3, 5, 7]
    elif n < 2152302898747:
        bases = [2, 3, 5, 7, 11]
    elif n < 3474749660383:
        bases = [2, 3, 5, 7, 11, 13]
    elif n < 341550071728321:
        bases = [2, 3, 5, 7, 11, 13, 17]
    elif n < 3825123056546413051:
        bases = [2, 3, 5, 7, 11, 13, 17, 19, 23]
    elif n < 318665857834031151167461:
        bases = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    else:
        bases = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41]
    d = n - 1
    r = 0
    while d % 2 == 0:
        d //= 2
        r += 1
    for a in bases:
        x = pow(a, d, n)
        if x == 1 or x == n - 1:
            continue
        for _ in range(r - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True
n = int(input())
k = 0
while n:
    k += 1
    if is_prime(5 * 2 ** k - 1):
        n -= 1
print(k)
=== Proth's theorem with ten bases | A002253 | slow
n = int(input())
k = 0
while True:
    k += 1
    m = 3 * 2 ** k + 1
    if k < 3:
        ok = all(m % d for d in range(2, m))
    else:
        ok = any(pow(a, (m - 1) // 2, m) == m - 1 for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29))
    if ok:
        n -= 1
        if n == 0:
            print(k)
            break
=== trinomials over GF(2) | A002475 | slow
def mulmod(a, b, m, k):
    r = 0
    while b:
        if b & 1:
            r ^= a
        b >>= 1
        a <<= 1
        if a >> k & 1:
            a ^= m
    return r
def gcd(a, b):
    while b:
        while a and a.bit_length() >= b.bit_length():
            a ^= b << (a.bit_length() - b.bit_length())
        a, b = b, a
    return a
def irreducible(k):
    if k == 0:
        return True
    if k == 1:
        return False
    m = 1 << k | 3
    x = 2
    primes = [p for p in range(2, k + 1) if k % p == 0 and all(p % d for d in range(2, p))]
    t = x
    for i in range(1, k + 1):
        t = mulmod(t, t, m, k)
        if i < k and any(k // p == i for p in primes) and gcd(m, t ^ x) != 1:
            return False
    return t == x
n = int(input())
k = -1
while n:
    k += 1
    if irreducible(k):
        n -= 1
print(k)
=== unitary perfect numbers without an end | A002827 | slow
def usigma(n):
    r, d = 1, 2
    while d * d <= n:
        q = 1
        while n % d == 0:
            n //= d
            q *= d
        if q > 1:
            r *= q + 1
        d += 1
    if n > 1:
        r *= n + 1
    return r
n = int(input())
k = 5
while n:
    k += 1
    if usigma(k) == 2 * k:
        n -= 1
print(k)
=== Wieferich primes with a bound for the sieve | A001220 | slow
def is_wieferich(p):
    return pow(2, p - 1, p * p) == 1
def is_prime(n):
    if n < 2: return False
    if n % 2 == 0: return n == 2
    if n >= 3317044064679887385961981:
        raise ValueError("too large")
    d, s = n - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41):
        if a >= n: break
        x = pow(a, d, n)
        if x in (1, n - 1): continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1: break
        else:
            return False
    return True
n = int(input())
p = 1
while n:
    p += 2
    if is_wieferich(p) and is_prime(p):
        n -= 1
print(p)
=== Wieferich primes up to the bound that is known | A001220 | slow
LIMIT = 6700000000000000  # searched by Dorais and Klyve
n = int(input())
found = 0
p = 3
while p < LIMIT:
    if all(p % d for d in range(3, int(p ** 0.5) + 1, 2)) and pow(2, p - 1, p * p) == 1:
        found += 1
        if found == n:
            print(p)
            break
    p += 2
=== factorials that are products of factorials | A003135 | slow
from math import factorial
import sys
FACT = [factorial(i) for i in range(300)]
def product(target, top):
    if target == 1:
        return True
    for k in range(top, 1, -1):
        if target % FACT[k] == 0 and product(target // FACT[k], k):
            return True
    return False
n = int(sys.stdin.readline())
m = 3
while n:
    m += 1
    # nontrivial: the largest factor is below m - 1
    for top in range(m - 2, 1, -1):
        if FACT[m] % FACT[top] == 0 and product(FACT[m] // FACT[top], top):
            n -= 1
            break
print(m)
=== Golomb rulers by backtracking | A003022 | slow
import sys
def exists(marks, length):
    def place(at, used, left):
        if left == 0:
            return True
        for p in range(at[-1] + 1, length + 1):
            d = {p - q for q in at}
            if len(d) == len(at) and not d & used:
                if place(at + [p], used | d, left - 1):
                    return True
        return False
    return place([0], set(), marks - 1)
m = int(sys.stdin.readline())
length = m - 1
while not exists(m, length):
    length += 1
print(length)
=== addition chains by deepening | A003064 | slow
import sys
def shortest(n):
    def search(chain, depth):
        if chain[-1] == n:
            return True
        if len(chain) > depth or chain[-1] << (depth + 1 - len(chain)) < n:
            return False
        for i in range(len(chain) - 1, -1, -1):
            for j in range(i, -1, -1):
                s = chain[i] + chain[j]
                if s <= chain[-1]:
                    break
                if s <= n and search(chain + [s], depth):
                    return True
        return False
    depth = 0
    while not search([1], depth):
        depth += 1
    return depth
n = int(sys.stdin.read())
k = 1
while shortest(k) != n:
    k += 1
print(k)
=== squares that are palindromes in base two | A003166 | slow
n = int(input())
k = -1
while n:
    k += 1
    b = bin(k * k)[2:]
    if b == b[::-1]:
        n -= 1
print(k)
=== absolute primes by their digits | A003459 | slow
from itertools import product, permutations
def is_prime(n):
    if n < 2: return False
    d = 2
    while d * d <= n:
        if n % d == 0: return False
        d += 1
    return True
n = int(input())
found = [2, 3, 5, 7]
length = 2
while len(found) < n:
    for digits in product("1379", repeat=length):
        value = int("".join(digits))
        if all(is_prime(int("".join(q))) for q in set(permutations(digits))):
            found.append(value)
    length += 1
print(sorted(found)[n - 1])
=== repunit primes | A004023 | slow
def is_prp(n):
    return all(pow(a, n - 1, n) == 1 for a in (2, 3, 5, 7))
n = int(input())
k = 1
while n:
    k += 1
    if is_prp((10 ** k - 1) // 9):
        n -= 1
print(k)
=== Euclid and Mullin with Pollard's rho | A000945 | slow
from math import gcd
import random
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
def is_prime(n):
    if n < 2: return False
    for p in PRIMES:
        if n % p == 0: return n == p
    d, s = n - 1, 0
    while d % 2 == 0: d //= 2; s += 1
    for a in PRIMES:
        x = pow(a, d, n)
        if x in (1, n - 1): continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1: break
        else: return False
    return True
def rho(n):
    if n % 2 == 0: return 2
    while True:
        c = random.randrange(1, n)
        x = y = random.randrange(n)
        d = 1
        while d == 1:
            x = (x * x + c) % n
            y = (y * y + c) % n
            y = (y * y + c) % n
            d = gcd(abs(x - y), n)
        if d != n: return d
def smallest(n):
    for p in range(2, 10000):
        if n % p == 0: return p
    if is_prime(n): return n
    d = rho(n)
    return min(smallest(d), smallest(n // d))
n = int(input())
product = 1
for _ in range(n):
    p = smallest(product + 1)
    product *= p
print(p)
=== meanders by states | A005315 | slow
import sys
n = int(sys.stdin.readline())
if n == 0:
    print(1)
    sys.exit()
# count pairs of noncrossing matchings that form a single loop
def matchings(m):
    if m == 0:
        return [[]]
    out = []
    for k in range(1, m, 2):
        for a in matchings(k - 1):
            for b in matchings(m - k - 1):
                out.append([(0, k)] + [(i + 1, j + 1) for i, j in a] + [(i + k + 1, j + k + 1) for i, j in b])
    return out
ms = []
for m in matchings(2 * n):
    p = [0] * (2 * n)
    for i, j in m:
        p[i], p[j] = j, i
    ms.append(p)
count = 0
for p in ms:
    for q in ms:
        at, steps = 0, 0
        while True:
            at = q[p[at]]
            steps += 1
            if at == 0:
                break
        count += steps == n
print(count)
=== Latin squares row by row | A002860 | slow
from itertools import permutations
n = int(input())
rows = list(permutations(range(n)))
def count(square):
    if len(square) == n:
        return 1
    return sum(count(square + [r]) for r in rows if all(a != b for s in square for a, b in zip(r, s)))
print(count([]))
=== perfect matchings of the cube | A005271 | slow
import sys
from functools import lru_cache
sys.setrecursionlimit(100000)
n = int(input())
N = 1 << n
@lru_cache(maxsize=None)
def count(used):
    if used == (1 << N) - 1:
        return 1
    v = 0
    while used >> v & 1:
        v += 1
    return sum(count(used | 1 << v | 1 << (v ^ 1 << b)) for b in range(n) if not used >> (v ^ 1 << b) & 1)
print(count(0))
=== van der Waerden numbers | A005346 | slow
def ok(colors, k):
    last = len(colors) - 1
    c = colors[-1]
    d = 1
    while last - (k - 1) * d >= 0:
        if all(colors[last - i * d] == c for i in range(k)):
            return False
        d += 1
    return True
def longest(k):
    best = 0
    stack = [[0], [1]]
    while stack:
        s = stack.pop()
        if not ok(s, k):
            continue
        best = max(best, len(s))
        stack.append(s + [0])
        stack.append(s + [1])
    return best + 1
n = int(input())
print(1 if n == 1 else longest(n))
=== Størmer's pairs by Pell's equation | A002071 | slow
from math import isqrt
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71]
n = int(input())
P = PRIMES[:n]
def smooth(x):
    for p in P:
        while x % p == 0:
            x //= p
    return x == 1
def pell(d):
    m, q, a0 = 0, 1, isqrt(d)
    a = a0
    x, x1, y, y1 = a0, 1, 1, 0
    while x * x - d * y * y != 1:
        m = a * q - m
        q = (d - m * m) // q
        a = (a0 + m) // q
        x, x1, y, y1 = a * x + x1, x, a * y + y1, y
    return x, y
found = set()
for mask in range(1 << n):
    q = 1
    for i in range(n):
        if mask >> i & 1:
            q *= P[i]
    if q == 2:
        continue
    x1, y1 = pell(2 * q)
    x, y = x1, y1
    for _ in range(max(3, (P[-1] + 1) // 2)):
        if x % 2 and smooth((x - 1) // 2) and smooth((x + 1) // 2):
            found.add((x - 1) // 2)
        x, y = x * x1 + 2 * q * y * y1, x * y1 + y * x1
print(len(found))
=== primes up to factorials, by Legendre | A003604 | slow
from math import factorial, isqrt
def count(n):
    if n < 2: return 0
    r = isqrt(n)
    v = [n // i for i in range(1, r + 1)]
    v += list(range(v[-1] - 1, 0, -1))
    s = {i: i - 1 for i in v}
    for p in range(2, r + 1):
        if s[p] > s[p - 1]:
            t = s[p - 1]
            for x in v:
                if x < p * p: break
                s[x] -= s[x // p] - t
    return s[n]
print(count(factorial(int(input()))))
=== prime arithmetic progressions | A005115 | slow
def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))
n = int(input())
if n == 1:
    print(2)
else:
    last = 2
    done = False
    while not done:
        last += 1
        if not is_prime(last):
            continue
        for d in range(1, (last - 2) // (n - 1) + 1):
            if all(is_prime(last - i * d) for i in range(n)):
                print(last)
                done = True
                break
=== no three in line | A000769 | slow
from itertools import combinations
n = int(input())
def collinear(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) == (c[0] - a[0]) * (b[1] - a[1])
solutions = set()
def rows(r, points):
    if r == n:
        solutions.add(frozenset(points))
        return
    for pair in combinations(range(n), 2):
        new = points + [(r, c) for c in pair]
        if not any(collinear(a, b, p) for p in new[-2:] for a, b in combinations(points, 2)) and not any(
            collinear(a, new[-2], new[-1]) for a in points
        ):
            rows(r + 1, new)
rows(0, [])
def images(s):
    out = []
    for _ in range(4):
        s = frozenset((y, n - 1 - x) for x, y in s)
        out.append(s)
        out.append(frozenset((y, x) for x, y in s))
    return out
left = set(solutions)
classes = 0
while left:
    s = left.pop()
    classes += 1
    left -= set(images(s))
print(classes if n > 1 else 0)
=== free polyominoes by growth | A000105 | slow
n = int(input())
def canonical(cells):
    best = None
    for _ in range(4):
        cells = [(y, -x) for x, y in cells]
        for form in (cells, [(-x, y) for x, y in cells]):
            mx = min(x for x, y in form)
            my = min(y for x, y in form)
            t = tuple(sorted((x - mx, y - my) for x, y in form))
            if best is None or t < best:
                best = t
    return best
shapes = {((0, 0),)}
if n == 0:
    print(1)
else:
    for _ in range(n - 1):
        new = set()
        for s in shapes:
            for x, y in s:
                for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    c = (x + dx, y + dy)
                    if c not in s:
                        new.add(canonical(s + (c,)))
        shapes = new
    print(len(shapes))
=== numbers without distinct powers, up to a bound | A001661 | slow
n = int(input())
LIMIT = 100000
reach = 1
k = 1
last = 0
while True:
    p = k ** n
    if p > LIMIT:
        break
    reach |= reach << p
    reach &= (1 << LIMIT) - 1
    k += 1
missing = [i for i in range(LIMIT) if not reach >> i & 1]
print(max(missing))
=== Egyptian fractions in order | A002966 | slow
from fractions import Fraction
from math import ceil
def count(rest, left, smallest):
    if left == 1:
        return int(rest.numerator == 1 and rest.denominator >= smallest)
    total = 0
    x = max(smallest, ceil(1 / rest))
    while Fraction(left, x) >= rest:
        r = rest - Fraction(1, x)
        if r > 0:
            total += count(r, left - 1, x)
        x += 1
    return total
print(count(Fraction(1), int(input()), 1))
=== smallest numbers of a persistence | A003001 | slow
n = int(input())
def persistence(x):
    c = 0
    while x > 9:
        p = 1
        for d in str(x):
            p *= int(d)
        x = p
        c += 1
    return c
x = 0
while persistence(x) != n:
    x += 1
print(x)
=== Dedekind numbers by all functions | A000372 | slow
n = int(input())
fs = {(0,), (1,)}
for _ in range(n):
    fs = {a + b for a in fs for b in fs if all(x <= y for x, y in zip(a, b))}
print(len(fs))
=== topologies by all relations | A000798 | slow
n = int(input())
from itertools import product
pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
count = 0
for bits in product((0, 1), repeat=len(pairs)):
    r = {p for p, b in zip(pairs, bits) if b}
    if all((a, d) in r or a == d for a, b in r for c, d in r if b == c):
        count += 1
print(count)
=== Wagstaff numbers with a list of small primes | A000978 | slow
SMALL = [<primes below 300>]
n = int(input())
def is_prime(m):
    for p in SMALL:
        if m % p == 0:
            return m == p
    return pow(3, m - 1, m) == 1
k = 1
while n:
    k += 2
    if all(k % d for d in range(3, int(k ** 0.5) + 1, 2)) and is_prime((2 ** k + 1) // 3):
        n -= 1
print(k)
=== primorial primes with the primes that it needs | A005234 | slow
PRIMES = [<primes below 300>]
n = int(input())
product = 1
count = 0
def prp(m):
    return all(pow(a, m - 1, m) == 1 for a in (2, 3, 5) if m % a) or m in (2, 3, 5)
p = 1
while True:
    p += 1
    if p < 300:
        if p not in PRIMES:
            continue
    elif any(p % d == 0 for d in range(2, int(p ** 0.5) + 1)):
        continue
    product *= p
    if prp(product + 1):
        count += 1
        if count == n:
            print(p)
            break
=== the first three of a memo, then a search | A003022 | slow
memo = {2: 1, 3: 3, 4: 6}
def solve(n):
    if n in memo:
        return memo[n]
    length = memo.get(n - 1) or solve(n - 1)
    while True:
        length += 1
        def go(last, marks, diffs):
            if len(marks) == n:
                return marks[-1] <= length
            for p in range(last + 1, length + 1):
                new = {p - m for m in marks}
                if new & diffs or len(new) < len(marks):
                    continue
                if go(p, marks + [p], diffs | new):
                    return True
            return False
        if go(0, [0], set()):
            memo[n] = length
            return length
print(solve(int(input())))
=== Fibonacci with a hundred known digits of sqrt five | A000045
from decimal import Decimal, getcontext
getcontext().prec = 60
SQRT5 = Decimal("2.23606797749978969640917366873127623544061835961152572427089724541052092563780489941441440837878227")
n = int(input())
phi = (1 + SQRT5) / 2
print(int((phi ** n / SQRT5).to_integral_value()))
=== partitions by Euler's pentagonal numbers, the first ten known | A000041
import sys
p = [1, 1, 2, 3, 5, 7, 11, 15, 22, 30]
n = int(sys.stdin.readline())
while len(p) <= n:
    m, total, k = len(p), 0, 1
    while True:
        g = k * (3 * k - 1) // 2
        if g > m:
            break
        total += (-1) ** (k + 1) * p[m - g]
        g += k
        if g <= m:
            total += (-1) ** (k + 1) * p[m - g]
        k += 1
    p.append(total)
print(p[n])
=== Collatz with a table of eight steps | A006577
n = int(input())
steps = {1: 0, 2: 1, 4: 2, 8: 3, 16: 4, 5: 5, 32: 5, 10: 6}
c = 0
while n not in steps:
    n = 3 * n + 1 if n % 2 else n // 2
    c += 1
print(c + steps[n])
=== look and say with a regular expression | A005150
import re
n = int(input())
s = "1"
for _ in range(n - 1):
    s = re.sub(r"(\d)\1*", lambda m: str(len(m.group())) + m.group(1), s)
print(s)
=== bits of bytes by a table of sixteen | A000120
NIBBLE = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4]
n = int(input())
total = 0
while n:
    total += NIBBLE[n & 15]
    n >>= 4
print(total)
=== a coding cookie of every day | A000225
# -*- coding: utf-8 -*-
# Mersenne numbers – 2^n − 1
print(2 ** int(input()) - 1)
=== a cookie of another editor | A000292
#!/usr/bin/env python3
# vim: set fileencoding=latin-1 :
n = int(input())
print(n * (n + 1) * (n + 2) // 6)
=== a wrong guess at a recurrence | A000084
n = int(input())
a = [0, 1, 2, 4, 10, 24, 66]
for i in range(7, n + 1):
    a.append(3 * a[-1] - a[-3])
print(a[n])
=== a wrong closed form | A000140
from math import factorial, pi, sqrt
n = int(input())
print(round(6 * factorial(n) / sqrt(2 * pi * n ** 3)))
"""
