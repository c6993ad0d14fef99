"""Differences between two shares with their intervals and tests, and Holm's correction.

A difference is the second minus the first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from math import ceil, exp, floor, fsum, inf, lgamma, log, log1p, sqrt
from operator import mul
from typing import Literal, NamedTuple

from pytest_llmarith.records import Difference
from pytest_llmarith.results.statistics import Cluster, Interval, in_percent, two_sided_p, two_sided_t, wilson

FEWEST_TESTED = 6  # questions: with five, p is at least 0.0625
_LIKE_1 = Interval(0.87, 1.15)  # ratios
_LARGEST = 34.0  # logarithm of a ratio
_FEW = 0.05  # of all ratios
SIGNIFICANT = 0.05  # a p value below it is more than chance
POWER = 0.8  # the probability with which a difference should be found
_STEPS = 2_000  # of a difference from 0 to 1
_NEGLIGIBLE = 1e-17  # a part of a sum that is too small to change it
_NO_VARIANCE = 1e-12  # rounded floats may miss 0


class Pairs(NamedTuple):
    """How many pairs of trials are correct on both sides, only the first, only the second, and neither."""

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

    @property
    def in_points(self) -> Difference:
        """The second minus the first, in percentage points."""
        ends = map(in_percent, self.interval) if self.interval else (None, None)
        return Difference(in_percent(self.second - self.first), *ends)


Table = tuple[Cluster, Cluster]  # the trials of both sides: of one question, or of one stratum


def compare_pairs(questions: Collection[Table]) -> DifferenceOfShares:
    """Compare one or more questions, each with its trials (one, or several repeats) on both sides.

    If each question was asked once, the interval is Newcombe's for pairs. Otherwise it is Student's t over questions,
    as repeats of a question are correlated. The test is McNemar's; each question counts once.
    """
    changes = sorted(second.share - first.share for first, second in questions)
    better, worse = sum(change > 0 for change in changes), sum(change < 0 for change in changes)
    if all(first.trials == second.trials == 1 for first, second in questions):
        both = sum(first.successes + second.successes == 2 for first, second in questions)
        interval = newcombe(Pairs(both, worse, better, len(questions) - both - worse - better))
    else:
        interval = mean_difference(changes)
    first, second = (fsum(pair[side].share for pair in questions) / len(questions) for side in (0, 1))
    return DifferenceOfShares(first, second, interval, mcnemar(better, worse), better, worse)


def mcnemar(better: int, worse: int) -> float:
    """The two-sided p of McNemar's exact test, a binomial test with probability 1/2."""
    return 1.0 if better == worse else min(1.0, 2 * _at_most(min(better, worse), better + worse, 0.5))


