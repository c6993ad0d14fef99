"""Chooses the depths of questions so that few of them measure D50."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import compress, product
from math import ceil, exp, fsum, log, sqrt
from operator import mul

from pytest_llmarith.statistics.intervals import Z
from pytest_llmarith.statistics.shares import Depth
from pytest_llmarith.statistics.thresholds import Fit, fit

# While depths are chosen:
_SLOPES, _LAPSE = (0.3, 1.0, 3.5), 0.02

_SMALLEST = 1e-9  # probability of an answer

_NEGLIGIBLE = 1e-6  # of the largest weight

_MOST_COMPARED = 16  # depths

_ENOUGH = 10  # answers at the first or last depth, to show that D50 is outside


class DepthChooser:
    """Chooses the depth of each question so that few questions measure D50.

    It is the depth whose answer is expected to leave the smallest variance of D50, if
    the curve is logistic.
    """

    def __init__(self, depths: Iterable[int], half_width: float) -> None:
        """`half_width` is that of the wanted interval, in digits."""
        self._depths = sorted(depths)
        self._half_width = half_width
        reach = max(
            2, (self._depths[-1] - self._depths[0] + 1) // 2
        )  # digits by which D50 may lie outside
        low, high = self._depths[0] - reach, self._depths[-1] + reach
        steps = ceil(2 / min(1.0, half_width))
        places = (
            low + number / steps for number in range(round((high - low) * steps) + 1)
        )
        self._cells = list(product(places, _SLOPES))
        self._weights = [1.0] * len(self._cells)
        self._right: dict[
            int, list[float]
        ] = {}  # by depth, the probability of a right answer in each cell
        self._answers: dict[int, list[int]] = {
            depth: [0, 0] for depth in self._depths
        }  # right ones, and all

    def add(self, depth: int, *, is_right: bool) -> None:
        """Note an answer."""
        self._answers[depth][0] += is_right
        self._answers[depth][1] += 1
        shares = self._shares(depth)
        weights = list(
            map(
                mul,
                self._weights,
                shares if is_right else [1 - share for share in shares],
            )
        )
        least = max(weights) * _NEGLIGIBLE
        kept = [weight > least for weight in weights]
        if 2 * sum(kept) < len(kept):
            self._cells, weights = (
                list(compress(self._cells, kept)),
                list(compress(weights, kept)),
            )
            self._right = {
                depth: list(compress(known, kept))
                for depth, known in self._right.items()
            }
        total = fsum(weights)
        self._weights = [weight / total for weight in weights]

    def next_depth(self) -> int | None:
        """The depth of the next question; None if the interval is narrow enough, or D50
        is outside of the depths.
        """
        d50s = [d50 for d50, _ in self._cells]
        weighted = list(map(mul, self._weights, d50s))
        mean = fsum(weighted)
        half_width = Z * sqrt(max(_SMALLEST, fsum(map(mul, weighted, d50s)) - mean**2))
        edge = self._depths[0 if mean < self._depths[0] else -1]
        is_outside = (
            not self._depths[0] <= mean <= self._depths[-1]
            and self._answers[edge][1] >= _ENOUGH
        )
        if half_width <= self._half_width or is_outside:
            measured = tuple(
                Depth(depth, *counts)
                for depth, counts in self._answers.items()
                if counts[1]
            )
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
            moment: float = sum(map(mul, weighted, shares))
            return moment * moment / right + (mean - moment) * (mean - moment) / (
                1 - right
            )

        low, high = min(d50s) - 1, max(d50s) + 1
        likely = [
            depth for depth in self._depths if low <= depth <= high
        ] or self._depths
        return max(
            [*likely[:: ceil(len(likely) / _MOST_COMPARED)], likely[-1]], key=gain
        )

    def _is_enough(self, found: Fit) -> bool:
        """Whether the interval is narrow enough, or outside of the depths after enough
        answers at the nearest one.
        """
        if found.low is None:
            return (
                found.high == self._depths[0]
                and self._answers[self._depths[0]][1] >= _ENOUGH
            )
        if found.high is None:
            return (
                found.low == self._depths[-1]
                and self._answers[self._depths[-1]][1] >= _ENOUGH
            )
        return found.high - found.low <= 2 * self._half_width

    def _shares(self, depth: int) -> list[float]:
        if depth not in self._right:
            self._right[depth] = [
                _logistic(depth - d50, slope) for d50, slope in self._cells
            ]
        return self._right[depth]


@lru_cache(10_000)
def _logistic(digits: float, slope: float) -> float:
    """The probability of a right answer so many digits beyond D50, where it is one
    half.
    """
    exponent = slope * digits + log(1 - 2 * _LAPSE)
    return min(
        1 - _SMALLEST, max(_SMALLEST, (1 - _LAPSE) / (1 + exp(min(700.0, exponent))))
    )
