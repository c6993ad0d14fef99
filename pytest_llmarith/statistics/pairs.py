"""Differences between two shares of the same questions, their tests, and Holm's
correction.

A difference is the second minus the first.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import fsum, hypot, sqrt
from typing import NamedTuple

from pytest_llmarith.statistics.distributions import binomial_at_most
from pytest_llmarith.statistics.intervals import Interval, score_interval
from pytest_llmarith.statistics.means import error_of_mean, of_mean, squares_around
from pytest_llmarith.statistics.proportions import Cluster

FEWEST_TESTED = 6  # questions: with five, p is at least 0.0625

SIGNIFICANT = 0.05  # a p value below it is more than chance

_ROUNDING = 1e-12  # of sums of scores

_BESIDE_0 = 0.001  # the smallest difference in a table


class Pairs(NamedTuple):
    """How many pairs of trials are correct on both sides, only the first, only the
    second, and neither.
    """

    both: int
    first: int
    second: int
    neither: int


class DifferenceOfShares(NamedTuple):
    """The mean shares of two sides, and the interval and test of their difference."""

    first: float
    second: float
    interval: Interval | None  # None if nothing varies
    p: float
    better: int = 0  # of pairs: questions that the second got right more often
    worse: int = 0
    error: float | None = None  # standard, of the difference of pairs with repeats


# the trials of both sides: of one question, or of one stratum
Sides = tuple[Cluster, Cluster]


def compare_pairs(questions: Collection[Sides]) -> DifferenceOfShares:
    """The difference of the mean shares of one or more questions, each with its trials
    (one, or several repeats) on both sides.

    Shares and interval are from -1 to 1. If each question was asked once, the interval
    is Newcombe's for pairs (1998), and the test McNemar's exact one. Otherwise both are
    by Student's t of the mean difference, with questions as clusters (Miller 2024,
    arXiv 2411.00640).
    """
    count = len(questions)
    shares = [(first.share, second.share) for first, second in questions]
    first, second, changes = _means_and_changes(shares)
    better, worse = _signs(changes)
    if all(one.trials == other.trials == 1 for one, other in questions):
        first_right = sum(one.successes for one, _ in questions)
        both = first_right - worse
        pairs = Pairs(both, worse, better, count - both - worse - better)
        p = mcnemar(better, worse)
        interval = agreeing(newcombe(pairs), second - first, p)
        return DifferenceOfShares(first, second, interval, p, better, worse)
    error = _error_of_clusters(questions, changes)
    if error == 0:
        return DifferenceOfShares(first, second, None, 1.0, better, worse, error)
    interval, p = _of_mean_change(second - first, error, max(1, count - 1))
    return DifferenceOfShares(first, second, interval, p, better, worse, error)


def compare_means(pairs: Collection[tuple[float, float]]) -> DifferenceOfShares:
    """The difference of the mean scores of problems, each with its score from 0 to 1 on
    both sides, by the paired t test (Student 1908).

    If all differences are equal, their spread cannot be estimated: there is no
    interval, and the test is the exact one of their signs, which is then also that of
    all their permutations.
    """
    first, second, changes = _means_and_changes(pairs)
    better, worse = _signs(changes)
    error = error_of_mean(changes)
    if error < _ROUNDING:
        p = mcnemar(better, worse)
        return DifferenceOfShares(first, second, None, p, better, worse)
    interval, p = _of_mean_change(second - first, error, len(changes) - 1)
    return DifferenceOfShares(first, second, interval, p, better, worse)


def _means_and_changes(
    shares: Collection[tuple[float, float]],
) -> tuple[float, float, list[float]]:
    """The mean of each side, and the difference of each pair."""
    firsts, seconds, changes = [], [], []
    for first, second in shares:
        firsts.append(first)
        seconds.append(second)
        changes.append(second - first)
    return fsum(firsts) / len(shares), fsum(seconds) / len(shares), changes


def _signs(changes: Collection[float]) -> tuple[int, int]:
    """How many changes are above 0, and below."""
    better = worse = 0
    for change in changes:
        if change > 0:
            better += 1
        elif change < 0:
            worse += 1
    return better, worse


def _of_mean_change(
    change: float, error: float, degrees: int
) -> tuple[Interval, float]:
    """The interval and the p of a mean difference of two shares, by Student's t."""
    (low, high), p = of_mean(change, error, degrees)
    return Interval(max(-1.0, low), min(1.0, high)), p