def mcnemar_power(pairs: int, discordant: float, difference: float) -> float:
    """The probability that McNemar's exact test at 0.05 finds a difference between two shares of the same pairs.

    `discordant` is the share of pairs that only one side gets right; it is at least `difference`. The number of these
    pairs is binomial, and its distribution is evaluated at up to 49 of its values.
    """
    wins = (1 + difference / discordant) / 2
    mean, spread = pairs * discordant, sqrt(pairs * discordant * (1 - discordant))
    first, last = max(0, ceil(mean - 4 * spread)), min(pairs, floor(mean + 4 * spread))
    counts = range(first, last + 1, max(1, (last - first) // 48))
    weights = [exp(_log_binomial(count, pairs, discordant)) for count in counts]
    found = []
    for count in counts:
        fewest = next((few for few in range(_fewest(count), -1, -1) if mcnemar(count - few, few) < SIGNIFICANT), -1)
        found.append(_at_most(fewest, count, 1 - wins) + _at_most(fewest, count, wins))
    return fsum(weight * power for weight, power in zip(weights, found, strict=True)) / fsum(weights)


def smallest_difference(pairs: int, discordant: int) -> float | None:
    """The smallest difference that these pairs show with 80 % power; None if they show none."""
    steps = [step / _STEPS for step in range(1, _STEPS + 1)]
    place = bisect_left(steps, POWER, key=lambda step: mcnemar_power(pairs, max(discordant / pairs, step), step))
    return steps[place] if place < _STEPS else None


def _fewest(count: int) -> int:
    """A little more than the fewest of `count` tosses that McNemar's test finds too few."""
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
    ways = lgamma(tries + 1) - lgamma(successes + 1) - lgamma(tries - successes + 1)
    return ways + successes * log(share) + (tries - successes) * log1p(-share)


def newcombe(pairs: Pairs) -> Interval | None:
    """The interval of the difference between two shares of the same pairs; None if there are no pairs.

    Newcombe 1998, Statistics in Medicine 17, 2635-2650, method 10: the Wilson intervals of both shares, combined with
    their correlation. It also works at 0 and 100 %.
    """
    total, first, second = sum(pairs), pairs.both + pairs.first, pairs.both + pairs.second
    one, other = wilson(first, total), wilson(second, total)
    if one is None or other is None:
        return None
    share, its, phi = first / total, second / total, _phi(pairs)
    _, (low, high) = mover(share, one, its, other, phi)
    return Interval(max(-1.0, low), min(1.0, high))


def mover(one: float, its: Interval, other: float, of_other: Interval, phi: float = 0.0) -> tuple[float, Interval]:
    """The other minus the one, with the interval by Zou and Donner 2008, Statistics in Medicine 27, 1693-1702."""
    low = other - one - _joined(other - of_other.low, its.high - one, phi)
    return other - one, Interval(low, other - one + _joined(of_other.high - other, one - its.low, phi))


def _joined(one: float, other: float, phi: float) -> float:
    return sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def _phi(pairs: Pairs) -> float:
    """The correlation of both sides, with a continuity correction; 0 if one of them is always or never correct."""
    both, first, second, neither = pairs
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if not margins:
        return 0.0
    together = both * neither - first * second
    corrected = max(together - sum(pairs) / 2, 0.0) if together > 0 else together
    return corrected / sqrt(margins)


def mean_difference(differences: Collection[float]) -> Interval | None:
    """The interval of the mean of differences, by Student's t; None if they are all equal."""
    interval = mean_interval(differences)
    return interval and Interval(max(-1.0, interval.low), min(1.0, interval.high))


def mean_interval(values: Collection[float]) -> Interval | None:
    """The interval of a mean, by Student's t; None if all values are equal."""
    count = len(values)
    mean = fsum(values) / max(1, count)
    spread = fsum((each - mean) ** 2 for each in values)
    if count < 2 or not spread:
        return None
    half = two_sided_t(count - 1) * sqrt(spread / (count * (count - 1)))
    return Interval(mean - half, mean + half)


class MeanRatio(NamedTuple):
    """The geometric mean of ratios with its interval, and whether it differs from 1."""

    ratio: float
    low: float | None  # None if there are fewer than six ratios
    high: float | None
    effect: Literal["none visible", "visible", "cannot tell"]


def mean_ratio(logarithms: Collection[float], left_out: int = 0) -> MeanRatio:
    """The mean of one or more ratios, which are given as logarithms, with Student's t of these.

    There is no visible effect if the interval is within 0.87 to 1.15, and if at most 5 % of all ratios are `left_out`.
    If all ratios are equal, the interval has no width; by the sign test it holds their median in 97 of 100 cases.
    """
    mean = fsum(logarithms) / len(logarithms)
    if len(logarithms) < FEWEST_TESTED:
        return MeanRatio(_ratio(mean), None, None, "cannot tell")
    low, high = map(_ratio, mean_interval(logarithms) or (mean, mean))
    if _LIKE_1.low <= low and high <= _LIKE_1.high and left_out <= _FEW * (left_out + len(logarithms)):
        return MeanRatio(_ratio(mean), low, high, "none visible")
    return MeanRatio(_ratio(mean), low, high, "cannot tell" if low <= 1 <= high else "visible")


def _ratio(logarithm: float) -> float:
    return round(exp(min(logarithm, _LARGEST)), 4)


def holm(p_values: Sequence[float]) -> list[float]:
    """The corrected p values of a family of tests, in their order.

    Holm 1979, Scandinavian Journal of Statistics 6, 65-70: at 0.05, at most 5 of 100 families have a false positive.
    """
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected


def compare_strata(strata: Collection[Table]) -> DifferenceOfShares:
    """Compare two groups with different questions within strata of similar questions. Trials are independent.

    The difference is that of Mantel and Haenszel, the mean over strata with weights `n1 n2 / (n1 + n2)`. Its interval
    has the variance of Sato (1989, Biometrics 45, 1323-1324; Greenland and Robins 1985, Biometrics 41, 55-68). The test
    is that of Cochran (1954, Biometrics 10, 417-451), Mantel and Haenszel (1959, Journal of the National Cancer
    Institute 22, 719-748), without a continuity correction: with one, equal models would differ in 2 to 4 of 100
    comparisons. Both use Student's t; its degrees of freedom are the number of trials minus two.
    """
    weights = [first.trials * second.trials / (first.trials + second.trials) for first, second in strata]
    shares = ([cluster.share for cluster in side] for side in zip(*strata, strict=True))
    one, other = (fsum(map(mul, weights, side)) / fsum(weights) for side in shares)
    degrees = max(1, sum(first.trials + second.trials for first, second in strata) - 2)
    interval = _sato(other - one, strata, fsum(weights), two_sided_t(degrees))
    return DifferenceOfShares(one, other, interval, two_sided_p(_cochran(strata), degrees))


def _sato(difference: float, strata: Collection[Table], weight: float, errors: float) -> Interval | None:
    skewed, mixed = [], []
    for (a, n1), (b, n2) in strata:
        skewed.append((n2**2 * a - n1**2 * b + n1 * n2 * (n1 - n2) / 2) / (n1 + n2) ** 2)
        mixed.append((b * (n1 - a) + a * (n2 - b)) / (2 * (n1 + n2)))
    variance = (difference * fsum(skewed) + fsum(mixed)) / weight**2
    if variance <= _NO_VARIANCE:
        return None
    half = errors * sqrt(variance)
    return Interval(max(-1.0, difference - half), min(1.0, difference + half))


def _cochran(strata: Collection[Table]) -> float:
    """How many standard errors the second group's successes are from those of equal groups."""
    excess, variance = [], []
    for (a, n1), (b, n2) in strata:
        n, successes = n1 + n2, a + b
        excess.append(b - n2 * successes / n)
        variance.append(n1 * n2 * successes * (n - successes) / (n**2 * (n - 1)))
    return abs(fsum(excess)) / sqrt(fsum(variance)) if fsum(variance) > _NO_VARIANCE else 0.0
