"""What a task brings to a report, beside what all tasks have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_llmarith.figures.estimates import TASKS, Result, TaskFigures, Trial
from pytest_llmarith.records import Part
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import Column, Level

Fact = tuple[str, str]
_WORDS = ("status", "outcome")  # columns that say whether a row is right
_RIGHT = ("ok", "correct")


class TrialPart(Part):
    """A part of the details of a trial: facts, a text, and a table.

    A row is right or wrong by its column `status` or `outcome`.
    """

    title: str
    facts: Sequence[Fact] = ()
    text: str | None = None
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()

    @property
    def wrong(self) -> list[Sequence[str]]:
        """The wrong rows."""
        return [row for row in self.rows if self._is_wrong(row)]

    def _is_wrong(self, row: Sequence[str]) -> bool:
        cells = zip(self.heads, row, strict=True)
        return any(head in _WORDS and cell not in _RIGHT for head, cell in cells)


@dataclass(frozen=True, kw_only=True)
class TaskReport(TaskFigures):
    """What a task brings to its results and to their report.

    `score_columns` and `score_notes` belong to the table of scores; `score_legend` says
    how their intervals are made. `share_problems`: whether its variants have problems
    in common, so that scores are not of all of them together.
    """

    score_columns: Sequence[Column[Any]] = ()
    score_notes: Callable[[Here, Level], Iterable[str]] = lambda here, level: ()
    score_legend: str = ""
    share_problems: bool = False
    parts_of: Callable[[Trial], Iterable[TrialPart]] | None = None
    facts_of: Callable[[Result], Iterable[tuple[str, list[str]]]] = lambda result: ()


_OF_ALL_TASKS = TaskReport()


def report_of(task: str) -> TaskReport:
    """What a task brings, if this process knows the task."""
    found = TASKS.get(task)
    return found if isinstance(found, TaskReport) else _OF_ALL_TASKS
