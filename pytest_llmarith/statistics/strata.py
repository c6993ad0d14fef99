"""Differences between two groups of different questions, within strata."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import acos, copysign, cos, erfc, fsum, pi, sqrt

from pytest_llmarith.statistics.distributions import NEGLIGIBLE, Z, hypergeometric
from pytest_llmarith.statistics.intervals import Interval
from pytest_llmarith.statistics.pairs import DifferenceOfShares, Sides, agreeing
from pytest_llmarith.statistics.proportions import Cluster

_CONTINUITY = 0.5  # trials

_HALVINGS = 24

_WIDE = 400.0  # variance of a distribution that is close to normal


def compare_strata(strata: Collection[Sides]) -> DifferenceOfShares:
    """The difference of the shares of two groups with different questions, within
    strata of similar questions.

    Shares and interval are from -1 to 1. Trials are independent.

    The difference is that of Mantel and Haenszel (1959, Journal of the National Cancer
    Institute 22, 719-748), the mean over strata with weights `n1 n2 / (n1 + n2)`. The
    test is the exact one of equal sides, given how many trials of each stratum are
    correct (Gart 1970, Biometrika 57, 471-475). For strata of one trial on each side it
    is McNemar's. The interval has the differences that the score test with a correction
    for continuity does not reject (Miettinen and Nurminen 1985, Statistics in Medicine
    4, 213-226); for 0 this is the normal approximation of the exact test.
    """
    weights, firsts, seconds = [], [], []
    for first, second in strata:
        weight = _weight(first, second)
        weights.append(weight)
        firsts.append(weight * first.share)
        seconds.append(weight * second.share)
    total = fsum(weights)
    share_of_first, share_of_second = fsum(firsts) / total, fsum(seconds) / total
    difference = share_of_second - share_of_first
    low = _end(strata, total, difference, -1.0)
    high = _end(strata, total, difference, 1.0)
    p = _exact(strata)
    interval = agreeing(Interval(low, high), difference, p)
    return DifferenceOfShares(share_of_first, share_of_second, interval, p)


def _weight(first: Cluster, second: Cluster) -> float:
    return first.trials * second.trials / (first.trials + second.trials)


def _end(
    strata: Collection[Sides], weights: float, found: float, outside: float
) -> float:
    """The end of the interval between the difference that was found and one outside of
    the interval. `weights` is the sum of those of the strata.
    """
    inside = found
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        away = weights * abs(middle - found) - _CONTINUITY
        if away <= Z * sqrt(_variance(strata, middle)):
            inside = middle
        else:
            outside = middle
    return inside


def _variance(strata: Collection[Sides], difference: float) -> float:
    """The variance of the sum over strata of weights times differences, if every
    difference is this one.

    If it is 0, this is the variance of the correct trials in the exact test.
    """
    parts = []
    for first, second in strata:
        trials, weight = first.trials + second.trials, _weight(first, second)
        one = _likeliest(first, second, difference)
        other = one + difference
        of_both = one * (1 - one) / first.trials
        of_both += other * (1 - other) / second.trials
        parts.append(weight * weight * max(0.0, of_both) * trials / (trials - 1))
    return fsum(parts)


def _likeliest(first: Cluster, second: Cluster, difference: float) -> float:
    """The likeliest share of the first if that of the second is so much larger: the
    root of a cubic equation.

    Miettinen and Nurminen 1985, appendix 1.
    """
    trials, right = first.trials + second.trials, first.successes + second.successes
    squares = (second.trials + 2 * first.trials) * difference - trials - right
    squares /= 3 * trials
    linear = first.trials * difference - trials - 2 * first.successes
    linear = (linear * difference + right) / (3 * trials)
    constant = first.successes * difference * (1 - difference) / (2 * trials)
    q = squares**3 - 1.5 * squares * linear + constant
    size = copysign(sqrt(max(0.0, squares * squares - linear)), q)
    angle = 0.0
    if size != 0:
        angle = acos(max(-1.0, min(1.0, q / size**3)))
    share = 2 * size * cos((pi + angle) / 3) - squares
    return min(max(share, 0.0, -difference), 1.0, 1.0 - difference)


def _exact(strata: Collection[Sides]) -> float:
    """The two-sided p of the correct trials of the second side, twice that of the
    smaller tail.

    Their distribution is the sum of the hypergeometric ones of the strata; if it is
    wide, it is close to normal.
    """
    correct, mean, variance = 0, 0.0, 0.0
    for first, second in strata:
        trials, right = first.trials + second.trials, first.successes + second.successes
        correct += second.successes
        mean += second.trials * right / trials
        ways = first.trials * second.trials * right * (trials - right)
        variance += ways / (trials**2 * (trials - 1))
    if variance > _WIDE:
        away = max(0.0, abs(correct - mean) - _CONTINUITY)
        return erfc(away / sqrt(2 * variance))
    least = 0  # number of correct trials, of which `chances` has the probability first
    chances: Sequence[float] = [1.0]
    for first, second in strata:
        right = first.successes + second.successes
        fewest, of_stratum = hypergeometric(second.trials, first.trials, right)
        unlikely, chances = _likely(_sum_of(chances, of_stratum))
        least += fewest + unlikely
    place = correct - least
    at_most = fsum(chances[: max(0, place + 1)])
    at_least = fsum(chances[max(0, place) :])
    return min(1.0, 2 * min(at_most, at_least))


def _likely(chances: Sequence[float]) -> tuple[int, Sequence[float]]:
    """How many negligible probabilities are before the others, and these without
    negligible ones at either end.
    """
    first, last = 0, len(chances) - 1
    while chances[first] < NEGLIGIBLE:
        first += 1
    while chances[last] < NEGLIGIBLE:
        last -= 1
    return first, chances[first : last + 1]


def _sum_of(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """The probabilities of the sums of two independent numbers."""
    found = [0.0] * (len(first) + len(second) - 1)
    for number, one in enumerate(first):
        for more, other in enumerate(second, number):
            found[more] += one * other
    return found
