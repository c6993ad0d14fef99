"""Percentages and the intervals in which the truth behind them lies. It does not know what is counted."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from math import sqrt
from typing import NamedTuple

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """Where a proportion lies, both ends within 0 and 1, or a difference of two, within -1 and 1."""

    low: float
    high: float


def wilson(successes: int, n: int) -> Interval | None:
    """The 95 % score interval of Wilson for a proportion; None where nothing was measured."""
    if n == 0:
        return None
    return score_interval(successes / n, n, two_sided_z())


def score_interval(share: float, n: float, z: float) -> Interval:
    """Wilson's interval, also of a number of trials that is no whole one, with `z` standard errors on either side."""
    wing = z * z / n
    middle = (share + wing / 2) / (1 + wing)
    half = sqrt(wing * (share * (1 - share) + wing / 4)) / (1 + wing)
    # At the ends the formula meets 0 and 1 exactly, and floats miss them by a hair.
    low = 0.0 if share == 0 else max(0.0, min(middle - half, share))
    high = 1.0 if share == 1 else min(1.0, max(middle + half, share))
    return Interval(low, high)


@cache
def two_sided_z(confidence: float = CONFIDENCE) -> float:
    """How many standard errors lie on either side of the middle: 1.96 for 95 %."""
    from statistics import NormalDist  # 25 ms that only the end of a run has to spend

    return NormalDist().inv_cdf((1 + confidence) / 2)


def percent(part: int, whole: int, decimals: int = 1) -> Decimal:
    """`part` of `whole` in percent, correctly rounded (half to even)."""
    return (Decimal(100 * part) / Decimal(whole)).quantize(Decimal(1).scaleb(-decimals))
