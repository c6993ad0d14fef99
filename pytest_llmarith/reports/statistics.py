"""Numbers with their uncertainty: exact percentages, Wilson intervals, medians. It does not know what is counted."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import cache
from math import fsum, sqrt
from random import Random
from typing import NamedTuple, TypeVar

_N = TypeVar("_N", float, Decimal)

CONFIDENCE = 0.95

# Exact for every number that anybody means; a reply of a million digits costs no more than 4,096 of them,
# and an error of any size overflows nothing.
WIDE = Context(prec=4096, rounding=ROUND_HALF_EVEN, Emax=MAX_EMAX, Emin=MIN_EMIN)


class Interval(NamedTuple):
    """Where a proportion lies, both ends within 0 and 1."""

    low: float
    high: float


def wilson(successes: int, n: int) -> Interval | None:
    """The 95 % score interval of Wilson for a proportion; None where nothing was measured."""
    if n == 0:
        return None
    z = _quantile()
    share, wing = successes / n, z * z / n
    middle = (share + wing / 2) / (1 + wing)
    half = sqrt(wing * (share * (1 - share) + wing / 4)) / (1 + wing)
    # At the ends the formula meets 0 and 1 exactly, and floats miss them by a hair.
    low = 0.0 if successes == 0 else max(0.0, min(middle - half, share))
    high = 1.0 if successes == n else min(1.0, max(middle + half, share))
    return Interval(low, high)


@cache
def _quantile() -> float:
    from statistics import NormalDist  # 25 ms that only the end of a run has to spend

    return NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


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


def kappa(both: int, first: int, second: int, neither: int) -> float | None:
    """Cohen's kappa of two judges (Cohen 1960): agreement beyond chance, from -1 to 1.

    Counts of cases that both, only the first, only the second, and neither of them found. None where it is undefined:
    nothing was judged, or both say the same of everything.
    """
    total = both + first + second + neither
    if total == 0:
        return None
    agreed = Fraction(both + neither, total)
    yes, also = Fraction(both + first, total), Fraction(both + second, total)
    chance = yes * also + (1 - yes) * (1 - also)
    return None if chance == 1 else float((agreed - chance) / (1 - chance))


def percent(part: int, whole: int, decimals: int = 1) -> Decimal:
    """`part` of `whole` in percent, correctly rounded (half to even)."""
    return (Decimal(100 * part) / Decimal(whole)).quantize(Decimal(1).scaleb(-decimals))


def median_of_floats(values: Sequence[float]) -> float | None:
    """The middle value, or the mean of the two in the middle."""
    if not values:
        return None
    low, high = _middle(sorted(values))
    return (low + high) / 2


def median_of_decimals(values: Sequence[Decimal]) -> Decimal | None:
    """The middle value, or the mean of the two in the middle; no value is too large."""
    if not values:
        return None
    low, high = _middle(sorted(values))
    return low if low == high else WIDE.divide(WIDE.add(low, high), Decimal(2))


def _middle(ordered: Sequence[_N]) -> tuple[_N, _N]:
    return ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
