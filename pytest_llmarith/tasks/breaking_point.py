"""Problems whose questions depend on the answers: the breaking point, and the threshold D50.

Task breaking point searches for the simplest question that a model gets wrong.

There is one search for each variant of arithmetic and one for integer addition, and it asks questions of these tasks.
Two draws make a question: the operands or, for a division, quotient and divisor; fixed point counts in hundredths.
`evaluate_search` chooses the draws.

Task threshold asks questions of arithmetic, whose depths are chosen so that few of them measure D50.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import ClassVar

from pytest_llmarith import records
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.tasks.addition import AdditionProblem
from pytest_llmarith.tasks.arithmetic import ArithmeticProblem
from pytest_llmarith.types import DEFAULT_CONDITION, Condition, Dtype, Op

# How often a search repeats its final question, which must be answered wrongly each time.
CONFIRMATIONS = 3


class _OfVariant:
    """A problem with several questions of one variant: a search, or the measurement of D50."""

    trial: ClassVar[int] = 0
    variant: str
    op: Op
    dtype: Dtype

    @property
    def label(self) -> str:
        return self.variant

    def coordinates(self) -> dict[str, str | int]:
        return {"variant": self.variant, "op": str(self.op), "dtype": str(self.dtype)}


class BreakingPointProblem(_OfVariant, records.SearchProblem):
    """A search for the simplest question that a model gets wrong.

    `of` is the task of its questions, `variant` a variant of arithmetic or `integer_addition`, and `budget` the number
    of questions that it may ask.
    """

    task: ClassVar[str] = "breaking_point"

    @property
    def recorded(self) -> BreakingPointProblem:
        return self


class ThresholdProblem(_OfVariant, records.ThresholdProblem):
    """Questions of a variant of arithmetic that measure D50, at most `budget`."""

    task: ClassVar[str] = "threshold"

    @property
    def recorded(self) -> ThresholdProblem:
        return self

    @property
    def first_depth(self) -> int:
        """The depth of the first question: the middle one."""
        return sorted(self.depths)[len(self.depths) // 2]

    def question(self, depth: int, trial: int) -> ArithmeticProblem:
        """A trial of the arithmetic task."""
        return arithmetic.problem(self.seed, self.dtype, self.op, depth, trial)


def thresholds(seed: int, depths: Iterable[int], half_width: float, budget: int) -> Iterator[ThresholdProblem]:
    """One problem for each variant of arithmetic."""
    for dtype, op in arithmetic.VARIANTS:
        variant = f"{dtype}_{op}"
        yield ThresholdProblem(seed, arithmetic.NAME, variant, op, dtype, budget, list(depths), half_width)


NAME = BreakingPointProblem.task
READING = None  # each question is read as in its own task
REPLY_TOKENS = 20
FIELDS = ()
# Symbols and templates apply to only one of the two tasks.
AXES = frozenset({"numbers", "context", "system"})
MOST_DIGITS = 30

Draws = tuple[int, int]
SIMPLEST: Draws = (0, 0)


def problems(seed: int, budget: int) -> Iterator[BreakingPointProblem]:
    """All searches of a run; each may ask `budget` questions."""
    for dtype, op in arithmetic.VARIANTS:
        yield BreakingPointProblem(seed, arithmetic.NAME, f"{dtype}_{op}", op, dtype, budget)
    yield BreakingPointProblem(seed, addition.NAME, addition.NAME, Op.ADD, Dtype.INT, budget)


def numbers(search: BreakingPointProblem, draws: Draws) -> Draws:
    """The two draws with a divisor of 0 replaced by 1; equal numbers make the same question."""
    left, right = draws
    return (left, max(1, right)) if search.op is Op.DIV else draws


def question(search: BreakingPointProblem, draws: Draws) -> ArithmeticProblem | AdditionProblem:
    """The question of two draws."""
    left, right = numbers(search, draws)
    if search.of == addition.NAME:
        return AdditionProblem(search.seed, 0, str(left), str(right), str(left + right))
    depth = max(1, len(str(max(left, right))) - (0 if search.dtype is Dtype.INT else 2))
    return arithmetic.problem_of(search.seed, search.dtype, search.op, depth, 0, left, right)


def simplicity(draws: Draws) -> tuple[int, list[tuple[str, str]]]:
    """The sort key of a question: digits of the longer draw, then column by column from the left, left digit first."""
    left, right = (str(draw) if draw else "" for draw in draws)
    width = max(len(left), len(right))
    return width, list(zip_longest(left.rjust(width, "0"), right.rjust(width, "0")))


def prompt(problem: BreakingPointProblem, condition: Condition = DEFAULT_CONDITION) -> str:
    """The text of the first question of a search."""
    first = question(problem, SIMPLEST)
    if isinstance(first, AdditionProblem):
        return addition.prompt(first, condition)
    return arithmetic.prompt(first, condition)


def fields(problem: BreakingPointProblem, condition: Condition) -> dict[str, str]:
    """Empty, as a search has no template."""
    return {}
