"""Grades an answer: compares it exactly with the expected number, at every size."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from pytest_llmarith import decimals
from pytest_llmarith.types import Grade, Outcome

DECIMALS = 4  # of fixed-point answers, as in llm_arithmetic


def grade(answer: Decimal, expected: str) -> Grade:
    """Correct if the answer, rounded half even to four decimals, equals the expected number."""
    truth = decimals.decimal_from(expected)
    if decimals.rounded(answer, DECIMALS) == truth:
        return Grade(Outcome.CORRECT)
    error = decimals.distance(answer, truth)
    return Grade(
        Outcome.DEVIATE,
        absolute_error=decimals.plain(error),
        relative_error=decimals.short_ratio(error, truth.copy_abs()) if truth else None,
        rounded=is_rounding(answer, truth),
    )


def is_rounding(answer: Decimal, truth: Decimal) -> bool:
    """Whether the answer is the truth rounded to fewer decimals; ties may go either way."""
    places = len(decimals.plain(answer).partition(".")[2])
    return places < len(format(truth, "f").partition(".")[2]) and any(
        decimals.rounded(truth, places, mode) == answer for mode in (ROUND_HALF_EVEN, ROUND_HALF_UP)
    )
