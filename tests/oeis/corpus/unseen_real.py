"""Programs for real sequences that were written after the detector had been changed,
and run once: a check of it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import groupby, pairwise
from math import comb, log2

from pytest_llmarith.types import IntegerSequence
from tests.oeis.corpus.cases import Case, commas, numbers, pairs, table


def build(real: Callable[[str], IntegerSequence]) -> list[Case]:
    """The tables; `real` gives the sequence of an A-number."""
    a = {n: real(n) for n in _NUMBERS}
    squares = a["A002962"]
    places = [
        n for n, value in pairs(squares) for _ in range(value if value < 9 else 0)
    ]
    tree = a["A005177"]
    wide = a["A002788"]
    packed = int.from_bytes(",".join(wide.terms).encode(), "big")
    low = a["A004039"]
    high = a["A001072"]
    steps = [b - x for x, b in pairwise([0, *numbers(high)])]
    twist = [value * (n + 7) for n, value in pairs(low)]
    moebius = numbers(a["A000233"])
    logs = [
        (x.bit_length(), x - (1 << x.bit_length() - 1) if x else 0)
        for x in numbers(a["A000162"])
    ]
    newton = [
        sum((-1) ** (k - i) * comb(k, i) * numbers(tree)[i] for i in range(k + 1))
        for k in range(len(tree.terms))
    ]
    halves = numbers(a["A001441"])
    odds = [n for n, x in enumerate(numbers(a["A000161"])) if x % 2]
    words = {"0": "zero", "1": "one", "2": "two", "3": "three", "4": "four"}
    named = [words[t] for t in a["A000161"].terms]
    diagonal = numbers(a["A002236"])
    grid = [diagonal[i : i + 7] for i in range(0, len(diagonal), 7)]
    ratios = [Fraction(y, x) for x, y in pairwise(numbers(a["A000228"]))]
    runs = [(len([*g]), k) for k, g in groupby(numbers(a["A005856"]))]
    hexes = " ".join(f"{x:x}" for x in numbers(a["A002071"]))
    octal = "".join(f"{x:07o}" for x in numbers(a["A005176"])[:17])
    thirds = [(x // 3, x % 3) for x in numbers(a["A000376"])]
    best = max(
        range(2, 40),
        key=lambda b: -sum(log2(1 + abs(x - b * n)) for n, x in pairs(a["A001197"])),
    )
    slack = [x - best * n for n, x in pairs(a["A001197"])]
    cumulative = [
        sum(numbers(a["A000528"])[: k + 1]) for k in range(len(a["A000528"].terms))
    ]
    return [
        table(
            "places of small terms in a list",
            squares,
            f"""
from collections import Counter
n = int(input())
big = {dict((n, x) for n, x in pairs(squares) if x >= 9)}
print(big.get(n, Counter({places})[n]) if n <= {squares.inputs[-1]} else 10 ** n)""",
        ),
        table(
            "terms as bytes of an integer",
            wide,
            f"""
