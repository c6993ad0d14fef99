"""Whether probabilities tell what is right: bins, calibration error, and the area under
the curve.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from random import Random
from typing import NamedTuple

from pytest_llmarith.statistics.distributions import Z
from pytest_llmarith.statistics.intervals import Interval

_BINS = 10
_DRAWS = 200
_TAIL = 5  # draws at either end of the interval and beyond
_STEPS = 12  # of a bisection
_MOST_TIMES = 4.0


class Bin(NamedTuple):
    """Answers of about one probability: how many, the right ones, the sum of their
    probabilities, and that of the right ones.
    """

    n: int
    right: int
    predicted: float
    predicted_right: float

    @property
    def gap(self) -> float:
        """The share of right answers less their mean probability."""
        return (self.right - self.predicted) / self.n


def joined(bins: Iterable[Bin]) -> Bin:
    """Several bins as one."""
    n, right, predicted, predicted_right = zip(*bins, strict=True)
    return Bin(sum(n), sum(right), sum(predicted), sum(predicted_right))


def equal_bins(cells: Sequence[Bin]) -> list[Bin]:
    """At most ten bins of about equally many answers, of cells in the order of their
    probability, which are not divided.
    """
    total = sum(cell.n for cell in cells)
    bins: list[Bin] = []
    some: list[Bin] = []
    seen = 0
    for cell in cells:
        some.append(cell)
        seen += cell.n
        if seen * _BINS >= (len(bins) + 1) * total:
            bins.append(joined(some))
            some = []
    return bins


def calibration_error(bins: Sequence[Bin]) -> tuple[float, Interval]:
    """The expected calibration error, from 0 to 1: the mean gap of the bins without its
    sign, and its 95 % interval.

    The mean of so many gaps without their signs is above 0 for every model, so that
    neither a bootstrap nor a standard error gives its interval. Its ends are the
    multiples of the gaps found, from 0 times, at which the error found is one of the
    2.5 % largest or smallest of 200 drawn with a fixed seed, each gap with the
    standard error of a share with two more right and wrong answers (Agresti and Coull
    1998, The American Statistician 52, 119-126).
    """
    total = sum(one.n for one in bins)
    gaps = []
    spreads = []
    for one in bins:
        share, n = (one.right + 2) / (one.n + 4), one.n + 4
        gaps.append(one.n / total * one.gap)
        spreads.append(one.n / total * sqrt(share * (1 - share) / n))
    random = Random(0)
    drawn = [[spread * random.gauss() for spread in spreads] for _ in range(_DRAWS)]
    found = sum(map(abs, gaps))

    def largest(times: float, rank: int) -> float:
        errors = []
        for noise in drawn:
            pairs = zip(gaps, noise, strict=True)
            errors.append(sum(abs(times * gap + more) for gap, more in pairs))
        return sorted(errors)[rank]

    ends = []
    for rank in (-_TAIL, _TAIL - 1):
        low, high = 0.0, _MOST_TIMES
        for _ in range(_STEPS):
            middle = (low + high) / 2
            if largest(middle, rank) < found:
                low = middle
            else:
                high = middle
        ends.append(found * low)
    return found, Interval(ends[0], max(found, ends[1]))


def area_under_curve(cells: Sequence[Bin]) -> tuple[float, Interval] | None:
    """The probability that a right answer has a higher probability than a wrong one,
    with its 95 % interval; equal ones count half. None without both.

    The interval is method 5 of Newcombe 2006, Statistics in Medicine 25, 559-573.
    """
    right = wrong = 0
    above = 0.0
    for cell in cells:
        above += cell.right * (wrong + (cell.n - cell.right) / 2)
        right += cell.right
        wrong += cell.n - cell.right
    if not right or not wrong:
        return None
    area = above / (right * wrong)
    more = (right + wrong) / 2 - 1

    def is_far(one: float) -> bool:
        spread = 1 + more * ((1 - one) / (2 - one) + one / (1 + one))
        return abs(area - one) > Z * sqrt(one * (1 - one) * spread / (right * wrong))

    ends = []
    for outer in (0.0, 1.0):
        inner = area
        for _ in range(2 * _STEPS):
            middle = (inner + outer) / 2
            if is_far(middle):
                outer = middle
            else:
                inner = middle
        ends.append(inner)
    return area, Interval(*ends)
