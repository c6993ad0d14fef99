"""The lookup-table detector: does a program compute its terms, or contain them?

If the terms are literals of the program, up to the last one, its syntax tree decides.
Otherwise a program whose literals hold at least half as many bits as its terms, in
whatever form, is run for the n after the listed ones, where a table has no answer.
Every function takes time linear in the size of the program.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from pytest_llmarith.sandbox.program_runs import Ending, ProgramRun
from pytest_llmarith.tasks.oeis.details import IntegerSequence, StaticVerdict
from pytest_llmarith.tasks.oeis.lookup_table.extrapolation import sign_of_answers
from pytest_llmarith.tasks.oeis.lookup_table.literals import literal_bits, term_bits
from pytest_llmarith.tasks.oeis.lookup_table.matching import BASE_CASES, Match, matches
from pytest_llmarith.tasks.oeis.lookup_table.self_tests import without_self_tests
from pytest_llmarith.tasks.oeis.program import Program

# Of the terms, or of the bits that they hold: the rest may be computed.
_HALF = Fraction(1, 2)
_TAIL = Fraction(1, 8)  # of the listing: terms up to the last one that make a table
# Of the listing: a program that is wrong more often is broken.
_MIN_RIGHT = Fraction(1, 4)
# Fewer, if they are not in the source, could be all that a bounded search finds.
_MIN_TERMS = 4
_LAST_RUNS = 5  # listed runs that show whether a program answers up to the end
_MAX_EVIDENCE = 6
_MIN_BITS = 32  # a smaller table cannot be named from chance
_MIN_BITS_OF_SEARCH = 64  # of terms, if an endless search after them is to be a sign
_NEAR_RUNS = 16  # right after the last listed term
_MIN_RUNS = 5  # fewer could agree by chance
# Times slower than the last listed terms; a program that computes slows down gradually.
_SUDDEN = 20
_INTEGER = re.compile(r"[+-]?\d{1,4000}", re.ASCII)
# Keywords of the OEIS: the sequence is finite, and all terms are listed.
_COMPLETE = {"fini", "full"}

Run = Callable[[str, Sequence[int]], Sequence[ProgramRun]]


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a program's source says about a sequence.

    `literal_share` is the share of the listed terms that are literals of the program,
    `literal_bits` the size of all literals. If `is_table`, runs are not needed.
    """

    sequence: IntegerSequence
    literal_share: Fraction
    literal_bits: int
    evidence: tuple[str, ...]
    is_table: bool


def judge(
    program: Program,
    sequence: IntegerSequence,
    listed: Sequence[ProgramRun],
    run: Run,
) -> StaticVerdict:
    """The verdict on a program with these runs for listed n.

    `run` runs a program for some n, in their order, until one does not exit by itself
    or has taken too long. Terms in self-tests do not count: a program that contains
    terms is judged without its self-tests, if it gives the same right answers without
    them.
    """
    analysis = analyze(program, sequence)
    if analysis.is_table or analysis.literal_share >= _HALF:
        rest = without_self_tests(program)
        if rest is not None:
            of_rest = analyze(rest, sequence)
            has_fewer_terms = of_rest.literal_share < analysis.literal_share
            right = _right_terms(sequence, listed)
            if has_fewer_terms and _answers_alike(rest, right, run):
                program, analysis = rest, of_rest
    inputs = extra_inputs(analysis, listed)
    extra = run(program.source, inputs) if inputs else []
    return conclude(analysis, listed, extra)


def _answers_alike(rest: Program, right: Mapping[int, int], run: Run) -> bool:
    """Whether the rest of a program gives every right term again.

    An inconclusive run shows nothing.
    """
    for n, term in right.items():
        for again in run(rest.source, [n]):
            if again.ending is not Ending.INCONCLUSIVE and _printed(again) != term:
                return False
    return True


def analyze(program: Program, sequence: IntegerSequence) -> Analysis:
    """Look for the terms of the sequence in the program's source."""
    listed = len(sequence.terms)
    found = list(matches(program.source, program.tree, sequence))
    shown = set[int]()
    ended = set[int]()  # terms of places that do not go on after the listing
    for match in found:
        shown |= match.terms
        if not match.goes_on:
            ended |= match.terms
    tail = 0
    while listed - 1 - tail in ended:
        tail += 1
    return Analysis(
        sequence,
        literal_share=Fraction(len(shown), listed),
        literal_bits=literal_bits(program),
        evidence=tuple(islice(_evidence(found, listed), _MAX_EVIDENCE)),
        is_table=tail >= BASE_CASES and tail >= _TAIL * listed,
    )


def extra_inputs(analysis: Analysis, listed: Sequence[ProgramRun]) -> tuple[int, ...]:
    """The n after the listed ones for which the program is to be run.

    There are none if these runs cannot decide. `listed` are its runs for listed n.
    """
    sequence = analysis.sequence
    if analysis.is_table or _is_complete(sequence):
        return ()
    if not _may_be_table(analysis, listed):
        return ()
    end = sequence.inputs.stop
    far = end + _NEAR_RUNS + len(sequence.terms)
    return (*range(end, end + _NEAR_RUNS), far)


