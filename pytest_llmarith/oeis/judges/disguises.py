"""What a table of terms may be written as: the terms themselves, their differences, runs, places. It knows no program.

A disguise is a stream to look for and, for each of its integers, the listed terms that it gives away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from math import gcd
from typing import NamedTuple

_MOST_VALUES_WITH_PLACES = 6
_ALMOST_ALL = 0.6

# A ratio is a pair in lowest terms: fractions are slow to hash.
Values = Sequence[int | tuple[int, int] | None]


class Disguise(NamedTuple):
    """`transform` names what must be done to the program's stream before it is compared with `values`.

    `in_pieces` says that a few values already give terms away; all other disguises are seen through when half is there.
    """

    transform: str
    values: Values
    gives_away: Sequence[range]
    in_pieces: bool = False


def _differences(values: Sequence[int]) -> Values:
    return [b - a for a, b in pairwise(values)]


def _exclusive(values: Sequence[int]) -> Values:
    return [a ^ b for a, b in pairwise(values)]


def _ratios(values: Sequence[int]) -> Values:
    return [_lowest(b, a) if a and b else None for a, b in pairwise(values)]


def _lowest(top: int, bottom: int) -> tuple[int, int]:
    shared = gcd(top, bottom) * (-1 if bottom < 0 else 1)
    return top // shared, bottom // shared


def _distances(values: Sequence[int]) -> Values:
    """How far back the same value stood last: the same for every code that replaces each value by a sign."""
    last: dict[int, int] = {}
    found: list[int] = []
    for k, value in enumerate(values):
        found.append(k - last.get(value, k))
        last[value] = k
    return found


# The differences do not see an added constant, ratios no factor, `^` no key, distances no choice of signs.
TRANSFORMS: Mapping[str, Callable[[Sequence[int]], Values]] = {
    "": lambda values: values,
    "differences": _differences,
    "exclusive or": _exclusive,
    "ratios": _ratios,
    "distances": _distances,
}


def disguises(terms: Sequence[int], offset: int) -> Iterator[Disguise]:
    """Everything to look for in place of the terms, the terms themselves first."""
    single = [range(k, k + 1) for k in range(len(terms))]
    yield Disguise("", terms, single, in_pieces=True)
    for step in (2, 3):
        for k in range(step):
            yield Disguise("", terms[k::step], single[k::step])
    if min(terms) < 0:
        yield Disguise("", [*map(abs, terms)], single)
    yield from _transformed(terms, single)
    yield from _runs(terms, offset)
    yield from _places(terms, offset)


def _transformed(terms: Sequence[int], single: Sequence[range]) -> Iterator[Disguise]:
    steps = [b - a for a, b in pairwise(terms)]
    yield Disguise("", steps, single[1:])
    yield Disguise("", _differences(steps), single[2:])
    yield Disguise("differences", terms, single)
    yield Disguise("ratios", [(term, 1) for term in terms], single)
    for name in ("differences", "exclusive or", "ratios"):
        yield Disguise(name, TRANSFORMS[name](terms), single[1:])
    yield Disguise("distances", _distances(terms), single)


def _runs(terms: Sequence[int], offset: int) -> Iterator[Disguise]:
    """Lengths, values and beginnings of runs of equal terms."""
    runs, start = [], 0
    for value, run in groupby(terms):
        length = len([*run])
        runs.append((value, range(start, start + length)))
        start += length
    if len(runs) > len(terms) * 3 // 4:
        return  # hardly any run is longer than one: the values are the terms
    ranges = [places for _, places in runs]
    yield Disguise("", [len(places) for places in ranges], ranges)
    yield Disguise("", [value for value, _ in runs], ranges)
    for shift in (0, 1, offset):
        yield Disguise("", [places.start + shift for places in ranges], ranges)


def _places(terms: Sequence[int], offset: int) -> Iterator[Disguise]:
    """Where a value stands, for each value that does not stand nearly everywhere."""
    for value, many in Counter(terms).most_common(_MOST_VALUES_WITH_PLACES):
        if 2 < many <= _ALMOST_ALL * len(terms):
            places = [k for k, term in enumerate(terms) if term == value]
            ranges = [range(before + 1, place + 1) for before, place in pairwise([-1, *places])]
            for shift in {0, 1, offset}:
                yield Disguise("", [place + shift for place in places], ranges)
