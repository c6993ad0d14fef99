"""A number as its digits stand on paper, and the columns of a sum. It does not know what is right or wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from pytest_llmarith.models.embedded.calculation import Calculation
from pytest_llmarith.values import Op


@dataclass(frozen=True, slots=True)
class Written:
    """Decimal text taken apart; places count from 0 at the leading digit, across the decimal point."""

    sign: str
    digits: str
    decimals: int

    @classmethod
    def of(cls, text: str) -> Self:
        whole, _, decimals = text.removeprefix("-").partition(".")
        return cls("-" if text.startswith("-") else "", whole + decimals, len(decimals))

    def __str__(self) -> str:
        digits = self.digits.rjust(self.decimals + 1, "0")
        end = len(digits) - self.decimals
        whole = digits[:end].lstrip("0") or "0"
        return f"{self.sign}{whole}.{digits[end:]}" if self.decimals else f"{self.sign}{whole}"

    @property
    def whole(self) -> int:
        """How many digits stand before the decimal point."""
        return len(self.digits) - self.decimals

    def with_digits(self, changes: Mapping[int, str]) -> Self:
        """The same number with other digits at some places."""
        digits = "".join(changes.get(place, digit) for place, digit in enumerate(self.digits))
        return replace(self, digits=digits)

    def with_run(self, start: int, end: int, run: str) -> Self:
        """The same number with another run of digits from `start` up to `end`, both before the decimal point."""
        return replace(self, digits=self.digits[:start] + run + self.digits[end:])

    def moved(self, by: int) -> Self:
        """The number times ten to the power of `by`, with its decimals kept; an integer loses digits by less than 0."""
        if by >= 0:
            return replace(self, digits=self.digits + "0" * by)
        if self.decimals:
            return replace(self, decimals=self.decimals - by)
        return replace(self, digits=self.digits[:by] or "0")

    def groups(self) -> list[int]:
        """Where the groups of three digits before the decimal point begin, the leading one aside."""
        return list(range(self.whole % 3 or 3, self.whole, 3))


def carried(calculation: Calculation) -> list[int]:
    """The places of the result into which a carry goes, or from which a difference borrowed.

    In the many lines of a product or quotient that is nearly every place but the last.
    """
    result = Written.of(calculation.truth)
    if calculation.op not in (Op.ADD, Op.SUB):
        return list(range(len(result.digits) - 1))
    upper, lower = _columns(calculation, result.decimals)
    surplus = len(upper) - len(result.digits)  # columns that came out as leading zeros
    return [column - surplus for column in _carries(upper, lower, calculation.op) if column >= surplus]


def _columns(calculation: Calculation, decimals: int) -> tuple[str, str]:
    """Both operands, digit above digit, as long as the result or longer; the larger one above."""
    operands = [Written.of(operand) for operand in (calculation.lhs, calculation.rhs)]
    digits = [operand.digits + "0" * (decimals - operand.decimals) for operand in operands]
    width = max(map(len, [*digits, Written.of(calculation.truth).digits]))
    lower, upper = sorted(number.rjust(width, "0") for number in digits)
    return upper, lower


def _carries(upper: str, lower: str, op: Op) -> list[int]:
    columns, carry = [], 0
    for column in reversed(range(len(upper))):
        if carry:
            columns.append(column)
        above, below = int(upper[column]), int(lower[column]) + carry
        carry = int(above + below > 9 if op is Op.ADD else above < below)
    return columns
