"""What a record tells of its calculation and its answer. It may come from anywhere: what it does not tell is None."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from pytest_llmarith.decimals import decimal_from
from pytest_llmarith.grading import Case
from pytest_llmarith.values import Dtype, Op, Reading

_LARGEST_EXPONENT = 10_000  # of a number in a record; written out, 1e999999999 would fill the memory


class Calculation(NamedTuple):
    """What was asked, in numbers."""

    op: Op
    dtype: Dtype
    lhs: Decimal
    rhs: Decimal
    truth: Decimal

    def case(self, answer: Decimal) -> Case:
        return Case(*self, answer)


def calculation_of(record: Mapping[str, Any]) -> Calculation | None:
    """The calculation of a number task."""
    problem = record["problem"]
    try:
        op, dtype = (problem["op"], problem["dtype"]) if "op" in problem else (Op.ADD, Dtype.INT)
        operands = ("lhs", "rhs") if "lhs" in problem else ("int1", "int2")
        numbers = [_number(problem[name]) for name in (*operands, "expected")]
        return Calculation(Op(op), Dtype(dtype), *numbers)
    except (KeyError, ValueError, TypeError):
        return None


def answer_of(record: Mapping[str, Any], reading: str | None = None) -> Decimal | None:
    """The number that a reading found, the one that counts where none is named."""
    answer, counts = record.get("answer"), reading or record.get("reading") or Reading.TOLERANT
    try:
        text = answer.get(counts) if isinstance(answer, dict) else None
        return None if text is None else _number(text)
    except (ValueError, TypeError):
        return None


def case_of(record: Mapping[str, Any]) -> Case | None:
    """The answer beside what was asked."""
    calculation, answer = calculation_of(record), answer_of(record)
    return None if calculation is None or answer is None else calculation.case(answer)


def _number(text: str) -> Decimal:
    try:
        number = decimal_from(text)
    except InvalidOperation as fault:
        raise ValueError("no number") from fault
    if not number.is_finite() or abs(number.adjusted()) > len(text) + _LARGEST_EXPONENT:
        raise ValueError("no number that anybody means")
    return number
