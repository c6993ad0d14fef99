"""The number of digits at which half of the answers are right (D50), with its 95 %
interval.

Nothing is assumed of the curve but that accuracy falls with the number of digits. The
interval has each D50 for which the likeliest falling curve is not much less likely than
the likeliest one of all, a likelihood ratio test of monotone regression (Banerjee and
Wellner 2001, Annals of Statistics 29, 1699-1731). Only the depth of the next question
is chosen by a logistic curve.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import compress, pairwise, product
from math import ceil, erfc, exp, fsum, log, sqrt
from operator import mul
from typing import Literal, NamedTuple

from pytest_llmarith.records import Record, SearchDetails
from pytest_llmarith.results.statistics import Depth, Z
from pytest_llmarith.summaries import Threshold
from pytest_llmarith.types import Outcome, SearchEnd

# What the logarithm of the likelihood may lose: two standard errors, more if the
# answers have chosen the depths.
_SUPPORT, _OF_CHOSEN = 2.0, 2.5
# the factor by which the odds of a place between two depths may be off, as the curve
# may bend there
_BEND = 2.0
_STEEPEST = 60.0  # fall of the log odds from one depth to the next
_HALVINGS, _FINE_HALVINGS = 12, 24  # for an end, and for the likeliest curve
_DEEPEST = 1_000
_DECIMALS = 4  # in a summary
# While depths are chosen:
_SLOPES, _LAPSE = (0.3, 1.0, 3.5), 0.02
_SMALLEST = 1e-9  # probability of an answer
_NEGLIGIBLE = 1e-6  # of the largest weight
_MOST_COMPARED = 16  # depths
_ENOUGH = 10  # answers at the first or last depth, to show that D50 is outside


class Fit(NamedTuple):
    """D50 with its 95 % interval in digits, None where they are outside of the depths.

    D50 is below the first depth if it and `low` are None, and above the last if it and
    `high` are. `p` is that of the goodness of fit.
    """

    d50: float | None
    low: float | None
    high: float | None
    p: float


def threshold(
    variant: str,
    depths: Iterable[Depth],
    offered: Sequence[int] = (),
    ended: SearchEnd | None = None,
) -> Threshold | None:
    """D50 for a summary; None if only one depth has answers.

    `offered` are the depths of adaptive asking, which `ended`.
    """
    measured = tuple(sorted(depth for depth in depths if depth.measured))
    ends = (min(offered), max(offered)) if offered else None
    if (found := fit(measured, ends)) is None:
        return None
    first, last = ends or (measured[0].depth, measured[-1].depth)
    place: Literal["below", "within", "above"] = "within"
    if found.d50 is None:
        place = "below" if found.low is None else "above"
    return Threshold(
        variant=variant,
        d50=_rounded(found.d50),
        place=place,
        first=first,
        last=last,
        interval=[_rounded(found.low), _rounded(found.high)],
        p=round(found.p, _DECIMALS),
        questions=sum(depth.measured for depth in measured),
        ended=ended,
    )


def _rounded(digits: float | None) -> float | None:
    return None if digits is None else round(digits, _DECIMALS)


def threshold_of(record: Record, search: SearchDetails) -> Threshold | None:
    """D50 as adaptive asking measured it; None if it is unanswered."""
    if search.depths is None or record.outcome is Outcome.UNANSWERED:
        return None
    answers: dict[int, list[bool]] = {}
    for step in search.trail:
        answers.setdefault(step.depth or 0, []).append(step.outcome is Outcome.CORRECT)
    depths = [Depth(depth, sum(right), len(right)) for depth, right in answers.items()]
    return threshold(
        record.problem.variant or record.task, depths, search.depths, search.ended
    )


@lru_cache(1_000)
def fit(
    measured: tuple[Depth, ...], offered: tuple[int, int] | None = None
) -> Fit | None:
    """D50 of depths with answers, in order; None if there are fewer than two, or one
    beyond 1,000 digits.

    `offered` are the smallest and the largest depth of adaptive asking, which need not
    have answers.
    """
    if len(measured) < (1 if offered else 2) or measured[-1].depth > _DEEPEST:
        return None
    ends = offered or (measured[0].depth, measured[-1].depth)
    asked = {depth.depth for depth in measured}
    unasked = [Depth(end, 0, 0) for end in ends if end not in asked]
    curves = _Curves(sorted([*measured, *unasked]))
    support = _OF_CHOSEN if offered else _SUPPORT
    d50, (first, last) = curves.d50(), ends
    low = high = None
    if curves.loss_below > support:
        low = curves.end(first, last if d50 is None else d50, support)
    if curves.loss_above > support:
        high = curves.end(last, first if d50 is None else d50, support)
    return Fit(d50, low, high, curves.goodness())


class _Curves:
    """All falling curves through depths in order, of which some may have no answers."""

    def __init__(self, depths: Sequence[Depth]) -> None:
        self._depths = depths
        self._steps = _falling(depths)
        self._most = _log_likelihood(self._steps)
        self.loss_below = self._most - _log_likelihood(self._steps, high=0.5)
        self.loss_above = self._most - _log_likelihood(self._steps, low=0.5)

    def d50(self) -> float | None:
        """Where the likeliest curve is one half; None if that is outside of the depths.

        It is between the last depth with a share above one half and the next one, on a
        line through their log odds.
        """
        for before, after in pairwise(self._steps):
            if before.share >= 0.5 >= after.share:
                part = before.log_odds / (before.log_odds - after.log_odds)
                following = min(
                    depth.depth
                    for depth in self._depths
                    if depth.measured and depth.depth > before.depth
                )
                return before.depth + part * (following - before.depth)
        only = self._steps[0]
        return only.depth if only.share == 0.5 else None

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
        return (
            _upper_tail(2 * (_log_likelihood(answered) - self._most), joined)
            if joined
            else 1.0
        )

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
        easier, harder = (
            _falling(self._depths[:number]),
            _falling(self._depths[number + 2 :]),
        )
        flat, steep = 0.0, _STEEPEST
        for _ in range(_FINE_HALVINGS):
            fall = (flat + steep) / 2
            high, low = _share_of(part * fall), _share_of((part - 1) * fall)
            gain = before.excess(high) + fsum(
                step.excess(high) for step in easier if step.share < high
            )
            loss = after.excess(low) + fsum(
                step.excess(low) for step in harder if step.share > low
            )
            if part * gain > (1 - part) * loss:
                flat = fall
            else:
                steep = fall
        high, low = _share_of(part * flat), _share_of((part - 1) * flat)
        beside = _log_likelihood([before], high, high) + _log_likelihood(
            [after], low, low
        )
        return (
            self._most
            - _log_likelihood(easier, low=high)
            - beside
            - _log_likelihood(harder, high=low)
        )


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
            step = Depth(
                step.depth,
                before.correct + step.correct,
                before.measured + step.measured,
            )
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


def _upper_tail(square: float, degrees: int) -> float:
    """The probability that chi squared exceeds this, by the approximation of Wilson and
    Hilferty (1931).
    """
    if square <= 0:
        return 1.0
    spread = 2 / (9 * degrees)
    return erfc(((square / degrees) ** (1 / 3) - (1 - spread)) / sqrt(2 * spread)) / 2


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
