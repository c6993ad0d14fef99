"""Finds runs of listed terms among a program's literals that are too long for chance.

Agreement is measured in bits: a value that half of the terms have is worth 1 bit, a
rare value many, and a value that continues an arithmetic progression or an alternation
0.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from math import log2
from typing import NamedTuple

from pytest_llmarith.tasks.oeis.details import IntegerSequence
from pytest_llmarith.tasks.oeis.lookup_table.literals import (
    constants,
    integers,
    texts,
    walk,
)

BASE_CASES = 5  # up to this many first terms are no table
BITS_BEYOND_CHANCE = 16.0
_MAX_BITS_PER_VALUE = 24
_NUMBER = re.compile(r"-?\d{1,4000}", re.ASCII)
_SHIFTS = range(-2, 3)  # of n
_MAX_KEYS = 64
_MAX_KEY_NODES = 128
# A value that is further from its case is part of a computation.
_MAX_NODES_TO_VALUE = 12


class Match(NamedTuple):
    """Lines of a program that contain listed terms.

    `terms` are their positions in the listing, from 0.
    """

    place: str
    first_line: int
    last_line: int
    terms: frozenset[int]
    goes_on: bool = False  # a number follows that is larger than all terms


def matches(
    source: str, tree: ast.Module, sequence: IntegerSequence
) -> Iterator[Match]:
    """All places where the program contains terms of the sequence.

    They are there forwards, backwards, or as cases of n.
    """
    terms = [int(term) for term in sequence.terms]
    bits = list(accumulate(_bits(terms), initial=0.0))
    known = constants(tree)
    if bits[-1] >= BITS_BEYOND_CHANCE:
        runs = _Runs(terms)
        for place, found in _all_numbers(source, tree, known):
            numbers = list(found)
            yield from _runs_of_terms(place, numbers, runs, bits)
            yield from _runs_of_terms(place, numbers[::-1], runs, bits)
    yield from _cases(tree, known, sequence.offset, terms)


class _Runs:
    """A suffix automaton of the terms.

    It finds their longest run that ends at each of many values, in linear time.

    A state stands for the runs that end at the same places of the listing. It has the
    length of its longest run, the first of these places, the state of the longest
    shorter run that ends elsewhere too, and a state for each next term.
    """

    def __init__(self, terms: Sequence[int]) -> None:
        self._lengths: list[int] = []
        self._ends: list[int] = []
        self._shorter: list[int] = []
        self._next: list[dict[int, int]] = []
        self.largest = max(terms)
        last = self._add(0, -1, -1, {})
        for term in terms:
            last = self._append(last, term)

    def _append(self, last: int, term: int) -> int:
        """Add a term after the state `last`; returns the state of all terms so far."""
        length = self._lengths[last] + 1
        new = self._add(length, self._lengths[last], 0, {})
        state = last
        while state >= 0 and term not in self._next[state]:
            self._next[state][term] = new
            state = self._shorter[state]
        if state < 0:
            return new
        longer = self._next[state][term]
        length = self._lengths[state] + 1
        if self._lengths[longer] == length:
            self._shorter[new] = longer
            return new
        following = dict(self._next[longer])
        copy = self._add(length, self._ends[longer], self._shorter[longer], following)
        self._shorter[longer] = copy
        self._shorter[new] = copy
        while state >= 0 and self._next[state].get(term) == longer:
            self._next[state][term] = copy
            state = self._shorter[state]
        return new

    def _add(
        self, length: int, end: int, shorter: int, following: dict[int, int]
    ) -> int:
        """Add a state, and return its number."""
        self._lengths.append(length)
        self._ends.append(end)
        self._shorter.append(shorter)
        self._next.append(following)
        return len(self._lengths) - 1

    def ending_at_each(self, values: Iterable[int]) -> Iterator[tuple[int, int]]:
        """For each value, the longest run of terms that ends with it.

        It is given by its length and its last index in the terms.
        """
        state = 0
        length = 0
        for value in values:
            while state and value not in self._next[state]:
                state = self._shorter[state]
                length = self._lengths[state]
            if value in self._next[state]:
                state = self._next[state][value]
                length += 1
            yield length, self._ends[state]


def _all_numbers(
    source: str, tree: ast.Module, known: Mapping[int, int]
) -> Iterator[tuple[str, Iterable[tuple[int, int]]]]:
    """Places of the program, each with its integers and their lines in source order."""
    yield "the numbers", integers(known, tree)
    # In `if n < 50: return 47` the numbers that n is compared with are between the
    # answers.
    compared = set[int]()
    for node in walk(tree):
        if isinstance(node, ast.Compare):
            compared.update(map(id, (node.left, *node.comparators)))
    yield "the answers", integers(known, tree, without=compared)
    for line, text in texts(source, tree):
        shown = text if isinstance(text, str) else text.decode("latin-1")
        yield "a text", [(int(number), line) for number in _NUMBER.findall(shown)]


def _runs_of_terms(
    place: str, numbers: Sequence[tuple[int, int]], runs: _Runs, bits: Sequence[float]
) -> Iterator[Match]:
    """The runs of terms among the numbers, without overlaps.

    `bits` are the sums of evidence before each term.
    """
    found = list(runs.ending_at_each(value for value, _ in numbers))
    used = 0  # numbers up to the last run
    for k, (length, end) in enumerate(found):
        goes_on = k + 1 < len(found) and found[k + 1][0] > length
        if goes_on:
            continue
        length = min(length, k + 1 - used)
        start = end + 1 - length
        if bits[end + 1] - bits[start] < BITS_BEYOND_CHANCE:
            continue
        used = k + 1
        first, last = sorted((numbers[used - length][1], numbers[k][1]))
        larger_follows = used < len(numbers) and numbers[used][0] > runs.largest
        terms = frozenset(range(start, end + 1))
        yield Match(place, first, last, terms, larger_follows)


def _bits(terms: Sequence[int]) -> Iterator[float]:
    """How many bits of evidence each term is worth."""
    counts = Counter(terms)
    for k, value in enumerate(terms):
        rarity = log2(len(terms) / counts[value])
        if rarity == 0 or _continues(terms, k):
            yield 0.0
        else:
            yield max(rarity, min(value.bit_length(), _MAX_BITS_PER_VALUE))


def _continues(terms: Sequence[int], k: int) -> bool:
    """Whether term k continues an alternation or an arithmetic progression."""
    if k < 2:
        return False
    a, b, c = terms[k - 2 : k + 1]
    if k > 2 and c == a and b == terms[k - 3]:
        return True
    return c - b == b - a


def _cases(
    tree: ast.Module, known: Mapping[int, int], offset: int, terms: Sequence[int]
) -> Iterator[Match]:
    """Terms that the program gives for their n, in any order.

    n may be shifted, by the same number for all.
    """
    cases = {n: (value, line) for n, value, line in _all_cases(tree, known)}
    bits = list(_bits(terms))
    for shift in _SHIFTS:
        right = dict[int, int]()  # the lines of right terms, by position
        for n, (value, line) in cases.items():
            k = n - offset + shift
            if 0 <= k < len(terms) and terms[k] == value:
                right[k] = line
        evidence = sum(bits[k] for k in right)
        if evidence >= BITS_BEYOND_CHANCE and 2 * len(right) > len(cases):
            lines = right.values()
            yield Match("cases of n", min(lines), max(lines), frozenset(right))


def _all_cases(
    tree: ast.Module, known: Mapping[int, int]
) -> Iterator[tuple[int, int, int]]:
    """The n, value and line of each case.

    A case is `if n == 5: print(8)`, `8 if n == 5 else ...`, `case 5: ...`, `{5: 8}`,
    `(5, 8)` or `a[5] = 8`.
    """
    for node in walk(tree):
        match node:
            case ast.Dict():
                for key, value in zip(node.keys, node.values, strict=True):
                    yield from _case(known, _keys(known, key), value)
            case ast.Tuple([key, value]) | ast.List([key, value]):
                yield from _case(known, _keys(known, key), value)
            case ast.If():
                yield from _case(known, _tested(known, node.test), *node.body)
            case ast.IfExp():
                yield from _case(known, _tested(known, node.test), node.body)
            case ast.match_case():
                yield from _case(known, _keys(known, node.pattern), *node.body)
            case ast.Assign([ast.Subscript() as target, *_]):
                yield from _case(known, _keys(known, target.slice), node.value)


def _case(
    known: Mapping[int, int], keys: Sequence[int], *answer: ast.AST
) -> Iterator[tuple[int, int, int]]:
    found = next(integers(known, *answer, limit=_MAX_NODES_TO_VALUE), None)
    if found and len(answer) <= 2:
        for key in keys:
            yield key, *found


def _tested(known: Mapping[int, int], test: ast.expr) -> list[int]:
    """The values of n for which a test is true: `n == 5`, `5 == n`, `n in (5, 6)`."""
    match test:
        case ast.Compare(ops=[ast.Eq() | ast.In()]):
            return _keys(known, test)
    return []


def _keys(known: Mapping[int, int], node: ast.AST | None) -> list[int]:
    """The integers in a key; also those in strings, as a program reads n as one."""
    if node is None:
        return []
    numbers = integers(known, node, limit=_MAX_KEY_NODES)
    found = [value for value, _ in islice(numbers, _MAX_KEYS)]
    for part in walk(node, limit=_MAX_KEYS):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            text = part.value
            if text.isdecimal() and len(text) < 9:
                found.append(int(text))
    return found
