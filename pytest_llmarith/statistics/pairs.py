"""Differences between two shares of the same questions, their tests, and Holm's
correction.

A difference is the second minus the first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from math import ceil, exp, floor, fsum, inf, lgamma, log, log1p, sqrt
from statistics import NormalDist
from typing import NamedTuple

from pytest_llmarith.statistics.intervals import Interval, Z, score_interval
from pytest_llmarith.statistics.means import error_of_mean, of_mean
from pytest_llmarith.statistics.shares import Cluster

FEWEST_TESTED = 6  # questions: with five, p is at least 0.0625

SIGNIFICANT = 0.05  # a p value below it is more than chance

POWER = 0.8  # the probability with which a difference should be found

_STEPS = 2_000  # of a difference from 0 to 1

_NEGLIGIBLE = 1e-17  # a part of a sum that is too small to change it

_NORMAL = NormalDist()

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
    error: float | None = (
        None  # the standard error of the difference of pairs with repeats
    )


Table = tuple[
    Cluster, Cluster
]  # the trials of both sides: of one question, or of one stratum


def compare_pairs(questions: Collection[Table]) -> DifferenceOfShares:
    """Compare one or more questions, each with its trials (one, or several repeats) on
    both sides.

    If each question was asked once, the interval is Newcombe's for pairs, and the test
    McNemar's exact one. Otherwise both are of the mean difference, with questions as
    clusters.
    """
    changes = [second.share - first.share for first, second in questions]
    better, worse = (
        sum(change > 0 for change in changes),
        sum(change < 0 for change in changes),
    )
    one, other = (
        fsum(pair[side].share for pair in questions) / len(questions) for side in (0, 1)
    )
    if all(first.trials == second.trials == 1 for first, second in questions):
        both = sum(
            first.successes + second.successes == 2 for first, second in questions
        )
        pairs = Pairs(both, worse, better, len(questions) - both - worse - better)
        p = mcnemar(better, worse)
        return DifferenceOfShares(
            one, other, agreeing(newcombe(pairs), other - one, p), p, better, worse
        )
    error, degrees = _error_of_clusters(questions, changes), max(1, len(questions) - 1)
    if error == 0:
        return DifferenceOfShares(one, other, None, 1.0, better, worse, error)
    (low, high), p = of_mean(other - one, error, degrees)
    return DifferenceOfShares(
        one, other, Interval(max(-1.0, low), min(1.0, high)), p, better, worse, error
    )


def compare_means(pairs: Collection[tuple[float, float]]) -> DifferenceOfShares:
    """Compare the scores of problems on both sides by the paired t test.

    If all differences are equal, their spread cannot be estimated: there is no
    interval, and the test is the exact one of their signs, which is then also that of
    all their permutations.
    """
    changes = [second - first for first, second in pairs]
    count = len(changes)
    one, other = (fsum(pair[side] for pair in pairs) / count for side in (0, 1))
    better, worse = (
        sum(change > 0 for change in changes),
        sum(change < 0 for change in changes),
    )
    error = error_of_mean(changes)
    if error < _ROUNDING:
        p = mcnemar(better, worse)
        return DifferenceOfShares(one, other, None, p, better, worse)
    (low, high), p = of_mean(other - one, error, count - 1)
    return DifferenceOfShares(
        one, other, Interval(max(-1.0, low), min(1.0, high)), p, better, worse
    )


def detectable(questions: int, found: DifferenceOfShares, tests: int) -> float | None:
    """The smallest difference that the questions show with 80 % power as one of so many
    tests; None if none.
    """
    if found.error is None:
        return smallest_difference(questions, found.better + found.worse, tests)
    errors = _NORMAL.inv_cdf(1 - SIGNIFICANT / tests / 2) + _NORMAL.inv_cdf(POWER)
    difference = errors * found.error
    return difference if 0 < difference <= 1 else None


def _error_of_clusters(
    questions: Collection[Table], changes: Collection[float]
) -> float:
    """The standard error of the mean change (Miller 2024, arXiv 2411.00640, section
    4.2).

    It is at least that of equal sides, whose trials of a question differ by chance: if
    few questions change, the changes show too small an error.
    """
    count, mean = len(changes), fsum(changes) / len(changes)
    between = (
        fsum((change - mean) ** 2 for change in changes) * count / max(1, count - 1)
    )
    by_chance = []
    for first, second in questions:
        trials = first.trials + second.trials
        share = (first.successes + second.successes) / trials
        by_chance.append(
            share
            * (1 - share)
            * trials
            / (trials - 1)
            * (1 / first.trials + 1 / second.trials)
        )
    return sqrt(max(between, fsum(by_chance))) / count


def agreeing(interval: Interval, difference: float, p: float) -> Interval:
    """The interval of a difference with 0 in it exactly if the test finds no
    difference, as the test is exact.

    So 0 is judged by the test, and every other difference by the interval. An end is at
    least 0.1 points from 0 if the test finds a difference, so that no table shows it as
    0.0.
    """
    low, high = interval
    if p >= SIGNIFICANT:
        return Interval(min(low, 0.0), max(high, 0.0))
    if difference > 0:
        return Interval(max(low, min(_BESIDE_0, difference)), high)
    return Interval(low, min(high, max(-_BESIDE_0, difference)))


def mcnemar(better: int, worse: int) -> float:
    """The two-sided p of McNemar's exact test, a binomial test with probability 1/2."""
    return (
        1.0
        if better == worse
        else min(1.0, 2 * _at_most(min(better, worse), better + worse, 0.5))
    )


