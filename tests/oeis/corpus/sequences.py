"""The sequences of the labelled programs: those of the starter set, and some more."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from functools import cache
from math import gcd, isqrt
from pathlib import Path

from pytest_llmarith.tasks.oeis.cache import read_entry
from pytest_llmarith.tasks.oeis.details import IntegerSequence

STARTER = Path(__file__).parents[3] / "oeis_cache" / "starter"


@cache
def starter(number: str) -> IntegerSequence:
    """An entry of the starter set."""
    return read_entry(STARTER / f"{number}.json")


def _sequence(number: str, offset: int, terms: str | Iterable[int]) -> IntegerSequence:
    texts = terms.split() if isinstance(terms, str) else map(str, terms)
    return IntegerSequence(
        number, f"{number}, made for tests", (), tuple(texts), offset, ("nonn",)
    )


_PRIMES = [p for p in range(2, 1630) if all(p % d for d in range(2, isqrt(p) + 1))]
FIBONACCI, CATALAN, BELL, MERSENNE = map(
    starter, ("A000045", "A000108", "A000110", "A000043")
)
PRIMES = _sequence("A000040", 1, _PRIMES[:58])
TWIN_PRIMES = _sequence("A001359", 1, (p for p in _PRIMES if p + 2 in {*_PRIMES}))
PRIME_ROOTS = _sequence("A000006", 1, map(isqrt, _PRIMES[:71]))
TOTIENTS = _sequence(
    "A000010", 1, (sum(gcd(k, n) == 1 for k in range(n)) for n in range(1, 70))
)
THUE_MORSE = _sequence("A010060", 0, (n.bit_count() % 2 for n in range(105)))
PERIOD = _sequence("A109013", 1, (gcd(n, 12) for n in range(1, 85)))
MONTHS = _sequence(
    "A008685", 1, (monthrange(1998 + n // 12, n % 12 + 1)[1] for n in range(84))
)
FRIDAYS = _sequence(
    "A101312",
    1901,
    (
        sum(date(y, m, 13).weekday() == 4 for m in range(1, 13))
        for y in range(1901, 2006)
    ),
)
SEGMENTS = _sequence(
    "A006942",
    0,
    (sum((6, 2, 5, 5, 4, 5, 6, 3, 7, 6)[int(d)] for d in str(n)) for n in range(100)),
)
QUEENS = _sequence("A000170", 0, (1, 1, 0, 0, 2, 10, 4, 40, 92))
# fmt: off
PARTITIONS = _sequence("A000041", 0, """
1 1 2 3 5 7 11 15 22 30 42 56 77 101 135 176 231 297 385 490 627 792 1002 1255 1575 1958 2436 3010 3718 4565 5604 6842
8349 10143 12310 14883 17977 21637 26015 31185 37338 44583 53174 63261 75175 89134 105558 124754 147273 173525""")
PI = _sequence("A000796", 1, """
3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5 0 2 8 8 4 1 9 7 1 6 9 3 9 9 3 7 5 1 0 5 8 2 0 9 7 4 9
4 4 5 9 2 3 0 7 8 1 6 4 0 6 2 8 6 2 0 8 9 9 8 6 2 8 0 3 4 8 2 5 3 4 2 1 1 7 0 6 7 9 8 2 1 4""")
GRAPHS = _sequence("A000088", 0, """
1 1 2 4 11 34 156 1044 12346 274668 12005168 1018997864 165091172592 50502031367952 29054155657235488
31426485969804308768 64001015704527557894928 245935864153532932683719776 1787577725145611700547878190848""")
LETTERS = _sequence("A005589", 0, """
4 3 3 5 4 4 3 5 5 4 3 6 6 8 8 7 7 9 8 8 6 9 9 11 10 10 9 11 11 10 6 9 9 11 10 10 9 11 11 10 5 8 8 10 9 9 8 10 10 9 5 8
8 10 9 9 8 10 10 9 5 8 8 10 9 9 8 10 10 9 7 10 10 12 11 11 10 12 12 11 6 9 9 11 10 10 9 11 11 10""")
LANDAU = _sequence("A000793", 0, """
1 1 2 3 4 6 6 12 15 20 30 30 60 60 84 105 140 210 210 420 420 420 420 840 840 1260 1260 1540 2310 2520""")
RECAMAN = _sequence("A005132", 0, """
0 1 3 6 2 7 13 20 12 21 11 22 10 23 9 24 8 25 43 62 42 63 41 18 42 17 43 16 44 15 45 14 46 79 113 78 114 77 39 78 38
79 37 80 36 81 35 82 34 83 33 84 32 85 31 86 30 87 29 88 28 89 27 90 26 91 157 224 156 225 155""")
ROMAN = _sequence("A006968", 1, """
1 2 3 2 1 2 3 4 2 1 2 3 4 3 2 3 4 5 3 2 3 4 5 4 3 4 5 6 4 3 4 5 6 5 4 5 6 7 5 2 3 4 5 4 3 4 5 6 4 1 2 3 4 3 2 3 4 5 3
2 3 4 5 4 3 4 5 6 4 3 4 5 6 5 4 5 6 7 5 4 5 6 7 6 5 6""")
STEPS_TO_FOUR = _sequence("A016037", 0, """
1 3 3 2 0 1 3 2 2 1 3 4 4 3 3 3 3 2 3 3 4 2 2 5 4 4 2 5 5 4 4 2 2 5 4 4 2 5 5 4 2 3 3 4 2 2 3 4 4 2 2 3 3 4 2 2 3 4 4
2 2 3 3 4 2 2 3 4 4 2 3 4 4 5 5 5 4 5 5 5 4 2 2 5 4 4 2 5 5 4 4 2 2 5 4 4 2 5 5 4""")
KNIGHT = _sequence("A018836", 0, """
1 9 41 109 205 325 473 649 853 1085 1345 1633 1949 2293 2665 3065 3493 3949 4433 4945 5485 6053 6649 7273""")
# fmt: on

LISTED = {
    one.number: one for one in globals().values() if isinstance(one, IntegerSequence)
}
