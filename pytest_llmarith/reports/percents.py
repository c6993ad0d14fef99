"""Shares and differences in percent, each with its interval, as a summary and a comparison hold them.

Four decimals, for readers; whoever has to be exact takes the counts. It does not know what they are of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pytest_llmarith.records import Outcomes, Percentage
from pytest_llmarith.results.statistics import Cell, Interval, overall, percent, wilson

_DECIMALS = 4


def percentage(part: int, whole: int) -> Percentage | None:
    """A proportion with Wilson's interval; None where nothing was measured."""
    if (interval := wilson(part, whole)) is None:
        return None
    exact = float(percent(part, whole, _DECIMALS))
    return Percentage(exact, in_percent(interval.low), in_percent(interval.high))


def overall_percentage(cells: Collection[Cell]) -> Percentage | None:
    """The percentage of all cells with its interval; no percentage but bounds where a cell has no answer."""
    if (found := overall(cells)) is None:
        return None
    exact = None if found.share is None else float(round(100 * found.share, _DECIMALS))
    return Percentage(exact, *_ends(found.interval))


def correct_percentage(cells: Iterable[Outcomes]) -> Percentage | None:
    """The percentage of correct trials over cells of a summary."""
    return overall_percentage([Cell(cell.correct, cell.answered, cell.answered + cell.unanswered) for cell in cells])


def share_with(interval: Interval | None, share: float) -> Percentage:
    """A share with an interval of its own; its ends are None where there is none."""
    return Percentage(in_percent(share), *_ends(interval))


def in_percent(share: float) -> float:
    return round(100 * share, _DECIMALS)


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (in_percent(interval.low), in_percent(interval.high))
