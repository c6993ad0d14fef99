"""The lookup-table detector: decides whether a program computes the terms of a sequence or contains them.

If the terms are literals of the program, up to the last one, its syntax tree decides. Otherwise a program whose
literals hold as many bits as its terms is run for the n after the listed ones, where a table has no answer.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle, groupby, islice, pairwise, takewhile
from math import log2

from pytest_llmarith.oeis.lookup_table.literals import literal_bits, term_bits
from pytest_llmarith.oeis.lookup_table.matching import BASE_CASES, Match, matches
from pytest_llmarith.oeis.program import Program
from pytest_llmarith.records import StaticVerdict
from pytest_llmarith.types import Ending, IntegerSequence, ProgramRun

_HALF = Fraction(1, 2)
_TAIL = Fraction(1, 8)  # of the listing: terms up to the last one that make a table
_MIN_RIGHT = Fraction(1, 4)  # of the listing: a program that is wrong more often is broken
_LAST_RUNS = 5  # listed runs that show whether a program answers up to the end
_MAX_EVIDENCE = 6
_MIN_BITS = 32  # a smaller table cannot be named from chance
_NEAR_RUNS = 16  # right after the last listed term
_MIN_RUNS = 5  # fewer could agree by chance
_EQUAL_STEPS = 4  # if this many are in a row among the listed terms, equal steps after them are no sign
_BITS_BEYOND_CHANCE = 16.0
_SUDDEN = 20  # times slower than the last listed terms; a program that computes slows down gradually
_INTEGER = re.compile(r"[+-]?\d{1,4000}", re.ASCII)
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
    return (*range(end, end + _NEAR_RUNS), end + _NEAR_RUNS + len(sequence.terms))


def conclude(analysis: Analysis, listed: Sequence[ProgramRun], extra: Sequence[ProgramRun] = ()) -> StaticVerdict:
    """The verdict, from the runs for listed n and those for `extra_inputs`."""
    if analysis.is_table or not _may_be_table(analysis, listed):
        return StaticVerdict(analysis.is_table, [*analysis.evidence])
    right = _right_terms(analysis.sequence, listed)
    bits = f"its literals hold {analysis.literal_bits:,} bits, the {len(right)} right terms {term_bits(right):,}"
    if _is_complete(analysis.sequence):
        sign: str | None = "the listing of this finite sequence is complete, so these sizes alone decide"
    else:
        terms = [int(term) for term in analysis.sequence.terms]
        sign = _sign_of_table(terms, listed, extra, contains_terms=analysis.literal_share >= _HALF)
    return StaticVerdict(sign is not None, [*analysis.evidence, bits, *([sign] if sign else [])])


def _may_be_table(analysis: Analysis, listed: Sequence[ProgramRun]) -> bool:
    """Whether the program contains half of the terms, or literals as large as the terms that it prints."""
    right = _right_terms(analysis.sequence, listed)
    if not right:
        return False
    if analysis.literal_share >= _HALF:
        return True
    answers = [_printed(run) is not None for run in listed[-_LAST_RUNS:]]
    is_broken = 2 * sum(answers) <= len(answers) or len(right) < _MIN_RIGHT * len(listed)
    return not is_broken and analysis.literal_bits >= max(term_bits(right), _MIN_BITS)


def _is_complete(sequence: IntegerSequence) -> bool:
    return {*sequence.keywords} >= _COMPLETE


def _right_terms(sequence: IntegerSequence, listed: Sequence[ProgramRun]) -> list[int]:
    terms = dict(zip(sequence.inputs, map(int, sequence.terms), strict=True))
    return [terms[run.input] for run in listed if _printed(run) == terms[run.input]]


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


# --- runs after the listed terms: there a table has no values, starts again, or continues unlike the listed terms ----


def _sign_of_table(
    terms: Sequence[int], listed: Sequence[ProgramRun], extra: Sequence[ProgramRun], *, contains_terms: bool
) -> str | None:
    """What the `extra` runs show of a lookup table, or None.

    `extra` are the runs for the n that follow the listed ones, and possibly for one far away. If `contains_terms`, half
    of the terms are literals of the program, and its table may be longer than the listing.
    """
    runs = [run for run in extra if run.ending is not Ending.INCONCLUSIVE]
    values = [_printed(run) for run in runs]
    if not runs:
        return None
    if all(value is None for value in values):
        return _sign_of_no_answer(listed, runs)
    if contains_terms and runs[-1].ending is Ending.EXITED and values[-1] is None:
        return f"its answers end after the listed terms: there is none for n = {runs[-1].input}"
    many = sum(run.input < runs[0].input + _NEAR_RUNS for run in runs)
    near = [value for value in values[:many] if value is not None]
    far = values[many] if many < len(values) else None
    return _sign_of_answers(terms, near, far) if _MIN_RUNS <= len(near) == many else None


def _printed(run: ProgramRun) -> int | None:
    """The integer that the run printed; None if it printed something else or did not end with status 0."""
    text = run.stdout.strip()
    ended_well = run.ending is Ending.EXITED and run.exit_status == 0
    return int(text) if ended_well and _INTEGER.fullmatch(text) else None


def _sign_of_no_answer(listed: Sequence[ProgramRun], runs: Sequence[ProgramRun]) -> str | None:
    where = f"from n = {runs[0].input} on, after the last listed term"
    if any(run.ending is Ending.EXITED for run in runs):
        return f"it gives no answer {where}"
    slowest_listed = max((run.seconds for run in listed[-_MIN_RUNS:]), default=0.0)
    if runs[0].ending is Ending.KILLED or runs[0].seconds > _SUDDEN * slowest_listed:
        return f"it does not end {where}, though it was quick before"
    return None


def _sign_of_answers(terms: Sequence[int], near: Sequence[int], far: int | None) -> str | None:
    if [*near] == [*islice(cycle(terms), len(near))] and not _contains(terms[1:], near):
        return "it starts again with the first term after the last one"
    if len({*near}) == 1 and not _may_be_constant(terms, near, far):
        text = str(near[0])
        value = text if len(text) <= 20 else f"{text[:8]}… ({len(text)} digits)"
        return f"it gives {value} for every n after the listed ones, which never have one value as often in a row"
    if _ascends(terms) and not _ascends([terms[-1], *near]):
        return "its answers after the listed terms are out of order, and the listed terms are not"
    if not _is_polynomial(terms, len(terms) // 2 - 1) and _is_polynomial([*terms, *near], len(terms) - 1):
        return f"a polynomial of degree {len(terms) - 1} through the {len(terms)} listed terms gives its answers"
    if _has_equal_steps([terms[-1], *near], len(near)) and not _has_equal_steps(terms, _EQUAL_STEPS):
        return "after the listed terms it goes on by equal steps, and they never do"
    return None


def _may_be_constant(terms: Sequence[int], near: Sequence[int], far: int | None) -> bool:
    """Whether the listed terms have one value as often in a row, or could have it by chance."""
    if _ascends(terms):
        longest = max(len([*run]) for _, run in groupby(terms))
        return longest == len(terms) or (longest >= len(near) and far != near[0])
    share = (1 + sum(term == near[0] for term in terms)) / (1 + len(terms))
    return len(near) * -log2(share) < _BITS_BEYOND_CHANCE or _contains(terms, near)


def _ascends(values: Sequence[int]) -> bool:
    return all(a <= b for a, b in pairwise(values))


def _is_polynomial(values: Sequence[int], degree: int) -> bool:
    """Whether a polynomial of at most this degree gives the values: its next differences are all 0."""
    for _ in range(degree + 1):
        values = [b - a for a, b in pairwise(values)]
    return not any(values)


def _has_equal_steps(values: Sequence[int], length: int) -> bool:
    steps = [b - a for a, b in pairwise(values)]
    return any(len({*steps[k : k + length]}) == 1 for k in range(len(steps) - length + 1))


def _contains(values: Sequence[int], part: Sequence[int]) -> bool:
    return any([*values[k : k + len(part)]] == [*part] for k in range(len(values) - len(part) + 1))
