"""The number of digits at which half of the answers are right (D50), with its interval, slope and lack of fit.

A logistic function of the digits with a lapse rate of at most 10 % is fitted on a grid, as Wichmann and Hill describe
(2001, Perception and Psychophysics 63, 1293-1313), with uniform priors on D50, the lapse rate and the logarithm of the
slope. The interval is the central 95 % of the posterior distribution of D50.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise, product
from math import erfc, exp, fsum, log, sqrt
from typing import NamedTuple

from pytest_llmarith.results.statistics import Interval

LACK_OF_FIT = 0.01  # a p below it: the accuracy does not fall once
_LAPSES = (0.0, 0.025, 0.05, 0.1)
_SLOPES = tuple(0.15 * 1.36**step for step in range(15))  # per digit, up to 11
_COARSE, _FINE = 48, 64  # values of D50
_TAIL = 1e-4  # of the posterior, which the fine grid leaves out at either end
_SMALLEST = 1e-9  # probability of an answer


class Digits(NamedTuple):
    """The answers to questions of so many digits."""

    digits: int
    correct: int
    measured: int


class Threshold(NamedTuple):
    """D50 with its 95 % interval in digits; `p` is that of the goodness of fit.

    `place` is -1 if D50 is below the digits that were asked, 1 if it is above, else 0.
    """

    d50: float
    interval: Interval
    slope: float
    p: float
    place: int

    @property
    def fits(self) -> bool:
        """Whether the curve describes the answers."""
        return self.p >= LACK_OF_FIT


def threshold(answers: Sequence[Digits]) -> Threshold | None:
    """Fit the curve; None if fewer than two numbers of digits have answers."""
    measured = sorted(one for one in answers if one.measured)
    if len(measured) < 2:
        return None
    first, last = measured[0].digits, measured[-1].digits
    reach = max(2.0, (last - first) / 2)
    low, high = first - reach, last + reach
    for size in (_COARSE, _FINE):
        places = tuple(low + (high - low) * step / (size - 1) for step in range(size))
        weights = _posterior(measured, places)
        of_d50 = [fsum(weights[place]) for place in range(size)]
        if size == _COARSE:
            low, high = _quantile(places, of_d50, _TAIL), _quantile(places, of_d50, 1 - _TAIL)
            low, high = low - (places[1] - places[0]), high + (places[1] - places[0])
    d50 = _quantile(places, of_d50, 0.5)
    slope = exp(
        fsum(weight * log(k) for row in weights for (k, _), weight in zip(_shapes(), row, strict=True)) / fsum(of_d50)
    )
    return Threshold(
        d50=d50,
        interval=Interval(_quantile(places, of_d50, 0.025), _quantile(places, of_d50, 0.975)),
        slope=slope,
        p=_goodness(measured, places, weights),
        place=-1 if d50 < first else 1 if d50 > last else 0,
    )


@lru_cache(1)
def _shapes() -> tuple[tuple[float, float], ...]:
    """The slopes and lapse rates of the grid."""
    return tuple(product(_SLOPES, _LAPSES))


def probability(digits: float, d50: float, slope: float, lapse: float) -> float:
    """The probability of a right answer, which is one half at `d50`."""
    middle = d50 - log(1 - 2 * lapse) / slope
    exponent = min(700.0, slope * (digits - middle))
    return min(1 - _SMALLEST, max(_SMALLEST, (1 - lapse) / (1 + exp(exponent))))


@lru_cache(8)
def _logarithms(places: tuple[float, ...], digits: tuple[int, ...]) -> list[list[list[tuple[float, float]]]]:
    """The logarithms of the probabilities of right and wrong answers, by D50, shape and digits."""
    return [
        [
            [(log(p), log(1 - p)) for p in (probability(each, d50, slope, lapse) for each in digits)]
            for slope, lapse in _shapes()
        ]
        for d50 in places
    ]


def _posterior(measured: Sequence[Digits], places: tuple[float, ...]) -> list[list[float]]:
    """The posterior weight of each D50 and shape, relative to the likeliest."""
    counts = [(one.correct, one.measured - one.correct) for one in measured]
    likelihoods = [
        [sum(right * a + wrong * b for (right, wrong), (a, b) in zip(counts, of_shape, strict=True)) for of_shape in of]
        for of in _logarithms(places, tuple(one.digits for one in measured))
    ]
    most = max(map(max, likelihoods))
    return [[exp(one - most) for one in row] for row in likelihoods]


def _quantile(places: Sequence[float], weights: Sequence[float], share: float) -> float:
    """The place up to which the weights have this share of their sum; linear between places."""
    total = list(accumulate((one + other) / 2 for one, other in pairwise(weights)))
    wanted, before = share * total[-1], 0.0
    for number, here in enumerate(total):
        if here >= wanted:
            part = (wanted - before) / (here - before) if here > before else 0.5
            return places[number] + part * (places[number + 1] - places[number])
        before = here
    return places[-1]


def _goodness(measured: Sequence[Digits], places: tuple[float, ...], weights: list[list[float]]) -> float:
    """The p of Pearson's chi-squared test of the likeliest curve."""
    best = max(product(range(len(places)), range(len(_shapes()))), key=lambda at: weights[at[0]][at[1]])
    slope, lapse = _shapes()[best[1]]
    expected = [probability(one.digits, places[best[0]], slope, lapse) for one in measured]
    square = fsum(
        (one.correct - one.measured * p) ** 2 / (one.measured * p * (1 - p))
        for one, p in zip(measured, expected, strict=True)
    )
    return _upper_tail(square, max(1, len(measured) - 2))


def _upper_tail(square: float, degrees: int) -> float:
    """The probability that chi squared exceeds this, by the approximation of Wilson and Hilferty (1931)."""
    if square <= 0:
        return 1.0
    spread = 2 / (9 * degrees)
    return erfc(((square / degrees) ** (1 / 3) - (1 - spread)) / sqrt(2 * spread)) / 2
