"""Shares and differences in percent, each with its interval, as a summary and a comparison hold them.

Four decimals, for readers; whoever has to be exact takes the counts. It does not know what they are of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from pytest_llmarith.reports.statistics import Cell, Interval, overall, percent, wilson
from pytest_llmarith.values import Outcome

_DECIMALS = 4


def percentage(part: int, whole: int) -> dict[str, float] | None:
    """A proportion with Wilson's interval; None where nothing was measured."""
    if (interval := wilson(part, whole)) is None:
        return None
    exact = float(percent(part, whole, _DECIMALS))
    return {"percent": exact, "low": in_percent(interval.low), "high": in_percent(interval.high)}


def overall_percentage(cells: Collection[Cell]) -> dict[str, float | None] | None:
    """The percentage of all cells with its interval; no percentage but bounds where a cell has no answer."""
    if (found := overall(cells)) is None:
        return None
    exact = None if found.share is None else float(round(100 * found.share, _DECIMALS))
    return {"percent": exact, **_ends(found.interval)}


def correct_percentage(cells: Iterable[Mapping[str, int]]) -> dict[str, float | None] | None:
    """The percentage of correct trials over cells of a summary."""
    counted = [(cell["correct"], sum(cell[outcome] for outcome in Outcome), cell["unanswered"]) for cell in cells]
    return overall_percentage([Cell(correct, asked - lost, asked) for correct, asked, lost in counted])


def share_with(interval: Interval | None, share: float) -> dict[str, float | None]:
    """A share with an interval of its own; its ends are None where there is none."""
    return {"percent": in_percent(share), **_ends(interval)}


def points_with(interval: Interval | None, points: float) -> dict[str, float | None]:
    """A difference in percentage points with its interval, which is one of shares."""
    return {"points": round(points, _DECIMALS), **_ends(interval)}


def in_percent(share: float) -> float:
    return round(100 * share, _DECIMALS)


def _ends(interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {"low": None if low is None else in_percent(low), "high": None if high is None else in_percent(high)}