def _error_of_clusters(
    questions: Collection[Sides], changes: Collection[float]
) -> float:
    """The standard error of the mean change (Miller 2024, arXiv 2411.00640, section
    4.2).

    It is at least that of equal sides, whose trials of a question differ by chance: if
    few questions change, the changes show too small an error.
    """
    count = len(changes)
    squares = squares_around(fsum(changes) / count, changes)
    between = squares * count / max(1, count - 1)
    by_chance = []
    for first, second in questions:
        trials = first.trials + second.trials
        share = (first.successes + second.successes) / trials
        variance = share * (1 - share) * trials / (trials - 1)
        by_chance.append(variance * (1 / first.trials + 1 / second.trials))
    return sqrt(max(between, fsum(by_chance))) / count


def agreeing(interval: Interval, difference: float, p: float) -> Interval:
    """The interval of a difference, from -1 to 1, with 0 in it exactly if the exact
    test finds no difference.

    So 0 is judged by the test, and every other difference by the interval. An end is at
    least 0.1 points from 0 if the test finds a difference, so that no table shows it as
    0.0. This is a rule of this project (docs/statistics.md).
    """
    low, high = interval
    if p >= SIGNIFICANT:
        return Interval(min(low, 0.0), max(high, 0.0))
    if difference > 0:
        return Interval(max(low, min(_BESIDE_0, difference)), high)
    return Interval(low, min(high, max(-_BESIDE_0, difference)))


def mcnemar(better: int, worse: int) -> float:
    """The two-sided p of McNemar's exact test of how many pairs got better and worse.

    A binomial test with probability 1/2 (McNemar 1947, Psychometrika 12, 153-157).
    """
    if better == worse:
        return 1.0
    tail = binomial_at_most(min(better, worse), better + worse, 0.5)
    return min(1.0, 2 * tail)


def newcombe(pairs: Pairs) -> Interval:
    """The interval of the difference between two shares of the same pairs, from -1 to
    1; there is at least one pair.

    Newcombe 1998, Statistics in Medicine 17, 2635-2650, method 10: the Wilson intervals
    of both shares, combined with their correlation. It also works at 0 and 100 %.
    """
    total = sum(pairs)
    first = (pairs.both + pairs.first) / total
    second = (pairs.both + pairs.second) / total
    of_first = score_interval(first, total)
    of_second = score_interval(second, total)
    _, (low, high) = mover(first, of_first, second, of_second, _phi(pairs))
    return Interval(max(-1.0, low), min(1.0, high))


def mover(
    one: float, its: Interval, other: float, of_other: Interval, phi: float = 0.0
) -> tuple[float, Interval]:
    """The other figure minus the one, with its interval, in their unit. An end may be
    infinite.

    `phi` is the correlation of the figures. Zou and Donner 2008, Statistics in Medicine
    27, 1693-1702.
    """
    difference = other - one
    below = _joined(other - of_other.low, its.high - one, phi)
    above = _joined(of_other.high - other, one - its.low, phi)
    return difference, Interval(difference - below, difference + above)


def _joined(one: float, other: float, phi: float) -> float:
    if not phi:
        return hypot(one, other)
    return sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def _phi(pairs: Pairs) -> float:
    """The correlation of both sides, with a continuity correction; 0 if one of them is
    always or never correct.
    """
    both, first, second, neither = pairs
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if not margins:
        return 0.0
    together: float = both * neither - first * second
    if together > 0:
        together = max(together - sum(pairs) / 2, 0.0)
    return together / sqrt(margins)


def holm(p_values: Sequence[float]) -> list[float]:
    """The corrected p values of a family of tests, in their order.

    Holm 1979, Scandinavian Journal of Statistics 6, 65-70: at 0.05, at most 5 of 100
    families have a false positive.
    """
    count = len(p_values)
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(count), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (count - rank) * p_values[place]))
        corrected[place] = largest
    return corrected
