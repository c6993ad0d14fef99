"""The shapes of the parts of a result: cells, variants, and additions by length."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from pytest_llmarith.reports.shapes.figures import ErrorSizes, Outcomes, Percentage, Percentages, Spending


class Place(Outcomes):
    """The outcomes of a part of a task, and its figures."""

    measured: NotRequired[int]
    """Trials with a reply."""
    correct_percentage: NotRequired[Percentage | None]
    spending: NotRequired[Spending]
    error_sizes: NotRequired[ErrorSizes]


class Cell(Place):
    """One variant at one depth."""

    variant: str
    depth: int


class ReliableDepth(TypedDict):
    """The largest depth up to which 90 % or more are correct, by the lower bound of the interval."""

    depth: int | None
    needs: int | None
    """Where there is none: the trials that it would take to show one, were all of them correct."""


class Variant(Place):
    """One variant at all its depths."""

    variant: str
    percentages: Percentages
    reliable_depth: ReliableDepth


class Length(Place):
    """Additions whose longer operand has so many digits."""

    digits: int
    median_latency_s: float | None
