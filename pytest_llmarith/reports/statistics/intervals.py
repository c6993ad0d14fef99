"""Percentages and the intervals in which the truth behind them lies. It does not know what is counted."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from math import fsum, sqrt
from random import Random
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


def bootstrap_mean(values: Sequence[float], resamples: int = 2_000) -> Interval | None:
    """The 95 % percentile interval of a mean of fractions, by resampling what was measured (Efron and Tibshirani 1993,
    chapter 13); always the same for the same values. None where all are equal: they say nothing of their spread.
    """
    if len(set(values)) < 2:
        return None
    draw = Random(0)
    means = sorted(fsum(draw.choices(values, k=len(values))) / len(values) for _ in range(resamples))
    tail = round((1 - CONFIDENCE) / 2 * resamples)
    return Interval(means[tail], means[-1 - tail])


def percent(part: int, whole: int, decimals: int = 1) -> Decimal:
    """`part` of `whole` in percent, correctly rounded (half to even)."""
    return (Decimal(100 * part) / Decimal(whole)).quantize(Decimal(1).scaleb(-decimals))
