"""The shape of a result: what one model did at one task, in one condition."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from pytest_llmarith.reports.shapes.anatomy import Anatomy
from pytest_llmarith.reports.shapes.figures import ErrorSizes, Outcomes, Percentage, Percentages, Spending, Tokens
from pytest_llmarith.reports.shapes.parts import Cell, Length, Variant
from pytest_llmarith.reports.shapes.problems import Condition
from pytest_llmarith.reports.shapes.sequences import SequenceSet
from pytest_llmarith.values import ErrorClass, Outcome, SearchEnd


class Tries(TypedDict):
    """How likely one of `k` repeats is correct."""

    k: int
    percent: float


class Repeats(TypedDict):
    """What the repeats of problems say together; null where nothing was measured."""

    k: int
    """How often every problem was put."""
    problems: int
    """Problems with a reply."""
    consistency: Percentage | None
    """Problems whose repeats all came to the same answer, of those with two replies or more."""
    pass_at_1: Percentage | None
    """Correct at the first try; the interval knows that repeats of a problem are alike."""
    pass_at_k: list[Tries]
    """The unbiased estimate, over problems with so many replies."""
    majority: Percentage | None
    """Problems whose most frequent answer is correct."""


class BreakingPoint(TypedDict):
    """What one search came to."""

    variant: str
    """Of arithmetic, or `integer_addition`."""
    repeat: NotRequired[int]
    """Which repeat of the search this is, counted from 0."""
    question: str | None
    """The simplest that was answered wrongly each time that it was asked, such as `27 * 48`; null where none was."""
    expected: str | None
    answer: str | None
    outcome: Outcome
    """`correct` where nothing was found."""
    reason: str | None
    """Why there is no answer."""
    error_class: ErrorClass | None
    not_reproduced: int
    """How many questions were answered wrongly, and rightly when they were asked again."""
    questions: int
    budget: int
    ended: SearchEnd
    largest_right: str | None
    """The largest question that was answered rightly."""


class Result(TypedDict):
    """What one model did at one task, in one condition."""

    model: str
    task: str
    condition: NotRequired[Condition | None]
    """How questions were put; null for the usual way."""
    date: str | None
    simulated: bool
    """Whether an embedded model replied: it says nothing about a language model."""
    selected: NotRequired[int | None]
    """Trials that were to be run; null where nobody knows."""
    duplicates: NotRequired[int]
    """Trials that ask what another one asks: they are in no other figure."""
    measured: int
    """Trials with a reply: all percentages are of these."""
    outcomes: Outcomes
    percentages: Percentages
    nan_reasons: dict[str, int]
    unanswered_reasons: dict[str, int]
    stored: int
    """Replies from the store of an earlier run."""
    asked: NotRequired[int]
    """Replies that the model itself gave in this run and that were read; all those of a search."""
    cost_usd: float | None
    """The sum of all known costs."""
    unpriced: int
    """Replies without a known cost."""
    tokens: Tokens
    median_latency_s: float | None
    spending: NotRequired[Spending]
    median_relative_error: str | None
    """Over deviates."""
    average_absolute_error: str | None
    """Over deviates; one wild answer decides it."""
    rounded: int
    """Deviates that are the truth rounded to fewer decimals."""
    error_sizes: NotRequired[ErrorSizes]
    repeats: NotRequired[Repeats | None]
    """Null where every problem was put once."""
    anatomy: NotRequired[Anatomy | None]
    """Null where answers are no numbers. Not in `aggregate.jsonl`."""
    breaking_points: NotRequired[list[BreakingPoint]]
    """Where the model breaks, search by search."""
    variants: NotRequired[list[Variant]]
    """Not in `aggregate.jsonl`."""
    cells: NotRequired[list[Cell]]
    """Not in `aggregate.jsonl`."""
    lengths: NotRequired[list[Length]]
    """Not in `aggregate.jsonl`."""
    sets: NotRequired[list[SequenceSet]]
