"""The overview: a row per model and task, every percentage with its interval. It does not know how it is laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

from pytest_llmarith.records import Result, SequenceSet, Tokens
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.answered import bounded, incomplete
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.missing import missing_cells
from pytest_llmarith.reports.page.percentages import Share, overall_share
from pytest_llmarith.reports.page.runs import Series, word
from pytest_llmarith.values import Outcome

_LONGEST_REASON = 60


@dataclass(frozen=True, slots=True)
class Figure:
    """What a cell shows, and the number that it is sorted by; what has none comes last."""

    text: str
    sort: float | None


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """One result. `figures` stand under the columns of the overview; `missing` are cells that others have."""

    series: Series
    task: str
    correct: Share | None
    others: Sequence[Share | None]
    figures: Sequence[Figure]
    notes: Sequence[str]
    simulated: bool
    missing: str


_OTHERS = (Outcome.DEVIATE, Outcome.NAN, Outcome.CHEAT)
_COLUMNS = (
    ("trials", "Trials with a reply"),
    ("cost", "US dollars; a plus says that some replies have no known price"),
    ("tokens", "Tokens of prompts and replies"),
    ("latency", "Median seconds of a reply"),
    ("rel err", "Median relative error of deviates"),
    ("date", "When the run began"),
)


@dataclass(frozen=True, slots=True)
class Overview:
    """All results, in the order of the page; of `outcomes` those that there are."""

    outcomes: Sequence[str]
    columns: Sequence[tuple[str, str]]
    rows: Sequence[OverviewRow]


def overview(series: Sequence[Series]) -> Overview:
    """A row per result; what nobody knows and what nobody did has no column."""
    results = [(one, task, result) for one in series for task, result in one.results.items()]
    outcomes = [outcome for outcome in _OTHERS if any(getattr(result.outcomes, outcome) for _, _, result in results)]
    missing = missing_cells([result for _, _, result in results])
    rows = [_row(*result, outcomes, lacks) for result, lacks in zip(results, missing, strict=True)]
    known = [any(row.figures[place].sort is not None for row in rows) for place in range(len(_COLUMNS))]
    return Overview(
        outcomes,
        list(compress(_COLUMNS, known)),
        [replace(row, figures=list(compress(row.figures, known))) for row in rows],
    )


def _row(series: Series, task: str, result: Result, others: Sequence[Outcome], missing: str) -> OverviewRow:
    measured = result.measured
    return OverviewRow(
        series=series,
        task=sanitize(task, _LONGEST_REASON),
        correct=overall_share(result, Outcome.CORRECT),
        others=[overall_share(result, outcome) for outcome in others],
        figures=[
            Figure(f"{measured:,}", measured),
            Figure(figures.dollars(result.cost_usd, result.unpriced), result.cost_usd),
            _tokens(result.tokens),
            Figure(_seconds(result.median_latency_s), result.median_latency_s),
            Figure(figures.short(result.median_relative_error), _number(result.median_relative_error)),
            Figure(result.date or figures.UNKNOWN, _day(result.date)),
        ],
        notes=[*filter(None, [series.unfinished, missing]), *_notes(result)],
        simulated=result.simulated,
        missing=missing,
    )


def _tokens(tokens: Tokens) -> Figure:
    both = figures.prompt_and_completion(tokens)
    return Figure(figures.thousands(both), both)


def _seconds(seconds: float | None) -> str:
    return figures.UNKNOWN if seconds is None else f"{figures.seconds(seconds)} s"


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)


def _day(date: str | None) -> float | None:
    """A date such as 2026-11-22 as a number that sorts like it."""
    digits = (date or "").replace("-", "")
    return float(digits) if digits.isascii() and digits.isdigit() else None


def _notes(result: Result) -> list[str]:
    """What has to be known to take a row for what it is."""
    counts = result.outcomes
    notes: Sequence[tuple[Any, str]] = (
        (incomplete(result), incomplete(result)),
        (bounded(result), bounded(result)),
        (result.nan_reasons, f"nan: {_reasons(result.nan_reasons)}"),
        (counts.unanswered, f"unanswered: {_reasons(result.unanswered_reasons)}"),
        (result.rounded, f"deviate: {result.rounded:,} only rounded"),
        (result.stored, f"{result.stored:,} from the store"),
        (figures.unpriced(result), figures.unpriced(result)),
    )
    return [*(_score(one) for one in result.sets if one.limits), *(note for holds, note in notes if holds)]


def _score(one: SequenceSet) -> str:
    """The score of a set within its longest limit: of programs that says more than how many of them are all right."""
    last = one.limits[-1]
    return f"{word(one.set)}: score {figures.one_decimal(last.score)} % within {last.seconds:g} s"


def _reasons(reasons: Mapping[str, int], most: int = 4) -> str:
    shown = [f"{count:,} {sanitize(reason, _LONGEST_REASON)}" for reason, count in list(reasons.items())[:most]]
    return ", ".join([*shown, "..."] if len(reasons) > most else shown)
