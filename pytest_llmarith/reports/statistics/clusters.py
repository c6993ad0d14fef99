"""Shares of trials that come in clusters, such as repeats of one problem. It does not know what is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from math import comb, fsum, sqrt
from typing import NamedTuple

from pytest_llmarith.reports.statistics.intervals import Interval, score_interval, two_sided_z
from pytest_llmarith.reports.statistics.student import two_sided_t


class Cluster(NamedTuple):
    """How many trials of a cluster succeeded, and how many there are: one or more."""

    successes: int
    trials: int


class Share(NamedTuple):
    """A share, and where it lies."""

    value: float
    interval: Interval


def clustered_share(clusters: Collection[Cluster]) -> Share | None:
    """The mean share of the clusters with its 95 % interval; None where there are none.

    The standard error is that of the clusters' means (Miller 2024, arXiv 2411.00640, section 2.2). As it is useless
    near 0 and 100 %, it becomes a number of independent trials that would have the same one, and those get Wilson's
    interval: between one per cluster, where a cluster's trials all say the same, and all of them. Student's t makes it
    as wide as it has to be where clusters are few. Where they do not differ, it is Wilson's of one trial per cluster.
    """
    if not clusters:
        return None
    counts = Counter(clusters)
    mean = _mean(counts, {each: each.successes / each.trials for each in counts})
    spread = fsum((each.successes / each.trials - mean) ** 2 * count for each, count in counts.items())
    if not spread:
        return Share(mean, score_interval(mean, len(clusters), two_sided_z()))
    return Share(mean, score_interval(mean, _effective(counts, mean, spread), two_sided_t(len(clusters) - 1)))


def mean_difference(differences: Collection[float]) -> Interval | None:
    """The 95 % interval of the mean of differences between shares of the same clusters, by Student's t: clusters are
    what is independent, trials in them are not. None where nothing varies.
    """
    count = len(differences)
    mean = fsum(differences) / max(1, count)
    spread = fsum((each - mean) ** 2 for each in differences)
    if count < 2 or not spread:
        return None
    half = two_sided_t(count - 1) * sqrt(spread / (count * (count - 1)))
    return Interval(max(-1.0, mean - half), min(1.0, mean + half))


def pass_at(k: int, clusters: Collection[Cluster]) -> float | None:
    """How likely one of `k` trials of a cluster succeeds, over all clusters that have so many; None where none has.

    The unbiased estimate of Chen et al. 2021, arXiv 2107.03374: `1 - C(n - c, k) / C(n, k)`.
    """
    counts = Counter(each for each in clusters if each.trials >= k)
    if not counts:
        return None
    return _mean(counts, {each: 1 - comb(each.trials - each.successes, k) / comb(each.trials, k) for each in counts})


def _mean(counts: Counter[Cluster], values: Mapping[Cluster, float]) -> float:
    return fsum(values[each] * count for each, count in counts.items()) / counts.total()


def _effective(counts: Counter[Cluster], mean: float, spread: float) -> float:
    """How many independent trials would say as much of the mean."""
    clusters, trials = counts.total(), sum(each.trials * count for each, count in counts.items())
    error = spread / (clusters * (clusters - 1))
    return min(trials, max(clusters, mean * (1 - mean) / error))
