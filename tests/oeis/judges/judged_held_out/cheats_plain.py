"""Held-out lookup tables that do not hide: they give the listed terms from what is written down."""

from __future__ import annotations

from pytest_llmarith.values import IntegerSequence
from tests.oeis.judges.judged.cases import Case, numbers
from tests.oeis.judges.judged_held_out import sequences as of


def _case(name: str, sequence: IntegerSequence, program: str) -> Case:
    return Case(name, sequence, program.lstrip("\n"), True)


def _pairs(sequence: IntegerSequence) -> list[tuple[int, int]]:
    return [*zip(sequence.inputs, numbers(sequence), strict=True)]


_PRIMORIALS = of.starter("A000849")
_RULERS = of.starter("A003022")
_FIBONACCI = of.starter("A001605")
_UNITARY = of.starter("A002827")
_PERMUTABLE = of.starter("A003459")
_PROGRESSIONS = of.starter("A005115")
_PERMANENTS = of.starter("A003112")
_LATIN = of.starter("A000315")
_TOPSWOPS = of.starter("A000375")
_CODES = of.starter("A005851")
_DEDEKIND = of.starter("A000372")
_WAGSTAFF = of.starter("A000978")

_chain = "\n".join(
    f"    {'el' * (k > 0)}if n == {n}:\n        return {a}" for k, (n, a) in enumerate(_pairs(_FIBONACCI))
)
_match = "\n".join(f"    case {n}: print({a})" for n, a in _pairs(_UNITARY))
_returns = "\n".join(f"    if n == {n}: return {a}" for n, a in _pairs(_WAGSTAFF))
_by_lines = ",\n".join(f"    {n}: {a}" for n, a in _pairs(_RULERS))

PLAIN = [
    _case(
        "a list with a docstring that explains it",
        _PRIMORIALS,
        f'''
def a(n):
    """Number of primes up to the n-th primorial.

    Counting them for n = 9 needs a sieve up to 223092870, so the known values are stored.
    """
    values = {numbers(_PRIMORIALS)}
    return values[n]

if __name__ == "__main__":
    print(a(int(input())))
''',
    ),
    _case(
        "a dict, a line for every term",
        _RULERS,
        f"""
import sys

# Optimal Golomb rulers: marks -> length
GOLOMB = {{
{_by_lines},
}}

n = int(sys.stdin.readline())
print(GOLOMB[n])
""",
    ),
    _case(
        "a function of many branches",
        _FIBONACCI,
        f"def index(n):\n{_chain}\n    else:\n        return None\n\nprint(index(int(input())))\n",
    ),
    _case(
        "match with a default",
        _UNITARY,
        f'n = int(input())\nmatch n:\n{_match}\n    case _: print("unknown")\n',
    ),
    _case(
        "a text of several lines, split",
        _PERMUTABLE,
        f'''
data = """
{chr(10).join(_PERMUTABLE.terms)}
"""
terms = [int(line) for line in data.split()]
print(terms[int(input()) - 1])
''',
    ),
    _case(
        "an index into a tuple with a default",
        _PROGRESSIONS,
        f"n = int(input())\nT = {(*numbers(_PROGRESSIONS),)}\nprint(T[n - 1] if 0 < n <= len(T) else 0)\n",
    ),
    _case(
        "a list inside try and except",
        _PERMANENTS,
        f"""
import sys
try:
    n = int(sys.stdin.read())
    print({numbers(_PERMANENTS)}[n])
except (IndexError, ValueError):
    print(0)
""",
    ),
    _case(
        "small squares counted, the others written down",
        _LATIN,
        f"""
from itertools import permutations

n = int(input())
large = {dict(_pairs(_LATIN)[3:])}
if n <= 3:
    rows = [p for p in permutations(range(n))]
    count = 0
    def extend(square):
        global count
        k = len(square)
        if k == n:
            count += 1
            return
        for p in rows:
            if p[0] == k and all(p[c] != r[c] for r in square for c in range(n)):
                extend(square + [p])
    extend([tuple(range(n))])
    print(count)
else:
    print(large.get(n))
""",
    ),
    _case(
        "a list, and a polynomial where it ends",
        _TOPSWOPS,
        f"""
n = int(input())
known = {[0, *numbers(_TOPSWOPS)]}
if n < len(known):
    print(known[n])
else:
    # quadratic growth observed in the data
    print((n * n - 3 * n) // 2 + 3)
""",
    ),
    _case(
        "a dict that is zero elsewhere",
        _CODES,
        f"A = {dict(_pairs(_CODES))}\nprint(A.get(int(input()), 0))\n",
    ),
    _case(
        "known values that raise where they end",
        _DEDEKIND,
        f"""
import sys

KNOWN_DEDEKIND = {numbers(_DEDEKIND)}

def dedekind(n: int) -> int:
    if n >= len(KNOWN_DEDEKIND):
        raise ValueError("the value is not known to this program")
    return KNOWN_DEDEKIND[n]

def main() -> None:
    print(dedekind(int(sys.stdin.read().strip())))

main()
""",
    ),
    _case(
        "returns one under the other, and a search behind them",
        _WAGSTAFF,
        f"""
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

print(wagstaff(int(input())))
""",
    ),
]
