"""Differences between two groups of different questions, within strata."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import acos, copysign, cos, erfc, exp, fsum, pi, sqrt

from pytest_llmarith.statistics.intervals import Interval, Z
from pytest_llmarith.statistics.pairs import (
    DifferenceOfShares,
    Table,
    agreeing,
    log_ways,
)
from pytest_llmarith.statistics.shares import Cluster

_NEGLIGIBLE = 1e-17  # a part of a sum that is too small to change it

_CONTINUITY = 0.5  # trials

_HALVINGS = 24

_WIDE = 400.0  # variance of a distribution that is close to normal


def compare_strata(strata: Collection[Table]) -> DifferenceOfShares:
    """Compare two groups with different questions within strata of similar questions.

    Trials are independent.

    The difference is that of Mantel and Haenszel (1959, Journal of the National Cancer
    Institute 22, 719-748), the mean over strata with weights `n1 n2 / (n1 + n2)`. The
    test is the exact one of equal sides, given how many trials of each stratum are
    correct (Gart 1970, Biometrika 57, 471-475). For strata of one trial on each side it
    is McNemar's. The interval has the differences that the score test with a correction
    for continuity does not reject (Miettinen and Nurminen 1985, Statistics in Medicine
    4, 213-226); for 0 this is the normal approximation of the exact test.
    """
    weights = fsum(map(_weight, strata))
    one, other = (
        fsum(_weight(table) * table[side].share for table in strata) / weights
        for side in (0, 1)
    )
    p = _exact(strata)
    interval = Interval(_end(strata, other - one, -1.0), _end(strata, other - one, 1.0))
    return DifferenceOfShares(one, other, agreeing(interval, other - one, p), p)


def _weight(table: Table) -> float:
    first, second = table
    return first.trials * second.trials / (first.trials + second.trials)


def _end(strata: Collection[Table], found: float, outside: float) -> float:
    """The end of the interval between the difference that was found and one outside of
    the interval.
    """
    weights, inside = fsum(map(_weight, strata)), found
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        away = weights * abs(middle - found) - _CONTINUITY
        if away <= Z * sqrt(_variance(strata, middle)):
            inside = middle
        else:
            outside = middle
    return inside


def _variance(strata: Collection[Table], difference: float) -> float:
    """The variance of the sum over strata of weights times differences, if every
    difference is this one.

    If it is 0, this is the variance of the correct trials in the exact test.
    """
    parts = []
    for first, second in strata:
        trials, weight = first.trials + second.trials, _weight((first, second))
        one = _likeliest(first, second, difference)
        other = one + difference
        of_both = one * (1 - one) / first.trials + other * (1 - other) / second.trials
        parts.append(weight * weight * max(0.0, of_both) * trials / (trials - 1))
    return fsum(parts)


def _likeliest(first: Cluster, second: Cluster, difference: float) -> float:
    """The likeliest share of the first if that of the second is so much larger: the
    root of a cubic equation.

    Miettinen and Nurminen 1985, appendix 1.
    """
    trials, right = first.trials + second.trials, first.successes + second.successes
    squares = ((second.trials + 2 * first.trials) * difference - trials - right) / (
        3 * trials
    )
    linear = (
        (first.trials * difference - trials - 2 * first.successes) * difference + right
    ) / (3 * trials)
    constant = first.successes * difference * (1 - difference) / (2 * trials)
    q = squares**3 - 1.5 * squares * linear + constant
    size = copysign(sqrt(max(0.0, squares * squares - linear)), q)
    angle = 0.0 if size == 0 else acos(max(-1.0, min(1.0, q / size**3)))
    share = 2 * size * cos((pi + angle) / 3) - squares
    return min(max(share, 0.0, -difference), 1.0, 1.0 - difference)


def _exact(strata: Collection[Table]) -> float:
    """The two-sided p of the correct trials of the second side, twice that of the
    smaller tail.

    Their distribution is the sum of the hypergeometric ones of the strata; if it is
    wide, it is close to normal.
    """
    correct = sum(second.successes for _, second in strata)
    mean, variance = 0.0, 0.0
    for first, second in strata:
        trials, right = first.trials + second.trials, first.successes + second.successes
        mean += second.trials * right / trials
        variance += (
            first.trials
            * second.trials
            * right
            * (trials - right)
            / (trials**2 * (trials - 1))
        )
    if variance > _WIDE:
        return erfc(max(0.0, abs(correct - mean) - 0.5) / sqrt(2 * variance))
    least, chances = 0, [1.0]
    for first, second in strata:
        fewest, of_stratum = _hypergeometric(first, second)
        least, chances = least + fewest, _sum_of(chances, of_stratum)
        while chances[-1] < _NEGLIGIBLE:
            chances.pop()
        unlikely = next(
            number for number, chance in enumerate(chances) if chance >= _NEGLIGIBLE
        )
        least, chances = least + unlikely, chances[unlikely:]
    place = correct - least
    at_most, at_least = (
        fsum(chances[: max(0, place + 1)]),
        fsum(chances[max(0, place) :]),
    )
    return min(1.0, 2 * min(at_most, at_least))


def _hypergeometric(first: Cluster, second: Cluster) -> tuple[int, list[float]]:
    """The fewest correct trials of the second side, and the probabilities of these and
    more.
    """
    right = first.successes + second.successes
    fewest, most = max(0, right - first.trials), min(second.trials, right)
    all_ways = log_ways(first.trials + second.trials, right)
    chances = []
    for correct in range(fewest, most + 1):
        ways = log_ways(second.trials, correct) + log_ways(
            first.trials, right - correct
        )
        chances.append(exp(ways - all_ways))
    return fewest, chances


def _sum_of(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """The probabilities of the sums of two independent numbers."""
    found = [0.0] * (len(first) + len(second) - 1)
    for number, one in enumerate(first):
        for more, other in enumerate(second, number):
            found[more] += one * other
    return found
