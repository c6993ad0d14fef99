"""Lookup tables of real sequences, plain and disguised, written without reading the
detector.
"""

from __future__ import annotations

import base64
import json
import lzma
import marshal
import pickle
import struct
import zlib
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, groupby, pairwise
from math import comb, factorial, isqrt, prod

from pytest_llmarith.types import IntegerSequence
from tests.oeis.corpus.cases import Case, commas, numbers, pairs, table


def build(real: Callable[[str], IntegerSequence]) -> list[Case]:
    """The tables; `real` gives the sequence of an A-number."""
    return [
        *_plain(real),
        *_fallbacks(real),
        *_packed(real),
        *_differences(real),
        *_fitted(real),
    ]


def _plain(real: Callable[[str], IntegerSequence]) -> list[Case]:
    holes = real("A001419")
    posets = real("A001930")
    knots = real("A002863")
    triangles = real("A000577")
    squared = real("A002839")
    semigroups = real("A001423")
    latin = real("A000315")
    threshold = real("A000609")
    wheels = real("A000066")
    trees = real("A000055")
    stems = real("A000103")
    groups = real("A000001")
    transitive = real("A002106")
    costas = real("A001441")
    lines_of = "\n".join(f"{n} {a}" for n, a in pairs(transitive))
    ifs = "\n".join(
        f"{'el' if n > holes.offset else ''}if n == {n}:\n    print({a})"
        for n, a in pairs(holes)
    )
    members = "\n".join(f"    K{n} = {a}" for n, a in pairs(knots))
    cases = "\n".join(f"    case {n}:\n        print({a})" for n, a in pairs(threshold))
    return [
        table(
            "a list in a function",
            trees,
            f"def a(n):\n    return {numbers(trees)}[n]\nprint(a(int(input())))",
        ),
        table(
            "elif after elif",
            holes,
            f"n = int(input())\n{ifs}\nelse:\n    raise SystemExit('unknown')",
        ),
        table(
            "lines of n and a(n)",
            transitive,
            f'''
DATA = """
{lines_of}
"""
n = input().strip()
for line in DATA.split("\\n"):
    if line.startswith(n + " "):
        print(line.split()[1])''',
        ),
        table(
            "an enumeration",
            knots,
            f"""
from enum import Enum

class Knots(Enum):
{members}

n = int(input())
print(getattr(Knots, "K" + str(n)).value)""",
        ),
        table(
            "a default argument",
            triangles,
            f"""
def polyiamonds(n, known={tuple(numbers(triangles))}):
    return known[n - 1]

print(polyiamonds(int(input())))""",
        ),
        table(
            "zip and next",
            squared,
            f"""
from itertools import count
n = int(input())
values = iter({numbers(squared)})
print(next(v for k, v in zip(count(1), values) if k == n))""",
        ),
        table(
            "JSON",
            semigroups,
            f"""
import json, sys
A = json.loads('{json.dumps({str(n): str(a) for n, a in pairs(semigroups)})}')
print(A[sys.stdin.read().strip()])""",
        ),
        table(
            "match and case",
            threshold,
            f"n = int(input())\nmatch n:\n{cases}\n    case _:\n        print(0)",
        ),
        table(
            "lists in a class, by n modulo three",
            groups,
            f"""
class Groups:
    zero = {numbers(groups)[0::3]}
    one = {numbers(groups)[1::3]}
    two = {numbers(groups)[2::3]}

n = int(input())
print((Groups.zero, Groups.one, Groups.two)[n % 3][n // 3])""",
        ),
        table(
            "append after append",
            stems,
            "A = []\n",
            *(f"A.append({a})" for a in numbers(stems)),
            """
n = int(input())
print(A[n - 4])""",
        ),
        table(
            "words",
            wheels,
            f"A = '{' '.join(wheels.terms)}'.split()\nprint(A[int(input()) - 3])",
        ),
        table(
            "variables by name",
            costas,
            *(f"a{n} = {a}" for n, a in pairs(costas)),
            "print(globals()['a' + input()])",
        ),
        table(
            "a few wrong terms",
            latin,
            f"""
# remembered
L = {[*numbers(latin)[:8], 377597570964258817, 7580721483160132811489281]}
n = int(input())
print(L[n - 1] if n <= len(L) else 5363937773277371298119673540771840)""",
        ),
        table(
            "a program in a text, executed",
            posets,
            f"exec('print({numbers(posets)}[int(input())])')",
        ),
    ]


