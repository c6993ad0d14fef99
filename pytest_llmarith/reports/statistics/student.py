"""Student's t: how many standard errors hold the truth where the error is known from a few alone. It counts nothing."""

from __future__ import annotations

from functools import cache
from math import atan, cos, erfc, pi, sin, sqrt, tan

from pytest_llmarith.reports.statistics.intervals import CONFIDENCE, two_sided_z

_MANY = 1_000  # degrees of freedom from which an expansion is as good
_HALVINGS = 60


@cache
def two_sided_t(degrees: int, confidence: float = CONFIDENCE) -> float:
    """Standard errors on either side of the middle, for one degree of freedom or more: 12.7 for one, 1.96 for many."""
    if degrees > _MANY:
        z = two_sided_z(confidence)
        return z + (z**3 + z) / (4 * degrees)  # Abramowitz and Stegun 1964, 26.7.5
    low, high = 0.0, pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < confidence else (low, middle)
    return sqrt(degrees) * tan(low)


def two_sided_p(errors: float, degrees: int) -> float:
    """How likely a difference of so many standard errors, or of more, is by chance."""
    if degrees > _MANY:
        normal = errors * (1 - 1 / (4 * degrees)) / sqrt(1 + errors**2 / (2 * degrees))  # the same, 26.7.8
        return erfc(normal / sqrt(2))
    return max(0.0, 1 - _within(atan(errors / sqrt(degrees)), degrees))


def _within(angle: float, degrees: int) -> float:
    """How likely t lies within `sqrt(degrees) * tan(angle)` of the middle (the same, 26.7.3 and 26.7.4)."""
    odd = degrees % 2
    factor = cos(angle) if odd else 1.0
    total = factor if degrees > 1 else 0.0
    for power in range(2 + odd, degrees - 1, 2):
        factor *= cos(angle) ** 2 * (power - 1) / power
        total += factor
    return (angle + sin(angle) * total) * 2 / pi if odd else sin(angle) * total
