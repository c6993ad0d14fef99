"""Shares of trials with their counts and intervals, and curves of them by depth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_llmarith.report.formatting import interval, percent_of
from pytest_llmarith.results.percentages import correct_percentage, percentage
from pytest_llmarith.summaries import Cell, Cells, Percentage


class Share(Percentage):
    """A percentage with its interval and its counts, `part` of a `whole` that is not 0.

    Over cells `percent` gives each cell the weight of its questions, so it may differ
    from `part` of `whole`.
    """

    percent: float
    low: float
    high: float
    part: int
    whole: int

    @property
    def rounded(self) -> str:
        """Such as `61`; only all of it is 100, and only nothing is 0."""
        if self.percent == 0:
            return "0"
        if self.percent == 100:
            return "100"
        near = round(self.percent)
        if near == 100:
            return ">99"
        return str(near) if near else "<1"

    @property
    def description(self) -> str:
        """Such as `49 of 80, 61.3 % (57.6-64.8)`, for the titles of a plot."""
        counts = f"{self.part:,} of {self.whole:,}"
        return f"{counts}, {percent_of(self)} % ({interval(self)})"


Curve = Mapping[int, Share]  # by depth, carries or place in a sequence


def share(part: int, whole: int) -> Share | None:
    """A share with Wilson's interval; None if nothing was measured."""
    return share_of(part, whole, percentage(part, whole))


def share_of(part: int, whole: int, found: Percentage | None) -> Share | None:
    """A share with a known percentage; None if that has no figure or no interval."""
    if found is None or found.percent is None:
        return None
    if found.low is None or found.high is None:
        return None
    return Share(found.percent, found.low, found.high, part, whole)


def correct_share(of: Cells) -> Share | None:
    """The correct trials of a cell or a variant."""
    return share_of(of.correct, of.measured, of.correct_percentage)


def pooled(cells: Iterable[Cells]) -> Share | None:
    """The correct trials of several cells together; None if one of them has no
    reply.
    """
    some = list(cells)
    correct = sum(cell.correct for cell in some)
    measured = sum(cell.measured for cell in some)
    return share_of(correct, measured, correct_percentage(some))


def curve_of(cells: Iterable[Cell]) -> Curve:
    """The correct trials by depth, of all cells of a depth together."""
    of_depth: dict[int, list[Cell]] = {}
    for cell in cells:
        of_depth.setdefault(cell.depth, []).append(cell)
    return known({depth: pooled(of_depth[depth]) for depth in sorted(of_depth)})


def known(shares: Mapping[int, Share | None]) -> Curve:
    """The shares that are known."""
    return {place: found for place, found in shares.items() if found}
