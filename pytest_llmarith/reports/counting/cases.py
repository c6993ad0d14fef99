"""The calculation that a record is about, and its answer, as numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from pytest_llmarith.decimals import decimal_from
from pytest_llmarith.grading import Case
from pytest_llmarith.records import AdditionProblem, Answer, ArithmeticProblem, Problem, Record
from pytest_llmarith.values import Dtype, Op, Reading


class Calculation(NamedTuple):
    """What was asked, in numbers."""

    op: Op
    dtype: Dtype
    lhs: Decimal
    rhs: Decimal
    truth: Decimal

    def case(self, answer: Decimal) -> Case:
        return Case(*self, answer)


def calculation_of(problem: Problem) -> Calculation | None:
    """The calculation of a number task; None for other tasks."""
    match problem:
        case ArithmeticProblem(op=op, dtype=dtype, lhs=lhs, rhs=rhs):
            pass
        case AdditionProblem(int1=lhs, int2=rhs):
            op, dtype = Op.ADD, Dtype.INT
        case _:
            return None
    return Calculation(op, dtype, decimal_from(lhs), decimal_from(rhs), decimal_from(problem.expected))


def answer_of(record: Record, reading: Reading | None = None) -> Decimal | None:
    """The number that a reading found; without a reading, the one that was graded."""
    if not isinstance(record.answer, Answer):
        return None
    text = record.answer.by(reading or record.reading)
    return None if text is None else decimal_from(text)
