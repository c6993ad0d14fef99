"""Every answer that deviates, in exactly one class: the first whose rule holds. It does not know the rules' insides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pytest_llmarith.numerals.anatomy import operands, patterns
from pytest_llmarith.numerals.anatomy.case import Case
from pytest_llmarith.numerals.grading import is_rounding
from pytest_llmarith.values import ErrorClass

Rule = Callable[[Case], bool]

# What explains every digit stands before what explains how they look; the last rule holds for all that is left.
_RULES: Mapping[ErrorClass, Rule] = MappingProxyType(
    {
        ErrorClass.ROUNDED: lambda case: is_rounding(case.given, case.truth),
        ErrorClass.SIGN: patterns.has_another_sign,
        ErrorClass.POWER_OF_TEN: patterns.is_off_by_a_power_of_ten,
        ErrorClass.OPERAND_ECHOED: operands.echoes_an_operand,
        ErrorClass.WRONG_OPERATION: operands.is_of_another_operation,
        ErrorClass.MISALIGNED: operands.misaligns_an_operand,
        ErrorClass.CARRY: operands.loses_a_carry,
        ErrorClass.GROUP_OF_THREE: patterns.has_groups_too_many_or_few,
        ErrorClass.OTHER_LENGTH: patterns.has_another_length,
        ErrorClass.TRANSPOSITION: patterns.transposes,
        ErrorClass.ONE_DIGIT: patterns.misses_one_digit,
        ErrorClass.TAIL: patterns.misses_the_tail,
        ErrorClass.MIDDLE: patterns.misses_the_middle,
        ErrorClass.SCATTERED: patterns.misses_several_digits,
        ErrorClass.UNRELATED: lambda case: True,
    }
)


def error_class(case: Case) -> ErrorClass | None:
    """The class of an answer that deviates; None where it is correct."""
    if case.answer == case.truth:
        return None
    return next(found for found, holds in _RULES.items() if holds(case))
