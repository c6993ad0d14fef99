"""The judge that reads programs: whether one computes the terms of a sequence, or carries them. It runs nothing.

The tree alone decides where the terms stand in plain sight. Otherwise the weight of the literals says whether a program
could be a table, and its runs behind the listing, where a table has nothing left to say, whether it is one.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, takewhile

from pytest_llmarith.oeis.compiling import Program
from pytest_llmarith.oeis.judges.beyond import RUNS_BEYOND, ending_of_a_table, printed
from pytest_llmarith.oeis.judges.dispatch import pairs
from pytest_llmarith.oeis.judges.matching import Match, matches
from pytest_llmarith.oeis.judges.weight import carried, held
from pytest_llmarith.values import IntegerSequence, ProgramRun

_BASE_CASES = 5  # so many first terms are no table
_HALF = Fraction(1, 2)
_TAIL = Fraction(1, 8)  # of the listing: a table that reaches its end needs no more
_SHIFTS = range(-2, 3)
_FEWEST_RIGHT = Fraction(1, 4)  # of the listing: of a program that is wrong more often nothing follows
_LAST = 5  # listed runs that show whether a program answers up to the end
_MOST_EVIDENCE = 6
_LIGHTEST = 32  # bits: lighter tables cannot be told from chance
_COMPLETE = {"fini", "full"}  # the OEIS' keywords of a listing behind which there is nothing


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What the tree says. `given` is the share of the listed terms that stand in it in plain sight.

    `is_certain` is a table that nothing can excuse. `carried` is the weight of the literals, in bits.
    """

    sequence: IntegerSequence
    given: Fraction
    carried: int
    evidence: tuple[str, ...]
    is_certain: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a program is a lookup table, and why, one line each, for people."""

    cheat: bool
    evidence: tuple[str, ...]


def suspicion(program: Program, sequence: IntegerSequence) -> Suspicion:
    """What the program's text says about a sequence."""
    terms = [int(term) for term in sequence.terms]
    found = [*matches(program.source, program.tree, terms), *_paired(program.tree, sequence, terms)]
    given = frozenset[int]().union(*(match.given for match in found))
    ended = frozenset[int]().union(*(match.given for match in found if not match.goes_on))
    return Suspicion(
        sequence,
        Fraction(len(given), len(terms)),
        carried(program),
        tuple(islice(_told(found, len(terms)), _MOST_EVIDENCE)),
        is_certain=_reaches_the_end(ended, len(terms)),
    )


def beyond(suspicion: Suspicion, listed: Sequence[ProgramRun]) -> tuple[int, ...]:
    """The few n behind the listing at which the program is to be run, next ones and a far one; none if that is no help.

    `listed` are its runs with listed n.
    """
    sequence = suspicion.sequence
    if suspicion.is_certain or _is_complete(sequence) or not _suspected(suspicion, listed):
        return ()
    end = sequence.offset + len(sequence.terms)
    return (*range(end, end + RUNS_BEYOND), end + RUNS_BEYOND + len(sequence.terms))


def conclude(suspicion: Suspicion, listed: Sequence[ProgramRun], behind: Sequence[ProgramRun] = ()) -> Judgement:
    """The judgement, from the runs with listed n and those with the n of `beyond`."""
    if suspicion.is_certain:
        return Judgement(True, suspicion.evidence)
    if not _suspected(suspicion, listed):
        return Judgement(False, suspicion.evidence)
    right = _right(suspicion.sequence, listed)
    weighed = f"its literals hold {suspicion.carried:,} bits, the {len(right)} right terms {held(right):,}"
    if _is_complete(suspicion.sequence):
        end: str | None = "the sequence ends with its listing, so this is all there is to judge by"
    else:
        terms = [int(term) for term in suspicion.sequence.terms]
        end = ending_of_a_table(terms, listed, behind, shown=suspicion.given >= _HALF)
    return Judgement(end is not None, (*suspicion.evidence, weighed, *([end] if end else ())))


def _suspected(suspicion: Suspicion, listed: Sequence[ProgramRun]) -> bool:
    """Whether the program could be a table: it shows the terms, or weighs as much as those that it gets right."""
    right = _right(suspicion.sequence, listed)
    if not right:
        return False  # a program that is right nowhere breaks everywhere, and has no end to show
    if suspicion.given >= _HALF:
        return True
    last = [printed(run) is not None for run in listed[-_LAST:]]
    answers_to_the_end = 2 * sum(last) > len(last)
    is_mostly_wrong = len(right) < _FEWEST_RIGHT * len(listed)
    return answers_to_the_end and not is_mostly_wrong and suspicion.carried >= max(held(right), _LIGHTEST)


def _is_complete(sequence: IntegerSequence) -> bool:
    return {*sequence.keywords} >= _COMPLETE


def _right(sequence: IntegerSequence, listed: Sequence[ProgramRun]) -> list[int]:
    """The listed terms that the runs gave."""
    terms = dict(zip(sequence.inputs, map(int, sequence.terms), strict=True))
    return [terms[run.input] for run in listed if printed(run) == terms[run.input]]


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


def _reaches_the_end(given: frozenset[int], listed: int) -> bool:
    """Whether the terms in plain sight go up to the last one, and are more than a few base cases."""
    tail = sum(1 for _ in takewhile(given.__contains__, range(listed - 1, -1, -1)))
    return tail >= _BASE_CASES and tail >= _TAIL * listed


def _told(matches: Iterable[Match], listed: int) -> Iterator[str]:
    """One line of evidence for each place that gives away more than those before it, the richest first."""
    places = defaultdict[tuple[str, int, int], frozenset[int]](frozenset)
    for match in matches:
        places[match.place, match.first_line, match.last_line] |= match.given
    told = frozenset[int]()
    for (place, first, last), given in sorted(places.items(), key=lambda place: -len(place[1])):
        if not given <= told:
            told |= given
            lines = f"line {first}" if first == last else f"lines {first} to {last}"
            yield f"{len(given)} of {listed} listed terms stand in {place} of {lines}"
