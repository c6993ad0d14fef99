"""The geometric mean of ratios."""

from __future__ import annotations

from collections.abc import Collection
from math import exp, fsum
from typing import Literal, NamedTuple

from pytest_llmarith.statistics.intervals import Interval
from pytest_llmarith.statistics.means import error_of_mean, of_mean
from pytest_llmarith.statistics.pairs import FEWEST_TESTED, SIGNIFICANT, mcnemar

_LIKE_1 = Interval(0.87, 1.15)  # ratios

_LARGEST = 34.0  # logarithm of a ratio

_FEW = 0.05  # of all ratios

# ratios to show that there is no effect: with fewer, one question in ten may have one
# and not be seen
_ENOUGH = 50


class MeanRatio(NamedTuple):
    """The geometric mean of ratios with its interval, and the test of its difference
    from 1.
    """

    ratio: float
    low: float | None  # None if there are fewer than six ratios
    high: float | None
    p: float | None
    is_like_1: bool

    def effect(
        self, p_holm: float | None
    ) -> Literal["none visible", "visible", "cannot tell"]:
        """What the ratio shows, with the p that is corrected for all ratios of its
        run.
        """
        if self.is_like_1:
            return "none visible"
        if p_holm is not None and p_holm < SIGNIFICANT:
            return "visible"
        return "cannot tell"


def mean_ratio(logarithms: Collection[float], left_out: int = 0) -> MeanRatio:
    """The geometric mean of one or more ratios with its 95 % interval, by Student's t
    of their natural `logarithms`.

    The mean is like 1 if the interval of 50 ratios or more is within 0.87 to 1.15, and
    if at most 5 % of all ratios are `left_out`. If all ratios are equal, the interval
    has no width, and the test is the sign test. Student 1908, Biometrika 6, 1-25; a
    test by an interval that holds no effect of interest: Schuirmann 1987, Journal of
    Pharmacokinetics and Biopharmaceutics 15, 657-680.
    """
    count = len(logarithms)
    mean = fsum(logarithms) / count
    if count < FEWEST_TESTED:
        return MeanRatio(_ratio(mean), None, None, None, False)
    error = error_of_mean(logarithms)
    if error:
        interval, p = of_mean(mean, error, count - 1)
    else:
        interval = Interval(mean, mean)
        p = mcnemar(count, 0) if mean else 1.0
    low, high = _ratio(interval.low), _ratio(interval.high)
    is_within = _LIKE_1.low <= low and high <= _LIKE_1.high
    is_enough = count >= _ENOUGH and left_out <= _FEW * (left_out + count)
    return MeanRatio(_ratio(mean), low, high, p, is_within and is_enough)


def _ratio(logarithm: float) -> float:
    return round(exp(min(logarithm, _LARGEST)), 4)
