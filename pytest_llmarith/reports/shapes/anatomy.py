"""The shapes of how answers err: a part of a result."""

from __future__ import annotations

from typing_extensions import TypedDict

from pytest_llmarith.reports.shapes.figures import Percentage
from pytest_llmarith.values import ErrorClass

# `class` is a keyword too.
ClassOfErrors = TypedDict("ClassOfErrors", {"class": ErrorClass, "count": int, "percentage": Percentage | None})
ClassOfErrors.__doc__ = "Deviates of one class, and their percentage of all."


class Position(TypedDict):
    """The digits at one position, of deviates of the truth's sign and length."""

    position: int
    """From 1."""
    wrong: int
    digits: int


class Positions(TypedDict):
    """Digits counted from either end of the truth, at most 30."""

    from_left: list[Position]
    from_right: list[Position]


class ErrorsOfVariant(TypedDict):
    """How the deviates of one variant err."""

    classes: dict[ErrorClass, int]
    """Those that occur."""
    positions: Positions


class Carries(TypedDict):
    """Sums and differences in which so many columns take a carry or gave one away."""

    carries: int
    """100 stands for 100 and more."""
    correct: int
    measured: int


class Chain(TypedDict):
    """Sums and differences whose most carries in a row are so many."""

    chain: int
    """100 stands for 100 and more."""
    correct: int
    measured: int


class Discipline(TypedDict):
    """What it costs to take bare numbers only, whichever reading counts."""

    tolerant_correct: int
    strict_correct: int
    measured: int
    only_tolerant: int


class Anatomy(TypedDict):
    """How answers err, digit by digit."""

    classes: list[ClassOfErrors]
    """All of them, in the order of their rules."""
    digit_match: float | None
    """The mean over all answers."""
    dlength: float | None
    """The mean over all answers."""
    leading_digits: float | None
    """The median over deviates."""
    positions: Positions
    carries: list[Carries]
    longest_chain: list[Chain]
    by_variant: dict[str, ErrorsOfVariant]
    strict: Discipline
