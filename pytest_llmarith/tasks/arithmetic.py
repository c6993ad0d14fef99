"""Task arithmetic: one sum, product, difference or quotient per problem, after llm_arithmetic.

A problem is a pure function of (seed, variant, depth, trial).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import ClassVar

from pytest_llmarith import records
from pytest_llmarith.types import DEFAULT_CONDITION, Condition, Dtype, Op, Reading, Symbols


class ArithmeticProblem(records.ArithmeticProblem):
    """`lhs op rhs` on integers or two-decimal fixed point; operands and expected answer are decimal text."""

    task: ClassVar[str] = "arithmetic"
    seed: int
    trial: int

    @property
    def recorded(self) -> ArithmeticProblem:
        return self

    @property
    def label(self) -> str:
        return f"{self.variant}-depth_{self.depth}-trial_{self.trial}"

    def coordinates(self) -> dict[str, str | int]:
        return {
            "variant": self.variant,
            "op": str(self.op),
            "dtype": str(self.dtype),
            "depth": self.depth,
            "trial": self.trial,
        }


NAME = ArithmeticProblem.task
READING = Reading.TOLERANT
REPLY_TOKENS = 20
FIELDS = ("lhs", "sign", "rhs", "operation")
AXES = frozenset({"numbers", "symbols", "context", "prompt", "system"})
VARIANTS: tuple[tuple[Dtype, Op], ...] = tuple((dtype, op) for dtype in Dtype for op in Op)

_INSTRUCTION = "Compute the following and reply with just the numeric result (no explanation):"
_SIGNS = {
    Symbols.ASCII: {op: op.sign for op in Op},
    Symbols.UNICODE: {Op.ADD: "+", Op.SUB: "-", Op.MUL: "×", Op.DIV: "÷"},
}
_OPERATIONS = {Op.ADD: "sum", Op.SUB: "difference", Op.MUL: "product", Op.DIV: "quotient"}
_CENTS = 100


def problem(seed: int, dtype: Dtype, op: Op, depth: int, trial: int) -> ArithmeticProblem:
    """Draw the problem of one trial; `depth` counts digits before the decimal point, from 1."""
    draw = random.Random(f"{seed}/{NAME}/{dtype}_{op}/{depth}/{trial}")
    scale = 1 if dtype is Dtype.INT else _CENTS
    lowest, highest = 10 ** (depth - 1) * scale, (10**depth - 1) * scale
    return problem_of(seed, dtype, op, depth, trial, draw.randint(lowest, highest), draw.randint(lowest, highest))


def problem_of(seed: int, dtype: Dtype, op: Op, depth: int, trial: int, left: int, right: int) -> ArithmeticProblem:
    """The problem of two draws: its operands, or its quotient and divisor; fixed point counts in hundredths."""
    write = _integers if dtype is Dtype.INT else _fixed_points
    return ArithmeticProblem(seed, f"{dtype}_{op}", op, dtype, depth, trial, *write(op, left, right))


def problems(seed: int, depths: Iterable[int], trials: int) -> Iterator[ArithmeticProblem]:
    """All problems of the task, variant by variant, depth by depth."""
    depths = tuple(depths)
    for dtype, op in VARIANTS:
        for depth in depths:
            for trial in range(trials):
                yield problem(seed, dtype, op, depth, trial)


def prompt(problem: ArithmeticProblem, condition: Condition = DEFAULT_CONDITION) -> str:
    """The text of the question, worded as in llm_arithmetic."""
    return "{instruction}\n   {lhs} {sign} {rhs}".format_map(fields(problem, condition) | {"instruction": _INSTRUCTION})


def fields(problem: ArithmeticProblem, condition: Condition) -> dict[str, str]:
    """The values of `FIELDS` for a template."""
    lhs, rhs = (condition.numbers.write(operand) for operand in problem.operands)
    sign = _SIGNS[condition.symbols][problem.op]
    return {"lhs": lhs, "sign": sign, "rhs": rhs, "operation": _OPERATIONS[problem.op]}


def _integers(op: Op, left: int, right: int) -> tuple[str, str, str]:
    if op is Op.DIV:  # the draws are quotient and divisor, so that the quotient is an integer
        return str(left * right), str(right), str(left)
    return str(left), str(right), str(_apply(op, left, right))


def _fixed_points(op: Op, left: int, right: int) -> tuple[str, str, str]:
    if op is Op.DIV:  # the left draw is the quotient, a whole number from the same scaled range
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
    """Format an integer of `10**-decimals` units as fixed point; exact at every length."""
    digits = str(abs(scaled)).rjust(decimals + 1, "0")
    sign = "-" if scaled < 0 else ""
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}"