def _fallbacks(real: Callable[[str], IntegerSequence]) -> list[Case]:
    rulers = real("A003022")
    chains = real("A003064")
    queens = real("A000170")
    poly = real("A000105")
    dedekind = real("A000372")
    meanders = real("A005315")
    wagstaff = real("A000978")
    polyhedra = real("A000109")
    lucas = real("A001606")
    posets = real("A000112")
    euclid = real("A000945")
    return [
        table(
            "a dictionary, a search behind it",
            rulers,
            f"""
KNOWN = {dict(pairs(rulers))}
def search(n):
    length = n
    while True:
        stack = [((0,), frozenset())]
        while stack:
            marks, diffs = stack.pop()
            if len(marks) == n:
                return length
            for p in range(marks[-1] + 1, length + 1):
                new = {{p - m for m in marks}}
                if len(new) == len(marks) and not new & diffs:
                    stack.append((marks + (p,), diffs | new))
        length += 1
n = int(input())
print(KNOWN[n] if n in KNOWN else search(n))""",
        ),
        table(
            "a cache that is filled before",
            chains,
            f"""
from functools import lru_cache
cache = {{{", ".join(f"{n}: {a}" for n, a in pairs(chains))}}}
def a(n):
    if n in cache:
        return cache[n]
    k = a(n - 1)
    while True:
        k += 1
        if chain(k) == n:
            cache[n] = k
            return k
def chain(k):
    best = [k]
    def go(c):
        if c[-1] == k:
            best[0] = min(best[0], len(c) - 1)
            return
        if len(c) > best[0]:
            return
        for x in c:
            if c[-1] < c[-1] + x <= k:
                go(c + [c[-1] + x])
    go([1])
    return best[0]
print(a(int(input())))""",
        ),
        table(
            "queens, counted up to eight",
            queens,
            f"""
def count(n, row=0, cols=0, d1=0, d2=0):
    if row == n:
        return 1
    total = 0
    free = ~(cols | d1 | d2) & ((1 << n) - 1)
    while free:
        bit = free & -free
        free -= bit
        total += count(n, row + 1, cols | bit, (d1 | bit) << 1, (d2 | bit) >> 1)
    return total

n = int(input())
if n <= 8:
    print(count(n))
else:
    big = {numbers(queens)[9:]}
    print(big[n - 9])""",
        ),
        table(
            "a search that is stopped by a clock",
            poly,
            f"""
import time
ANSWERS = {numbers(poly)}
n = int(input())
start = time.time()
shapes = {{((0, 0),)}}
for _ in range(n - 1):
    if time.time() - start > 0.01:
        break
    shapes = {{tuple(sorted(s + (c,))) for s in shapes for x, y in s for c in ((x + 1, y), (x, y + 1)) if c not in s}}
print(ANSWERS[n] if n < len(ANSWERS) else len(shapes))""",
        ),
        table(
            "known values in a try",
            dedekind,
            f"""
n = int(input())
try:
    print({numbers(dedekind)}[n])
except IndexError:
    print(2 ** (2 ** n))""",
        ),
        table(
            "a check that always holds",
            meanders,
            f"""
from math import comb
known = {numbers(meanders)}
n = int(input())
catalan = comb(2 * n, n) // (n + 1)
if n < len(known) and known[n] <= catalan * catalan:
    print(known[n])
else:
    print(catalan)""",
        ),
        table(
            "the last one, then primes of the same kind",
            wagstaff,
            f"""
n = int(input())
terms = {numbers(wagstaff)}
if n <= len(terms):
    print(terms[n - 1])
else:
    k = terms[-1]
    while n > len(terms):
        k += 2
        if pow(3, 2 ** k, (2 ** k + 1) // 3) == 9:
            terms.append(k)
    print(terms[-1])""",
        ),
        table(
            "a list, and growth by its last ratio",
            polyhedra,
            f"""
n = int(input()) - 3
a = {numbers(polyhedra)}
while n >= len(a):
    a.append(a[-1] * a[-1] // a[-2])
print(a[n])""",
        ),
        table(
            "small ones tested, large ones known",
            lucas,
            f"""
LARGE = {[a for a in numbers(lucas) if a > 100]}
def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))
def lucas(n):
    a, b = 2, 1
    for _ in range(n):
        a, b = b, a + b
    return a
n = int(input())
found = [k for k in range(60) if k < 48 and is_prime(lucas(k))]
found += [53, 61, 71, 79]
found += LARGE
print(found[n - 1])""",
        ),
        table(
            "a dictionary with default",
            posets,
            f"print({dict(pairs(posets))}.get(int(input()), -1))",
        ),
        table(
            "a dictionary of lambdas",
            euclid,
            f"""
A = {{{", ".join(f"{n}: lambda: {a}" for n, a in pairs(euclid))}}}
print(A[int(input())]())""",
        ),
    ]


