"""Finds runs of listed terms among the literals of a program that are too long for chance.

Agreement is measured in bits: a value that half of the terms have is worth 1 bit, a rare value many, and a value that
continues an arithmetic progression or an alternation 0.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import log2
from typing import NamedTuple

from pytest_llmarith.oeis.lookup_table.literals import integers, texts, walk
from pytest_llmarith.types import IntegerSequence

BASE_CASES = 5  # up to this many first terms are no table
_BITS_BEYOND_CHANCE = 16.0
_MAX_BITS_PER_VALUE = 24
_MAX_INTEGERS = 1 << 13
_MAX_CHARACTERS = 1 << 14
_MAX_CANDIDATES = 64  # positions of one pair of terms: a sequence with few different values has many
_NUMBER = re.compile(r"-?\d{1,4000}", re.ASCII)
_SHIFTS = range(-2, 3)  # of n
_MAX_KEYS = 64
_MAX_KEY_NODES = 128
_MAX_NODES_TO_VALUE = 12  # a value that is further from its case is part of a computation


class Match(NamedTuple):
    """Lines of a program that contain listed terms; `terms` are their positions in the listing, from 0."""

    place: str
    first_line: int
    last_line: int
    terms: frozenset[int]
    goes_on: bool = False  # a number follows that is larger than all terms


def matches(source: str, tree: ast.Module, sequence: IntegerSequence) -> Iterator[Match]:
    """All places where the program contains terms of the sequence, forwards, backwards, or as cases of n."""
    terms = [int(term) for term in sequence.terms]
    bits = [*_bits(terms)]
    positions = defaultdict[tuple[int, int], list[int]](list)
    for k in range(len(terms) - 1):
        positions[terms[k], terms[k + 1]].append(k)
    for place, found in _all_numbers(source, tree):
        numbers = [*islice(found, _MAX_INTEGERS)]
        for one in (numbers, numbers[::-1]):
            yield from _runs_of_terms(place, one, terms, bits, positions)
    yield from _cases(tree, sequence.offset, terms)


def _all_numbers(source: str, tree: ast.Module) -> Iterator[tuple[str, Iterable[tuple[int, int]]]]:
    """Places of the program, each with its integers and their lines in source order."""
    yield "the numbers", integers(tree)
    # In `if n < 50: return 47` the numbers that n is compared with are between the answers.
    comparisons = (node for node in walk(tree) if isinstance(node, ast.Compare))
    compared = {id(part) for node in comparisons for part in (node.left, *node.comparators)}
    yield "the answers", integers(tree, without=compared)
    for line, text in texts(source, tree):
        shown = text if isinstance(text, str) else text.decode("latin-1")
        yield "a text", [(int(number), line) for number in _NUMBER.findall(shown[:_MAX_CHARACTERS])]


def _runs_of_terms(
    place: str,
    numbers: Sequence[tuple[int, int]],
    terms: Sequence[int],
    bits: Sequence[float],
    positions: dict[tuple[int, int], list[int]],
) -> Iterator[Match]:
    """The longest run of terms from each number on, without overlaps."""
    values, start = [value for value, _ in numbers], 0
    while start < len(values) - 1:
        candidates = positions.get((values[start], values[start + 1]), [])[:_MAX_CANDIDATES]
        length, at = max(((_agreement(values, start, terms, k), -k) for k in candidates), default=(0, 0))
        at = -at
        if sum(bits[at : at + length]) < _BITS_BEYOND_CHANCE:
            start += 1
            continue
        following = values[start + length : start + length + 1]
        first, last = sorted((numbers[start][1], numbers[start + length - 1][1]))
        goes_on = bool(following) and following[0] > max(terms)
        yield Match(place, first, last, frozenset(range(at, at + length)), goes_on)
        start += length


def _agreement(values: Sequence[int], start: int, terms: Sequence[int], at: int) -> int:
    length, limit = 0, min(len(values) - start, len(terms) - at)
    while length < limit and values[start + length] == terms[at + length]:
        length += 1
    return length


def _bits(terms: Sequence[int]) -> Iterator[float]:
    """How many bits of evidence each term is worth."""
    counts = Counter(terms)
    for k, value in enumerate(terms):
        if k > 1 and _continues(terms, k):
            yield 0.0
            continue
        rare = log2(len(terms) / counts[value])
        yield max(rare, min(value.bit_length(), _MAX_BITS_PER_VALUE)) if rare else 0.0


def _continues(terms: Sequence[int], k: int) -> bool:
    a, b, c = terms[k - 2 : k + 1]
    return (k > 2 and c == a and b == terms[k - 3]) or c - b == b - a


def _cases(tree: ast.Module, offset: int, terms: Sequence[int]) -> Iterator[Match]:
    """Terms that the program gives for their n, in any order; n may be shifted, by the same number for all."""
    cases = {n: (value, line) for n, value, line in _all_cases(tree)}
    for shift in _SHIFTS:
        positions = ((n - offset + shift, value, line) for n, (value, line) in cases.items())
        right = {k: line for k, value, line in positions if 0 <= k < len(terms) and terms[k] == value}
        if len(right) > BASE_CASES and 2 * len(right) > len(cases) and len({terms[k] for k in right}) > 2:
            yield Match("cases of n", min(right.values()), max(right.values()), frozenset(right))


def _all_cases(tree: ast.Module) -> Iterator[tuple[int, int, int]]:
    """The n, value and line of each case.

    A case is `if n == 5: print(8)`, `8 if n == 5 else ...`, `case 5: ...`, `{5: 8}`, `(5, 8)` or `a[5] = 8`.
    """
    for node in walk(tree):
        match node:
            case ast.Dict():
                for key, value in zip(node.keys, node.values, strict=True):
                    yield from _case(_keys(key), value)
            case ast.Tuple([key, value]) | ast.List([key, value]):
                yield from _case(_keys(key), value)
            case ast.If():
                yield from _case(_tested(node.test), *node.body)
            case ast.IfExp():
                yield from _case(_tested(node.test), node.body)
            case ast.match_case():
                yield from _case(_keys(node.pattern), *node.body)
            case ast.Assign([ast.Subscript() as target, *_]):
                yield from _case(_keys(target.slice), node.value)


def _case(keys: Sequence[int], *answer: ast.AST) -> Iterator[tuple[int, int, int]]:
    found = next(integers(*answer, limit=_MAX_NODES_TO_VALUE), None)
    if found and len(answer) <= 2:
        for key in keys:
            yield key, *found


def _tested(test: ast.expr) -> list[int]:
    """The values of n for which a test is true: `n == 5`, `5 == n`, `n in (5, 6)`."""
    match test:
        case ast.Compare(ops=[ast.Eq() | ast.In()]):
            return _keys(test)
    return []


def _keys(node: ast.AST | None) -> list[int]:
    """The integers in a key, also those in strings, as a program reads n as a string."""
    if node is None:
        return []
    found = [value for value, _ in islice(integers(node, limit=_MAX_KEY_NODES), _MAX_KEYS)]
    texts = [part.value for part in walk(node, limit=_MAX_KEYS) if isinstance(part, ast.Constant)]
    return found + [int(text) for text in texts if isinstance(text, str) and text.isdecimal() and len(text) < 9]
