"""What a summary keeps of many records: counts and a few numbers per record, never a reply.

It does not know how a summary is laid out or shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from pytest_llmarith import records
from pytest_llmarith.records import Percentage, Record
from pytest_llmarith.reports.counting.breaking import replies_of
from pytest_llmarith.reports.counting.error_sizes import ErrorSizes
from pytest_llmarith.reports.counting.spending import Spending
from pytest_llmarith.reports.percents import overall_percentage, percentage
from pytest_llmarith.results.statistics import Cell
from pytest_llmarith.values import Outcome

_MEASURED = tuple(outcome for outcome in Outcome if outcome is not Outcome.UNANSWERED)


class Outcomes:
    """How many trials came to what."""

    def __init__(self) -> None:
        self._counts: Counter[Outcome] = Counter()

    def add(self, outcome: Outcome) -> None:
        self._counts[outcome] += 1

    def join(self, other: Outcomes) -> None:
        self._counts.update(other._counts)

    def count(self, outcome: Outcome) -> int:
        return self._counts[outcome]

    @property
    def measured(self) -> int:
        """Trials that say something about the model."""
        return sum(self._counts[outcome] for outcome in _MEASURED)

    @property
    def correct_percentage(self) -> Percentage | None:
        return percentage(self.count(Outcome.CORRECT), self.measured)

    def part(self) -> records.Outcomes:
        return records.Outcomes(*(self._counts[outcome] for outcome in Outcome))


def percentages_of(cells: Collection[Outcomes]) -> records.Percentages:
    """Per outcome the percentage over all cells."""
    return {
        outcome: overall_percentage(
            [Cell(cell.count(outcome), cell.measured, cell.measured + cell.count(Outcome.UNANSWERED)) for cell in cells]
        )
        for outcome in _MEASURED
    }


class Tally:
    """The trials of one place, such as a cell: what they came to, what they cost, how far off they were."""

    def __init__(self) -> None:
        self.outcomes = Outcomes()
        self.spending = Spending()
        self.errors = ErrorSizes()

    @classmethod
    def of(cls, parts: Iterable[Tally]) -> Tally:
        """The trials of several places together."""
        whole = cls()
        for part in parts:
            whole.outcomes.join(part.outcomes)
            whole.spending.join(part.spending)
            whole.errors.join(part.errors)
        return whole

    def add(self, record: Record) -> None:
        """Count one record."""
        self.outcomes.add(record.outcome)
        for reply in replies_of(record):
            self.spending.add(reply)
        if record.outcome is Outcome.DEVIATE and record.grade:
            self.errors.add(record.grade)

    def cells(self) -> dict[str, Any]:
        """The fields of `records.Cells`, for the classes that have more."""
        outcomes = {str(outcome): self.outcomes.count(outcome) for outcome in Outcome}
        return outcomes | {
            "measured": self.outcomes.measured,
            "correct_percentage": self.outcomes.correct_percentage,
            "spending": self.spending.part(),
            "error_sizes": self.errors.part(),
        }


class Reasons:
    """Why trials have no answer, by message. Messages may be all different; they are not kept without end."""

    MOST = 50
    LONGEST = 300
    OTHERS = "other reasons"

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, reason: str | None) -> None:
        message = (reason or "no reason given")[: self.LONGEST]
        known = message in self._counts or len(self._counts) < self.MOST
        self._counts[message if known else self.OTHERS] += 1

    def as_dict(self) -> dict[str, int]:
        """The most frequent first."""
        return dict(sorted(self._counts.items(), key=lambda counted: (-counted[1], counted[0])))
