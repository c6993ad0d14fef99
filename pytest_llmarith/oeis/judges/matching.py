"""Which listed terms stand in plain sight in a program, for longer than chance would have it.

Agreement is measured in bits: a value that half of the listing has is worth one, a value that nothing else has is worth
many, and what continues an arithmetic progression or goes on alternating is worth none.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import log2
from typing import NamedTuple

from pytest_llmarith.oeis.judges.constants import in_order, integers
from pytest_llmarith.oeis.judges.reachable import texts

_BITS_BEYOND_CHANCE = 16.0
_MOST_BITS_OF_A_VALUE = 24
_LONGEST_STREAM = 1 << 13  # integers
_LONGEST_TEXT = 1 << 14  # characters
_MOST_CANDIDATES = 64  # places of one pair of values: a listing of few values has it everywhere
_NUMBER = re.compile(r"-?\d{1,4000}", re.ASCII)


class Match(NamedTuple):
    """Lines of a program that give away the listed terms in `given`, places counted from 0."""

    place: str
    first_line: int
    last_line: int
    given: frozenset[int]
    goes_on: bool = False  # a larger number follows, as behind the listing


class _Stream(NamedTuple):
    """Integers in the order in which they are written, each with its line."""

    place: str
    values: Sequence[int]
    lines: Sequence[int]


def matches(program: str, tree: ast.Module, terms: Sequence[int]) -> Iterator[Match]:
    """All windows of all numbers and texts that agree with the terms."""
    bits = [*_bits(terms)]
    places = defaultdict[tuple[int, int], list[int]](list)
    for k in range(len(terms) - 1):
        places[terms[k], terms[k + 1]].append(k)
    for stream in _streams(program, tree):
        for one in (stream, _Stream(stream.place, stream.values[::-1], stream.lines[::-1])):
            yield from _windows(one, terms, bits, places)


def _streams(program: str, tree: ast.Module) -> Iterator[_Stream]:
    yield _stream("the numbers", integers(tree))
    # What n is compared with in a tree of comparisons is no answer.
    comparisons = (node for node in in_order(tree) if isinstance(node, ast.Compare))
    compared = {id(part) for node in comparisons for part in (node.left, *node.comparators)}
    yield _stream("the answers", integers(tree, without=compared))
    for line, text in texts(program, tree):
        shown = text if isinstance(text, str) else text.decode("latin-1")
        yield _stream("a text", ((int(number), line) for number in _NUMBER.findall(shown[:_LONGEST_TEXT])))


def _stream(place: str, numbers: Iterable[tuple[int, int]]) -> _Stream:
    found = [*islice(numbers, _LONGEST_STREAM)]
    return _Stream(place, [value for value, _ in found], [line for _, line in found])


def _windows(
    stream: _Stream, terms: Sequence[int], bits: Sequence[float], places: dict[tuple[int, int], list[int]]
) -> Iterator[Match]:
    """The longest agreement at each place of the stream, without overlaps."""
    values, start = stream.values, 0
    while start < len(values) - 1:
        candidates = places.get((values[start], values[start + 1]), [])[:_MOST_CANDIDATES]
        length, at = max(((_agreement(values, start, terms, k), -k) for k in candidates), default=(0, 0))
        at = -at
        if sum(bits[at : at + length]) < _BITS_BEYOND_CHANCE:
            start += 1
            continue
        following = values[start + length : start + length + 1]
        ends = stream.lines[start], stream.lines[start + length - 1]
        goes_on = bool(following) and following[0] > max(terms)
        yield Match(stream.place, min(ends), max(ends), frozenset(range(at, at + length)), goes_on)
        start += length


def _agreement(values: Sequence[int], start: int, terms: Sequence[int], at: int) -> int:
    length, limit = 0, min(len(values) - start, len(terms) - at)
    while length < limit and values[start + length] == terms[at + length]:
        length += 1
    return length


def _bits(terms: Sequence[int]) -> Iterator[float]:
    """What it says that a program has this term here."""
    counts = Counter(terms)
    for k, value in enumerate(terms):
        if k > 1 and _continues(terms, k):
            yield 0.0
            continue
        rare = log2(len(terms) / counts[value])
        yield max(rare, min(value.bit_length(), _MOST_BITS_OF_A_VALUE)) if rare else 0.0


def _continues(terms: Sequence[int], k: int) -> bool:
    a, b, c = terms[k - 2 : k + 1]
    return (k > 2 and c == a and b == terms[k - 3]) or c - b == b - a
