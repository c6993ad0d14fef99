"""What was read out of a reply, and how far off it is."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pytest_llmarith.values.words import ErrorClass, NanReason, Outcome


@dataclass(frozen=True, slots=True)
class Readings:
    """Both readings of one text. `reason` says why the tolerant one is missing."""

    tolerant: Decimal | None
    strict: Decimal | None
    reason: NanReason | None = None


@dataclass(frozen=True, slots=True)
class Grade:
    """An answer against the expected one; the errors are text and stand only where the answer deviates.

    `absolute_error` is exact, `relative_error` has a few significant digits and is missing where the truth is 0;
    `rounded` says that the answer is the truth rounded to fewer decimals.
    """

    outcome: Outcome
    absolute_error: str | None = None
    relative_error: str | None = None
    rounded: bool | None = None


@dataclass(frozen=True, slots=True)
class ErrorAnalysis:
    """What an answer has right and wrong, digit by digit; a class stands only where the answer deviates.

    `digit_match` is the share of the truth's digits that stand at their places, `dlength` by how many digits the answer
    is longer or shorter, `leading_digits` how many are right before the first wrong one.
    """

    error_class: ErrorClass | None
    digit_match: float
    dlength: int
    leading_digits: int

    def fields(self) -> dict[str, Any]:
        """The measures as they stand in the grade of a record."""
        return {
            "error_class": self.error_class and str(self.error_class),
            "digit_match": self.digit_match,
            "dlength": self.dlength,
            "leading_digits": self.leading_digits,
        }
