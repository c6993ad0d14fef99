"""The difference between two groups of trials that asked other questions, over strata of questions that are alike.

Two runs may hold unequal shares of hard questions, so only trials of one stratum (a variant at a depth) are compared
with each other. The strata are then joined:

- the difference is that of Mantel and Haenszel: the mean of the strata's differences, each weighted by
  `n1 n2 / (n1 + n2)`;
- its 95 % interval has the variance of Sato (Greenland and Robins 1985, Biometrics 41, 55-68; Sato 1989, Biometrics 45,
  1323-1324), which holds for a few large strata as well as for many small ones;
- its test is that of Cochran (1954, Biometrics 10, 417-451) and Mantel and Haenszel (1959, Journal of the National
  Cancer Institute 22, 719-748), two-sided, without a continuity correction: with one, equal models would differ in 2
  to 4 of 100 comparisons instead of 5, and test and interval would disagree more often.

Both take Student's t, with two degrees of freedom less than there are questions, in place of the normal distribution.

Trials of a cluster, such as repeats of one problem, are alike. How alike they are (the intraclass correlation) is
estimated from all strata and both groups together, and the trials of a group count as the number of independent ones
that would tell as much. If it cannot be estimated, a cluster counts as one trial.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from pytest_llmarith.reports.statistics.clusters import Cluster
from pytest_llmarith.reports.statistics.intervals import Interval
from pytest_llmarith.reports.statistics.student import two_sided_p, two_sided_t

Clusters = Collection[Cluster]
Stratum = tuple[Clusters, Clusters]

_NO_VARIANCE = 1e-12  # floats that are rounded may miss 0


class Difference(NamedTuple):
    """Both groups' shares, averaged over strata with the same weights, and what is known of their difference."""

    first: float
    second: float
    interval: Interval | None
    """Of `second - first`; None if nothing varies within the strata."""
    p: float


class _Group(NamedTuple):
    """Successes and trials, as independent trials that tell as much."""

    successes: float
    trials: float

    @property
    def share(self) -> float:
        return self.successes / self.trials

    @property
    def failures(self) -> float:
        return self.trials - self.successes


_Table = tuple[_Group, _Group]


def stratified_difference(strata: Collection[Stratum]) -> Difference:
    """The difference over one stratum or more, in each of which both groups have a cluster or more."""
    clusters = [each for stratum in strata for group in stratum for each in group]
    alike = _alike([group for stratum in strata for group in stratum])
    tables = [(_worth(first, alike), _worth(second, alike)) for first, second in strata]
    weights = [first.trials * second.trials / (first.trials + second.trials) for first, second in tables]
    one, other = (
        fsum(weight * table[side].share for weight, table in zip(weights, tables, strict=True)) / fsum(weights)
        for side in (0, 1)
    )
    degrees = max(1, len(clusters) - 2)
    interval = _interval(other - one, tables, fsum(weights), two_sided_t(degrees))
    return Difference(one, other, interval, two_sided_p(_errors(tables), degrees))


def _interval(difference: float, tables: Collection[_Table], weight: float, errors: float) -> Interval | None:
    """So many of Sato's standard errors on either side."""
    skewed = fsum(
        (
            second.trials**2 * first.successes
            - first.trials**2 * second.successes
            + first.trials * second.trials * (first.trials - second.trials) / 2
        )
        / (first.trials + second.trials) ** 2
        for first, second in tables
    )
    mixed = fsum(
        (second.successes * first.failures + first.successes * second.failures) / (2 * (first.trials + second.trials))
        for first, second in tables
    )
    variance = (difference * skewed + mixed) / weight**2
    if variance <= _NO_VARIANCE:
        return None
    half = errors * sqrt(variance)
    return Interval(max(-1.0, difference - half), min(1.0, difference + half))


def _errors(tables: Collection[_Table]) -> float:
    """How many standard errors the second group's successes are from those expected if the groups are equal."""
    excess, variance = [], []
    for first, second in tables:
        trials, successes = first.trials + second.trials, first.successes + second.successes
        excess.append(second.successes - second.trials * successes / trials)
        variance.append(first.trials * second.trials * successes * (trials - successes) / (trials**2 * (trials - 1)))
    return abs(fsum(excess)) / sqrt(fsum(variance)) if fsum(variance) > _NO_VARIANCE else 0.0


def _worth(clusters: Clusters, alike: float) -> _Group:
    """By Kish's design effect (Survey Sampling, 1965): n trials of a cluster are worth `n / (1 + (n - 1) alike)`."""
    trials = sum(each.trials for each in clusters)
    inflated = fsum(each.trials * (1 + (each.trials - 1) * alike) for each in clusters)
    independent = trials * trials / inflated
    return _Group(sum(each.successes for each in clusters) * independent / trials, independent)


def _alike(groups: Sequence[Clusters]) -> float:
    """How alike trials of a cluster are, from 0 to 1: the part of all variance that lies between clusters, by the
    analysis of variance. 1 where nothing varies, or where each group is one cluster.
    """
    clusters = [each for group in groups for each in group]
    between = fsum(map(_spread, groups)) / max(1, len(clusters) - len(groups))
    degrees = sum(each.trials - 1 for each in clusters)
    within = fsum(each.successes * (each.trials - each.successes) / each.trials for each in clusters) / max(1, degrees)
    overlap = fsum(1 / each.trials for each in clusters) / len(clusters)  # of `within`, what means of clusters keep
    total = between + within * (1 - overlap)
    known = total > 0 and len(clusters) > len(groups)
    return max(0.0, min(1.0, 1 - within / total)) if known else 1.0


def _spread(clusters: Clusters) -> float:
    """The squared distances of the clusters' shares from their mean."""
    shares = [each.successes / each.trials for each in clusters]
    mean = fsum(shares) / len(shares)
    return fsum((share - mean) ** 2 for share in shares)
