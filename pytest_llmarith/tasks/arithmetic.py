"""Task arithmetic: one sum, product, difference or quotient per problem.

It follows llm_arithmetic. A problem is a pure function of (seed, variant, depth,
trial).
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from pytest_llmarith.tasks.checks import bound
from pytest_llmarith.tasks.number_tasks import Calculation, number_task
from pytest_llmarith.tasks.task import (
    ARITHMETIC,
    BuiltInTask,
    Grid,
    Problem,
    TaskProblem,
    label_at,
)
from pytest_llmarith.types import Dtype, Op

NAME = ARITHMETIC
VARIANTS = tuple(f"{dtype}_{op}" for dtype in Dtype for op in Op)
DEPTHS = range(2, 11)
_INSTRUCTION = (
    "Compute the following and reply with just the numeric result (no explanation):"
)
_OPERATIONS = {
    Op.ADD: "sum",
    Op.SUB: "difference",
    Op.MUL: "product",
    Op.DIV: "quotient",
}
_CENTS = 100


def task(depths: Iterable[int] = DEPTHS) -> BuiltInTask[str]:
    """The task with these depths, which count digits before the decimal point: of the
    operands, and of the quotient and the divisor of a division.
    """
    return number_task(
        NAME,
        Grid(problem_at, VARIANTS, tuple(depths)),
        prompt,
        calculation=calculation_of,
        numbers=("lhs", "rhs"),
        signs=("sign",),
    )


def problem_at(seed: int, variant: str, depth: int, trial: int) -> Problem:
    """Draw the problem of one trial."""
    draw = random.Random(f"{seed}/{NAME}/{variant}/{depth}/{trial}")
    dtype, _ = _parts(variant)
    scale = 1 if dtype is Dtype.INT else _CENTS
    lowest = 10 ** (depth - 1) * scale
    highest = (10**depth - 1) * scale
    left = draw.randint(lowest, highest)
    right = draw.randint(lowest, highest)
    return of_draws(variant, left, right)


def of_draws(variant: str, left: int, right: int) -> Problem:
    """The problem of two draws: its operands, or its quotient and divisor.

    Fixed point counts in hundredths.
    """
    dtype, op = _parts(variant)
    write = _integers if dtype is Dtype.INT else _fixed_points
    lhs, rhs, expected = write(op, left, right)
    return of_operands(variant, lhs, rhs, expected)


def at_depth(variant: str, left: int, right: int, depth: int) -> Problem:
    """The problem of two draws as trial 0 of a depth."""
    return placed(of_draws(variant, left, right), variant, depth, 0)


def placed(problem: Problem, variant: str, depth: int, trial: int) -> Problem:
    """The problem at a place."""
    return replace(
        problem, depth=depth, trial=trial, label=label_at(variant, depth, trial)
    )


def of_operands(variant: str, lhs: str, rhs: str, expected: str) -> Problem:
    """The problem of two operands and their result."""
    _, op = _parts(variant)
    return Problem(
        inputs={"lhs": lhs, "sign": op.sign, "rhs": rhs, "operation": _OPERATIONS[op]},
        expected=expected,
        variant=variant,
        question=f"{lhs} {op.sign} {rhs}",
        tags=_tags(variant),
    )


def problem(seed: int, dtype: Dtype, op: Op, depth: int, trial: int) -> TaskProblem:
    """One trial of the task."""
    grid = Grid(problem_at, VARIANTS, (depth,))
    return bound(TASK, seed, grid.at(seed, f"{dtype}_{op}", depth, trial))


def prompt(problem: Problem) -> str:
    """The text of the question, worded as in llm_arithmetic."""
    return f"{_INSTRUCTION}\n   {problem['lhs']} {problem['sign']} {problem['rhs']}"


def calculation_of(problem: Problem) -> Calculation:
    """What the variant says of a problem, and its operands."""
    dtype, op = _parts(problem.variant or "")
    return Calculation(op, dtype, (problem["lhs"], problem["rhs"]))


@cache
def _parts(variant: str) -> tuple[Dtype, Op]:
    dtype, _, op = variant.partition("_")
    return Dtype(dtype), Op(op)


@cache
def _tags(variant: str) -> dict[str, str]:
    dtype, _, op = variant.partition("_")
    return {"op": op, "dtype": dtype}


def _integers(op: Op, left: int, right: int) -> tuple[str, str, str]:
    if op is Op.DIV:
        # The draws are quotient and divisor, so that the quotient is an integer.
        return str(left * right), str(right), str(left)
    return str(left), str(right), str(_apply(op, left, right))


def _fixed_points(op: Op, left: int, right: int) -> tuple[str, str, str]:
    if op is Op.DIV:
        # The left draw is the quotient, a whole number from the same scaled range.
        return _point(left * right, 2), _point(right, 2), _point(left * 10**4, 4)
    decimals = 4 if op is Op.MUL else 2
    return _point(left, 2), _point(right, 2), _point(_apply(op, left, right), decimals)


def _apply(op: Op, lhs: int, rhs: int) -> int:
    match op:
        case Op.ADD:
            return lhs + rhs
        case Op.SUB:
            return lhs - rhs
        case _:
            return lhs * rhs


def _point(scaled: int, decimals: int) -> str:
    """An integer of `10**-decimals` units as fixed point, exact at every length."""
    digits = str(abs(scaled)).rjust(decimals + 1, "0")
    sign = "-" if scaled < 0 else ""
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}"


TASK = task()
