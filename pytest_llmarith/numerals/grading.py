"""Grading: an answer against the expected one, exactly at every size. It does not know how the answer was written."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from pytest_llmarith.numerals import exact
from pytest_llmarith.values import Dtype, Grade, Outcome

FLOAT_DECIMALS = 4


def grade(answer: Decimal, expected: str, dtype: Dtype) -> Grade:
    """Correct where the answer is the expected number; float answers are first rounded to four decimals, half even."""
    truth = exact.decimal_from(expected)
    compared = exact.rounded(answer, FLOAT_DECIMALS) if dtype is Dtype.FLOAT else answer
    return Grade(Outcome.CORRECT) if compared == truth else _deviate(answer, truth)


def _deviate(answer: Decimal, truth: Decimal) -> Grade:
    error = exact.distance(answer, truth)
    return Grade(
        Outcome.DEVIATE,
        absolute_error=exact.plain(error),
        relative_error=exact.short_ratio(error, truth.copy_abs()) if truth else None,
        rounded=is_rounding(answer, truth),
    )


def is_rounding(answer: Decimal, truth: Decimal) -> bool:
    """Whether rounding the truth to fewer decimals gives the answer; at a tie either neighbour will do.

    A rounding to more decimals than the answer has would give it only where the one to as many does.
    """
    decimals = len(exact.plain(answer).partition(".")[2])
    if decimals >= exact.decimals_of(truth):
        return False
    return any(exact.rounded(truth, decimals, mode) == answer for mode in (ROUND_HALF_EVEN, ROUND_HALF_UP))
