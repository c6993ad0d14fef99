"""The lookup-table detector: decides whether a program computes the terms of a sequence or contains them.

If the terms are literals of the program, up to the last one, its syntax tree decides. Otherwise a program whose
literals hold as many bits as its terms is run for the n after the listed ones, where a table has no answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, takewhile

from pytest_llmarith.oeis.lookup_table.extrapolation import NEAR_RUNS, printed, sign_of_table
from pytest_llmarith.oeis.lookup_table.literals import literal_bits, term_bits
from pytest_llmarith.oeis.lookup_table.matching import BASE_CASES, Match, matches
from pytest_llmarith.oeis.program import Program
from pytest_llmarith.types import IntegerSequence, ProgramRun

_HALF = Fraction(1, 2)
_TAIL = Fraction(1, 8)  # of the listing: terms up to the last one that make a table
_MIN_RIGHT = Fraction(1, 4)  # of the listing: a program that is wrong more often is broken
_LAST_RUNS = 5  # listed runs that show whether a program answers up to the end
_MAX_EVIDENCE = 6
_MIN_BITS = 32  # a smaller table cannot be named from chance
_COMPLETE = {"fini", "full"}  # keywords of the OEIS: the sequence is finite, and all terms are listed


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a program's source says about a sequence.

    `literal_share` is the share of the listed terms that are literals of the program, `literal_bits` the size of all
    literals. If `is_table`, runs are not needed.
    """

    sequence: IntegerSequence
    literal_share: Fraction
    literal_bits: int
    evidence: tuple[str, ...]
    is_table: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a program is a lookup table, and why, one line each."""

    cheat: bool
    evidence: tuple[str, ...]


def analyze(program: Program, sequence: IntegerSequence) -> Analysis:
    """Look for the terms of the sequence in the program's source."""
    listed = len(sequence.terms)
    found = [*matches(program.source, program.tree, sequence)]
    shown = frozenset[int]().union(*(match.terms for match in found))
    ended = frozenset[int]().union(*(match.terms for match in found if not match.goes_on))
    tail = sum(1 for _ in takewhile(ended.__contains__, range(listed - 1, -1, -1)))
    return Analysis(
        sequence,
        Fraction(len(shown), listed),
        literal_bits(program),
        tuple(islice(_evidence(found, listed), _MAX_EVIDENCE)),
        is_table=tail >= BASE_CASES and tail >= _TAIL * listed,
    )


def extra_inputs(analysis: Analysis, listed: Sequence[ProgramRun]) -> tuple[int, ...]:
    """The n after the listed ones for which the program is to be run; none if these runs cannot decide.

    `listed` are its runs for listed n.
    """
    sequence = analysis.sequence
    if analysis.is_table or _is_complete(sequence) or not _may_be_table(analysis, listed):
        return ()
    end = sequence.inputs.stop
    return (*range(end, end + NEAR_RUNS), end + NEAR_RUNS + len(sequence.terms))


def conclude(analysis: Analysis, listed: Sequence[ProgramRun], extra: Sequence[ProgramRun] = ()) -> Judgement:
    """The judgement, from the runs for listed n and those for `extra_inputs`."""
    if analysis.is_table or not _may_be_table(analysis, listed):
        return Judgement(analysis.is_table, analysis.evidence)
    right = _right_terms(analysis.sequence, listed)
    bits = f"its literals hold {analysis.literal_bits:,} bits, the {len(right)} right terms {term_bits(right):,}"
    if _is_complete(analysis.sequence):
        sign: str | None = "the listing of this finite sequence is complete, so these sizes alone decide"
    else:
        terms = [int(term) for term in analysis.sequence.terms]
        sign = sign_of_table(terms, listed, extra, contains_terms=analysis.literal_share >= _HALF)
    return Judgement(sign is not None, (*analysis.evidence, bits, *([sign] if sign else ())))


def _may_be_table(analysis: Analysis, listed: Sequence[ProgramRun]) -> bool:
    """Whether the program contains half of the terms, or literals as large as the terms that it prints."""
    right = _right_terms(analysis.sequence, listed)
    if not right:
        return False
    if analysis.literal_share >= _HALF:
        return True
    answers = [printed(run) is not None for run in listed[-_LAST_RUNS:]]
    is_broken = 2 * sum(answers) <= len(answers) or len(right) < _MIN_RIGHT * len(listed)
    return not is_broken and analysis.literal_bits >= max(term_bits(right), _MIN_BITS)


def _is_complete(sequence: IntegerSequence) -> bool:
    return {*sequence.keywords} >= _COMPLETE


def _right_terms(sequence: IntegerSequence, listed: Sequence[ProgramRun]) -> list[int]:
    terms = dict(zip(sequence.inputs, map(int, sequence.terms), strict=True))
    return [terms[run.input] for run in listed if printed(run) == terms[run.input]]


def _evidence(found: Iterable[Match], listed: int) -> Iterator[str]:
    """A line for each place with terms that the places before it lack; the place with most terms first."""
    places = defaultdict[tuple[str, int, int], frozenset[int]](frozenset)
    for match in found:
        places[match.place, match.first_line, match.last_line] |= match.terms
    named = frozenset[int]()
    for (place, first, last), terms in sorted(places.items(), key=lambda place: -len(place[1])):
        if not terms <= named:
            named |= terms
            lines = f"line {first}" if first == last else f"lines {first} to {last}"
            yield f"{len(terms)} of {listed} listed terms are in {place} of {lines}"
