"""Wilson's interval of a share, and Student's t."""

from __future__ import annotations

from functools import cache
from math import atan, cos, erfc, pi, sin, sqrt, tan
from typing import NamedTuple

# standard errors to either side of the mean that hold 95 % of a normal distribution
Z = 1.9599639845400536

# degrees of freedom from which Student's t is close to the normal distribution
_MANY = 1_000

_HALVINGS = 60
_DECIMALS = 4  # of a share in percent


class Interval(NamedTuple):
    """The ends of an interval: of a share from 0 to 1, or of a difference of two shares
    from -1 to 1.
    """

    low: float
    high: float


def wilson(successes: int, n: int) -> Interval | None:
    """Wilson's score interval of a proportion (1927); None if `n` is 0."""
    return score_interval(successes / n, n, Z) if n else None


def score_interval(share: float, n: float, z: float) -> Interval:
    """Wilson's interval with `z` standard errors to either side; `n` may be a
    fraction.
    """
    wing = z * z / n
    middle = (share + wing / 2) / (1 + wing)
    half = sqrt(wing * (share * (1 - share) + wing / 4)) / (1 + wing)
    # For 0 and 1 the exact end is the share itself; floats are off in the last digit.
    low = 0.0 if share == 0 else max(0.0, min(middle - half, share))
    high = 1.0 if share == 1 else min(1.0, max(middle + half, share))
    return Interval(low, high)


@cache
def two_sided_t(degrees: int) -> float:
    """The same as `Z` for Student's t: 12.7 for one degree of freedom, 1.96 for
    many.
    """
    if degrees > _MANY:
        return Z + (Z**3 + Z) / (4 * degrees)  # Abramowitz and Stegun 1964, 26.7.5
    low, high = 0.0, pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < 0.95 else (low, middle)
    return sqrt(degrees) * tan(low)


def two_sided_p(errors: float, degrees: int) -> float:
    """The two-sided p of a difference of this many standard errors, by Student's t."""
    if degrees > _MANY:
        normal = (
            errors * (1 - 1 / (4 * degrees)) / sqrt(1 + errors**2 / (2 * degrees))
        )  # the same, 26.7.8
        return erfc(normal / sqrt(2))
    return max(0.0, 1 - _within(atan(errors / sqrt(degrees)), degrees))


def _within(angle: float, degrees: int) -> float:
    """The probability that |t| is below `sqrt(degrees) * tan(angle)` (the same, 26.7.3
    and 26.7.4).
    """
    odd = degrees % 2
    factor = cos(angle) if odd else 1.0
    total = factor if degrees > 1 else 0.0
    for power in range(2 + odd, degrees - 1, 2):
        factor *= cos(angle) ** 2 * (power - 1) / power
        total += factor
    return (angle + sin(angle) * total) * 2 / pi if odd else sin(angle) * total


def in_percent(share: float) -> float:
    """A share from 0 to 1 in percent, rounded."""
    return round(100 * share, _DECIMALS)