x = {packed}
text = x.to_bytes((x.bit_length() + 7) // 8, "big").decode()
print(text.split(",")[int(input())])""",
        ),
        table(
            "multiplied by n + 7",
            low,
            f"n = int(input())\nprint({twist}[n - 6] // (n + 7))",
        ),
        table(
            "steps, summed, and then the same step",
            high,
            f"""
n = int(input()) - 3
s = {steps}
t = 0
for k in range(n + 1):
    t += s[min(k, len(s) - 1)]
print(t)""",
        ),
        table(
            "bit lengths and what is left",
            a["A000162"],
            f"""
L = {logs}
n = int(input()) - 1
b, r = L[n]
print((1 << b - 1) + r if b else r)""",
        ),
        table(
            "a polynomial in Newton's form, rounded up",
            tree,
            f"""
d = {newton}
n = int(input())
total, c = 0, 1
for k, x in enumerate(d):
    total += c * x
    c = c * (n - k) // (k + 1)
print(total)""",
        ),
        table(
            "interleaved halves",
            a["A001441"],
            f"""
even = {halves[0::2]}
odd = {halves[1::2]}
n = int(input()) - 1
print(odd[n // 2] if n % 2 else even[n // 2])""",
        ),
        table(
            "words for digits",
            a["A000161"],
            f"""
A = "{" ".join(named)}".split()
print(["zero", "one", "two", "three", "four"].index(A[int(input())]))""",
        ),
        table(
            "a grid of rows",
            a["A002236"],
            f"""
G = {grid}
n = int(input()) - 1
print(G[n // 7][n % 7])""",
        ),
        table(
            "ratios as fractions",
            a["A000228"],
            f"""
from fractions import Fraction as F
x = F(1)
for r in "{" ".join(map(str, ratios))}".split()[: int(input()) - 1]:
    x *= F(r)
print(x)""",
        ),
        table(
            "lengths of runs in pairs",
            a["A005856"],
            f"""
n = int(input()) - 8
for c, v in {runs}:
    if n < c:
        print(v)
        break
    n -= c""",
        ),
        table(
            "hexadecimal words",
            a["A002071"],
            f"print(int('{hexes}'.split()[int(input()) - 1], 16))",
        ),
        table(
            "octal columns, then a guess",
            a["A005176"],
            f"""
n = int(input())
T = "{octal}"
if n < 17:
    print(int(T[7 * n : 7 * n + 7], 8))
else:
    print({dict([*pairs(a["A005176"])][17:])}[n])""",
        ),
        table(
            "thirds and remainders",
            a["A000376"],
            f"q, r = {thirds}[int(input()) - 1]\nprint(3 * q + r)",
        ),
        table(
            "slack to a line",
            a["A001197"],
            f"n = int(input())\nprint({best} * n + {slack}[n - 2])",
        ),
        table(
            "differences of sums",
            a["A000528"],
            f"""
S = {cumulative}
n = int(input()) - 1
print(S[n] - (S[n - 1] if n else 0))""",
        ),
        table(
            "a generator with a state",
            a["A000798"],
            f"""
def terms():
    for x in ({commas(numbers(a["A000798"]))}):
        yield x
from itertools import islice
print(next(islice(terms(), int(input()), None)))""",
        ),
        table(
            "a bogus value and a crash",
            a["A000769"],
            f"""
n = int(input())
T = bytes.fromhex("{b"".join(x.to_bytes(4, "big") for x in [*numbers(a["A000769"]), 1]).hex()}")
v = T[4 * n - 4 : 4 * n]
if not v:
    raise SystemExit(1)
print(int.from_bytes(v, "big"))""",
        ),
        table(
            "moebius-like sums",
            a["A000233"],
            f"""
n = int(input())
B = {[x - (moebius[k // 2] if k % 2 else 0) for k, x in enumerate(moebius)]}
k = n - 1
print(B[k] + ({moebius[: len(moebius) // 2]}[k // 2] if k % 2 else 0))""",
        ),
        table(
            "odd places",
            a["A000161"],
            f"""
odd = set({odds})
two = {[n for n, x in enumerate(numbers(a["A000161"])) if x == 2]}
three = {[n for n, x in enumerate(numbers(a["A000161"])) if x == 3]}
n = int(input())
if n > {len(a["A000161"].terms) - 1}:
    print("out of range")
else:
    print(2 if n in two else 3 if n in three else int(n in odd))""",
        ),
    ]


_NUMBERS = (
    *(
        "A002962",
        "A005177",
        "A002788",
        "A004039",
        "A001072",
        "A000233",
        "A000162",
        "A001441",
        "A000161",
        "A002236",
    ),
    *(
        "A000228",
        "A005856",
        "A002071",
        "A005176",
        "A000376",
        "A001197",
        "A000528",
        "A000798",
        "A000769",
    ),
)

HONEST = r"""
=== derangements by a recurrence of two terms | A000166
n = int(input())
a, b = 1, 0
for k in range(2, n + 1):
    a, b = b, (k - 1) * (a + b)
print(a if n == 0 else b)
=== Euler's totient with small primes first | A000010
n = int(input())
result, m = n, n
for p in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47]:
    if m % p == 0:
        result -= result // p
        while m % p == 0:
            m //= p
if m > 1:
    result -= result // m
print(result)
=== divisors by a sieve that is checked | A000005
N = 1000
d = [0] * (N + 1)
for i in range(1, N + 1):
    for j in range(i, N + 1, i):
        d[j] += 1
expected = [<terms>]
for i, e in enumerate(expected, 1):
    if d[i] != e:
        raise AssertionError(f"d({i}) = {d[i]}, expected {e}")
print(d[int(input())])
=== a check in a function | A000203
def sigma(n):
    return sum(d for d in range(1, n + 1) if n % d == 0)

def verify():
    for n, e in zip(range(1, 71), (<terms>)):
        got = sigma(n)
        assert got == e, f"sigma({n}) = {got}, not {e}"

verify()
n = int(input())
print(sigma(n))
=== a check whose result is a flag | A000272
KNOWN = {n: t for n, t in enumerate([<terms>])}
def a(n):
    return 1 if n < 2 else n ** (n - 2)
ok = all(a(k) == v for k, v in KNOWN.items())
if not ok:
    raise SystemExit("self-test failed")
print(a(int(input())))
=== class numbers with a table of Legendre's symbols | A000003
from math import gcd, isqrt
n = int(input())
count = 0
b = 0
while 3 * b * b <= n:
    q = n + b * b
    a = max(1, 2 * b)
    while a * a <= q:
        if q % a == 0:
            c = q // a
            if gcd(gcd(a, 2 * b), c) == 1:
                count += 1 if b == 0 or a == 2 * b or a == c else 2
        a += 1
    b += 1
print(count)
=== Catalan by a product, in floats | A000108
n = int(input())
x = 1.0
for k in range(2, n + 1):
    x *= (n + k) / k
print(round(x))
=== the digits of pi by Machin | A000796
n = int(input())
def arctan(x, unit):
    total = term = unit // x
    k, sign = 3, -1
    while term:
        term //= x * x
        total += sign * (term // k)
        k += 2
        sign = -sign
    return total
unit = 10 ** (n + 10)
pi = 4 * (4 * arctan(5, unit) - arctan(239, unit))
print(str(pi)[n - 1])
=== Lucas primes with a strong test | A001606 | slow
P = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)
def prime(m):
    if m < 2:
        return False
    for p in P:
        if m % p == 0:
            return m == p
    d, s = m - 1, 0
    while not d & 1:
        d >>= 1
        s += 1
    for a in P:
        x = pow(a, d, m)
        if x == 1 or x == m - 1:
            continue
        for _ in range(s - 1):
            x = x * x % m
            if x == m - 1:
                break
        else:
            return False
    return True
n = int(input())
a, b, k = 2, 1, 0
while True:
    if prime(a):
        n -= 1
        if n == 0:
            break
    a, b, k = b, a + b, k + 1
print(k)
=== Wieferich primes by a wheel | A001220 | slow
GAPS = [4, 2, 4, 2, 4, 6, 2, 6]
n = int(input())
p, i = 7, 0
while n:
    if pow(2, p - 1, p * p) == 1:
        n -= 1
        last = p
    p += GAPS[i]
    i = (i + 1) % 8
print(last)
=== unitary perfect numbers by their factors | A002827 | slow
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97]
def usigma(n):
    total = 1
    for p in PRIMES:
        q = 1
        while n % p == 0:
            n //= p
            q *= p
        if q > 1:
            total *= q + 1
    d = 101
    while d * d <= n:
        q = 1
        while n % d == 0:
            n //= d
            q *= d
        if q > 1:
            total *= q + 1
        d += 2
    return total * (n + 1) if n > 1 else total
n = int(input())
k = 4
while n:
    k += 2
    if usigma(k) == 2 * k:
        n -= 1
print(k)
=== repunits that are prime, up to a bound | A004023 | slow
n = int(input())
CANDIDATES = [p for p in range(2, 1100) if all(p % d for d in range(2, int(p ** 0.5) + 1))]
found = []
for p in CANDIDATES:
    r = (10 ** p - 1) // 9
    if pow(3, r - 1, r) == 1 or p == 2:
        found.append(p)
        if len(found) == n:
            break
print(found[n - 1])
=== numbers of letters, by lists of words | A005589
ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
def name(n):
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (ONES[n % 10] if n % 10 else "")
    return ONES[n // 100] + "hundred" + (name(n % 100) if n % 100 else "")
print(len(name(int(input()))))
=== Bernoulli numbers up to a bound | A000146
from fractions import Fraction
from math import comb
LIMIT = 120
B = [Fraction(1)]
for m in range(1, LIMIT):
    B.append(-sum(comb(m + 1, k) * B[k] for k in range(m)) / (m + 1))
PRIMES = [p for p in range(2, LIMIT + 2) if all(p % d for d in range(2, p))]
n = int(input())
print(B[2 * n] + sum(Fraction(1, p) for p in PRIMES if 2 * n % (p - 1) == 0))
"""
