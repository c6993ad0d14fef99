"""The geometry of the pictures: axes, ticks, paths. Plain numbers in, the attributes of SVG elements out.

It does not know what is drawn, nor the colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps `low` to `high` onto `start` to `end`, which may run backwards; logarithmic where values span decades."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Where a value stands, with one decimal: more is not seen, and weighs."""
        low, high, here = (self._scaled(number) for number in (self.low, self.high, value))
        share = 0.5 if high == low else (here - low) / (high - low)
        return round(self.start + share * (self.end - self.start), 1)

    def _scaled(self, value: float) -> float:
        return log10(value) if self.logarithmic else value


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis, and what stands there."""

    at: float
    text: str


def percent_ticks(axis: Axis) -> list[Tick]:
    """A quarter each, on an axis of percent."""
    return [Tick(axis.at(percent), str(percent)) for percent in (0, 25, 50, 75, 100)]


def polyline(points: Sequence[tuple[float, float]]) -> str:
    """The `d` of a path through points; nothing through none."""
    return "".join(f"{'L' if number else 'M'}{x:g} {y:g}" for number, (x, y) in enumerate(points))


def ribbon(above: Sequence[tuple[float, float]], below: Sequence[tuple[float, float]]) -> str:
    """The `d` of the closed area between two lines over the same places."""
    return polyline([*above, *reversed(below)]) + "Z" if above else ""


def stairs(heights: Sequence[float], x: Axis, y: Axis) -> str:
    """The `d` of a line that has one step per value."""
    points = [(x.at(end), y.at(height)) for number, height in enumerate(heights) for end in (number, number + 1)]
    return polyline(points)


def thinned(values: Sequence[int], most: int) -> list[int]:
    """At most so many of the values, evenly, the first among them."""
    step = max(1, ceil(len(values) / most))
    return list(values[::step])


def decades(low: float, high: float) -> list[float]:
    """The powers of ten around what lies between, both ends included."""
    first, last = floor(log10(low)), ceil(log10(high))
    return [float(f"1e{exponent}") for exponent in range(first, max(last, first + 1) + 1)]
