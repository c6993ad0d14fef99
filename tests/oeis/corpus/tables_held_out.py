"""Lookup tables, plain and disguised, written by a person who had not read the
detector.
"""

from __future__ import annotations

import base64
import json
import zlib
from itertools import groupby, pairwise
from math import prod

from tests.oeis.corpus import sequences as of
from tests.oeis.corpus.cases import numbers, pairs, table

_PRIMORIALS = of.starter("A000849")
_RULERS = of.starter("A003022")
_UNITARY = of.starter("A002827")
_TOPSWOPS = of.starter("A000375")
_CODES = of.starter("A005851")
_WAGSTAFF = of.starter("A000978")

_match = "\n".join(f"    case {n}: print({a})" for n, a in pairs(_UNITARY))
_returns = "\n".join(f"    if n == {n}: return {a}" for n, a in pairs(_WAGSTAFF))
_by_lines = ",\n".join(f"    {n}: {a}" for n, a in pairs(_RULERS))

# fmt: off
PLAIN = [
    table("a list with a docstring that explains it", _PRIMORIALS, f'''
def a(n):
    """Number of primes up to the n-th primorial.

    Counting them for n = 9 needs a sieve up to 223092870, so the known values are stored.
    """
    values = {numbers(_PRIMORIALS)}
    return values[n]

if __name__ == "__main__":
    print(a(int(input())))'''),
    table("a dict, a line for every term", _RULERS, f"""
import sys

# Optimal Golomb rulers: marks -> length
GOLOMB = {{
{_by_lines},
}}

n = int(sys.stdin.readline())
print(GOLOMB[n])"""),
    table("match with a default", _UNITARY, f'n = int(input())\nmatch n:\n{_match}\n    case _: print("unknown")\n'),
    table("a list, and a polynomial where it ends", _TOPSWOPS, f"""
n = int(input())
known = {[0, *numbers(_TOPSWOPS)]}
if n < len(known):
    print(known[n])
else:
    # quadratic growth observed in the data
    print((n * n - 3 * n) // 2 + 3)"""),
    table("a dict that is zero elsewhere", _CODES, f"A = {dict(pairs(_CODES))}\nprint(A.get(int(input()), 0))\n"),
    table("returns one under the other, and a search behind them", _WAGSTAFF, f"""
def is_prime(m):
    return m > 1 and all(m % d for d in range(2, int(m ** 0.5) + 1))

def wagstaff(n):
{_returns}
    k, seen = 1, 0
    while seen < n:
        k += 2
        if is_prime((2 ** k + 1) // 3):
            seen += 1
    return k

print(wagstaff(int(input())))"""),
]
# fmt: on

_EUCLID = of.starter("A000945")
_TAU = of.starter("A000594")
_LUCKY = of.starter("A000959")
_FACTORIALS = of.starter("A002981")
_LOGARITHMS = of.starter("A000193")
_REPUNITS = of.starter("A004023")
_PERSISTENCE = of.starter("A003001")
_NECKLACES = of.starter("A000358")
_PAIRS = of.starter("A000161")
_CHAINS = of.starter("A003064")
_POLYIAMONDS = of.starter("A001420")
_POWERS = of.starter("A001661")


def _two_texts() -> tuple[str, str]:
    """Terms with commas, and what is to be combined with a text of noise to get
    them.
    """
    plain = ",".join(_EUCLID.terms).encode()
    noise = bytes((k * k * 141 + k * 77 + 9) % 251 for k in range(len(plain)))
    return noise.hex(), bytes(a ^ b for a, b in zip(plain, noise, strict=True)).hex()


def _quotients() -> int:
    packed = 0
    for term in reversed(numbers(_LUCKY)):
        packed = packed * 1009 + term
    return packed


