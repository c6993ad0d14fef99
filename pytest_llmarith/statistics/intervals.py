"""Wilson's interval of a share."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from pytest_llmarith.statistics.distributions import Z

_DECIMALS = 4  # of a share in percent


class Interval(NamedTuple):
    """The ends of a 95 % interval.

    They are in the unit of the figure: from 0 to 1 for a share, from -1 to 1 for a
    difference of two shares.
    """

    low: float
    high: float


def wilson(successes: int, n: int) -> Interval | None:
    """The 95 % interval of the share of successes in `n` trials, from 0 to 1.

    None if `n` is 0. Wilson 1927, Journal of the American Statistical Association 22,
    209-212.
    """
    if n == 0:
        return None
    return score_interval(successes / n, n)


def score_interval(share: float, n: float, z: float = Z) -> Interval:
    """Wilson's interval of a share of `n` trials, with `z` standard errors to either
    side.

    The share and the ends are from 0 to 1; `n` may be a fraction (Wilson 1927).
    """
    wing = z * z / n
    middle = (share + wing / 2) / (1 + wing)
    half = sqrt(wing * (share * (1 - share) + wing / 4)) / (1 + wing)
    # For 0 and 1 the exact end is the share itself; floats are off in the last digit.
    low, high = 0.0, 1.0
    if share != 0:
        low = max(0.0, min(middle - half, share))
    if share != 1:
        high = min(1.0, max(middle + half, share))
    return Interval(low, high)


def in_percent(share: float) -> float:
    """A share from 0 to 1 in percent, rounded to four decimals."""
    return round(100 * share, _DECIMALS)
