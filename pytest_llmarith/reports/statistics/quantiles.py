"""Middles and tails of what was measured. It does not know what the numbers are."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from typing import TypeVar

_N = TypeVar("_N", float, Decimal)

# Exact for every number that anybody means; a reply of a million digits costs no more than 4,096 of them,
# and an error of any size overflows nothing.
WIDE = Context(prec=4096, rounding=ROUND_HALF_EVEN, Emax=MAX_EMAX, Emin=MIN_EMIN)


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


def quantile_of_sorted(ordered: Sequence[float], percentile: int) -> float | None:
    """The value that so many percent of the values do not exceed, on the line between its two neighbours.

    This is type 7 of Hyndman and Fan (1996), which R, numpy and spreadsheets take; its 50th is the median.
    """
    if not ordered:
        return None
    place, rest = divmod((len(ordered) - 1) * percentile, 100)
    if rest == 0:
        return float(ordered[place])
    low, high = ordered[place], ordered[place + 1]
    return min(high, low + (high - low) * (rest / 100))


def _middle(ordered: Sequence[_N]) -> tuple[_N, _N]:
    return ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
