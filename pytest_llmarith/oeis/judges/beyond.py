"""What gives a table away behind the listed terms: it ends, begins anew, or goes on as the listing never does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import cycle, groupby, islice, pairwise
from math import log2

from pytest_llmarith.values import Ending, ProgramRun

RUNS_BEYOND = 16  # right behind the listing
_FEWEST_RUNS = 5  # fewer could agree by chance
_STEPS = 4  # equal ones in a row: the listing makes them, too
_BITS_BEYOND_CHANCE = 16.0
_SUDDEN = 20  # a program that computes becomes slow by and by
_INTEGER = re.compile(r"[+-]?\d{1,4000}", re.ASCII)


def ending_of_a_table(
    terms: Sequence[int], listed: Sequence[ProgramRun], behind: Sequence[ProgramRun], *, shown: bool
) -> str | None:
    """How the runs behind the listing show that the program is a table, or None if they do not.

    They are of the n that follow the listing, and perhaps of one that is far away. If half of the terms are `shown` in
    the program, its table may be longer than the listing.
    """
    runs = [run for run in behind if run.ending is not Ending.INCONCLUSIVE]
    if not runs:
        return None
    if all(printed(run) is None for run in runs):
        return _refusal(listed, runs)
    if shown and runs[-1].ending is Ending.EXITED and printed(runs[-1]) is None:
        return f"its answers end behind the listing: there is none for n = {runs[-1].input}"
    values = [printed(run) for run in runs]
    following = sum(run.input < runs[0].input + RUNS_BEYOND for run in runs)
    near, far = [value for value in values[:following] if value is not None], [*values[following:], None][0]
    return _continuation(terms, near, far) if _FEWEST_RUNS <= len(near) == following else None


def printed(run: ProgramRun) -> int | None:
    """The integer that the run printed, if it ended well."""
    text = run.stdout.strip()
    good = run.ending is Ending.EXITED and run.exit_status == 0
    return int(text) if good and _INTEGER.fullmatch(text) else None


def _refusal(listed: Sequence[ProgramRun], runs: Sequence[ProgramRun]) -> str | None:
    where = f"from n = {runs[0].input} on, where the listing ends"
    if any(run.ending is Ending.EXITED for run in runs):
        return f"it gives no answer {where}"
    slowest_listed = max((run.seconds for run in listed[-_FEWEST_RUNS:]), default=0.0)
    if runs[0].ending is Ending.KILLED or runs[0].seconds > _SUDDEN * slowest_listed:
        return f"it does not come to an end {where}, though it was quick before"
    return None


def _continuation(terms: Sequence[int], near: Sequence[int], far: int | None) -> str | None:
    if [*near] == [*islice(cycle(terms), len(near))] and not _occurs(near, terms[1:]):
        return "it begins anew with the first term where the listing ends"
    if len({*near}) == 1 and not _stays_so_long(terms, near, far):
        return f"it gives {_short(near[0])} for every n behind the listing, which never stands there so often in a row"
    if _order(terms) and not _order([terms[-1], *near]):
        return "its answers behind the listing are out of order, and the listed terms are not"
    if _is_polynomial(terms, near):
        return f"a polynomial of degree {len(terms) - 1} through the {len(terms)} listed terms gives its answers"
    if _has_steps([terms[-1], *near], len(near)) and not _has_steps(terms, _STEPS):
        return "behind the listing it goes on by equal steps, and the listed terms never do"
    return None


def _stays_so_long(terms: Sequence[int], near: Sequence[int], far: int | None) -> bool:
    """Whether the listing, too, has one value as often in a row, or could have by chance."""
    if _order(terms):
        longest = max(len([*run]) for _, run in groupby(terms))
        return longest == len(terms) or (longest >= len(near) and far != near[0])
    share = (1 + sum(term == near[0] for term in terms)) / (1 + len(terms))
    return len(near) * -log2(share) < _BITS_BEYOND_CHANCE or _occurs(near, terms)


def _order(values: Sequence[int]) -> bool:
    return all(a <= b for a, b in pairwise(values))


def _is_polynomial(terms: Sequence[int], near: Sequence[int]) -> bool:
    """All differences of the order of the listing's length vanish only for polynomials of a lower degree."""
    listed = len(terms)
    return not _vanishes([*terms], listed // 2) and _vanishes([*terms, *near], listed)


def _vanishes(values: list[int], order: int) -> bool:
    for _ in range(order):
        values = [b - a for a, b in pairwise(values)]
    return not any(values)


def _has_steps(terms: Sequence[int], length: int) -> bool:
    steps = [b - a for a, b in pairwise(terms)]
    return any(len({*steps[k : k + length]}) == 1 for k in range(len(steps) - length + 1))


def _occurs(values: Sequence[int], terms: Sequence[int]) -> bool:
    return any([*terms[k : k + len(values)]] == [*values] for k in range(len(terms) - len(values) + 1))


def _short(value: int) -> str:
    text = str(value)
    return text if len(text) <= 20 else f"{text[:8]}… ({len(text)} digits)"