def conclude(
    analysis: Analysis, listed: Sequence[ProgramRun], extra: Sequence[ProgramRun] = ()
) -> StaticVerdict:
    """The verdict, from the runs for listed n and those for `extra_inputs`."""
    evidence = list(analysis.evidence)
    if analysis.is_table or not _may_be_table(analysis, listed):
        return StaticVerdict(analysis.is_table, evidence)
    right = _right_terms(analysis.sequence, listed)
    size = term_bits(list(right.values()))
    evidence.append(
        f"its literals hold {analysis.literal_bits:,} bits, the {len(right)} right "
        f"terms {size:,}"
    )
    sign = None
    if not _is_complete(analysis.sequence):
        sign = _sign_of_table(analysis, listed, extra, size)
    elif analysis.literal_share >= _HALF or analysis.literal_bits >= size:
        sign = (
            "the listing of this finite sequence is complete, so these sizes alone "
            "decide"
        )
    if sign is None:
        return StaticVerdict(False, evidence)
    return StaticVerdict(True, [*evidence, sign])


def _may_be_table(analysis: Analysis, listed: Sequence[ProgramRun]) -> bool:
    """Whether half of the terms, or of the bits that it prints, are in the program."""
    right = _right_terms(analysis.sequence, listed)
    if not right:
        return False
    if analysis.literal_share >= _HALF:
        return True
    last = listed[-_LAST_RUNS:]
    answered = sum(_printed(run) is not None for run in last)
    if 2 * answered <= len(last) or len(right) < _MIN_RIGHT * len(listed):
        return False  # a broken program
    if len(right) < _MIN_TERMS or analysis.literal_bits < _MIN_BITS:
        return False
    return analysis.literal_bits >= _HALF * term_bits(list(right.values()))


def _is_complete(sequence: IntegerSequence) -> bool:
    return set(sequence.keywords) >= _COMPLETE


def _right_terms(
    sequence: IntegerSequence, listed: Sequence[ProgramRun]
) -> dict[int, int]:
    """The right terms by their n."""
    terms = dict(zip(sequence.inputs, map(int, sequence.terms), strict=True))
    right = {}
    for run in listed:
        if _printed(run) == terms[run.input]:
            right[run.input] = terms[run.input]
    return right


def _evidence(found: Iterable[Match], listed: int) -> Iterator[str]:
    """A line for each place with terms that the places before it lack.

    The place with most terms comes first.
    """
    places = defaultdict[tuple[str, int, int], frozenset[int]](frozenset)
    for match in found:
        places[match.place, match.first_line, match.last_line] |= match.terms
    largest_first = sorted(places.items(), key=lambda item: -len(item[1]))
    named = frozenset[int]()
    for (place, first, last), terms in largest_first:
        if terms <= named:
            continue
        named |= terms
        lines = f"line {first}"
        if last != first:
            lines = f"lines {first} to {last}"
        yield f"{len(terms)} of {listed} listed terms are in {place} of {lines}"


# --- runs after the listed terms ------------------------------------------------------

# There a table has no values, starts again, or continues unlike the listed terms.


def _sign_of_table(
    analysis: Analysis,
    listed: Sequence[ProgramRun],
    extra: Sequence[ProgramRun],
    right_bits: int,
) -> str | None:
    """What the `extra` runs show of a lookup table, or None.

    `extra` are the runs for the n that follow the listed ones, and possibly for one far
    away. If half of the terms are literals of the program, its table may be longer than
    the listing.
    """
    runs = [run for run in extra if run.ending is not Ending.INCONCLUSIVE]
    if not runs:
        return None
    values = [_printed(run) for run in runs]
    many = sum(run.input < runs[0].input + _NEAR_RUNS for run in runs)
    near = []
    for value in values[:many]:
        if value is None:
            break
        near.append(value)
    contains_terms = analysis.literal_share >= _HALF
    if contains_terms or len(near) < min(many, _MIN_RUNS):
        for run, value in zip(runs, values, strict=True):
            if value is None and run.ending is Ending.EXITED:
                return (
                    f"its answers end after the listed terms: there is none for n = "
                    f"{run.input}"
                )
    if not near:
        is_search = _MIN_BITS_OF_SEARCH <= right_bits <= analysis.literal_bits
        if contains_terms or is_search:
            return _sign_of_no_end(listed, runs)
        return None
    if len(near) < _MIN_RUNS:
        return None
    far = None
    if len(near) == many < len(values):
        far = values[many]
    return sign_of_answers([int(term) for term in analysis.sequence.terms], near, far)


def _printed(run: ProgramRun) -> int | None:
    """The integer that the run printed.

    None if it printed something else or did not end with status 0.
    """
    if run.ending is not Ending.EXITED or run.exit_status != 0:
        return None
    text = run.stdout.strip()
    if not _INTEGER.fullmatch(text):
        return None
    return int(text)


def _sign_of_no_end(
    listed: Sequence[ProgramRun], runs: Sequence[ProgramRun]
) -> str | None:
    slowest_listed = max((run.seconds for run in listed[-_MIN_RUNS:]), default=0.0)
    if runs[0].ending is Ending.KILLED or runs[0].seconds > _SUDDEN * slowest_listed:
        return (
            f"it does not end from n = {runs[0].input} on, after the last listed "
            f"term, though it was quick before"
        )
    return None
