"""Whether probabilities tell what is right: bins, calibration error, and the area under
the curve.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from math import sqrt
from random import Random
from typing import NamedTuple

from pytest_llmarith.statistics.intervals import Interval, score_interval

_BINS = 10
_DRAWS = 200
_TAIL = 5  # draws at either end of the interval and beyond
_MOST_PERCENT = 400  # of the gaps that were found


class Bin(NamedTuple):
    """Answers of about one probability: how many, the right ones, the sum of their
    probabilities, and that of the right ones.
    """

    n: int
    right: int
    predicted: float
    predicted_right: float


_NONE = Bin(0, 0, 0.0, 0.0)


def joined(bins: Iterable[Bin]) -> Bin:
    """Several bins as one."""
    return Bin(*map(sum, zip(_NONE, *bins, strict=True)))


def equal_bins(cells: Sequence[Bin]) -> list[Bin]:
    """At most ten bins of about equally many answers, of cells in the order of their
    probability, which are not divided.
    """
    total = joined(cells).n
    bins: list[Bin] = []
    some = []
    seen = 0
    for cell in cells:
        some.append(cell)
        seen += cell.n
        if seen * _BINS >= (len(bins) + 1) * total:
            bins.append(joined(some))
            some = []
    return bins


def calibration_error(bins: Sequence[Bin]) -> tuple[float, Interval]:
    """The expected calibration error, from 0 to 1: the mean gap of accuracy and
    probability without its sign, and its 95 % interval.

    The mean of such gaps is above 0 for every model, so that neither a bootstrap nor a
    standard error gives its interval. Its ends are the multiples of the gaps found at
    which the error found is one of the 2.5 % largest or smallest of 200 drawn with a
    fixed seed, each gap with the standard error of a share with two more right and
    wrong answers (Agresti and Coull 1998, The American Statistician 52, 119-126).
    """
    total = joined(bins).n
    gaps = [(one.right - one.predicted) / total for one in bins]
    shares = [((one.right + 2) / (one.n + 4), one.n) for one in bins]
    errors = [sqrt(share * (1 - share) * n) / total for share, n in shares]
    random = Random(0)
    drawn = [[random.gauss(0, error) for error in errors] for _ in range(_DRAWS)]
    found = sum(map(abs, gaps))

    def extreme(percent: int, rank: int) -> float:
        """The drawn error of a rank, at this percentage of the gaps."""
        sums = []
        for noise in drawn:
            pairs = zip(gaps, noise, strict=True)
            sums.append(sum(abs(gap * percent / 100 + more) for gap, more in pairs))
        return sorted(sums)[rank]

    percents = range(_MOST_PERCENT)
    low = bisect_left(percents, found, key=lambda one: extreme(one, -_TAIL))
    high = bisect_left(percents, found, key=lambda one: extreme(one, _TAIL - 1))
    return found, Interval(found * min(low, 100) / 100, found * max(high, 100) / 100)


def area_under_curve(cells: Sequence[Bin]) -> tuple[float, Interval] | None:
    """The probability that a right answer has a higher probability than a wrong one,
    with its 95 % interval; equal ones count half. None without both.

    The interval is Wilson's, of as many pairs as have the variance of Hanley and McNeil
    1982, Radiology 143, 29-36, in the form of Newcombe 2006, Statistics in Medicine 25,
    559-573.
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
    spread = (1 - area) / (2 - area) + area / (1 + area)
    pairs = right * wrong / (1 + ((right + wrong) / 2 - 1) * spread)
    return area, score_interval(area, pairs)
