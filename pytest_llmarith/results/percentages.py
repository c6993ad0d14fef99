"""Percentages and differences of a summary, made of statistics."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pytest_llmarith.statistics.intervals import Interval, in_percent, wilson
from pytest_llmarith.statistics.pairs import DifferenceOfShares
from pytest_llmarith.statistics.shares import Cell, Cluster, clustered, overall, percent
from pytest_llmarith.summaries import Difference, Outcomes, Percentage

_DECIMALS = 4  # of a percentage in a summary


def percentage(part: int, whole: int) -> Percentage | None:
    """A proportion with Wilson's interval; None if nothing was measured."""
    if (interval := wilson(part, whole)) is None:
        return None
    return Percentage(
        float(percent(part, whole, _DECIMALS)), *map(in_percent, interval)
    )


def overall_percentage(cells: Collection[Cell]) -> Percentage | None:
    """The percentage of all cells with its interval.

    If a cell has no answer, it has bounds and no percentage.
    """
    if (found := overall(cells)) is None:
        return None
    exact = None if found.share is None else float(round(100 * found.share, _DECIMALS))
    return Percentage(exact, *map(in_percent, found.interval))


def correct_percentage(cells: Iterable[Outcomes]) -> Percentage | None:
    """The percentage of correct trials over cells of a summary."""
    return overall_percentage(
        [
            Cell(cell.correct, cell.answered, cell.answered + cell.unanswered)
            for cell in cells
        ]
    )


def clustered_percentage(clusters: Collection[Cluster]) -> Percentage | None:
    """The mean percentage of clusters; None if there are none."""
    if (found := clustered(clusters)) is None:
        return None
    mean, interval = found
    return share_with(interval, mean)


def share_with(interval: Interval | None, share: float) -> Percentage:
    """A share with a given interval, which may be unknown."""
    return Percentage(
        in_percent(share), *(map(in_percent, interval) if interval else (None, None))
    )


def difference_of(found: DifferenceOfShares) -> Difference:
    """The second minus the first, in percentage points."""
    ends = map(in_percent, found.interval) if found.interval else (None, None)
    return Difference(in_percent(found.second - found.first), *ends)
