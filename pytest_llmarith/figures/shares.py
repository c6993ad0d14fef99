"""Percentages and ratios with their intervals, as figures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from math import fsum, sqrt
from typing import Any

from pytest_llmarith.figures.estimates import Figure, Leaf, Measure, Trial
from pytest_llmarith.statistics.distributions import Z
from pytest_llmarith.statistics.intervals import Interval, in_percent, wilson
from pytest_llmarith.statistics.means import error_of_mean, of_mean, ratio_of_sums
from pytest_llmarith.statistics.proportions import (
    Cell,
    Cluster,
    clustered,
    overall,
    percent,
)

DECIMALS = 4
NOISE = (
    "how far apart two runs of these questions are in one of twenty, if nothing "
    "differs but that the model is asked again"
)


def percentage(part: int, whole: int, by: str = "", at: str = "") -> Figure | None:
    """A proportion with Wilson's interval; None if nothing was measured."""
    interval = wilson(part, whole)
    if interval is None:
        return None
    exact = float(percent(part, whole, DECIMALS))
    low, high = in_percent(interval.low), in_percent(interval.high)
    return Figure(exact, low, high, whole, by, at, "wilson")


def percentages(counts: Iterable[Figure]) -> Iterator[Figure]:
    """Counts of n as percentages; none of nothing."""
    for one in counts:
        found = percentage(int(one.value or 0), one.n or 0, one.by, one.at)
        if found is not None:
            yield found


def percentage_of_cells(
    cells: Collection[Cell], clusters: Collection[Cluster]
) -> Figure | None:
    """The percentage of all cells; of repeats that of the clusters.

    If a cell has no answer, it has bounds and no value.
    """
    found = overall(cells)
    if found is None:
        return None
    measured = sum(cell.answered for cell in cells)
    low, high = in_percent(found.interval.low), in_percent(found.interval.high)
    if found.share is None:
        return Figure(None, low, high, measured, method="bounds")
    if clusters:
        return percentage_of_clusters(clusters)
    exact = float(round(100 * found.share, DECIMALS))
    method = "stratified" if len(cells) > 1 else "wilson"
    return Figure(exact, low, high, measured, method=method)


def percentage_of_clusters(clusters: Collection[Cluster]) -> Figure | None:
    """The mean percentage of clusters; None if there are none."""
    found = clustered(clusters)
    if found is None:
        return None
    mean, interval = found
    trials = sum(cluster.trials for cluster in clusters)
    return share_with(interval, mean, trials, method="clustered")


def share_with(
    interval: Interval | None, share: float, n: int, *, method: str
) -> Figure:
    """A share with a given interval, which may be unknown."""
    low = high = None
    if interval is not None:
        low, high = in_percent(interval.low), in_percent(interval.high)
    return Figure(in_percent(share), low, high, n, method=method)


def ratio(pairs: Sequence[tuple[float, float]]) -> Figure:
    """The sum of the first of all pairs by that of the second."""
    value, interval = ratio_of_sums(pairs)
    low, high = interval or (None, None)
    return Figure(value, low, high, len(pairs), method="t" if interval else "")


def noise_of(alike: Figure, questions: int) -> Figure:
    """The noise of asking again, by the percentage of questions that are right both
    times or wrong both times. Its ends are those of the percentage.
    """

    def points(percent: Any) -> float | None:
        if percent is None:
            return None
        changed = 1 - float(percent) / 100
        return in_percent(Z * sqrt(changed / questions))

    low, high = points(alike.high), points(alike.low)
    return Figure(points(alike.value), low, high, questions, method=alike.method)


class _OfDetails:
    """What a function says of the details of each problem's trials."""

    def __init__(self, value_of: Callable[[Any], float | None]) -> None:
        self._value_of = value_of
        self.problems: dict[int, list[float]] = {}

    def add(self, trial: Trial) -> None:
        found = None if trial.details is None else self._value_of(trial.details)
        if found is not None:
            self.problems.setdefault(trial.problem, []).append(found)


def _by_problem(leaves: Sequence[Leaf]) -> list[list[float]]:
    return [values for leaf in leaves for values in leaf.counted.problems.values()]


def share(
    key: str, title: str, meaning: str, is_one: Callable[[Any], bool | None]
) -> Measure:
    """A measure of a task: the percentage of trials that are one by the details of
    their grade; None leaves a trial out. Repeats are clustered by problem.
    """

    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        clusters = [
            Cluster(sum(map(bool, values)), len(values))
            for values in _by_problem(leaves)
        ]
        some = sum(one.successes for one in clusters)
        trials = sum(one.trials for one in clusters)
        found = percentage(some, trials)
        if trials > len(clusters):
            found = percentage_of_clusters(clusters)
        if found is not None:
            yield found

    return Measure(key, title, "%", meaning, lambda: _OfDetails(is_one), figures)


def mean(
    key: str,
    title: str,
    meaning: str,
    value_of: Callable[[Any], float | None],
    unit: str = "",
) -> Measure:
    """A measure of a task: the mean of a number in the details of grades; None leaves a
    trial out. That of a problem is the mean of its repeats, and the interval Student's
    t over problems, none if all are equal.
    """

    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        # In order, so that a sum does not depend on that of the records.
        values = sorted(fsum(each) / len(each) for each in _by_problem(leaves))
        if not values:
            return
        found, error = fsum(values) / len(values), error_of_mean(values)
        if error:
            (low, high), _ = of_mean(found, error, len(values) - 1)
            if values[0] >= 0:
                low = max(0.0, low)
            yield Figure(found, low, high, len(values), method="t")
        else:
            yield Figure(found, n=len(values))

    return Measure(key, title, unit, meaning, lambda: _OfDetails(value_of), figures)
