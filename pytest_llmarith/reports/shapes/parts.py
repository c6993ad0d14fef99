"""The shapes of the parts of a result: cells, variants, and additions by length."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from pytest_llmarith.reports.shapes.figures import ErrorSizes, Outcomes, OverallPercentage, Percentages, Spending


class Place(Outcomes):
    """The outcomes of a part of a task, and its figures."""

    measured: NotRequired[int]
    """Trials with a reply."""
    correct_percentage: NotRequired[OverallPercentage | None]
    spending: NotRequired[Spending]
    error_sizes: NotRequired[ErrorSizes]


class Cell(Place):
    """One variant at one depth."""

    variant: str
    depth: int


class ReliableDepth(TypedDict):
    """Up to which depth 90 % or more are correct, before the first depth whose own upper bound is under 90 %."""

    depth: int | None
    """The largest by the lower bound of the interval of all trials up to it."""
    observed: int | None
    """The largest by the percentage itself; no less than `depth`."""
    needs: int | None
    """Where there is neither `depth` nor `at_most`: the trials of the first depth that would prove it reliable, were
    all further ones correct."""
    at_most: float | None
    """Where there is no `depth`: the upper bound of all trials in percent, if it is under 90."""


class Variant(Place):
    """One variant at all its depths."""

    variant: str
    percentages: Percentages
    reliable_depth: ReliableDepth


class Length(Place):
    """Additions whose longer operand has so many digits."""

    digits: int
    median_latency_s: float | None