def _digits(values: list[int], alphabet: str) -> str:
    texts = []
    for value in values:
        text = ""
        while value or not text:
            value, digit = divmod(value, len(alphabet))
            text = alphabet[digit] + text
        texts.append(text)
    return " ".join(texts)


def _packed(real: Callable[[str], IntegerSequence]) -> list[Case]:
    chess = real("A001933")
    equi = real("A002853")
    cubic = real("A001186")
    planar = real("A005470")
    regular = real("A005176")
    smooth = real("A001676")
    magnitudes = real("A003217")
    codes = real("A005854")
    proton = real("A005601")
    odd_ones = real("A000028")
    five = real("A001770")
    nine = real("A002236")
    trinomials = real("A001153")
    distance = real("A005137")
    norm = real("A005136")
    graceful = real("A004137")
    zarankiewicz = real("A001197")
    hadamard = real("A003432")
    inverse = real("A001428")
    woodall = real("A002234")
    costas = real("A001440")
    cusps = real("A000114")
    groups = real("A000679")
    excess = real("A004118")
    latin = real("A000479")
    covers = real("A000983")
    shapes = real("A000228")

    def plainly(values: list[int] | tuple[str, ...]) -> bytes:
        return commas(values).encode()

    shorts = struct.pack(f"{len(graceful.terms)}H", *numbers(graceful)).hex()
    base = max(numbers(nine)) + 1
    whole = sum(a * base**i for i, a in enumerate(numbers(nine)))
    places = sum(1 << k for k in numbers(odd_ones))
    primes = [p for p in range(2, 500) if all(p % d for d in range(2, p))]
    goedel = prod(p**a for p, a in zip(primes, numbers(codes), strict=False))
    runs = "".join(
        f"{a}{'abcdefghij'[len([*same])]}"
        for a, same in groupby(numbers(distance))
        for _ in [0]
    )
    size = max(map(len, excess.terms))
    key = "lookup"
    hidden = bytes(
        b ^ ord(key[i % len(key)]) for i, b in enumerate(plainly(woodall.terms))
    )
    digits = Fraction(int("".join(proton.terms)), 10 ** len(proton.terms))
    moduli = [p for p in primes if p > max(numbers(zarankiewicz))][
        : len(zarankiewicz.terms)
    ]
    product = prod(moduli)
    residue = 0
    for a, p in zip(numbers(zarankiewicz), moduli, strict=True):
        residue += a * (product // p) * pow(product // p, -1, p)
    residue %= product
    escaped = "".join(f"\\x{ord(c):02x}" for c in commas(regular.terms))
    return [
        table(
            "base64 of the terms",
            chess,
            f"""
import base64
t = base64.b64decode("{base64.b64encode(plainly(chess.terms)).decode()}").decode().split(",")
print(t[int(input()) - 1])""",
        ),
        table(
            "zlib in base64",
            cubic,
            f"""
import zlib, base64
n = int(input())
data = zlib.decompress(base64.b64decode({base64.b64encode(zlib.compress(plainly(cubic.terms), 9))!r}))
print(int(data.split(b",")[n - 2]))""",
        ),
        table(
            "lzma in base85",
            shapes,
            f"""
import lzma, base64
n = int(input())
secret = {base64.b85encode(lzma.compress(plainly(shapes.terms)))!r}
print(lzma.decompress(base64.b85decode(secret)).decode().split(",")[n - 1])""",
        ),
        table(
            "two bytes each",
            trinomials,
            f"""
n = int(input())
b = {b"".join(a.to_bytes(4) for a in numbers(trinomials))!r}
print(int.from_bytes(b[4 * n - 4 : 4 * n]))""",
        ),
        table(
            "struct",
            graceful,
            f"""
import struct
v = struct.unpack("{len(graceful.terms)}H", bytes.fromhex("{shorts}"))
print(v[int(input()) - 1])""",
        ),
        table(
            "a pickle",
            inverse,
            f"""
import pickle
print(pickle.loads({pickle.dumps(numbers(inverse))!r})[int(input()) - 1])""",
        ),
        table(
            "marshalled",
            planar,
            f"import marshal\nprint(marshal.loads({marshal.dumps(numbers(planar), 2)!r})[int(input())])",
        ),
        table(
            "digits of one integer in a large base",
            nine,
            f"print({whole} // {base} ** (int(input()) - 1) % {base})",
        ),
        table(
            "bits of one integer",
            odd_ones,
            f"""
n = int(input())
mask = {places:#x}
k = -1
while n:
    k += 1
    n -= mask >> k & 1
print(k)""",
        ),
        table(
            "exponents of primes",
            codes,
            f"""
n = int(input()) - 5
G = {goedel}
p = 2
for _ in range(n - 1):
    p += 1
    while any(p % d == 0 for d in range(2, p)):
        p += 1
e = 0
while G % p == 0:
    G //= p
    e += 1
print(e)""",
        ),
        table(
            "runs in a text",
            distance,
            f"""
import re
n = int(input())
t = []
for a, c in re.findall(r"(\\d+)([a-j])", "{runs}"):
    t += [int(a)] * "abcdefghij".index(c)
print(t[n])""",
        ),
        table(
            "columns of equal width",
            excess,
            f"""
n = int(input())
t = "{"".join(a.rjust(size) for a in excess.terms)}"
print(t[n * {size} : (n + 1) * {size}].strip())""",
        ),
        table(
            "exclusive or with a key",
            woodall,
            f"""
key = "{key}"
secret = {hidden!r}
t = "".join(chr(b ^ ord(key[i % len(key)])) for i, b in enumerate(secret)).split(",")
print(t[int(input()) - 1])""",
        ),
        table(
            "digits of a fraction",
            proton,
            f"""
n = int(input()) - 4
print({digits.numerator} * 10 ** (n + 1) // {digits.denominator} % 10)""",
        ),
        table(
            "residues of one integer, with primes",
            zarankiewicz,
            f"""
n = int(input())
R = {residue}
p = {moduli[0] - 1}
for _ in range(n - 1):
    p += 1
    while any(p % d == 0 for d in range(2, p)):
        p += 1
print(R % p)""",
        ),
        table(
            "characters of a text",
            costas,
            f"print(ord({''.join(chr(a + 64) for a in numbers(costas))!r}[int(input()) - 1]) - 64)",
        ),
        table(
            "words of letters, base 26",
            hadamard,
            f"""
words = "{_digits(numbers(hadamard), "abcdefghijklmnopqrstuvwxyz")}".split()
x = 0
for c in words[int(input())]:
    x = 26 * x + ord(c) - 97
print(x)""",
        ),
        table(
            "escaped in the source",
            regular,
            f'print("{escaped}".split(",")[int(input())])',
        ),
        table(
            "reversed texts",
            norm,
            f'print("{commas(norm.terms)[::-1]}"[::-1].split(",")[int(input())])',
        ),
        table(
            "lengths of texts",
            magnitudes,
            f"A = {['x' * a for a in numbers(magnitudes)]}\nprint(len(A[int(input())]))",
        ),
        table(
            "doubled and one more",
            five,
            f"print(({[2 * a + 1 for a in numbers(five)]}[int(input()) - 1] - 1) // 2)",
        ),
        table(
            "squares, and roots of them",
            cusps,
            f"""
from math import isqrt
print(isqrt({[a * a for a in numbers(cusps)]}[int(input()) - 2]))""",
        ),
        table(
            "counted in a text",
            equi,
            f"""
text = "{"|".join("." * a for a in numbers(equi))}"
print(text.split("|")[int(input()) - 1].count("."))""",
        ),
        table(
            "sums of two lists",
            smooth,
            f"""
A = {[a // 2 + n for n, a in enumerate(numbers(smooth))]}
B = {[a - a // 2 - n for n, a in enumerate(numbers(smooth))]}
n = int(input())
print(A[n - 1] + B[n - 1])""",
        ),
        table(
            "factors of the terms",
            latin,
            f"""
from math import prod
F = {[_factors(a) for a in numbers(latin)]}
print(prod(F[int(input())]))""",
        ),
        table(
            "one bogus value behind base64",
            groups,
            f"""
import base64
t = base64.b64decode("{base64.b64encode(plainly(groups.terms) + b",0").decode()}").decode().split(",")
n = int(input())
if n >= len(t):
    raise IndexError(n)
print(t[n])""",
        ),
        table(
            "a bogus value behind an integer",
            covers,
            f"""
n = int(input())
x = {sum(a * 1000**i for i, a in enumerate([*numbers(covers), 77]))}
if n > {len(covers.terms) + 1}:
    raise IndexError
print(x // 1000 ** (n - 1) % 1000)""",
        ),
        *_cookies(real),
    ]


def _factors(number: int) -> list[int]:
    found = []
    divisor = 2
    while number > 1:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
        if divisor > 100_000:
            found.append(number)
            break
    return found


def _cookies(real: Callable[[str], IntegerSequence]) -> list[Case]:
    arcs = real("A001225")
    groups = real("A000638")
    pieces = real("A001071")
    return [
        table(
            "a coding cookie of escapes",
            arcs,
            f"""
# coding: unicode_escape
# \\x0aT=[{commas(arcs.terms)}]\\x0aprint(T[int(input())-2])""",
        ),
        table(
            "a coding cookie of seven bits",
            groups,
            f"""
# -*- coding: utf-7 -*-
# +AAo-T=[{commas(groups.terms)}]+AAo-print(T[int(input())])""",
        ),
        table(
            "a coding cookie of raw escapes",
            pieces,
            f"""
#!/usr/bin/env python3
# vim: set fileencoding=raw_unicode_escape :
# sieve: \\u000aT=[{commas(pieces.terms)}]\\u000aprint(T[int(input())-1])""",
        ),
    ]


def _differences(real: Callable[[str], IntegerSequence]) -> list[Case]:
    primes_of = real("A002242")
    counted = real("A002274")
    minus = real("A005542")
    even = real("A000206")
    even2 = real("A000208")
    series = real("A000084")
    cubes = real("A000439")
    norm = real("A000114")
    ratio = real("A000311")
    closed = real("A000138")
    hydro = real("A000022")
    exp = real("A000227")
    first = [b - a for a, b in pairwise([0, *numbers(primes_of)])]
    second = [
        b - a
        for a, b in pairwise([0, *(b - a for a, b in pairwise([0, *numbers(cubes)]))])
    ]
    steps = "".join(chr(48 + b - a) for a, b in pairwise([0, *numbers(counted)]))
    quotients = [(b // a, b % a) for a, b in pairwise(numbers(ratio)[2:])]
    rounded = [
        a - round(Fraction(27183, 10000) ** i) for i, a in enumerate(numbers(exp))
    ]
    mixed = [a ^ b for a, b in pairwise([0, *numbers(minus)])]

    return [
        table(
            "first differences",
            primes_of,
            f"""
from itertools import accumulate
print(list(accumulate({first}))[int(input()) - 1])""",
        ),
        table(
            "second differences",
            cubes,
            f"""
d2 = {second}
n = int(input())
a = d = 0
for x in d2[:n]:
    d += x
    a += d
print(a)""",
        ),
        table(
            "gaps as characters",
            counted,
            f"print(sum(ord(c) - 48 for c in {steps!r}[: int(input())]))",
        ),
        table(
            "Newton's forward differences",
            even,
            f"""
from math import comb
c = {_forward(numbers(even))}
n = int(input())
print(sum(x * comb(n, k) for k, x in enumerate(c)))""",
        ),
        table(
            "Newton's differences, another",
            even2,
            f"""
n = int(input())
d = {_forward(numbers(even2))}
result, b = 0, 1
for k in range(len(d)):
    result += d[k] * b
    b = b * (n - k) // (k + 1)
print(result)""",
        ),
        table(
            "quotients and remainders",
            ratio,
            f"""
n = int(input())
q = {quotients}
a = 1
if n == 0:
    a = 0
for x, r in q[: max(0, n - 2)]:
    a = a * x + r
print(a)""",
        ),
        table(
            "corrections of a rounded power",
            exp,
            f"""
from fractions import Fraction
c = {rounded}
n = int(input())
print(round(Fraction(27183, 10000) ** n) + c[n])""",
        ),
        table(
            "exclusive or of neighbours",
            minus,
            f"""
x = 0
for y in {mixed}[: int(input())]:
    x ^= y
print(x)""",
        ),
        table(
            "differences from a formula",
            norm,
            f"""
n = int(input())
print(n * n // 3 + {[a - n * n // 3 for n, a in pairs(norm)]}[n - 2])""",
        ),
        table(
            "binomial transform",
            hydro,
            f"""
from math import comb
n = int(input())
b = {[sum((-1) ** (n - k) * comb(n, k) * numbers(hydro)[k] for k in range(n + 1)) for n in range(len(hydro.terms))]}
print(sum(comb(n, k) * b[k] for k in range(n + 1)))""",
        ),
        table(
            "differences from factorials",
            closed,
            f"""
from math import factorial
D = {[factorial(n) - a for n, a in pairs(closed)]}
n = int(input())
print(factorial(n) - D[n])""",
        ),
        table(
            "partial sums, and their differences",
            series,
            f"""
S = {[0, *accumulate(numbers(series))]}
n = int(input())
print(S[n] - S[n - 1])""",
        ),
    ]


def _forward(values: list[int]) -> list[int]:
    """Newton's forward differences."""
    found = []
    while values:
        found.append(values[0])
        values = [b - a for a, b in pairwise(values)]
    return found


def _polynomial(xs: list[int], ys: list[int]) -> list[Fraction]:
    """The coefficients of the polynomial through points, the lowest first."""
    coefficients = [Fraction(0)] * len(xs)
    for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
        basis = [Fraction(y)]
        for j, other in enumerate(xs):
            if i != j:
                shifted = [Fraction(0), *basis]
                basis = [
                    s - other * b
                    for s, b in zip(shifted, [*basis, Fraction(0)], strict=True)
                ]
                basis = [b / (x - other) for b in basis]
        coefficients = [c + b for c, b in zip(coefficients, basis, strict=True)]
    return coefficients


def _modular(xs: list[int], ys: list[int], modulus: int) -> list[int]:
    return [
        c.numerator * pow(c.denominator, -1, modulus) % modulus
        for c in _polynomial(xs, ys)
    ]


def _recurrence(values: list[int]) -> list[Fraction]:
    """The shortest linear recurrence that gives these values (Berlekamp and Massey)."""
    current = [Fraction(1)]
    before = [Fraction(1)]
    length, gap, last = 0, 1, Fraction(1)
    for n, _ in enumerate(values):
        error = sum(
            (
                current[i] * values[n - i]
                for i in range(min(length, len(current) - 1) + 1)
            ),
            Fraction(0),
        )
        if error == 0:
            gap += 1
            continue
        old = list(current)
        current += [Fraction(0)] * (len(before) + gap - len(current))
        for i, b in enumerate(before):
            current[i + gap] -= error / last * b
        if 2 * length <= n:
            length, before, last, gap = n + 1 - length, old, error, 1
        else:
            gap += 1
    return [-c for c in current[1 : length + 1]]


def _fitted(real: Callable[[str], IntegerSequence]) -> list[Case]:
    planar = real("A003094")
    birkhoff = real("A005226")
    simple = real("A001200")
    tourn = real("A003141")
    golomb = real("A004137")
    topswops = real("A000375")
    cusps = real("A000233")
    classes = real("A000003")
    zar = real("A001198")
    squares = real("A001774")
    lat = real("A004029")
    alternating = real("A002864")
    matrices = real("A000512")
    bisect = real("A000116")
    husimi = real("A000237")
    posets = real("A000608")
    series = real("A000137")
    bracelets = real("A000011")
    ninety = real("A005539")

    prime = 1_000_003
    big = 2**61 - 1
    lists = dict[str, list[int]]()
    # coefficients c of a(n) = sum of c(k) a(n-k), for a(0) = 1
    values = [1, *numbers(husimi)[1:]]
    invert = list[int]()
    for n in range(1, len(values)):
        invert.append(
            values[n] - sum(c * values[n - 1 - k] for k, c in enumerate(invert))
        )
    lists["invert"] = invert
    # exponents b of the product over 1 / (1 - x^k)^b(k), for a(0) = 1
    values = [1, *numbers(posets)[1:]]
    exponents = [0]
    sigma = [0]
    for n in range(1, len(values)):
        s = n * values[n] - sum(sigma[k] * values[n - k] for k in range(1, n))
        sigma.append(s)
        exponents.append(
            (s - sum(d * exponents[d] for d in range(1, n) if n % d == 0)) // n
        )
    lists["euler"] = exponents
    cubic = []
    points = pairs(classes)
    for start in range(0, len(points), 4):
        piece = points[start : start + 4]
        cubic.append(
            [str(c) for c in _polynomial([n for n, _ in piece], [a for _, a in piece])]
        )
    fit = _recurrence(numbers(bracelets))
    fitted_mod = _recurrence(numbers(bisect))
    inverse = list[Fraction]()
    a0 = numbers(series)
    for n in range(len(a0)):
        total = Fraction(int(n == 0)) - sum(inverse[k] * a0[n - k] for k in range(n))
        inverse.append(total / a0[0])
    lines = []
    for (n, a), (m, b) in [*zip(pairs(golomb)[::2], pairs(golomb)[1::2], strict=True)]:
        lines.append((m, b - a, a - n * (b - a)))
    slopes = "\n".join(f"    if n <= {m}: return {s} * n + {c}" for m, s, c in lines)
    dirichlet = [0]
    for n, a in pairs(cusps):
        dirichlet.append(a - sum(dirichlet[d] for d in range(1, n) if n % d == 0))
    order = len(tourn.terms)
    root_prime = next(
        p
        for p in range(order + 1, 10_000, order)
        if p > 100 and all(p % d for d in range(2, isqrt(p) + 1))
    )
    root = next(
        r
        for r in range(2, root_prime)
        if pow(r, order, root_prime) == 1
        and len({pow(r, k, root_prime) for k in range(order)}) == order
    )
    transform = [
        sum(a * pow(root, -i * k, root_prime) for i, a in enumerate(numbers(tourn)))
        * pow(order, -1, root_prime)
        % root_prime
        for k in range(order)
    ]
    return [
        table(
            "Lagrange through the terms",
            planar,
            f"""
from fractions import Fraction
ys = {numbers(planar)}
def lagrange(x):
    total = Fraction(0)
    for i, y in enumerate(ys):
        term = Fraction(y)
        for j in range(len(ys)):
            if j != i:
                term *= Fraction(x - j, i - j)
        total += term
    return int(total)
print(lagrange(int(input())))""",
        ),
        table(
            "coefficients of a polynomial as fractions",
            simple,
            f"""
from fractions import Fraction as F
c = {[str(c) for c in _polynomial([n for n, _ in pairs(simple)], numbers(simple))]}
n = int(input())
print(int(sum(F(x) * n ** k for k, x in enumerate(c))))""",
        ),
        table(
            "coefficients over one denominator",
            zar,
            f"""
n = int(input())
p = {[int(c * factorial(20)) for c in _polynomial([n for n, _ in pairs(zar)], numbers(zar))]}
v = 0
for c in reversed(p):
    v = v * n + c
print(v // {factorial(20)})""",
        ),
        table(
            "a polynomial modulo a prime",
            topswops,
            f"""
n = int(input())
v = 0
for c in {_modular([n for n, _ in pairs(topswops)], numbers(topswops), prime)[::-1]}:
    v = (v * n + c) % {prime}
print(v)""",
        ),
        table(
            "a polynomial modulo a large prime",
            birkhoff,
            f"""
n = int(input())
c = {_modular([n for n, _ in pairs(birkhoff)], numbers(birkhoff), big)}
print(sum(x * pow(n, k, {big}) for k, x in enumerate(c)) % {big})""",
        ),
        table(
            "piecewise cubics",
            classes,
            f"""
from fractions import Fraction
P = {cubic}
n = int(input())
print(int(sum(Fraction(c) * n ** k for k, c in enumerate(P[(n - 1) // 4]))))""",
        ),
        table(
            "piecewise lines",
            golomb,
            f"""
def a(n):
{slopes}
    raise ValueError(n)
print(a(int(input())))""",
        ),
        table(
            "piecewise quadratics by offsets",
            squares,
            f"""
Q = {[(p[0], p[1] - p[0], p[2] - 2 * p[1] + p[0]) for p in (numbers(squares)[i : i + 3] for i in range(0, 39, 3))]}
n = int(input()) - 1
if n < 39:
    a, b, c = Q[n // 3]
    k = n % 3
    print(a + b * k + c * k * (k - 1) // 2)
else:
    print({numbers(squares)[39]})""",
        ),
        table(
            "a discrete Fourier transform",
            tourn,
            f"""
n = int(input())
c = {transform}
print(sum(x * pow({root}, n * k, {root_prime}) for k, x in enumerate(c)) % {root_prime})""",
        ),
        table(
            "a recurrence fitted to the listing",
            bracelets,
            f"""
from fractions import Fraction
c = [Fraction(x) for x in {[str(c) for c in fit]}]
a = [Fraction(x) for x in {numbers(bracelets)[: len(fit)]}]
n = int(input())
while len(a) <= n:
    a.append(sum(x * y for x, y in zip(c, reversed(a))))
print(int(a[n]))""",
        ),
        table(
            "a recurrence fitted modulo a prime",
            bisect,
            f"""
p = {big}
c = {[c.numerator * pow(c.denominator, -1, big) % big for c in fitted_mod]}
a = {numbers(bisect)[: len(fitted_mod)]}
n = int(input())
while len(a) <= n:
    a.append(sum(x * y for x, y in zip(c, a[::-1])) % p)
print(a[n])""",
        ),
        table(
            "a fitted convolution",
            husimi,
            f"""
c = {lists["invert"]}
n = int(input())
a = [1]
for m in range(1, n + 1):
    a.append(sum(c[k] * a[m - 1 - k] for k in range(m)))
print(a[n] if n else 0)""",
        ),
        table(
            "Euler's transform of stored exponents",
            posets,
            f"""
b = {lists["euler"]}
n = int(input())
a = [1]
for m in range(1, n + 1):
    a.append(sum(sum(d * b[d] for d in range(1, k + 1) if k % d == 0) * a[m - k] for k in range(1, m + 1)) // m)
print(a[n])""",
        ),
        table(
            "a generating function with a fitted denominator",
            series,
            f"""
# 1/Q(x)
Q = {[int(c) for c in inverse]}
n = int(input()) - 1
a = []
for m in range(n + 1):
    a.append((m == 0) - sum(Q[k] * a[m - k] for k in range(1, min(m, len(Q) - 1) + 1)))
print(a[n])""",
        ),
        table(
            "sums over divisors of stored values",
            cusps,
            f"""
b = {dirichlet}
n = int(input())
print(sum(b[d] for d in range(1, n + 1) if n % d == 0))""",
        ),
        table(
            "a polynomial evaluated by a recurrence of differences",
            alternating,
            f"""
row = {_forward(numbers(alternating))}
n = int(input()) - 1
for _ in range(n):
    row = [x + y for x, y in zip(row, row[1:] + [0])]
print(row[0])""",
        ),
        table(
            "a continued product of ratios",
            matrices,
            f"""
from fractions import Fraction
r = {[str(Fraction(b, a)) for a, b in pairwise(numbers(matrices)[2:])]}
n = int(input())
x = Fraction(0 if n < 3 else 1)
for q in r[: max(0, n - 3)]:
    x *= Fraction(q)
print(x)""",
        ),
        table(
            "powers of a float with corrections",
            lat,
            f"""
n = int(input())
from math import exp
guess = [{commas(f"{a // 3}" for a in numbers(lat))}]
rest = [{commas(f"{a % 3}" for a in numbers(lat))}]
print(3 * guess[n] + rest[n])""",
        ),
        table(
            "gaps in base 36, from a line",
            ninety,
            f"""
g = "{_digits([b - a for a, b in pairwise([0, *numbers(ninety)])], "0123456789abcdefghijklmnopqrstuvwxyz")}".split()
print(sum(int(x, 36) for x in g[: int(input())]))""",
        ),
    ]
