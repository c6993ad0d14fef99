"""Task breaking point: which simplest question a model gets wrong, one search for each variant of arithmetic and one
for integer addition.

A search asks questions of those two tasks. Two draws make a question: the operands, or for a division its quotient and
its divisor; fixed point counts in hundredths. `evaluate_search` chooses the draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.values import (
    USUAL,
    AdditionProblem,
    ArithmeticProblem,
    BreakingProblem,
    Condition,
    Dtype,
    Op,
    Reading,
)

NAME = BreakingProblem.task
READING = None  # each question is read as its own task reads it
REPLY_TOKENS = 20
FIELDS = ()
# Signs and templates fit one of the two tasks alone.
AXES = frozenset({"numbers", "context", "system"})
MOST_DIGITS = 30

Draws = tuple[int, int]
SIMPLEST: Draws = (0, 0)

_READINGS: Mapping[str, Reading] = {arithmetic.NAME: arithmetic.READING, addition.NAME: addition.READING}


def problems(seed: int, budget: int) -> Iterator[BreakingProblem]:
    """All searches of a run, each of which may ask `budget` questions."""
    for dtype, op in arithmetic.VARIANTS:
        yield BreakingProblem(seed, arithmetic.NAME, f"{dtype}_{op}", op, dtype, budget)
    yield BreakingProblem(seed, addition.NAME, addition.NAME, Op.ADD, Dtype.INT, budget)


def numbers(search: BreakingProblem, draws: Draws) -> Draws:
    """The numbers of two draws; the same numbers make the same question. A divisor of 0 becomes 1."""
    left, right = draws
    return (left, max(1, right)) if search.op is Op.DIV else draws


def question(search: BreakingProblem, draws: Draws) -> ArithmeticProblem | AdditionProblem:
    """The question that two draws make."""
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


def reading(search: BreakingProblem) -> Reading:
    """How the replies are read, unless the run says otherwise."""
    return _READINGS[search.of]


def prompt(problem: BreakingProblem, condition: Condition = USUAL) -> str:
    """The first question of a search as a model sees it."""
    first = question(problem, SIMPLEST)
    if isinstance(first, AdditionProblem):
        return addition.prompt(first, condition)
    return arithmetic.prompt(first, condition)


def fields(problem: BreakingProblem, condition: Condition) -> dict[str, str]:
    """None: a search has no template."""
    return {}
