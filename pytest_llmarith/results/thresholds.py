"""The number of digits at which half of the answers are right (D50), with its interval, slope and lack of fit.

A logistic function of the digits with a lapse rate of at most 10 % is fitted on a grid, as Wichmann and Hill describe
(2001, Perception and Psychophysics 63, 1293-1313), with uniform priors on D50, the lapse rate and the logarithm of the
slope. The interval is the central 95 % of the posterior distribution of D50.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, compress, pairwise, product
from math import ceil, erfc, exp, floor, fsum, log, log2, sqrt
from operator import mul
from typing import NamedTuple

from pytest_llmarith.records import Record, Threshold, ThresholdProblem
from pytest_llmarith.results.statistics import Depth, Interval
from pytest_llmarith.types import Outcome, SearchEnd

# The flattest slope per digit, how many times as steep the steepest one is, and how many there are at first.
_FLATTEST, _RANGE, _SLOPES = 0.2, 1.75**6, 7
_LARGEST_LAPSE, _LAPSES = 0.1, 4
_CONCENTRATED = 0.8  # of the posterior on one slope or lapse rate: the next grid has others closer to it
_GRIDS = 5  # at most, each finer than the one before
_PLACES, _FINEST = 32, 64  # values of D50: at least so many in a grid, at most so many per digit
_DEEPEST = 1_000
_SMALLEST = 1e-9  # probability of an answer
_DECIMALS = 4  # in a summary
# While depths are chosen:
_FEW_SLOPES, _LAPSE = (0.3, 1.0, 3.5), 0.02
_NEGLIGIBLE = 1e-6  # of the largest weight
_MOST_COMPARED = 16  # depths
_ENOUGH = 10  # answers at the first or last depth, to show that D50 is outside
_UNLIKELY = 0.003  # probability of a D50 inside

_Shapes = Sequence[tuple[float, float]]  # slope and lapse rate


class Fit(NamedTuple):
    """D50 with its 95 % interval in digits, which may lie outside of the depths; `p` is that of the goodness of fit."""

    d50: float
    interval: Interval
    slope: float  # per digit
    p: float


def threshold(
    variant: str, depths: Iterable[Depth], offered: Sequence[int] = (), ended: SearchEnd | None = None
) -> Threshold | None:
    """D50 for a summary; None if there is no fit.

    `offered` are the depths of adaptive asking, which `ended`: D50 is then shown within these.
    """
    measured = tuple(sorted(depth for depth in depths if depth.measured))
    ends = (min(offered), max(offered)) if offered else None
    if (found := fit(measured, ends)) is None:
        return None
    first, last = ends or (measured[0].depth, measured[-1].depth)
    is_within = first <= found.d50 <= last
    return Threshold(
        variant=variant,
        d50=round(found.d50, _DECIMALS) if is_within else None,
        place="within" if is_within else "below" if found.d50 < first else "above",
        first=first,
        last=last,
        interval=[max(0.0, round(end, _DECIMALS)) for end in found.interval] if is_within else None,
        slope=round(found.slope, _DECIMALS),
        p=round(found.p, _DECIMALS),
        questions=sum(depth.measured for depth in measured),
        ended=ended,
    )


def threshold_of(record: Record, problem: ThresholdProblem) -> Threshold | None:
    """D50 as adaptive asking measured it; None if it is unanswered."""
    if record.search is None or record.outcome is Outcome.UNANSWERED:
        return None
    answers: dict[int, list[bool]] = {}
    for step in record.search.trail:
        answers.setdefault(step.depth or 0, []).append(step.outcome is Outcome.CORRECT)
    depths = [Depth(depth, sum(right), len(right)) for depth, right in answers.items()]
    return threshold(problem.variant, depths, problem.depths, record.search.ended)


@lru_cache(1_000)
def fit(measured: tuple[Depth, ...], offered: tuple[int, int] | None = None) -> Fit | None:
    """Fit the curve to depths with answers, in order; None if there are fewer than two, or one beyond 1,000 digits.

    `offered` are the smallest and the largest depth of adaptive asking, which need not have answers.
    """
    if len(measured) < (1 if offered else 2) or measured[-1].depth > _DEEPEST:
        return None
    first, last = offered or (measured[0].depth, measured[-1].depth)
    reach = _reach(first, last)
    low, high = float(first - reach), float(last + reach)
    # Slopes by their logarithm, and lapse rates: 0 is the smallest one, 1 the largest.
    slopes, lapses = ([number / (count - 1) for number in range(count)] for count in (_SLOPES, _LAPSES))
    for number in range(_GRIDS):
        steps = min(_FINEST, 2 ** max(1, ceil(log2(_PLACES / (high - low)))))
        places = [place / steps for place in range(floor(low * steps), ceil(high * steps) + 1)]
        shapes = [(_FLATTEST * _RANGE**slope, _LARGEST_LAPSE * lapse) for slope, lapse in product(slopes, lapses)]
        grid = _Grid.of(measured, places, steps, last - first + reach, shapes)
        rows, count = [fsum(row) for row in grid.weights], len(lapses)
        before = slopes, lapses
        slopes = _finer(slopes, [fsum(rows[start : start + count]) for start in range(0, len(rows), count)])
        lapses = _finer(lapses, [fsum(rows[start::count]) for start in range(count)])
        if number and before == (slopes, lapses):
            break
        low, high = max(low, grid.quantile(0.001) - 1 / steps), min(high, grid.quantile(0.999) + 1 / steps)
    d50, low, high = map(grid.quantile, (0.5, 0.025, 0.975))
    return Fit(d50, Interval(low, high), grid.mean_slope(), _goodness(measured, *grid.likeliest()))


@lru_cache(10_000)
def probability(digits: float, slope: float, lapse: float) -> float:
    """The probability of a right answer so many digits beyond D50, where it is one half."""
    exponent = slope * digits + log(1 - 2 * lapse)
    return min(1 - _SMALLEST, max(_SMALLEST, (1 - lapse) / (1 + exp(min(700.0, exponent)))))


def _reach(first: int, last: int) -> int:
    """The digits by which D50 may lie outside of the depths."""
    return max(2, (last - first + 1) // 2)


class DepthChooser:
    """Chooses the depth of each question so that few questions measure D50.

    It is the depth whose answer is expected to leave the smallest variance of D50, on a coarser grid than the fit's.
    """

    def __init__(self, depths: Iterable[int], half_width: float) -> None:
        """`half_width` is that of the wanted interval, in digits."""
        self._depths = sorted(depths)
        self._half_width = half_width
        reach = _reach(self._depths[0], self._depths[-1])
        low, high = self._depths[0] - reach, self._depths[-1] + reach
        steps = ceil(2 / min(1.0, half_width))
        places = (low + number / steps for number in range(round((high - low) * steps) + 1))
        self._cells = list(product(places, _FEW_SLOPES))
        self._weights = [1.0] * len(self._cells)
        self._right: dict[int, list[float]] = {}  # by depth, the probability of a right answer in each cell
        self._answers: dict[int, list[int]] = {depth: [0, 0] for depth in self._depths}  # right ones, and all
        self._ratio = 0.8  # of the fit's interval to the one on this grid

    def add(self, depth: int, *, is_right: bool) -> None:
        """Note an answer."""
        self._answers[depth][0] += is_right
        self._answers[depth][1] += 1
        shares = self._shares(depth)
        weights = list(map(mul, self._weights, shares if is_right else [1 - share for share in shares]))
        least = max(weights) * _NEGLIGIBLE
        kept = [weight > least for weight in weights]
        if 2 * sum(kept) < len(kept):
            self._cells, weights = list(compress(self._cells, kept)), list(compress(weights, kept))
            self._right = {depth: list(compress(known, kept)) for depth, known in self._right.items()}
        total = fsum(weights)
        self._weights = [weight / total for weight in weights]

    def next_depth(self) -> int | None:
        """The depth of the next question; None if the interval is narrow enough, or D50 is outside of the depths."""
        d50s = [d50 for d50, _ in self._cells]
        weighted = list(map(mul, self._weights, d50s))
        mean = fsum(weighted)
        half_width = 1.96 * sqrt(max(_SMALLEST, fsum(map(mul, weighted, d50s)) - mean**2)) * self._ratio
        if half_width <= self._half_width:
            measured = tuple(Depth(depth, *counts) for depth, counts in self._answers.items() if counts[1])
            found = fit(measured, (self._depths[0], self._depths[-1]))
            assert found is not None
            width = found.interval.high - found.interval.low
            if width <= 2 * self._half_width:
                return None
            self._ratio *= width / 2 / half_width
        edge = self._depths[0 if mean < self._depths[0] else -1]
        if self._answers[edge][1] >= _ENOUGH:
            inside = (self._depths[0] <= d50 <= self._depths[-1] for d50 in d50s)
            if fsum(compress(self._weights, inside)) < _UNLIKELY:
                return None

        def gain(depth: int) -> float:
            """What an answer is expected to take from the variance, up to a constant."""
            shares = self._shares(depth)
            right: float = sum(map(mul, self._weights, shares))
            moment: float = sum(map(mul, weighted, shares))
            return moment * moment / right + (mean - moment) * (mean - moment) / (1 - right)

        low, high = min(d50s) - 1, max(d50s) + 1
        likely = [depth for depth in self._depths if low <= depth <= high] or self._depths
        return max([*likely[:: ceil(len(likely) / _MOST_COMPARED)], likely[-1]], key=gain)

    def _shares(self, depth: int) -> list[float]:
        if depth not in self._right:
            self._right[depth] = [probability(depth - d50, slope, _LAPSE) for d50, slope in self._cells]
        return self._right[depth]


def _finer(scale: list[float], weights: Sequence[float]) -> list[float]:
    """Thirds of steps around the value with nearly all of the weight; the same scale if there is none."""
    if (most := max(weights)) <= _CONCENTRATED * fsum(weights):
        return scale
    best, step = scale[weights.index(most)], (scale[1] - scale[0]) / 3
    values = (round(best + third * step, 9) for third in range(-3, 4))
    return [value for value in values if 0 <= value <= 1]


class _Grid(NamedTuple):
    """The posterior weights by shape (slope and lapse rate) and D50, relative to the likeliest."""

    shapes: _Shapes
    places: Sequence[float]  # D50
    weights: Sequence[Sequence[float]]
    of_d50: Sequence[float]  # the sums of the weights between one D50 and the next, and of all before

    @classmethod
    def of(
        cls, measured: Sequence[Depth], places: Sequence[float], steps: int, furthest: int, shapes: _Shapes
    ) -> _Grid:
        """`furthest` is the largest distance of a D50 from a depth, in digits."""
        answers = [
            (count, round((places[0] - depth + furthest) * steps), is_right)
            for depth, correct, trials in measured
            for count, is_right in ((correct, True), (trials - correct, False))
            if count
        ]
        counts = [float(count) for count, *_ in answers]
        likelihoods = []
        for slope, lapse in shapes:
            right, wrong = _logarithms(slope, lapse, steps, furthest)
            of_depths = [(right if is_right else wrong)[start : start + len(places)] for _, start, is_right in answers]
            likelihoods.append([sum(map(mul, counts, column)) for column in zip(*of_depths, strict=True)])
        most = max(map(max, likelihoods))
        weights = [[exp(one - most) for one in row] for row in likelihoods]
        of_d50 = map(sum, zip(*weights, strict=True))
        return cls(shapes, places, weights, list(accumulate((one + other) / 2 for one, other in pairwise(of_d50))))

    def mean_slope(self) -> float:
        """The geometric mean of the slope."""
        of_shape = [fsum(row) for row in self.weights]
        total = fsum(weight * log(slope) for weight, (slope, _) in zip(of_shape, self.shapes, strict=True))
        return exp(total / fsum(of_shape))

    def quantile(self, share: float) -> float:
        """The D50 up to which the weights have this share of their sum; linear between values."""
        wanted = share * self.of_d50[-1]
        number = bisect_left(self.of_d50, wanted)
        before = self.of_d50[number - 1] if number else 0.0
        part = (wanted - before) / (self.of_d50[number] - before) if self.of_d50[number] > before else 0.5
        return self.places[number] + part * (self.places[number + 1] - self.places[number])

    def likeliest(self) -> tuple[float, float, float]:
        """D50, slope and lapse rate."""
        best, shape = max(zip(self.weights, self.shapes, strict=True), key=lambda one: max(one[0]))
        return self.places[best.index(max(best))], *shape


@lru_cache(256)
def _logarithms(slope: float, lapse: float, steps: int, furthest: int) -> tuple[array[float], array[float]]:
    """The logarithms of the probabilities of right and wrong answers, by the distance of D50 from the depth."""
    shares = [probability(-number / steps, slope, lapse) for number in range(-furthest * steps, furthest * steps + 1)]
    return array("d", map(log, shares)), array("d", (log(1 - share) for share in shares))


def _goodness(measured: Sequence[Depth], d50: float, slope: float, lapse: float) -> float:
    """The p of the deviance of the likeliest curve, which is searched from here."""
    point, least = [d50, log(slope), lapse], _deviance(measured, d50, slope, lapse)
    moves = [0.25, 0.25, 0.02]
    while moves[0] > 0.004:
        before = least
        for number, move in product(range(3), (-1, 1)):
            other = [*point]
            other[number] += move * moves[number]
            other[2] = min(_LARGEST_LAPSE, max(0.0, other[2]))
            if (found := _deviance(measured, other[0], exp(other[1]), other[2])) < least:
                point, least = other, found
        if before - least < 0.01:
            moves = [move / 2 for move in moves]
    return _upper_tail(least, max(1, len(measured) - 2))


def _deviance(measured: Sequence[Depth], d50: float, slope: float, lapse: float) -> float:
    total = 0.0
    for depth, correct, trials in measured:
        share = probability(depth - d50, slope, lapse)
        total += 2 * correct * log(correct / (trials * share)) if correct else 0.0
        total += 2 * (trials - correct) * log((trials - correct) / (trials * (1 - share))) if correct < trials else 0.0
    return total


def _upper_tail(square: float, degrees: int) -> float:
    """The probability that chi squared exceeds this, by the approximation of Wilson and Hilferty (1931)."""
    if square <= 0:
        return 1.0
    spread = 2 / (9 * degrees)
    return erfc(((square / degrees) ** (1 / 3) - (1 - spread)) / sqrt(2 * spread)) / 2
