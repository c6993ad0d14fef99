"""Means and quantiles with their intervals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import fsum, sqrt
from random import Random

from pytest_llmarith.statistics.intervals import Interval, two_sided_p, two_sided_t

_RESAMPLES, _TAIL = 2_000, 50  # draws, and those beyond either end of the interval

_FEWEST_DRAWN = 10  # values of a bootstrap


def bootstrap_mean(values: Sequence[float]) -> Interval | None:
    """The percentile interval of a mean over 2,000 draws (Efron and Tibshirani 1993,
    chapter 13).

    None if all values are equal, or if there are fewer than ten, of which the interval
    would be too narrow. The same values in the same order give the same interval.
    """
    if len(set(values)) == 1 or len(values) < _FEWEST_DRAWN:
        return None
    draw = Random(0)
    drawn = sorted(
        fsum(draw.choices(values, k=len(values))) / len(values)
        for _ in range(_RESAMPLES)
    )
    return Interval(drawn[_TAIL], drawn[-1 - _TAIL])


def quantile_of_sorted(ordered: Sequence[float], percentile: int) -> float:
    """The value that this percentage of one or more values does not exceed.

    This is type 7 of Hyndman and Fan (1996), as in R, numpy and spreadsheets.
    """
    place, rest = divmod((len(ordered) - 1) * percentile, 100)
    if rest == 0:
        return float(ordered[place])
    low, high = ordered[place], ordered[place + 1]
    return min(high, low + (high - low) * (rest / 100))


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
