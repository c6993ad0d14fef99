"""What gives a table away behind the listed terms: it ends, begins anew, or is a polynomial through all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from pytest_llmarith.values import Ending, ProgramRun

_FEWEST_RUNS = 3  # fewer could agree by chance
_INTEGER = re.compile(r"[+-]?\d{1,4000}", re.ASCII)


def ending_of_a_table(terms: Sequence[int], beyond: Sequence[ProgramRun]) -> str | None:
    """How the runs behind the listed terms show that the program is a table, or None where they show nothing.

    A run that took too long or was killed shows nothing: honest programs grow slow too.
    """
    runs = [run for run in beyond if run.ending is Ending.EXITED]
    if len(runs) < min(_FEWEST_RUNS, len(beyond)) or not runs:
        return None
    printed = [_printed(run) for run in runs]
    if all(value is None for value in printed):
        return f"it gives no answer from n = {runs[0].input} on, where the listing ends"
    values = [value for value in printed if value is not None]
    if len(values) < _FEWEST_RUNS or len(values) < len(printed):
        return None
    return _constant(terms, values) or _repeated(terms, values) or _polynomial(terms, values)


def answers(run: ProgramRun) -> bool:
    """Whether the run printed an integer and ended well."""
    return run.ending is Ending.EXITED and _printed(run) is not None


def _printed(run: ProgramRun) -> int | None:
    text = run.stdout.strip()
    return int(text) if run.exit_status == 0 and _INTEGER.fullmatch(text) else None


def _constant(terms: Sequence[int], values: Sequence[int]) -> str | None:
    if len({*values}) > 1 or _occurs(values, terms) or terms[-1] == values[0]:
        return None
    return f"it gives {_short(values[0])} for every n behind the listing, which never stands there so often in a row"


def _repeated(terms: Sequence[int], values: Sequence[int]) -> str | None:
    many = len(values)
    if [*values] != [*terms[:many]] or _occurs(values, terms[1:]):
        return None
    return "it begins anew with the first term where the listing ends"


def _polynomial(terms: Sequence[int], values: Sequence[int]) -> str | None:
    """All differences of the order of the listing's length vanish only for polynomials of a lower degree."""
    listed = len(terms)
    if _vanishes([*terms], listed // 2) or not _vanishes([*terms, *values], listed):
        return None
    return f"a polynomial of degree {listed - 1} through the {listed} listed terms gives what it gives behind them"


def _vanishes(values: list[int], order: int) -> bool:
    for _ in range(order):
        values = [b - a for a, b in pairwise(values)]
    return not any(values)


def _occurs(values: Sequence[int], terms: Sequence[int]) -> bool:
    return any([*terms[k : k + len(values)]] == [*values] for k in range(len(terms) - len(values) + 1))


def _short(value: int) -> str:
    text = str(value)
    return text if len(text) <= 20 else f"{text[:8]}… ({len(text)} digits)"
