"""The axis of a picture."""

from __future__ import annotations

from math import log10
from typing import NamedTuple


class Axis(NamedTuple):
    """Maps `low` to `high` onto `start` to `end`, which may run backwards; logarithmic
    if values span decades.
    """

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """The position of a value, with one decimal."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = log10(low), log10(high), log10(value)
        part = 0.5 if high == low else (value - low) / (high - low)
        return round(self.start + part * (self.end - self.start), 1)
