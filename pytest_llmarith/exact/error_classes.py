"""Finds the class of an error: the first of fifteen rules that holds. docs/errors.md
has the rules in words.

The rules are exact, and linear in the number of digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import pairwise
from operator import eq
from types import MappingProxyType

from . import digits
from .digits import DECIMALS, Case, carries, is_rounding, significant, split_at_point
from .enums import ErrorClass, Op

_GROUP = 3


def error_class(case: Case) -> ErrorClass | None:
    """The class of an answer that deviates; None if it is correct."""
    if case.is_correct:
        return None
    for found, holds in _RULES.items():
        if holds(case):
            return found
    raise AssertionError("the last rule always holds")


# --- rules on values: the operands explain the error ----------------------------------


def _has_other_sign(case: Case) -> bool:
    return case.answer == case.truth.copy_negate()


def _is_off_by_power_of_ten(case: Case) -> bool:
    """All digits are right and the point is not; rounding to four decimals may have
    removed some digits.
    """
    numbers = case.given, case.answer
    return any(_is_shifted(number, case.truth) for number in numbers)


def _echoes_operand(case: Case) -> bool:
    if case.op is None:
        return False
    return case.answer.copy_abs() in (case.lhs.copy_abs(), case.rhs.copy_abs())


def _is_of_other_operation(case: Case) -> bool:
    """Another operation on the same operands, or the quotient of the exchanged
    operands; the sign does not matter.
    """
    if case.op is None:
        return False
    answer = case.answer.copy_abs()
    lhs, rhs = case.lhs.copy_abs(), case.rhs.copy_abs()
    results = {
        Op.ADD: digits.wide_context(lhs, rhs).add(lhs, rhs),
        Op.SUB: digits.distance(lhs, rhs),
        Op.MUL: digits.product(lhs, rhs),
    }
    results.pop(case.op, None)
    if answer in results.values():
        return True
    if case.op is not Op.DIV and _is_quotient(answer, lhs, rhs):
        return True
    return _is_quotient(answer, rhs, lhs)


def _is_quotient(answer: Decimal, dividend: Decimal, divisor: Decimal) -> bool:
    """Whether the answer is the quotient to four decimals, checked by multiplication;
    ties may go either way.
    """
    shown = digits.rounded(answer, DECIMALS)
    if not shown or not divisor:
        return False
    error = digits.distance(digits.product(shown, divisor), dividend)
    return digits.product(error, Decimal(2 * 10**DECIMALS)) <= divisor


def _misaligns_operand(case: Case) -> bool:
    """A sum or difference with one operand some columns too far to the left or to the
    right.
    """
    if case.op not in (Op.ADD, Op.SUB):
        return False
    context = digits.wide_context(case.answer, case.lhs, case.rhs)
    second = case.rhs if case.op is Op.ADD else case.rhs.copy_negate()
    if _is_shifted(context.subtract(case.answer, case.lhs), second):
        return True
    return _is_shifted(context.subtract(case.answer, second), case.lhs)


def _is_shifted(number: Decimal, original: Decimal) -> bool:
    """Whether the number is the original times a power of ten."""
    if not number or not original or number.is_signed() != original.is_signed():
        return False
    return significant(number) == significant(original)


def _loses_carry(case: Case) -> bool:
    """Only columns that carry are wrong, each by one unit and all in the same
    direction.
    """
    carried = carries(case.op, case.lhs, case.rhs) if case.same_sign else None
    if carried is None:
        return False
    error = digits.distance(case.answer.copy_abs(), case.truth.copy_abs())
    if error.adjusted() >= len(carried.columns):
        return False
    whole, rest = split_at_point(error)
    units = (whole + rest.ljust(carried.decimals, "0"))[::-1]
    if len(rest) > carried.decimals or set(units) - {"0", "1"}:
        return False
    columns = zip(carried.columns, units, strict=False)
    return all(carries_one or unit == "0" for carries_one, unit in columns)


# --- rules on digits, for all operations ----------------------------------------------


def _has_other_groups(case: Case) -> bool:
    """Related, and 3, 6, 9, ... digits longer or shorter.

    One digit and zeros is a guess of the size.
    """
    surplus = len(case.rows.answer) - len(case.rows.truth)
    fewest = min(len(significant(number)) for number in (case.answer, case.truth))
    return surplus != 0 and surplus % _GROUP == 0 and fewest > 1 and _is_related(case)


def _has_other_length(case: Case) -> bool:
    return not case.same_places and _is_related(case)


def _transposes(case: Case) -> bool:
    """Two neighbouring digits are exchanged, and all others are right."""
    if len(case.wrong_places) != 2:
        return False
    left, right = case.wrong_places
    answer, truth = case.rows.answer, case.rows.truth
    exchanged = truth[right] + truth[left]
    return right == left + 1 and answer[left] + answer[right] == exchanged


def _misses_one_digit(case: Case) -> bool:
    return len(case.wrong_places) == 1


def _misses_tail(case: Case) -> bool:
    """The digits are wrong from some position to the end."""
    return _misses_middle(case) and case.rows.answer[-1] != case.rows.truth[-1]


def _misses_middle(case: Case) -> bool:
    """The first digit is right; between wrong digits there is at most one right digit,
    which may be chance.
    """
    if not _misses_several_digits(case) or 0 in case.wrong_places:
        return False
    return all(after - before <= 2 for before, after in pairwise(case.wrong_places))


def _misses_several_digits(case: Case) -> bool:
    return case.same_places and _is_related(case)


def _is_related(case: Case) -> bool:
    """Whether the answer has half of the shorter number's digits, or is close to the
    truth except for the point.

    Digits are compared from the left and from the right. Zero and numbers of the other
    sign are unrelated.
    """
    if not case.answer or not case.truth or not case.same_sign:
        return False
    answer, truth = case.rows.answer, case.rows.truth
    from_left = sum(map(eq, answer, truth))
    from_right = sum(map(eq, reversed(answer), reversed(truth)))
    if 2 * max(from_left, from_right) >= min(len(answer), len(truth)):
        return True
    return _is_close(case.answer, case.truth)


def _is_close(answer: Decimal, truth: Decimal) -> bool:
    """Whether the answer times some power of ten differs from the truth by less than a
    tenth.
    """
    one = Decimal(f".{significant(answer)}")
    other = Decimal(f".{significant(truth)}")
    context = digits.wide_context(one, other)
    tenth = context.scaleb(other, -1)
    for places in (-1, 0, 1):
        error = digits.distance(context.scaleb(one, places), other)
        if error < tenth:
            return True
    return False


# A rule that explains every digit comes before a rule on how digits look; the last rule
# always holds.
_RULES: Mapping[ErrorClass, Callable[[Case], bool]] = MappingProxyType(
    {
        ErrorClass.ROUNDED: lambda case: is_rounding(case.given, case.truth),
        ErrorClass.SIGN: _has_other_sign,
        ErrorClass.POWER_OF_TEN: _is_off_by_power_of_ten,
        ErrorClass.OPERAND_ECHOED: _echoes_operand,
        ErrorClass.WRONG_OPERATION: _is_of_other_operation,
        ErrorClass.MISALIGNED: _misaligns_operand,
        ErrorClass.CARRY: _loses_carry,
        ErrorClass.GROUP_OF_THREE: _has_other_groups,
        ErrorClass.OTHER_LENGTH: _has_other_length,
        ErrorClass.TRANSPOSITION: _transposes,
        ErrorClass.ONE_DIGIT: _misses_one_digit,
        ErrorClass.TAIL: _misses_tail,
        ErrorClass.MIDDLE: _misses_middle,
        ErrorClass.SCATTERED: _misses_several_digits,
        ErrorClass.UNRELATED: lambda case: True,
    }
)