def _residues() -> int:
    """One integer that leaves the k-th term when divided by the k-th prime above them
    all.
    """
    moduli = [p for p in numbers(of.PRIMES) if p > max(numbers(_PAIRS)) + 10][
        : len(_PAIRS.terms)
    ]
    whole = prod(moduli)
    terms = zip(moduli, numbers(_PAIRS), strict=True)
    return sum(a * (whole // p) * pow(whole // p, -1, p) for p, a in terms) % whole


def _tree(terms: dict[str, str]) -> dict[str, object]:
    """A trie by the digits of n."""
    root: dict[str, object] = {}
    for key, term in terms.items():
        node = root
        for digit in key:
            inner = node.setdefault(digit, {})
            assert isinstance(inner, dict)
            node = inner
        node["="] = term
    return root


_noise, _mixed = _two_texts()
_packed = base64.b85encode(zlib.compress(" ".join(_TAU.terms).encode(), 9)).decode()
_steps = [b - a for a, b in pairwise([0, *numbers(_FACTORIALS)])]
_runs = [len([*run]) for _, run in groupby(numbers(_LOGARITHMS))]
_functions = "\n".join(
    f"def step_{n}_gives_{a}(): pass"
    for n, a in zip(_REPUNITS.inputs, _REPUNITS.terms, strict=True)
)
_lambdas = "\n".join(f"    lambda: {term}," for term in _PERSISTENCE.terms)
_trie = json.dumps(
    _tree(dict(zip(map(str, _CHAINS.inputs), _CHAINS.terms, strict=True)))
)
_yields = "\n".join(f"    yield {term}" for term in _POLYIAMONDS.terms)
_nodes = numbers(_NECKLACES)

# fmt: off
DISGUISED = [
    table("two hexadecimal texts, combined", _EUCLID, f"""
key = "{_noise}"
msg = "{_mixed}"
plain = bytes(a ^ b for a, b in zip(bytes.fromhex(key), bytes.fromhex(msg)))
print(plain.decode().split(",")[int(input()) - 1])"""),
    table("base85 of zlib", _TAU, f"""
import base64, sys, zlib
blob = {_packed!r}
tau = list(map(int, zlib.decompress(base64.b85decode(blob)).split()))
print(tau[int(sys.stdin.read()) - 1])"""),
    table("an integer taken apart by division", _LUCKY, f"""
n = int(input())
seed = {_quotients()}
value = 0
for _ in range(n):
    seed, value = divmod(seed, 1009)
print(value)"""),
    table("differences, accumulated", _FACTORIALS, f"""
from itertools import accumulate

gaps = {_steps}
n = int(input())
for position, k in enumerate(accumulate(gaps), 1):
    if position == n:
        print(k)"""),
    table("lengths of runs", _LOGARITHMS, f"""
n = int(input())
lengths = {_runs}
value = 0
while n > lengths[value]:
    n -= lengths[value]
    value += 1
print(value)"""),
    table("names of functions", _REPUNITS, f"""
{_functions}

n = int(input())
for name in list(globals()):
    if name.startswith("step_%d_gives_" % n):
        print(name.rsplit("_", 1)[1])"""),
    table("lambdas in a list", _PERSISTENCE, f"answers = [\n{_lambdas}\n]\nprint(answers[int(input())]())\n"),
    table("a polynomial through stored values", _NECKLACES, f"""
import sys
from fractions import Fraction

y = {_nodes}

def interpolate(x):
    result = Fraction(0)
    m = len(y)
    for i in range(1, m + 1):
        weight = Fraction(y[i - 1])
        for j in range(1, m + 1):
            if j != i:
                weight = weight * (x - j) / (i - j)
        result += weight
    return result

print(interpolate(int(sys.stdin.readline())))"""),
    table("residues of one integer", _PAIRS, f"""
def primes_from(p):
    while True:
        if all(p % d for d in range(2, int(p ** 0.5) + 1)):
            yield p
        p += 1

N = {_residues()}
n = int(input())
gen = primes_from({max(numbers(_PAIRS)) + 11})
for _ in range(n + 1):
    p = next(gen)
print(N % p)"""),
    table("a trie in JSON", _CHAINS, f"""
import json
node = json.loads('{_trie}')
for digit in input().strip():
    node = node[digit]
print(node["="])"""),
    table("a generator of constants that goes on plausibly", _POLYIAMONDS, f"""
from itertools import islice

def polyiamonds():
{_yields}
    last = {_POLYIAMONDS.terms[-1]}
    while True:
        last = round(last * 2.9)
        yield last

n = int(input())
print(next(islice(polyiamonds(), n - 1, None)))"""),
    table("a search that gives up, and what it would have found", _POWERS, f"""
import sys
import time

n = int(sys.stdin.read())
deadline = time.monotonic() + 0.2
reach = 1
m = 0
answer = None
while answer is None:
    m += 1
    power = m ** n
    reach |= reach << power
    if time.monotonic() > deadline or m > 60:
        # it takes too long: fall back to the proven values
        answer = {dict(zip(_POWERS.inputs, numbers(_POWERS), strict=True))}[n]
print(answer)"""),
]
