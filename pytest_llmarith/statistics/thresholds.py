"""The depth at which half of the answers are right (D50), with its 95 % interval.

Nothing is assumed of the curve but that accuracy falls with the number of digits. The
interval has each D50 for which the likeliest falling curve is not much less likely than
the likeliest one of all, a likelihood ratio test of monotone regression (Banerjee and
Wellner 2001, Annals of Statistics 29, 1699-1731).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import exp, fsum, log
from typing import Literal, NamedTuple

from pytest_llmarith.statistics.distributions import chi_squared_tail
from pytest_llmarith.statistics.proportions import Cluster, Depth

# what the logarithm of the likelihood may lose: two standard errors
_SUPPORT = 2.0
_SUPPORT_IF_CHOSEN = 2.5  # if the answers have chosen the depths

# the factor by which the odds of a place between two depths may be off, as the curve
# may bend there
_BEND = 2.0

_STEEPEST = 60.0  # fall of the log odds from one depth to the next

_HALVINGS = 12  # for an end of the interval
_FINE_HALVINGS = 24  # for the likeliest curve

_DEEPEST = 1_000


Place = Literal["below", "within", "above", "unknown"]


class Fit(NamedTuple):
    """D50 with its 95 % interval in digits, None where they are outside of the depths,
    or unknown.

    `place` says where D50 is beside the depths. `p` is that of the goodness of fit.
    """

    d50: float | None
    low: float | None
    high: float | None
    p: float
    place: Place


@lru_cache(1_000)
def fit(
    measured: tuple[Depth, ...], offered: tuple[int, int] | None = None
) -> Fit | None:
    """D50 of depths with answers, in order, with its 95 % interval, in digits; None if
    there are fewer than two depths, or one beyond 1,000 digits.

    `offered` are the smallest and the largest depth of adaptive asking, of which one
    with answers is enough. The interval is that of Banerjee and Wellner 2001, above.
    """
    if not measured or measured[-1].depth > _DEEPEST:
        return None
    first, last = offered or (measured[0].depth, measured[-1].depth)
    if first == last:
        return None
    support = _SUPPORT_IF_CHOSEN if offered else _SUPPORT
    asked = {depth.depth for depth in measured}
    depths = list(measured)
    for end in (first, last):
        if end not in asked:
            depths.append(Depth(end, 0, 0))
    curves = _Curves(sorted(depths))
    d50 = curves.d50()
    low = high = None
    if curves.loss_below > support:
        low = curves.end(first, last if d50 is None else d50, support)
    if curves.loss_above > support:
        high = curves.end(last, first if d50 is None else d50, support)
    place: Place = "within"
    if d50 is None:
        place = _outside(measured, first, last, is_open=low is None and high is None)
    return Fit(d50, low, high, curves.goodness(), place)


def _outside(
    measured: Sequence[Depth], first: int, last: int, *, is_open: bool
) -> Place:
    """Where D50 is if the likeliest curve does not cross one half between the depths.

    It is unknown if the interval is open on both ends and the answers differ, or if
    the first or last depth, beyond which it would be, was not asked.
    """
    correct, trials = Cluster.of((depth.correct, depth.measured) for depth in measured)
    if is_open and 0 < correct < trials:
        return "unknown"
    if 2 * correct > trials:
        return "above" if measured[-1].depth == last else "unknown"
    return "below" if measured[0].depth == first else "unknown"


class _Curves:
    """All falling curves through depths in order, of which some may have no answers."""

    def __init__(self, depths: Sequence[Depth]) -> None:
        self._depths = depths
        self._steps = _falling(depths)
        self._most = _log_likelihood(self._steps)
        self.loss_below = self._most - _log_likelihood(self._steps, high=0.5)
        self.loss_above = self._most - _log_likelihood(self._steps, low=0.5)

    def d50(self) -> float | None:
        """Where the likeliest curve is one half; None if that is outside of the depths,
        or at each of several.

        It is between the last depth with a share above one half and the next one, on a
        line through their log odds.
        """
        for before, after in pairwise(self._steps):
            if before.share >= 0.5 >= after.share:
                part = before.log_odds / (before.log_odds - after.log_odds)
                following = self._next_answered(before.depth)
                return before.depth + part * (following - before.depth)
        answered = [depth for depth in self._depths if depth.measured]
        if len(answered) == 1 and answered[0].share == 0.5:
            return answered[0].depth
        return None

    def _next_answered(self, depth: int) -> int:
        """The first depth with answers beyond this one; there is one."""
        for each in self._depths:
            if each.depth > depth and each.measured:
                return each.depth
        raise AssertionError("the last step has answers")

    def end(self, outside: float, inside: float, support: float) -> float:
        """The end of the interval between a D50 outside of it and one inside."""
        factor = _BEND if outside > inside else 1 / _BEND
        for _ in range(_HALVINGS):
            middle = (outside + inside) / 2
            if self._loss(middle) > support:
                outside = middle
            else:
                inside = middle
        number, part = self._place(inside)
        part = part * factor / (part * factor + 1 - part)
        first, last = self._depths[number].depth, self._depths[number + 1].depth
        return first + part * (last - first)

    def goodness(self) -> float:
        """The p of the likeliest curve: low if accuracy rises with the depth.

        Its deviance is chi squared, with as many degrees of freedom as depths were
        joined (Wollan and Dykstra 1986).
        """
        answered = [depth for depth in self._depths if depth.measured]
        joined = len(answered) - len(self._steps)
        if joined == 0:
            return 1.0
        return chi_squared_tail(2 * (_log_likelihood(answered) - self._most), joined)

    def _place(self, digits: float) -> tuple[int, float]:
        """The number of the depth before, and the part of the way to the next one."""
        places = [depth.depth for depth in self._depths[1:-1]]
        number = bisect_right(places, digits)
        first, last = self._depths[number].depth, self._depths[number + 1].depth
        return number, (digits - first) / (last - first)

    def _loss(self, d50: float) -> float:
        """What the logarithm of the likelihood loses if the curve has this D50.

        The log odds fall along a line between the depths before and after it. The
        steeper the line, the more of the other depths have to be above or below it, so
        that the likeliest one is found by bisection.
        """
        number, part = self._place(d50)
        before, after = self._depths[number : number + 2]
        easier = _falling(self._depths[:number])
        harder = _falling(self._depths[number + 2 :])
        flat, steep = 0.0, _STEEPEST
        for _ in range(_FINE_HALVINGS):
            fall = (flat + steep) / 2
            high, low = _share_of(part * fall), _share_of((part - 1) * fall)
            lifted, lowered = [], []
            for step in easier:
                if step.share < high:
                    lifted.append(step.excess(high))
            for step in harder:
                if step.share > low:
                    lowered.append(step.excess(low))
            gain = before.excess(high) + fsum(lifted)
            loss = after.excess(low) + fsum(lowered)
            if part * gain > (1 - part) * loss:
                flat = fall
            else:
                steep = fall
        high, low = _share_of(part * flat), _share_of((part - 1) * flat)
        beside = _log_likelihood([before], high, high)
        beside += _log_likelihood([after], low, low)
        loss = self._most - _log_likelihood(easier, low=high)
        return loss - beside - _log_likelihood(harder, high=low)


def _falling(depths: Iterable[Depth]) -> list[Depth]:
    """The likeliest falling curve: depths at which accuracy rises are joined to the
    last one (Ayer et al. 1955).
    """
    steps: list[Depth] = []
    for depth in depths:
        if not depth.measured:
            continue
        step = depth
        while steps and steps[-1].share <= step.share:
            before = steps.pop()
            correct = before.correct + step.correct
            step = Depth(step.depth, correct, before.measured + step.measured)
        steps.append(step)
    return steps


def _log_likelihood(
    steps: Iterable[Depth], low: float = 0.0, high: float = 1.0
) -> float:
    """The logarithm of the likelihood of the steps' shares, as far as they are between
    two bounds.
    """
    parts = []
    for _, correct, trials in steps:
        share = min(high, max(low, correct / max(1, trials)))
        if correct:
            parts.append(correct * log(share))
        if correct < trials:
            parts.append((trials - correct) * log(1 - share))
    return fsum(parts)


def _share_of(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))
