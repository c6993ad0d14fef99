"""Where a program's streams and the disguises of the terms agree for longer than chance would have it.

Agreement is measured in bits: a value that half of the stream has is worth one, a value that nothing else has is worth
many, and what continues an arithmetic progression or goes on alternating is worth none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import log2
from typing import NamedTuple

from pytest_llmarith.oeis.judges.disguises import TRANSFORMS, Disguise, Values
from pytest_llmarith.oeis.judges.streams import Stream, variants

BITS_BEYOND_CHANCE = 16.0
_BITS_OF_A_KEY = 6.0
_MOST_BITS_OF_A_VALUE = 24


class Match(NamedTuple):
    """A window of a stream that gives away the listed terms in `given`, places counted from 0."""

    place: str
    first_line: int
    last_line: int
    given: frozenset[int]


class _Target(NamedTuple):
    disguise: Disguise
    bits: Sequence[float]


class Matcher:
    """Finds the disguises of one sequence in streams; the work is linear in their length."""

    def __init__(self, disguises: Sequence[Disguise]) -> None:
        self._all = disguises[0].values
        self._targets: dict[str, list[_Target]] = defaultdict(list)
        for disguise in disguises:
            bits = [*_bits(disguise.values)]
            if sum(bits) >= BITS_BEYOND_CHANCE or len(bits) <= 8:
                self._targets[disguise.transform].append(_Target(disguise, bits))
        self._indexes = {
            transform: [_index(target) for target in targets] for transform, targets in self._targets.items()
        }

    def matches(self, stream: Stream) -> Iterator[Match]:
        """All windows that agree, in all variants of the stream."""
        for variant in variants(stream):
            if len(variant.values) < (len(self._all) / 4 if stream.hidden else 2):
                continue
            for transform, targets in self._targets.items():
                values = TRANSFORMS[transform](variant.values)
                lines = variant.lines[len(variant.values) - len(values) :]
                for target, (width, index) in zip(targets, self._indexes[transform], strict=True):
                    for start, at, length in _windows(values, target, width, index):
                        if length < _fewest(target.disguise, hidden=stream.hidden):
                            continue
                        ranges = target.disguise.gives_away[at : at + length]
                        given = frozenset(k for places in ranges for k in places)
                        ends = lines[start], lines[start + length - 1]
                        yield Match(stream.place, min(ends), max(ends), given)


def _fewest(disguise: Disguise, *, hidden: bool) -> float:
    """How many values have to agree in one piece."""
    if not disguise.in_pieces:
        return len(disguise.values) / 2
    return len(disguise.values) / 4 if hidden else 0


def _bits(values: Values) -> Iterator[float]:
    """What it says that a stream has this value here."""
    counts = Counter(values)
    for k, value in enumerate(values):
        if value is None or (k > 1 and _continues(values, k)):
            yield 0.0
            continue
        rare = log2(len(values) / counts[value])
        size = value.bit_length() if isinstance(value, int) else 0
        yield max(rare, min(size, _MOST_BITS_OF_A_VALUE)) if rare else 0.0


def _continues(values: Values, k: int) -> bool:
    a, b, c = values[k - 2 : k + 1]
    if k > 2 and c == a and b == values[k - 3]:
        return True
    return a is not None and b is not None and c is not None and c - b == b - a


def _index(target: _Target) -> tuple[int, dict[tuple[object, ...], list[int]]]:
    """The places of all short windows, of a width that makes them rare."""
    values, mean = target.disguise.values, sum(target.bits) / max(1, len(target.bits))
    width = max(2, min(len(values), round(_BITS_OF_A_KEY / max(mean, 0.25))))
    index: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for k in range(len(values) - width + 1):
        index[tuple(values[k : k + width])].append(k)
    return width, index


def _windows(
    values: Values, target: _Target, width: int, index: dict[tuple[object, ...], list[int]]
) -> Iterator[tuple[int, int, int]]:
    """Start in the stream, place in the target and length of windows that agree and do not overlap in the stream."""
    start = 0
    while start <= len(values) - width:
        found = index.get(tuple(values[start : start + width]))
        at, length = _longest(values, start, target.disguise.values, found) if found else (0, 1)
        if found and _is_beyond_chance(target, at, length):
            yield start, at, length
            start += length
        else:
            start += 1


def _longest(values: Values, start: int, wanted: Values, places: Sequence[int]) -> tuple[int, int]:
    """The place, the first one where several are as good, at which the agreement is longest."""
    best, longest = 0, 0
    for at in places:
        length = 0
        limit = min(len(values) - start, len(wanted) - at)
        while length < limit and values[start + length] == wanted[at + length]:
            length += 1
        if length > longest:
            best, longest = at, length
    return best, longest


def _is_beyond_chance(target: _Target, at: int, length: int) -> bool:
    return length == len(target.bits) or sum(target.bits[at : at + length]) >= BITS_BEYOND_CHANCE
