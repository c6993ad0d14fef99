"""The shapes of what was asked, and in which condition: a part of a record."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from pytest_llmarith.values import Dtype, NumberFormat, Op, Symbols


class ArithmeticProblem(TypedDict):
    """`lhs op rhs` on integers or two-decimal fixed point; operands and expected answer are decimal text."""

    seed: int | None
    """Null where another program asked."""
    variant: str
    """`dtype` and `op`, such as `int_div`."""
    op: Op
    dtype: Dtype
    depth: int
    """Digits of an operand."""
    trial: int | None
    """The number of the question within its variant and depth, counted from 0; null where another program asked."""
    lhs: str
    rhs: str
    expected: str


class AdditionProblem(TypedDict):
    """The sum of two integers; operands and expected answer are decimal text."""

    seed: int
    trial: int
    int1: str
    int2: str
    expected: str


class SequenceProblem(TypedDict):
    """A program for an integer sequence of the OEIS."""

    set: str
    number: str
    """Such as `A000045`."""
    name: str
    offset: int
    """The n of the first listed term."""
    keywords: list[str]


class OwnProblem(TypedDict):
    """A problem of a task of the user's own."""

    label: str
    """Its part of ids."""
    seed: int
    trial: int
    """Which one it is of those that are put in the same words."""
    given: dict[str, Any]
    """What the question is made of."""
    expected: Any


class SearchProblem(TypedDict):
    """A search for the simplest question that a model gets wrong."""

    seed: int
    of: str
    """The task of its questions."""
    variant: str
    """Of arithmetic, or `integer_addition`."""
    op: Op
    dtype: Dtype
    budget: int
    """At most so many questions."""


class Condition(TypedDict):
    """How the question was put."""

    numbers: NumberFormat
    """What stands between groups of three digits."""
    symbols: Symbols
    context: str | None
    """About how many tokens of small talk stood before the question, such as `2k`."""
    prompt: str | None
    """The name of a template of the run; null for the task's own prompt."""
    system: str | None
    """The number of a system prompt, in a run that has several."""
