"""Means and quantiles with their intervals."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import fsum, sqrt
from random import Random

from pytest_llmarith.statistics.distributions import two_sided_p, two_sided_t
from pytest_llmarith.statistics.intervals import Interval

_RESAMPLES = 2_000
_TAIL = 50  # resamples beyond either end of the interval

_FEWEST_DRAWN = 10  # values of a bootstrap


def bootstrap_mean(values: Sequence[float]) -> Interval | None:
    """The 95 % percentile interval of the mean over 2,000 draws, in the unit of the
    values.

    None if all values are equal, or if there are fewer than ten, of which the interval
    would be too narrow. The same values in the same order give the same interval. Efron
    and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13.
    """
    if len(set(values)) == 1 or len(values) < _FEWEST_DRAWN:
        return None
    count = len(values)
    random = Random(0)
    means = []
    for _ in range(_RESAMPLES):
        drawn = random.choices(values, k=count)
        means.append(fsum(drawn) / count)
    means.sort()
    return Interval(means[_TAIL], means[-1 - _TAIL])


def quantile_of_sorted(ordered: Sequence[float], percentile: int) -> float:
    """The value that this percentage of one or more values does not exceed, in their
    unit.

    Type 7 of Hyndman and Fan 1996, The American Statistician 50, 361-365, as in R,
    numpy and spreadsheets.
    """
    place, rest = divmod((len(ordered) - 1) * percentile, 100)
    if rest == 0:
        return float(ordered[place])
    low, high = ordered[place], ordered[place + 1]
    return min(high, low + (high - low) * (rest / 100))


def error_of_mean(values: Collection[float]) -> float:
    """The standard error of the mean of these values, in their unit; 0 for a single
    one.

    The root of their variance, with `n - 1`, divided by their number.
    """
    count = len(values)
    squares = squares_around(fsum(values) / count, values)
    return sqrt(squares / (count * max(1, count - 1)))


def ratio_of_sums(
    pairs: Sequence[tuple[float, float]],
) -> tuple[float, Interval | None]:
    """The sum of the first of all pairs by that of the second, which is not 0, with its
    95 % interval; none if all have the same ratio.

    The interval is that of the mean of what each first is above or below the ratio
    (Cochran 1977, Sampling Techniques, chapter 6).
    """
    whole = fsum(second for _, second in pairs)
    ratio = fsum(first for first, _ in pairs) / whole
    error = error_of_mean([first - ratio * second for first, second in pairs])
    if not error:
        return ratio, None
    spread, _ = of_mean(0, error * len(pairs) / whole, len(pairs) - 1)
    return ratio, Interval(max(0.0, ratio + spread.low), ratio + spread.high)


def squares_around(middle: float, values: Iterable[float]) -> float:
    """The sum of the squares by which values differ from `middle`."""
    return fsum((value - middle) ** 2 for value in values)


def of_mean(mean: float, error: float, degrees: int) -> tuple[Interval, float]:
    """The 95 % interval of a mean in its unit, and the p of its difference from 0, by
    Student's t.

    `error` is the standard error, not 0 (Student 1908, Biometrika 6, 1-25).
    """
    half = two_sided_t(degrees) * error
    p = two_sided_p(abs(mean) / error, degrees)
    return Interval(mean - half, mean + half), p
