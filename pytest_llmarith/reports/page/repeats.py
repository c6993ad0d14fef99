"""The part of the page about repeats: a table per task with a row per model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_llmarith.records import Percentage, Repeats
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.page.runs import Series, word


@dataclass(frozen=True, slots=True)
class PercentageCell:
    """A percentage and its interval, as text and as places from 0 to 100 in a picture."""

    text: str
    interval: str
    percent: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RepeatRow:
    """One model's problems, each put `k` times."""

    label: str
    k: str
    problems: str
    consistency: PercentageCell | None
    pass_at_1: PercentageCell | None
    pass_at_k: str
    majority: PercentageCell | None


@dataclass(frozen=True, slots=True)
class RepeatedTask:
    """One task and its rows."""

    task: str
    rows: Sequence[RepeatRow]


def repeated_tasks(series: Sequence[Series]) -> list[RepeatedTask]:
    """Nothing where every problem was put once."""
    found: dict[str, list[tuple[str, Repeats]]] = {}
    for one in series:
        for task, result in one.results.items():
            if repeats := result.repeats:
                found.setdefault(task, []).append((one.label, repeats))
    return [RepeatedTask(word(task), [_row(label, repeats) for label, repeats in of]) for task, of in found.items()]


def _row(label: str, repeats: Repeats) -> RepeatRow:
    return RepeatRow(
        label=label,
        k=f"{repeats.k:,}",
        problems=f"{repeats.problems:,}",
        consistency=_percentage_cell(repeats.consistency),
        pass_at_1=_percentage_cell(repeats.pass_at_1),
        pass_at_k=figures.UNKNOWN if repeats.pass_at_k is None else f"{repeats.pass_at_k:.1f}",
        majority=_percentage_cell(repeats.majority),
    )


def _percentage_cell(share: Percentage | None) -> PercentageCell | None:
    """Where there is no interval, it is the share alone."""
    if share is None or share.percent is None:
        return None
    percent, low, high = share.percent, share.low, share.high
    if low is None or high is None:
        return PercentageCell(f"{percent:.1f}", figures.UNKNOWN, percent, percent, percent)
    return PercentageCell(f"{percent:.1f}", figures.interval(share), percent, low, high)
