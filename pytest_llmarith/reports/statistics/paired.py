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
# Tables that are as likely as the observed one differ from it by rounding alone; R and scipy allow for it alike.
_AS_LIKELY = 1 + 1e-7


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


def fisher(first: int, of_first: int, second: int, of_second: int) -> float:
    """The two-sided p of Fisher's exact test of two independent shares: tables with the same margins that are as
    likely as this one, or less.
    """
    likelihoods = _likelihoods(first + second, of_first, of_second)
    observed = likelihoods.get(first, 0.0)
    as_rare = fsum(each for each in likelihoods.values() if each <= observed * _AS_LIKELY)
    return min(1.0, as_rare / fsum(likelihoods.values()))


def _likelihoods(successes: int, of_first: int, of_second: int) -> dict[int, float]:
    """How likely it is that so many of the successes are the first one's, as shares of the likeliest number's.

    What is too unlikely for a float is left out, and so it takes no longer than the square root of all trials.
    """
    fewest, most = max(0, successes - of_second), min(successes, of_first)
    likeliest = min(most, max(fewest, (successes + 1) * (of_first + 1) // (of_first + of_second + 2)))
    found, share = {likeliest: 1.0}, 1.0
    for own in range(likeliest, most):
        share *= (successes - own) * (of_first - own) / ((own + 1) * (of_second - successes + own + 1))
        if not share:
            break
        found[own + 1] = share
    share = 1.0
    for own in range(likeliest, fewest, -1):
        share *= own * (of_second - successes + own) / ((successes - own + 1) * (of_first - own + 1))
        if not share:
            break
        found[own - 1] = share
    return found


def paired_difference(pairs: Pairs) -> Interval | None:
    """The 95 % interval of the difference between two shares of the same pairs; None where there are none.

    Newcombe 1998, Statistics in Medicine 17, 2635-2650, method 10: the Wilson intervals of both shares, squared and
    added, less what the two have in common (phi, corrected for continuity). It has no trouble at 0 and 100 %.
    """
    successes = pairs.both + pairs.first, pairs.both + pairs.second
    return _newcombe((successes[0], pairs.total), (successes[1], pairs.total), _phi(pairs))


def unpaired_difference(first: int, of_first: int, second: int, of_second: int) -> Interval | None:
    """The 95 % interval of the difference between two independent shares; None where one of them is of nothing.

    Newcombe 1998, Statistics in Medicine 17, 873-890, method 10: two Wilson intervals, squared and added.
    """
    return _newcombe((first, of_first), (second, of_second), 0.0)


def _newcombe(first: tuple[int, int], second: tuple[int, int], phi: float) -> Interval | None:
    one, other = wilson(*first), wilson(*second)
    if one is None or other is None:
        return None
    return squared_and_added((first[0] / first[1], one), (second[0] / second[1], other), phi)


def squared_and_added(first: tuple[float, Interval], second: tuple[float, Interval], phi: float = 0.0) -> Interval:
    """The interval of the difference between two shares, of the intervals in which these lie."""
    (share, one), (its, other) = first, second
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
