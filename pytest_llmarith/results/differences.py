"""Differences between two shares with their intervals and tests, and Holm's correction.

A difference is the second minus the first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from math import (
    acos,
    ceil,
    copysign,
    cos,
    erfc,
    exp,
    floor,
    fsum,
    inf,
    lgamma,
    log,
    log1p,
    pi,
    sqrt,
)
from statistics import NormalDist
from typing import Literal, NamedTuple

from pytest_llmarith.results.statistics import (
    Cluster,
    Interval,
    Z,
    in_percent,
    score_interval,
    two_sided_p,
    two_sided_t,
)
from pytest_llmarith.summaries import Difference

FEWEST_TESTED = 6  # questions: with five, p is at least 0.0625
_LIKE_1 = Interval(0.87, 1.15)  # ratios
_LARGEST = 34.0  # logarithm of a ratio
_FEW = 0.05  # of all ratios
# ratios to show that there is no effect: with fewer, one question in ten may have one
# and not be seen
_ENOUGH = 50
SIGNIFICANT = 0.05  # a p value below it is more than chance
POWER = 0.8  # the probability with which a difference should be found
_STEPS = 2_000  # of a difference from 0 to 1
_NEGLIGIBLE = 1e-17  # a part of a sum that is too small to change it
_NORMAL = NormalDist()
_BESIDE_0 = 0.001  # the smallest difference in a table
_CONTINUITY = 0.5  # trials
_HALVINGS = 24
_WIDE = 400.0  # variance of a distribution that is close to normal


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

    @property
    def in_points(self) -> Difference:
        """The second minus the first, in percentage points."""
        ends = map(in_percent, self.interval) if self.interval else (None, None)
        return Difference(in_percent(self.second - self.first), *ends)


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
            one, other, _agreeing(newcombe(pairs), other - one, p), p, better, worse
        )
    error, degrees = _error_of_clusters(questions, changes), max(1, len(questions) - 1)
    if error == 0:
        return DifferenceOfShares(one, other, None, 1.0, better, worse, error)
    (low, high), p = of_mean(other - one, error, degrees)
    return DifferenceOfShares(
        one, other, Interval(max(-1.0, low), min(1.0, high)), p, better, worse, error
    )


def compare_means(pairs: Collection[tuple[float, float]]) -> DifferenceOfShares | None:
    """Compare the scores of problems on both sides by the paired t test; None without a
    difference that varies.
    """
    changes = [second - first for first, second in pairs]
    count = len(changes)
    one, other = (fsum(pair[side] for pair in pairs) / count for side in (0, 1))
    better, worse = (
        sum(change > 0 for change in changes),
        sum(change < 0 for change in changes),
    )
    error = error_of_mean(changes)
    if not error:
        return (
            DifferenceOfShares(one, other, None, 1.0, better, worse)
            if one == other
            else None
        )
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


def _agreeing(interval: Interval, difference: float, p: float) -> Interval:
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
        _log_ways(tries, successes)
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


def error_of_mean(values: Collection[float]) -> float:
    """The standard error of the mean of these values; 0 for a single one."""
    count, mean = len(values), fsum(values) / len(values)
    return sqrt(
        fsum((each - mean) ** 2 for each in values) / (count * max(1, count - 1))
    )


def of_mean(mean: float, error: float, degrees: int) -> tuple[Interval, float]:
    """The interval of a mean with this standard error, and the p of its difference from
    0, by Student's t.
    """
    half = two_sided_t(degrees) * error
    return Interval(mean - half, mean + half), two_sided_p(abs(mean) / error, degrees)


class MeanRatio(NamedTuple):
    """The geometric mean of ratios with its interval, and the test of its difference
    from 1.
    """

    ratio: float
    low: float | None  # None if there are fewer than six ratios
    high: float | None
    p: float | None
    is_like_1: bool

    def effect(
        self, p_holm: float | None
    ) -> Literal["none visible", "visible", "cannot tell"]:
        """What the ratio shows, with the p that is corrected for all ratios of its
        run.
        """
        if self.is_like_1:
            return "none visible"
        return (
            "visible" if p_holm is not None and p_holm < SIGNIFICANT else "cannot tell"
        )


def mean_ratio(logarithms: Collection[float], left_out: int = 0) -> MeanRatio:
    """The mean of one or more ratios, which are given as logarithms, with Student's t
    of these.

    The mean is like 1 if the interval of 50 ratios or more is within 0.87 to 1.15, and
    if at most 5 % of all ratios are `left_out`. If all ratios are equal, the interval
    has no width, and the test is the sign test.
    """
    count, mean = len(logarithms), fsum(logarithms) / len(logarithms)
    if count < FEWEST_TESTED:
        return MeanRatio(_ratio(mean), None, None, None, False)
    error = error_of_mean(logarithms)
    if error:
        interval, p = of_mean(mean, error, count - 1)
    else:
        interval = Interval(mean, mean)
        p = mcnemar(count, 0) if mean else 1.0
    low, high = map(_ratio, interval)
    is_within = _LIKE_1.low <= low and high <= _LIKE_1.high
    is_enough = count >= _ENOUGH and left_out <= _FEW * (left_out + count)
    return MeanRatio(_ratio(mean), low, high, p, is_within and is_enough)


def _ratio(logarithm: float) -> float:
    return round(exp(min(logarithm, _LARGEST)), 4)


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
    return DifferenceOfShares(one, other, _agreeing(interval, other - one, p), p)


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
    all_ways = _log_ways(first.trials + second.trials, right)
    chances = []
    for correct in range(fewest, most + 1):
        ways = _log_ways(second.trials, correct) + _log_ways(
            first.trials, right - correct
        )
        chances.append(exp(ways - all_ways))
    return fewest, chances


def _log_ways(trials: int, chosen: int) -> float:
    return lgamma(trials + 1) - lgamma(chosen + 1) - lgamma(trials - chosen + 1)


def _sum_of(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """The probabilities of the sums of two independent numbers."""
    found = [0.0] * (len(first) + len(second) - 1)
    for number, one in enumerate(first):
        for more, other in enumerate(second, number):
            found[more] += one * other
    return found
