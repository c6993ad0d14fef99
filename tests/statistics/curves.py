"""Curves of accuracy by the number of digits, written without the code that measures
D50.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log

Curve = Callable[[float], float]


def logistic(middle: float, slope: float, low: float = 0.0, high: float = 1.0) -> Curve:
    """It falls from `high` to `low`."""
    return lambda digits: (
        low + (high - low) / (1 + exp(min(700.0, slope * (digits - middle))))
    )


def by_logarithm(start: float, slope: float) -> Curve:
    """It falls with the logarithm of the digits."""
    return lambda digits: min(1.0, max(0.0, start - slope * log(digits)))


def by_odds(middle: float, power: float) -> Curve:
    """The log odds fall with the logarithm of the digits."""
    return lambda digits: 1 / (1 + (digits / middle) ** power)


def d50_of(curve: Curve) -> float:
    """Where it crosses one half."""
    low, high = 0.01, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        if curve(middle) > 0.5:
            low = middle
        else:
            high = middle
    return round(low, 6)


CURVES = {
    "logistic, flat": logistic(5.3, 0.3),
    "logistic": logistic(6.4, 1),
    "logistic, steep": logistic(7.3, 4),
    "logarithm": by_logarithm(1.2, 0.4),
    "logarithm, flat": by_logarithm(1.0, 0.3),
    "logarithm of the odds": by_odds(6.5, 3),
    "plateau of 0.8": logistic(7, 1, high=0.8),
    "plateau of 0.8, steep": logistic(5, 2, high=0.8),
    "plateau of 0.65": logistic(7, 1, high=0.65),
    "plateau of 0.65, steep": logistic(7, 2, high=0.65),
    "floor of 0.2": logistic(5, 1, low=0.2),
    "floor of 0.2, steep": logistic(4, 3, low=0.2),
}
