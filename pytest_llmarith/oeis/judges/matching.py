"""Where a program's streams and the disguises of the terms agree for longer than chance would have it.

Agreement is measured in bits: a value that half of the stream has is worth one, a value that nothing else has is worth
many, and what continues an arithmetic progression or goes on alternating is worth none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import log2
from typing import NamedTuple

from pytest_llmarith.oeis.judges.disguises import TRANSFORMS, Disguise, Values
from pytest_llmarith.oeis.judges.streams import Stream, variants

_BITS_BEYOND_CHANCE = 16.0
_FEWEST_IN_DISGUISE = 5  # values of a short listing fit in one of so many ways by chance
_BITS_OF_A_KEY = 6.0
_MOST_BITS_OF_A_VALUE = 24


class Match(NamedTuple):
    """A window of a stream that gives away the listed terms in `given`, places counted from 0."""

    place: str
    first_line: int
    last_line: int
    given: frozenset[int]


class _Target(NamedTuple):
    """A disguise, what each of its values is worth, and how many have to agree in a hidden stream and in any other."""

    disguise: Disguise
    bits: Sequence[float]
    fewest_hidden: float
    fewest: float


class _Window(NamedTuple):
    target: _Target
    start: int
    at: int
    length: int


# For each short window of values, the targets that have it, and where.
_Index = Mapping[tuple[object, ...], Sequence[tuple[_Target, Sequence[int]]]]


class Matcher:
    """Finds the disguises of one sequence in streams; the work is linear in their length."""

    def __init__(self, disguises: Sequence[Disguise]) -> None:
        self._quarter = len(disguises[0].values) / 4
        self._indexes = {transform: _indexes(disguises, transform) for transform in TRANSFORMS}

    def matches(self, stream: Stream) -> Iterator[Match]:
        """All windows that agree, in all variants of the stream."""
        for variant in variants(stream):
            if len(variant.values) >= (self._quarter if stream.hidden else 2):
                for transform, indexes in self._indexes.items():
                    yield from _matches(variant, TRANSFORMS[transform](variant.values), indexes)


def _matches(stream: Stream, values: Values, indexes: Mapping[int, _Index]) -> Iterator[Match]:
    lines = stream.lines[len(stream.values) - len(values) :]
    for width, index in indexes.items():
        for target, start, at, length in _windows(values, width, index):
            if length >= (target.fewest_hidden if stream.hidden else target.fewest):
                given = frozenset(k for places in target.disguise.gives_away[at : at + length] for k in places)
                ends = lines[start], lines[start + length - 1]
                yield Match(stream.place, min(ends), max(ends), given)


def _indexes(disguises: Sequence[Disguise], transform: str) -> Mapping[int, _Index]:
    """The indexes of all disguises that need this transform, by the width of their windows."""
    places: dict[int, dict[tuple[object, ...], list[tuple[_Target, list[int]]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for disguise in disguises:
        bits = [*_bits(disguise.values)]
        if disguise.transform == transform and sum(bits) >= _BITS_BEYOND_CHANCE:
            target = _Target(disguise, bits, *_fewest(disguise))
            width = _width(target)
            for key, found in _places(target, width).items():
                places[width][key].append((target, found))
    return places


def _fewest(disguise: Disguise) -> tuple[float, float]:
    if disguise.in_pieces:
        return len(disguise.values) / 4, 0
    half = max(_FEWEST_IN_DISGUISE, len(disguise.values) / 2)
    return half, half


def _width(target: _Target) -> int:
    """So wide that windows are rare: it decides how much work they make, and not what is found."""
    mean = sum(target.bits) / len(target.bits)
    return max(2, min(len(target.bits), round(_BITS_OF_A_KEY / max(mean, 0.25))))


def _places(target: _Target, width: int) -> Mapping[tuple[object, ...], list[int]]:
    values = target.disguise.values
    places: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for k in range(len(values) - width + 1):
        if width == 2 or any(target.bits[k + 2 : k + width]):
            places[tuple(values[k : k + width])].append(k)
    return places


def _bits(values: Values) -> Iterator[float]:
    """What it says that a stream has this value here."""
    counts = Counter(values)
    for k, value in enumerate(values):
        if value is None or (k > 1 and _continues(values, k)):
            yield 0.0
            continue
        rare = log2(len(values) / counts[value])
        size = max(map(int.bit_length, value if isinstance(value, tuple) else (value,)))
        yield max(rare, min(size, _MOST_BITS_OF_A_VALUE)) if rare else 0.0


def _continues(values: Values, k: int) -> bool:
    a, b, c = values[k - 2 : k + 1]
    if k > 2 and c == a and b == values[k - 3]:
        return True
    return isinstance(a, int) and isinstance(b, int) and isinstance(c, int) and c - b == b - a


def _windows(values: Values, width: int, index: _Index) -> Iterator[_Window]:
    """Windows that agree beyond chance; those of one target do not overlap in the stream."""
    behind: dict[int, int] = {}
    for start in range(len(values) - width + 1):
        for target, places in index.get(tuple(values[start : start + width]), ()):
            if start < behind.get(id(target), 0):
                continue
            window = _longest(values, start, target, places)
            if sum(target.bits[window.at : window.at + window.length]) >= _BITS_BEYOND_CHANCE:
                yield window
                behind[id(target)] = start + window.length


def _longest(values: Values, start: int, target: _Target, places: Sequence[int]) -> _Window:
    """The window at the place, the first one where several are as good, at which the agreement is longest."""
    wanted, best = target.disguise.values, _Window(target, start, 0, 0)
    for at in places:
        length, limit = 0, min(len(values) - start, len(wanted) - at)
        while length < limit and values[start + length] == wanted[at + length]:
            length += 1
        if length > best.length:
            best = _Window(target, start, at, length)
    return best
