"""Probabilities of Student's t, chi squared, binomial and hypergeometric numbers."""

from __future__ import annotations

from functools import cache
from math import (
    atan,
    cos,
    erfc,
    exp,
    inf,
    lgamma,
    log,
    log1p,
    pi,
    sin,
    sqrt,
    tan,
)

# standard errors to either side of the mean that hold 95 % of a normal distribution
Z = 1.9599639845400536

NEGLIGIBLE = 1e-17  # a part of a sum that is too small to change it

# degrees of freedom from which Student's t is close to the normal distribution
_MANY = 1_000

_HALVINGS = 60


@cache
def two_sided_t(degrees: int) -> float:
    """How many standard errors to either side hold 95 % of Student's t.

    That is 12.7 for one degree of freedom, and close to `Z` for many (Abramowitz and
    Stegun 1964, Handbook of Mathematical Functions, 26.7.3 to 26.7.5).
    """
    if degrees > _MANY:
        return Z + (Z**3 + Z) / (4 * degrees)
    low, high = 0.0, pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _within(middle, degrees) < 0.95:
            low = middle
        else:
            high = middle
    return sqrt(degrees) * tan(low)


def two_sided_p(errors: float, degrees: int) -> float:
    """The two-sided p of a difference of this many standard errors, by Student's t.

    It is from 0 to 1 (Abramowitz and Stegun 1964, 26.7.3, 26.7.4 and 26.7.8).
    """
    if degrees > _MANY:
        scale = sqrt(1 + errors**2 / (2 * degrees))
        normal = errors * (1 - 1 / (4 * degrees)) / scale
        return erfc(normal / sqrt(2))
    return max(0.0, 1 - _within(atan(errors / sqrt(degrees)), degrees))


def _within(angle: float, degrees: int) -> float:
    """The probability that |t| is below `sqrt(degrees) * tan(angle)`.

    Abramowitz and Stegun 1964, 26.7.3 and 26.7.4.
    """
    is_odd = degrees % 2 == 1
    factor = cos(angle) if is_odd else 1.0
    total = factor if degrees > 1 else 0.0
    for power in range(3 if is_odd else 2, degrees - 1, 2):
        factor *= cos(angle) ** 2 * (power - 1) / power
        total += factor
    if is_odd:
        return (angle + sin(angle) * total) * 2 / pi
    return sin(angle) * total


def chi_squared_tail(square: float, degrees: int) -> float:
    """The probability that chi squared exceeds this, from 0 to 1.

    The approximation of Wilson and Hilferty 1931, Proceedings of the National Academy
    of Sciences 17, 684-688.
    """
    if square <= 0:
        return 1.0
    spread = 2 / (9 * degrees)
    root = (square / degrees) ** (1 / 3)
    return erfc((root - (1 - spread)) / sqrt(2 * spread)) / 2


def binomial_at_most(successes: int, tries: int, share: float) -> float:
    """The probability of at most this number of successes, each with probability
    `share`, from 0 to 1.

    The sum of the binomial distribution, from its largest part down.
    """
    if successes < 0:
        return 0.0
    if share <= 0:
        return 1.0
    if share >= 1:
        return float(successes >= tries)
    if successes > tries * share:
        return 1.0 - binomial_at_most(tries - successes - 1, tries, 1 - share)
    probability = exp(log_binomial(successes, tries, share))
    total = 0.0
    for count in range(successes, -1, -1):
        total += probability
        if probability <= total * NEGLIGIBLE:
            break
        probability *= count * (1 - share) / ((tries - count + 1) * share)
    return min(1.0, total)


def log_binomial(successes: int, tries: int, share: float) -> float:
    """The natural logarithm of the probability of this number of successes.

    `share`, the probability of each, is above 0 (the binomial distribution).
    """
    if share >= 1:
        return 0.0 if successes == tries else -inf
    failures = tries - successes
    ways = _log_ways(tries, successes)
    return ways + successes * log(share) + failures * log1p(-share)


def hypergeometric(drawn: int, others: int, right: int) -> tuple[int, list[float]]:
    """How many of `right` trials may be among those that are drawn: the fewest, and the
    probabilities of this number and of each larger one.

    `others` is the number of trials that are not drawn (the hypergeometric
    distribution, Fisher 1935, Journal of the Royal Statistical Society 98, 39-82).
    """
    fewest, most = max(0, right - others), min(drawn, right)
    all_ways = _log_ways(others + drawn, right)
    chances = []
    for number in range(fewest, most + 1):
        ways = _log_ways(drawn, number) + _log_ways(others, right - number)
        chances.append(exp(ways - all_ways))
    return fewest, chances


def _log_ways(trials: int, chosen: int) -> float:
    return lgamma(trials + 1) - lgamma(chosen + 1) - lgamma(trials - chosen + 1)