def mcnemar_power(
    pairs: int, discordant: float, difference: float, tests: int = 1
) -> float:
    """The probability that McNemar's exact test finds a difference between two shares
    of the same pairs.

    It is the first of so many `tests` that are corrected together: its p is below 0.05
    divided by their number.

    `discordant` is the share of pairs that only one side gets right; it is at least
    `difference`. The number of these pairs is binomial, and its distribution is
    evaluated at up to 49 of its values.
    """
    wins, level = (1 + difference / discordant) / 2, SIGNIFICANT / tests
    mean, spread = pairs * discordant, sqrt(pairs * discordant * (1 - discordant))
    first, last = max(0, ceil(mean - 4 * spread)), min(pairs, floor(mean + 4 * spread))
    counts = range(first, last + 1, max(1, (last - first) // 48))
    weights = [exp(_log_binomial(count, pairs, discordant)) for count in counts]
    found = []
    for count in counts:
        fewest = next(
            (
                few
                for few in range(_fewest(count), -1, -1)
                if mcnemar(count - few, few) < level
            ),
            -1,
        )
        found.append(_at_most(fewest, count, 1 - wins) + _at_most(fewest, count, wins))
    return fsum(
        weight * power for weight, power in zip(weights, found, strict=True)
    ) / fsum(weights)


def smallest_difference(pairs: int, discordant: int, tests: int = 1) -> float | None:
    """The smallest difference that these pairs show with 80 % power as one of so many
    tests; None if there is none.
    """
    steps = [step / _STEPS for step in range(1, _STEPS + 1)]
    place = bisect_left(
        steps,
        POWER,
        key=lambda step: mcnemar_power(
            pairs, max(discordant / pairs, step), step, tests
        ),
    )
    return steps[place] if place < _STEPS else None


def _fewest(count: int) -> int:
    """A little more than the fewest of `count` tosses that McNemar's test finds too
    few.
    """
    return max(0, floor(count / 2 - 0.9 * sqrt(count)))


def _at_most(successes: int, tries: int, share: float) -> float:
    """The binomial probability of at most this number of successes."""
    if successes < 0 or share <= 0:
        return float(successes >= 0)
    if share >= 1:
        return float(successes >= tries)
    if successes > tries * share:
        return 1.0 - _at_most(tries - successes - 1, tries, 1 - share)
    probability, total = exp(_log_binomial(successes, tries, share)), 0.0
    for count in range(successes, -1, -1):
        total += probability
        if probability <= total * _NEGLIGIBLE:
            break
        probability *= count * (1 - share) / ((tries - count + 1) * share)
    return min(1.0, total)


def _log_binomial(successes: int, tries: int, share: float) -> float:
    if share >= 1:
        return 0.0 if successes == tries else -inf
    return (
        log_ways(tries, successes)
        + successes * log(share)
        + (tries - successes) * log1p(-share)
    )


def newcombe(pairs: Pairs) -> Interval:
    """The interval of the difference between two shares of the same pairs, of which
    there is at least one.

    Newcombe 1998, Statistics in Medicine 17, 2635-2650, method 10: the Wilson intervals
    of both shares, combined with their correlation. It also works at 0 and 100 %.
    """
    total, first, second = (
        sum(pairs),
        pairs.both + pairs.first,
        pairs.both + pairs.second,
    )
    one, other = (
        score_interval(correct / total, total, Z) for correct in (first, second)
    )
    _, (low, high) = mover(first / total, one, second / total, other, _phi(pairs))
    return Interval(max(-1.0, low), min(1.0, high))


def mover(
    one: float, its: Interval, other: float, of_other: Interval, phi: float = 0.0
) -> tuple[float, Interval]:
    """The other minus the one, with the interval by Zou and Donner 2008, Statistics in
    Medicine 27, 1693-1702.
    """
    low = other - one - _joined(other - of_other.low, its.high - one, phi)
    return other - one, Interval(
        low, other - one + _joined(of_other.high - other, one - its.low, phi)
    )


def _joined(one: float, other: float, phi: float) -> float:
    return sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def _phi(pairs: Pairs) -> float:
    """The correlation of both sides, with a continuity correction; 0 if one of them is
    always or never correct.
    """
    both, first, second, neither = pairs
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if not margins:
        return 0.0
    together = both * neither - first * second
    corrected = max(together - sum(pairs) / 2, 0.0) if together > 0 else together
    return corrected / sqrt(margins)


def holm(p_values: Sequence[float]) -> list[float]:
    """The corrected p values of a family of tests, in their order.

    Holm 1979, Scandinavian Journal of Statistics 6, 65-70: at 0.05, at most 5 of 100
    families have a false positive.
    """
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(
        sorted(range(len(p_values)), key=p_values.__getitem__)
    ):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected


def log_ways(trials: int, chosen: int) -> float:
    return lgamma(trials + 1) - lgamma(chosen + 1) - lgamma(trials - chosen + 1)
