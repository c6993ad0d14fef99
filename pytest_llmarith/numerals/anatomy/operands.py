"""Errors that the operands explain: rules on values. Each is exact; docs/anatomy.md tells them in words."""

from __future__ import annotations

from decimal import Decimal

from pytest_llmarith.numerals import exact
from pytest_llmarith.numerals.anatomy.case import Case, halves
from pytest_llmarith.numerals.anatomy.columns import carries
from pytest_llmarith.numerals.grading import DECIMALS
from pytest_llmarith.values import Op


def echoes_an_operand(case: Case) -> bool:
    return case.answer.copy_abs() in (case.lhs.copy_abs(), case.rhs.copy_abs())


def is_of_another_operation(case: Case) -> bool:
    """Another operation on the same operands, or the quotient the other way round; the sign does not matter."""
    answer, lhs, rhs = (number.copy_abs() for number in (case.answer, case.lhs, case.rhs))
    total = exact.wide_context(lhs, rhs).add(lhs, rhs)
    return (
        (case.op is not Op.ADD and answer == total)
        or (case.op is not Op.SUB and answer == exact.distance(lhs, rhs))
        or (case.op is not Op.MUL and answer == exact.product(lhs, rhs))
        or (case.op is not Op.DIV and _is_quotient(answer, lhs, rhs))
        or _is_quotient(answer, rhs, lhs)
    )


def _is_quotient(answer: Decimal, dividend: Decimal, divisor: Decimal) -> bool:
    """Whether the answer is the quotient to four decimals, found by multiplying back; a tie may go either way."""
    shown = exact.rounded(answer, DECIMALS)
    if not shown or not divisor:
        return False
    error = exact.distance(exact.product(shown, divisor), dividend)
    return exact.product(error, Decimal(2 * 10**DECIMALS)) <= divisor


def misaligns_an_operand(case: Case) -> bool:
    """A sum or difference in which one operand stands some columns too far to the left or to the right."""
    if case.op not in (Op.ADD, Op.SUB):
        return False
    context = exact.wide_context(case.answer, case.lhs, case.rhs)
    second = case.rhs if case.op is Op.ADD else case.rhs.copy_negate()
    return any(
        _is_shifted(context.subtract(case.answer, stays), moves)
        for stays, moves in ((case.lhs, second), (second, case.lhs))
    )


def _is_shifted(number: Decimal, original: Decimal) -> bool:
    """Whether the number is the original times a power of ten."""
    if not number or not original or number.is_signed() != original.is_signed():
        return False
    return exact.significant(number) == exact.significant(original)


def loses_a_carry(case: Case) -> bool:
    """All is right but one unit of each of some columns that take a carry or gave one away, in one direction."""
    columns = carries(case.op, case.lhs, case.rhs) if case.same_sign else None
    if columns is None:
        return False
    error = exact.distance(case.answer.copy_abs(), case.truth.copy_abs())
    if error.adjusted() >= len(columns.taking):
        return False
    whole, rest = halves(error)
    units = (whole + rest.ljust(columns.decimals, "0"))[::-1]
    if len(rest) > columns.decimals or set(units) - {"0", "1"}:
        return False
    return all(taking for taking, unit in zip(columns.taking, units, strict=False) if unit == "1")
