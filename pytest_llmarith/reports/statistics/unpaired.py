"""Two shares of trials that come in clusters, where no cluster is common to both. It does not know what is compared.

Trials of a cluster, such as repeats of one problem, are alike: taken for independent, they make anything significant.
How alike they are (the intraclass correlation) is learned from both sides together, as a side of few clusters, or of
such as are all right, knows little of it by itself. Each side then is worth so many independent trials as would have
the same standard error, and these get what independent trials get: Newcombe's interval, with Student's t in place of
1.96, and Fisher's exact test. Where nothing is known of how clusters differ, each is worth one trial.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import fsum
from typing import NamedTuple

from pytest_llmarith.reports.statistics.clusters import Cluster
from pytest_llmarith.reports.statistics.intervals import Interval, score_interval
from pytest_llmarith.reports.statistics.paired import fisher, squared_and_added
from pytest_llmarith.reports.statistics.student import two_sided_t

Clusters = Collection[Cluster]


class Difference(NamedTuple):
    """Where the difference of the second share from the first lies, and the p of a test that there is none."""

    interval: Interval
    p: float


class _Worth(NamedTuple):
    """A share, and how many independent trials say as much of it."""

    share: float
    trials: float


def clustered_difference(first: Clusters, second: Clusters) -> Difference | None:
    """With its 95 % interval and two-sided p; None where one of them is of nothing."""
    if not first or not second:
        return None
    alike = _alike([first, second])
    one, other = _worth(first, alike), _worth(second, alike)
    t = two_sided_t(max(1, len(first) + len(second) - 2))
    intervals = [score_interval(*each, t) for each in (one, other)]
    return Difference(
        squared_and_added((one.share, intervals[0]), (other.share, intervals[1])), fisher(*_whole(one), *_whole(other))
    )


def _worth(clusters: Clusters, alike: float) -> _Worth:
    """By Kish's design effect (Survey Sampling, 1965): n trials of a cluster are worth `n / (1 + (n - 1) alike)`."""
    trials = sum(each.trials for each in clusters)
    inflated = fsum(each.trials * (1 + (each.trials - 1) * alike) for each in clusters)
    return _Worth(sum(each.successes for each in clusters) / trials, trials * trials / inflated)


def _whole(worth: _Worth) -> tuple[int, int]:
    """The nearest table of whole trials."""
    trials = round(worth.trials)
    return round(worth.share * trials), trials


def _alike(sides: Sequence[Clusters]) -> float:
    """How alike trials of a cluster are, from 0 to 1: the part of all variance that lies between clusters, by the
    analysis of variance. 1 where nothing varies, or where each side is one cluster.
    """
    clusters = [each for side in sides for each in side]
    between = fsum(map(_spread, sides)) / max(1, len(clusters) - len(sides))
    degrees = sum(each.trials - 1 for each in clusters)
    within = fsum(each.successes * (each.trials - each.successes) / each.trials for each in clusters) / max(1, degrees)
    overlap = fsum(1 / each.trials for each in clusters) / len(clusters)  # of `within`, what means of clusters keep
    total = between + within * (1 - overlap)
    known = total > 0 and len(clusters) > len(sides)
    return max(0.0, min(1.0, 1 - within / total)) if known else 1.0


def _spread(clusters: Clusters) -> float:
    """The squared distances of the clusters' shares from their mean."""
    shares = [each.successes / each.trials for each in clusters]
    mean = fsum(shares) / len(shares)
    return fsum((share - mean) ** 2 for share in shares)
