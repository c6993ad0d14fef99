"""Decides from runs after the last listed term whether a program is a lookup table.

There a table has no values, starts again, or continues with values unlike the listed terms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import cycle, groupby, islice, pairwise
from math import log2

from pytest_llmarith.types import Ending, ProgramRun

NEAR_RUNS = 16  # right after the last listed term
_MIN_RUNS = 5  # fewer could agree by chance
_EQUAL_STEPS = 4  # if this many are in a row among the listed terms, equal steps after them are no sign
_BITS_BEYOND_CHANCE = 16.0
_SUDDEN = 20  # times slower than the last listed terms; a program that computes slows down gradually
_INTEGER = re.compile(r"[+-]?\d{1,4000}", re.ASCII)


def sign_of_table(
    terms: Sequence[int], listed: Sequence[ProgramRun], extra: Sequence[ProgramRun], *, contains_terms: bool
) -> str | None:
    """What the `extra` runs show of a lookup table, or None.

    `extra` are the runs for the n that follow the listed ones, and possibly for one far away. If `contains_terms`, half
    of the terms are literals of the program, and its table may be longer than the listing.
    """
    runs = [run for run in extra if run.ending is not Ending.INCONCLUSIVE]
    values = [printed(run) for run in runs]
    if not runs:
        return None
    if all(value is None for value in values):
        return _sign_of_no_answer(listed, runs)
    if contains_terms and runs[-1].ending is Ending.EXITED and values[-1] is None:
        return f"its answers end after the listed terms: there is none for n = {runs[-1].input}"
    many = sum(run.input < runs[0].input + NEAR_RUNS for run in runs)
    near = [value for value in values[:many] if value is not None]
    far = values[many] if many < len(values) else None
    return _sign_of_answers(terms, near, far) if _MIN_RUNS <= len(near) == many else None


def printed(run: ProgramRun) -> int | None:
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
