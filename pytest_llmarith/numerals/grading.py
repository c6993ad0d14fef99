"""Grading: an answer against the expected one, exactly at every size. It does not know how the answer was written."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from pytest_llmarith.numerals import exact
from pytest_llmarith.values import Grade, Outcome

DECIMALS = 4  # as llm_arithmetic rounds fixed-point answers; it cuts the fraction of an integer off


def grade(answer: Decimal, expected: str) -> Grade:
    """Correct if the answer, rounded to four decimals, half even, is the expected number."""
    truth = exact.decimal_from(expected)
    if exact.rounded(answer, DECIMALS) == truth:
        return Grade(Outcome.CORRECT)
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
    return decimals < len(format(truth, "f").partition(".")[2]) and any(
        exact.rounded(truth, decimals, mode) == answer for mode in (ROUND_HALF_EVEN, ROUND_HALF_UP)
    )
