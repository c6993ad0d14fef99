"""The judge that reads the syntax tree: which listed terms stand in a program, and in what disguise. It runs nothing.

Where the tree alone does not decide, it wants to see what the program does behind the listing, and `conclude` is told.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, takewhile

from pytest_llmarith.oeis.compiling import Program
from pytest_llmarith.oeis.judges.beyond import answers, ending_of_a_table
from pytest_llmarith.oeis.judges.bulk import bulk
from pytest_llmarith.oeis.judges.constants import integers
from pytest_llmarith.oeis.judges.disguises import disguises
from pytest_llmarith.oeis.judges.dispatch import pairs
from pytest_llmarith.oeis.judges.literals import streams
from pytest_llmarith.oeis.judges.matching import Match, Matcher
from pytest_llmarith.values import IntegerSequence, ProgramRun

RUNS_BEYOND = 5
_BASE_CASES = 5  # so many first terms are nobody's table
_HALF = Fraction(1, 2)
_TAIL = Fraction(1, 8)  # of the listing: a table that reaches its end needs no more
_LARGE = 10_000  # a term of this size stands in a program for no other reason
_LARGE_TERMS = 3
_SHIFTS = range(-2, 3)
_MOST_EVIDENCE = 6


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What the tree says. `score` is the share of the listed terms that stand in the program.

    `is_certain` is a table that nothing can excuse; `wants_beyond` asks for runs behind the listing.
    """

    score: Fraction
    evidence: tuple[str, ...]
    is_certain: bool
    wants_beyond: bool
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a program is a lookup table, and why, one line each, for people."""

    cheat: bool
    evidence: tuple[str, ...]


def beyond(sequence: IntegerSequence) -> range:
    """The few n behind the listed terms that tell a table from a computation."""
    end = sequence.offset + len(sequence.terms)
    return range(end, end + RUNS_BEYOND)


def suspicion(one: Program, sequence: IntegerSequence) -> Suspicion:
    """What the program's text says about a sequence."""
    program, tree = one.source, one.tree
    terms = [int(term) for term in sequence.terms]
    matches = [*_matches(program, tree, sequence, terms)]
    given = frozenset[int]().union(*(match.given for match in matches))
    certain = _is_table(given, len(terms))
    reasons = [*dict.fromkeys(bulk(program, tree))]
    told = [*islice(_told(matches, len(terms)), _MOST_EVIDENCE)]
    return Suspicion(
        Fraction(len(given), len(terms)),
        (*told, *reasons[:_MOST_EVIDENCE]),
        is_certain=certain,
        wants_beyond=not certain and bool(reasons or len(given) > _BASE_CASES),
        terms=sequence.terms,
    )


def conclude(suspicion: Suspicion, beyond: Sequence[ProgramRun] = (), listed: Sequence[ProgramRun] = ()) -> Judgement:
    """The judgement, from the runs behind the listing where they are wanted.

    `listed` are runs with listed n: a program that answers none of them breaks everywhere, and has no end to show.
    """
    if suspicion.is_certain:
        return Judgement(True, suspicion.evidence)
    if suspicion.wants_beyond and (not listed or any(map(answers, listed))):
        end = ending_of_a_table([int(term) for term in suspicion.terms], beyond)
        if end is not None:
            return Judgement(True, (*suspicion.evidence, end))
    return Judgement(False, suspicion.evidence)


def _matches(program: str, tree: ast.Module, sequence: IntegerSequence, terms: list[int]) -> Iterator[Match]:
    matcher = Matcher([*disguises(terms, sequence.offset)])
    written = set[int]()
    for one in streams(program, tree):
        if not one.hidden:
            written.update(value for value in one.values if abs(value) >= _LARGE)
        yield from matcher.matches(one)
    yield from _paired(tree, sequence, terms)
    yield from _scattered(program, tree, terms, written)


def _paired(tree: ast.Module, sequence: IntegerSequence, terms: list[int]) -> Iterator[Match]:
    """Terms that follow from their own n, in any order; n may be shifted, the same way everywhere."""
    by_n = {pair.n: pair for pair in pairs(tree)}
    for shift in _SHIFTS:
        hits = {
            n - sequence.offset + shift: pair
            for n, pair in by_n.items()
            if 0 <= n - sequence.offset + shift < len(terms) and terms[n - sequence.offset + shift] == pair.value
        }
        if len(hits) > _BASE_CASES and 2 * len(hits) > len(by_n) and len({pair.value for pair in hits.values()}) > 2:
            lines = [pair.line for pair in hits.values()]
            yield Match("cases of n", min(lines), max(lines), frozenset(hits))


def _scattered(program: str, tree: ast.Module, terms: list[int], written: set[int]) -> Iterator[Match]:
    """Large terms, wherever and in whatever order they stand."""
    large = frozenset(k for k, term in enumerate(terms) if abs(term) >= _LARGE and term in written)
    if len(large) >= _LARGE_TERMS:
        listed = {terms[k] for k in large}
        lines = [line for value, line in integers(tree) if value in listed] or [1, program.count("\n") + 1]
        yield Match("large numbers", min(lines), max(lines), large)


def _is_table(given: frozenset[int], listed: int) -> bool:
    """Half of the listing, or so much of its end that the program cannot have computed it; not a few base cases."""
    is_beginning = given == frozenset(range(len(given)))
    if len(given) < min(listed, _BASE_CASES) or (is_beginning and len(given) <= _BASE_CASES and len(given) < listed):
        return False
    tail = sum(1 for _ in takewhile(given.__contains__, range(listed - 1, -1, -1)))
    return len(given) >= _HALF * listed or (tail >= _BASE_CASES and tail >= _TAIL * listed)


def _told(matches: Iterable[Match], listed: int) -> Iterator[str]:
    """One line of evidence for each place that gives away more than those before it, the richest first."""
    places = defaultdict[tuple[str, int, int], frozenset[int]](frozenset)
    for place, first, last, given in matches:
        places[place, first, last] |= given
    told = frozenset[int]()
    for (place, first, last), given in sorted(places.items(), key=lambda place: -len(place[1])):
        if not given <= told:
            told |= given
            lines = f"line {first}" if first == last else f"lines {first} to {last}"
            yield f"{len(given)} of {listed} listed terms stand in {place} of {lines}"
