"""Intervals of means by resampling what was measured (Efron and Tibshirani 1993, chapter 13).

They are always the same for the same values. It does not know what was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum
from random import Random

from pytest_llmarith.reports.statistics.intervals import CONFIDENCE, Interval

_RESAMPLES = 2_000


def bootstrap_mean(values: Sequence[float]) -> Interval | None:
    """The 95 % percentile interval of a mean; None where all values are equal: they say nothing of their spread."""
    if len(set(values)) < 2:
        return None
    return _percentile_interval(lambda draw: _mean_of_draw(draw, values))


def bootstrap_difference(first: Sequence[float], second: Sequence[float]) -> Interval | None:
    """The 95 % percentile interval of the difference between the means of two independent samples.

    None where neither of them varies.
    """
    if not first or not second or max(len(set(first)), len(set(second))) < 2:
        return None
    return _percentile_interval(lambda draw: _mean_of_draw(draw, second) - _mean_of_draw(draw, first))


def _percentile_interval(statistic: Callable[[Random], float]) -> Interval:
    draw = Random(0)
    drawn = sorted(statistic(draw) for _ in range(_RESAMPLES))
    tail = round((1 - CONFIDENCE) / 2 * _RESAMPLES)
    return Interval(drawn[tail], drawn[-1 - tail])


def _mean_of_draw(draw: Random, values: Sequence[float]) -> float:
    return fsum(draw.choices(values, k=len(values))) / len(values)
