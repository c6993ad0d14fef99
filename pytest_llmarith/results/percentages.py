"""Percentages and differences of a summary, made of statistics."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pytest_llmarith.statistics.intervals import Interval, in_percent, wilson
from pytest_llmarith.statistics.pairs import DifferenceOfShares
from pytest_llmarith.statistics.shares import Cell, Cluster, clustered, overall, percent
from pytest_llmarith.summaries import Cells, Difference, Percentage

_DECIMALS = 4  # of a percentage in a summary


def percentage(part: int, whole: int) -> Percentage | None:
    """A proportion with Wilson's interval; None if nothing was measured."""
    interval = wilson(part, whole)
    if interval is None:
        return None
    exact = float(percent(part, whole, _DECIMALS))
    return Percentage(exact, in_percent(interval.low), in_percent(interval.high))


def overall_percentage(cells: Collection[Cell]) -> Percentage | None:
    """The percentage of all cells with its interval.

    If a cell has no answer, it has bounds and no percentage.
    """
    found = overall(cells)
    if found is None:
        return None
    exact = None
    if found.share is not None:
        exact = float(round(100 * found.share, _DECIMALS))
    low, high = found.interval
    return Percentage(exact, in_percent(low), in_percent(high))


def correct_percentage(cells: Iterable[Cells]) -> Percentage | None:
    """The percentage of correct trials over cells of a summary; of repeats clustered by
    problem.
    """
    counted = []
    clusters = []
    for cell in cells:
        answered = cell.answered
        counted.append(Cell(cell.correct, answered, answered + cell.unanswered))
        clusters += clusters_of(cell)
    return in_clusters(overall_percentage(counted), clusters)


def in_clusters(
    found: Percentage | None, clusters: Collection[Cluster]
) -> Percentage | None:
    """The percentage of clusters in place of that of all trials, unless there are no
    clusters, or the latter are bounds.
    """
    if not clusters or found is None or found.percent is None:
        return found
    return clustered_percentage(clusters)


def clusters_of(cell: Cells) -> list[Cluster]:
    """The repeats of each problem; none if every problem was asked once."""
    clusters = []
    for alike in cell.clusters:
        cluster = Cluster(alike["correct"], alike["trials"])
        clusters += [cluster] * alike["problems"]
    return clusters


def clustered_percentage(clusters: Collection[Cluster]) -> Percentage | None:
    """The mean percentage of clusters; None if there are none."""
    found = clustered(clusters)
    if found is None:
        return None
    mean, interval = found
    return share_with(interval, mean)


def share_with(interval: Interval | None, share: float) -> Percentage:
    """A share with a given interval, which may be unknown."""
    return Percentage(in_percent(share), *_ends(interval))


def difference_of(found: DifferenceOfShares) -> Difference:
    """The second minus the first, in percentage points."""
    points = in_percent(found.second - found.first)
    return Difference(points, *_ends(found.interval))


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    """The ends of an interval in percent; None if there is none."""
    if interval is None:
        return None, None
    return in_percent(interval.low), in_percent(interval.high)
