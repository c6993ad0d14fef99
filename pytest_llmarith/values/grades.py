"""What was read out of a reply, and how far off it is."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from pytest_llmarith.values.words import NanReason, Outcome


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
