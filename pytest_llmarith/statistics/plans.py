"""How many questions show a difference between two shares, and which difference some
questions show.
"""

from __future__ import annotations

from bisect import bisect_left
from math import ceil, exp, floor, fsum, sqrt
from statistics import NormalDist

from pytest_llmarith.statistics.distributions import binomial_at_most, log_binomial
from pytest_llmarith.statistics.pairs import SIGNIFICANT, DifferenceOfShares, mcnemar

POWER = 0.8  # the probability with which a difference should be found

_NORMAL = NormalDist()

_STEPS = 2_000  # of a difference from 0 to 1

_ROUND_PAIRS = [2**exponent for exponent in range(3, 18)]


def paired_questions(
    discordant: float, difference: float, tests: int = 1
) -> int | None:
    """The fewest questions, asked of both sides, with which McNemar's exact test finds
    the difference with 80 % power; None beyond 131,072.

    `discordant` is the share of questions that only one side gets right, `difference`
    that of the two shares, both from 0 to 1. The test is the first of so many `tests`
    that are corrected together. The power is that of `mcnemar_power`.
    """

    def power(pairs: int) -> float:
        return mcnemar_power(pairs, discordant, difference, tests)

    for enough in _ROUND_PAIRS:
        if power(enough) >= POWER:
            return bisect_left(range(enough), POWER, lo=enough // 2, key=power)
    return None


def unpaired_questions(accuracy: float, difference: float, tests: int = 1) -> int:
    """The trials of each side, asked different questions, that find the difference with
    80 % power.

    `accuracy`, the mean of the two shares, and `difference` are from 0 to 1. The test
    is the first of so many `tests` that are corrected together. Normal approximation
    for two shares (Fleiss, Levin and Paik 2003, Statistical Methods for Rates and
    Proportions, chapter 4).
    """
    half = difference / 2
    middle = min(max(accuracy, half), 1 - half)
    first, second = middle - half, middle + half
    if_equal = sqrt(2 * middle * (1 - middle))
    if_different = sqrt(first * (1 - first) + second * (1 - second))
    errors = _errors_of_test(tests) * if_equal
    errors += _NORMAL.inv_cdf(POWER) * if_different
    return ceil((errors / difference) ** 2)


def detectable(questions: int, found: DifferenceOfShares, tests: int) -> float | None:
    """The smallest difference, from 0 to 1, that the questions show with 80 % power as
    the first of so many tests; None if none.

    `found` says how much the questions vary. If each was asked once, the power is that
    of `mcnemar_power`, else that of a normal test with the standard error (Miller 2024,
    arXiv 2411.00640, section 5).
    """
    if found.error is None:
        return smallest_difference(questions, found.better + found.worse, tests)
    errors = _errors_of_test(tests) + _NORMAL.inv_cdf(POWER)
    difference = errors * found.error
    return difference if 0 < difference <= 1 else None


def smallest_difference(pairs: int, discordant: int, tests: int = 1) -> float | None:
    """The smallest difference, from 0 to 1, that these pairs show with 80 % power as
    the first of so many tests; None if there is none.

    `discordant` is the number of pairs that only one side gets right. The power is that
    of `mcnemar_power`.
    """

    def power(difference: float) -> float:
        share = max(discordant / pairs, difference)
        return mcnemar_power(pairs, share, difference, tests)

    steps = [step / _STEPS for step in range(1, _STEPS + 1)]
    place = bisect_left(steps, POWER, key=power)
    return steps[place] if place < _STEPS else None


def mcnemar_power(
    pairs: int, discordant: float, difference: float, tests: int = 1
) -> float:
    """The probability that McNemar's exact test finds a difference between two shares
    of the same pairs, from 0 to 1.

    The test is the first of so many `tests` that are corrected together: its p is below
    0.05 divided by their number.

    `discordant` is the share of pairs that only one side gets right; it is at least
    `difference`. The number of these pairs is binomial, and its distribution is
    evaluated at up to 49 of its values (the power of the conditional test, averaged as
    in Duffy 1984, Biometrics 40, 1005-1015).
    """
    wins = (1 + difference / discordant) / 2
    level = SIGNIFICANT / tests
    mean = pairs * discordant
    spread = sqrt(pairs * discordant * (1 - discordant))
    first = max(0, ceil(mean - 4 * spread))
    last = min(pairs, floor(mean + 4 * spread))
    weights, powers = [], []
    for count in range(first, last + 1, max(1, (last - first) // 48)):
        fewest = _most_of_rarer(count, level)
        power = binomial_at_most(fewest, count, 1 - wins)
        power += binomial_at_most(fewest, count, wins)
        weight = exp(log_binomial(count, pairs, discordant))
        weights.append(weight)
        powers.append(weight * power)
    return fsum(powers) / fsum(weights)


def _most_of_rarer(count: int, level: float) -> int:
    """How many of `count` discordant pairs may be of the rarer kind, so that McNemar's
    p is below the level; -1 if none.
    """
    few = max(0, floor(count / 2 - 0.9 * sqrt(count)))  # a little more than that
    while few >= 0 and mcnemar(count - few, few) >= level:
        few -= 1
    return few


def _errors_of_test(tests: int) -> float:
    """How many standard errors make the first of so many tests significant."""
    return _NORMAL.inv_cdf(1 - SIGNIFICANT / tests / 2)
