"""Where models break, as rows of the page. It does not know how that was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_llmarith.records import BreakingPoint
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.page.runs import Series, word
from pytest_llmarith.reports.tables.breaking import not_reproduced
from pytest_llmarith.values import BreakingProblem, SearchEnd

_LONGEST = 80
TASK = BreakingProblem.task


@dataclass(frozen=True, slots=True)
class BreakingRow:
    """What one search came to; of one that found nothing, `question` is the largest that was answered rightly.

    A reply without an answer has an empty one; `repeat` is None where no search was repeated. `ended` is how a search
    ended that found nothing.
    """

    variant: str
    repeat: int | None
    found: bool
    question: str
    answer: str
    expected: str
    error: str
    ended: str
    notes: Sequence[str]
    questions: str


@dataclass(frozen=True, slots=True)
class Breaking:
    """All searches of one model."""

    label: str
    rows: Sequence[BreakingRow]

    @property
    def broken(self) -> int:
        """In how many of them it broke."""
        return sum(row.found for row in self.rows)


def breaking_points(series: Sequence[Series]) -> list[Breaking]:
    """Of each model that was searched."""
    found = [(one.label, result.breaking_points) for one in series if (result := one.of(TASK))]
    return [Breaking(label, _rows(points)) for label, points in found if points]


def _rows(points: Sequence[BreakingPoint]) -> list[BreakingRow]:
    repeated = any(point.repeat for point in points)
    return [_row(point, point.repeat if repeated else None) for point in points]


def _row(point: BreakingPoint, repeat: int | None) -> BreakingRow:
    found = point.question is not None
    return BreakingRow(
        variant=word(point.variant),
        repeat=repeat,
        found=found,
        question=sanitize(point.question or point.largest_right or "its first question", _LONGEST),
        answer=sanitize(point.answer or "", _LONGEST),
        expected=sanitize(point.expected or "", _LONGEST),
        error=sanitize(point.error_class or point.reason or "no class", _LONGEST) if found else "",
        ended="" if found else sanitize(point.ended, _LONGEST),
        notes=_notes(point),
        questions=f"{point.questions:,}",
    )


def _notes(point: BreakingPoint) -> list[str]:
    """What to know before a search is taken for what it came to."""
    if point.ended == SearchEnd.NOT_REPRODUCED:
        return [not_reproduced(point)]
    return ["maybe not the simplest"] if point.ended == SearchEnd.BUDGET else []
