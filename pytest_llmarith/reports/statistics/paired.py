"""Two shares, or two means, beside each other: tests, intervals, and what it costs to make many tests at once.

It does not know what is compared. Differences are those of the second from the first: negative where it is lower.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, fsum, lgamma, log, sqrt
from typing import NamedTuple

from pytest_llmarith.reports.statistics.intervals import Interval, wilson

# Below it a p value, corrected where tests stand beside each other, is taken for more than chance.
SIGNIFICANT = 0.05
# Far below what a double can add to a sum of probabilities.
_NEGLIGIBLE = 1e-17


class Pairs(NamedTuple):
    """How many pairs of trials came to what: in `first` and `second`, that one alone succeeded."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def total(self) -> int:
        return sum(self)


def mcnemar(pairs: Pairs) -> float:
    """The two-sided p of McNemar's exact test: were the pairs in which one alone succeeded tosses of a fair coin, so
    uneven a result, or a more uneven one, would come up that often.
    """
    tosses, fewer = pairs.first + pairs.second, min(pairs.first, pairs.second)
    if 2 * fewer == tosses:
        return 1.0
    likeliest = exp(lgamma(tosses + 1) - lgamma(fewer + 1) - lgamma(tosses - fewer + 1) - tosses * log(2))
    return min(1.0, 2 * likeliest * fsum(_falling(fewer, tosses)))


def _falling(fewer: int, tosses: int) -> Iterator[float]:
    """How likely 0 to `fewer` heads are, as shares of the last one's likelihood, from there on downwards."""
    share = 1.0
    for heads in range(fewer, 0, -1):
        yield share
        share *= heads / (tosses - heads + 1)
        if share < _NEGLIGIBLE:
            return
    yield share


def paired_difference(pairs: Pairs) -> Interval | None:
    """The 95 % interval of the difference between two shares of the same pairs; None where there are none.

    Newcombe 1998, Statistics in Medicine 17, 2635-2650, method 10: the Wilson intervals of both shares, squared and
    added, less what the two have in common (phi, corrected for continuity). It has no trouble at 0 and 100 %.
    """
    first, second = pairs.both + pairs.first, pairs.both + pairs.second
    one, other = wilson(first, pairs.total), wilson(second, pairs.total)
    if one is None or other is None:
        return None
    share, its, phi = first / pairs.total, second / pairs.total, _phi(pairs)
    low = its - share - _joined(its - other.low, one.high - share, phi)
    high = its - share + _joined(other.high - its, share - one.low, phi)
    return Interval(max(-1.0, low), min(1.0, high))


def _joined(one: float, other: float, phi: float) -> float:
    return sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def _phi(pairs: Pairs) -> float:
    """How far the two succeed together, from -1 to 1; 0 where one of them always does, or never."""
    both, first, second, neither = pairs
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if not margins:
        return 0.0
    together = both * neither - first * second
    corrected = max(together - pairs.total / 2, 0.0) if together > 0 else together
    return corrected / sqrt(margins)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values of tests that stand beside each other, corrected so that all of them together err in 5 of 100 cases
    at most where SIGNIFICANT is the bound (Holm 1979, Scandinavian Journal of Statistics 6, 65-70); in their own order.
    """
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected
