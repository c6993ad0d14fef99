"""Chooses the depths of questions so that few of them measure D50."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import compress
from math import ceil, exp, fsum, log, sqrt
from operator import mul

from pytest_llmarith.statistics.distributions import Z
from pytest_llmarith.statistics.proportions import Depth
from pytest_llmarith.statistics.thresholds import Fit, fit

# of the curves that are weighed: falls of the log odds by one digit, and the share of
# wrong answers to easy questions
_SLOPES = (0.3, 1.0, 3.5)
_LAPSE = 0.02

_SMALLEST = 1e-9  # probability of an answer

_NEGLIGIBLE = 1e-6  # of the largest weight

_MOST_COMPARED = 16  # depths

_ENOUGH = 10  # answers at the first or last depth, to show that D50 is outside


class DepthChooser:
    """Chooses the depth of each question so that few questions measure D50.

    It is the depth whose answer is expected to leave the smallest variance of D50, if
    the curve is logistic (King-Smith et al. 1994, Vision Research 34, 885-912).
    """

    def __init__(self, depths: Iterable[int], half_width: float) -> None:
        """`half_width` is that of the wanted interval, in digits."""
        self._depths = sorted(depths)
        self._half_width = half_width
        self._curves = _curves(self._depths[0], self._depths[-1], half_width)
        self._weights = [1.0] * len(self._curves)
        self._answers = [Depth(depth, 0, 0) for depth in self._depths]

    def add(self, depth: int, *, is_right: bool) -> None:
        """Note an answer."""
        place = self._depths.index(depth)
        _, correct, measured = self._answers[place]
        self._answers[place] = Depth(depth, correct + is_right, measured + 1)
        likelihoods = self._shares(depth)
        if not is_right:
            likelihoods = [1 - share for share in likelihoods]
        self._weights = _products(self._weights, likelihoods)
        self._drop_unlikely_curves()
        total = fsum(self._weights)
        self._weights = [weight / total for weight in self._weights]

    def _drop_unlikely_curves(self) -> None:
        """Leave out the curves of negligible weight if these are more than half."""
        least = max(self._weights) * _NEGLIGIBLE
        kept = [weight > least for weight in self._weights]
        if 2 * sum(kept) >= len(kept):
            return
        self._curves = list(compress(self._curves, kept))
        self._weights = list(compress(self._weights, kept))

    def next_depth(self) -> int | None:
        """The depth of the next question after one or more answers; None if the
        interval is narrow enough, or D50 is outside of the depths.
        """
        d50s = [d50 for d50, _ in self._curves]
        weighted = _products(self._weights, d50s)
        mean = fsum(weighted)
        variance = fsum(map(mul, weighted, d50s)) - mean**2
        half_width = Z * sqrt(max(_SMALLEST, variance))
        if half_width <= self._half_width or self._is_outside(mean):
            measured = tuple(depth for depth in self._answers if depth.measured)
            found = fit(measured, (self._depths[0], self._depths[-1]))
            assert found is not None
            if self._is_enough(found):
                return None

        def gain(depth: int) -> float:
            """What an answer is expected to take from the variance, up to a
            constant.
            """
            shares = self._shares(depth)
            right: float = sum(map(mul, self._weights, shares))
            if_right: float = sum(map(mul, weighted, shares))
            if_wrong = mean - if_right
            return if_right * if_right / right + if_wrong * if_wrong / (1 - right)

        return max(self._compared_depths(min(d50s) - 1, max(d50s) + 1), key=gain)

    def _compared_depths(self, low: float, high: float) -> list[int]:
        """Up to 17 of the depths between two ends, or of all if there is none."""
        likely = [depth for depth in self._depths if low <= depth <= high]
        if not likely:
            likely = self._depths
        step = ceil(len(likely) / _MOST_COMPARED)
        return [*likely[::step], likely[-1]]

    def _is_outside(self, d50: float) -> bool:
        """Whether D50 is outside of the depths, after enough answers at the nearest
        one.
        """
        first, last = self._answers[0], self._answers[-1]
        if d50 < first.depth:
            return first.measured >= _ENOUGH
        return d50 > last.depth and last.measured >= _ENOUGH

    def _is_enough(self, found: Fit) -> bool:
        """Whether the interval is narrow enough, or outside of the depths after enough
        answers at the nearest one.
        """
        first, last = self._answers[0], self._answers[-1]
        if found.low is None:
            return found.high == first.depth and first.measured >= _ENOUGH
        if found.high is None:
            return found.low == last.depth and last.measured >= _ENOUGH
        return found.high - found.low <= 2 * self._half_width

    def _shares(self, depth: int) -> list[float]:
        """The probability of a right answer at a depth, on each curve."""
        return [_logistic(depth - d50, slope) for d50, slope in self._curves]


def _curves(first: int, last: int, half_width: float) -> list[tuple[float, float]]:
    """Curves with each D50 in question and each slope. D50 may be outside of the
    depths.
    """
    reach = max(2, (last - first + 1) // 2)
    low, high = first - reach, last + reach
    steps = ceil(2 / min(1.0, half_width))
    curves = []
    for number in range(round((high - low) * steps) + 1):
        d50 = low + number / steps
        for slope in _SLOPES:
            curves.append((d50, slope))
    return curves


def _products(first: Sequence[float], second: Sequence[float]) -> list[float]:
    return list(map(mul, first, second))  # faster than a loop


@lru_cache(10_000)
def _logistic(digits: float, slope: float) -> float:
    """The probability of a right answer so many digits beyond D50, where it is one
    half.
    """
    exponent = slope * digits + log(1 - 2 * _LAPSE)
    share = (1 - _LAPSE) / (1 + exp(min(700.0, exponent)))
    return min(1 - _SMALLEST, max(_SMALLEST, share))
