"""Numbers with their uncertainty: exact percentages, Wilson intervals, medians. It does not know what is counted."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from functools import cache
from math import sqrt
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
