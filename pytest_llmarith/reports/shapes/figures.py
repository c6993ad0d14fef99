"""The shapes of figures, wherever they stand in a summary."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict


class Percentage(TypedDict):
    """A percentage with its 95 % interval: Wilson's, unless it is said to be another."""

    percent: float
    low: float
    high: float


class OverallPercentage(TypedDict):
    """A percentage over cells, which have the weight of their questions, with its stratified Wilson 95 % interval."""

    percent: float | None
    """Null where a cell has no reply; the ends are then bounds, whatever the missing replies would be."""
    low: float
    high: float


class Mean(TypedDict):
    """A mean score in percent with its 95 % interval by bootstrap over sequences; no interval where all are equal."""

    percent: float
    low: float | None
    high: float | None


class Outcomes(TypedDict):
    """How many trials came to what."""

    correct: int
    deviate: int
    nan: int
    cheat: int
    unanswered: int


class Percentages(TypedDict):
    """Of the trials with a reply; null where nothing was measured."""

    correct: OverallPercentage | None
    deviate: OverallPercentage | None
    nan: OverallPercentage | None
    cheat: OverallPercentage | None


class Tokens(TypedDict):
    """Sums of what is known; null where nothing is."""

    prompt: int | None
    completion: int | None
    reasoning: int | None


class Amounts(TypedDict):
    """What is known of one kind of amount."""

    sum: float
    median: float
    p90: float
    """Nine of ten are no larger."""
    known: int
    """Replies that tell it."""


class Spending(TypedDict):
    """What replies cost in money, seconds and tokens; null where none tells it."""

    cost_usd: Amounts | None
    latency_s: Amounts | None
    prompt_tokens: Amounts | None
    completion_tokens: Amounts | None
    reasoning_tokens: Amounts | None


# `from` is a keyword: such a key can only be written in this form, where it is documented as a whole.
Bin = TypedDict("Bin", {"from": int | None, "to": int | None, "count": int})
Bin.__doc__ = "Relative errors from one power of ten to the next one; null at an open end."


class ErrorSizes(TypedDict):
    """How far off deviates are; as text, because an error may have any size."""

    median_relative_error: str | None
    log10_bins: list[Bin]
    """Without a gap, from the smallest error to the largest."""
    median_leading_digits: float | None
    """Digits that are right, from the left."""
    other_length: NotRequired[int]
    """Deviates of another length than the truth, which have no digit that is right from the left."""
