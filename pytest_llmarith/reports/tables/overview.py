"""The overview: a row per model and task, on one line where the terminal is wide enough, else on two.

It does not know how a summary comes about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import wrap
from typing import NamedTuple

from pytest_llmarith.records import Result
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.answered import bounded, incomplete
from pytest_llmarith.reports.harmless import sanitize, sanitize_name
from pytest_llmarith.reports.keys import label_of
from pytest_llmarith.reports.tables.drawing import LONGEST_NAME, draw, fitted, width_of
from pytest_llmarith.values import Outcome

_SHOWN = (Outcome.CORRECT, Outcome.NAN, Outcome.DEVIATE)
LEGEND = (
    "95 %: stratified Wilson interval over variants and depths, Wilson interval elsewhere. "
    "rel err, abs err: median relative and average absolute error of deviate."
)


@dataclass(frozen=True, slots=True)
class ResultOfRun:
    """A result, and what has to be known of it beside others: its run, the parameters in which its model differs from
    the same model elsewhere, why its run has not ended, and which cells it lacks that others have.
    """

    result: Result
    run: str = ""
    parameters: str = ""
    unfinished: str = ""
    missing: str = ""


class _Layout(NamedTuple):
    """How a row is laid out: `words` columns of words, `height` lines."""

    headers: Sequence[str]
    row: Callable[[Result, int], list[str]]
    words: int
    height: int


def overview(rows: Sequence[ResultOfRun], width: int) -> list[str]:
    """The table of all results, each with what has to be known about it on a line below."""
    results = [row.result for row in rows]
    layout, lines = WIDE, _fitted(WIDE, results, width)
    if width_of(lines) > width:
        layout, lines = _STACKED, _fitted(_STACKED, results, width)
    notes = [wrap(note_of(row), width, initial_indent="  ", subsequent_indent="  ") for row in rows]
    return [*_with_notes(lines, notes, layout.height), "", *wrap(LEGEND, width)]


def _fitted(layout: _Layout, results: Sequence[Result], width: int) -> list[str]:
    names = (sanitize_name(result.model, LONGEST_NAME) for result in results)
    return fitted(partial(_drawn, layout, results), names, width)


def _drawn(layout: _Layout, results: Sequence[Result], longest_name: int) -> list[str]:
    return draw(layout.headers, [layout.row(result, longest_name) for result in results], layout.words)


def _wide_row(result: Result, longest_name: int) -> list[str]:
    return [
        sanitize_name(result.model, longest_name),
        sanitize_name(result.task, longest_name),
        _date(result),
        str(result.measured),
        *("{} ({})".format(*_percentage(result, outcome)) for outcome in _SHOWN),
        _cost(result),
        _tokens(result),
        *_errors(result),
    ]


def _stacked_row(result: Result, longest_name: int) -> list[str]:
    return [
        f"{sanitize_name(result.model, longest_name)}\n{sanitize_name(result.task, longest_name)}",
        f"{result.measured}\n{_date(result)}",
        *("\n".join(_percentage(result, outcome)) for outcome in _SHOWN),
        f"{_cost(result)}\n{_tokens(result)}",
        "\n".join(_errors(result)),
    ]


WIDE = _Layout(
    (
        *("model", "task", "date", "trials"),
        *(f"{outcome} % (95 %)" for outcome in _SHOWN),
        *("cost", "tokens", "rel err", "abs err"),
    ),
    _wide_row,
    words=3,
    height=1,
)
_STACKED = _Layout(
    (
        *("model\ntask", "trials\ndate"),
        *(f"{outcome} %\n95 %" for outcome in _SHOWN),
        *("cost\ntokens", "rel err\nabs err"),
    ),
    _stacked_row,
    words=1,
    height=2,
)


def note_of(row: ResultOfRun, simulated: str = "*simulated*") -> str:
    """What has to be known to take a row for what it is; `simulated` is what stands for that."""
    result, cheats = row.result, row.result.outcomes.cheat
    reasons = ", ".join(f"{count} {sanitize(reason, 40)}" for reason, count in result.nan_reasons.items())
    notes = (
        (row.run, sanitize_name(row.run, LONGEST_NAME)),
        (row.parameters, row.parameters),
        (row.unfinished, row.unfinished),
        (label_of(result.condition), sanitize_name(label_of(result.condition), LONGEST_NAME)),
        (result.simulated, simulated),
        (incomplete(result), incomplete(result)),
        (row.missing, row.missing),
        (bounded(result) and not row.missing, bounded(result)),
        (reasons, f"nan: {reasons}"),
        (result.rounded, f"deviate: {result.rounded} rounded"),
        (cheats, f"cheat: {cheats} ({' %, '.join(_percentage(result, Outcome.CHEAT))})"),
        (figures.unpriced(result), figures.unpriced(result)),
        (result.repeats, _repeats(result)),
    )
    return "; ".join(note for holds, note in notes if holds)


def _repeats(result: Result) -> str:
    """Repeats of a problem are alike, so the row's intervals, which take them for independent, are too narrow."""
    if not (repeats := result.repeats):
        return ""
    share = repeats.pass_at_1
    known = f": pass@1 {figures.one_decimal(share)} ({figures.interval(share)}), clustered by problem" if share else ""
    problems = repeats.problems
    return f"{problems} problem{'s' * (problems != 1)}, {figures.times(result, repeats)} times each{known}"


def _with_notes(lines: Sequence[str], notes: Sequence[Sequence[str]], height: int) -> list[str]:
    """Put every note below its row; rows of several lines stand apart."""
    head = len(lines) - height * len(notes)
    noted = list(lines[:head])
    for number, note in enumerate(notes):
        start = head + number * height
        noted += [""] if height > 1 and number else []
        noted += [*lines[start : start + height], *note]
    return noted


def _date(result: Result) -> str:
    return result.date or figures.UNKNOWN


def _percentage(result: Result, outcome: Outcome) -> tuple[str, str]:
    percentage = result.percentages[outcome]
    return figures.percent_of(percentage), figures.interval(percentage)


def _cost(result: Result) -> str:
    return figures.dollars(result.cost_usd, result.unpriced)


def _tokens(result: Result) -> str:
    return figures.thousands(figures.prompt_and_completion(result.tokens))


def _errors(result: Result) -> tuple[str, str]:
    return figures.short(result.median_relative_error), figures.short(result.average_absolute_error)
