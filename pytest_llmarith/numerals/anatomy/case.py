"""One answer beside what was asked, and both numbers laid out digit below digit. It does not know what an error is."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from pytest_llmarith.numerals import exact
from pytest_llmarith.numerals.grading import DECIMALS
from pytest_llmarith.values import Dtype, Op

# How many decimals an operation on numbers with two decimals gives. A quotient has those that it needs.
_FIXED_POINT = {Op.ADD: 2, Op.SUB: 2, Op.MUL: 4}


@dataclass(frozen=True)
class Case:
    """A calculation, the truth about it, and an answer; of a float one, what is graded of it: four decimals."""

    op: Op
    dtype: Dtype
    lhs: Decimal
    rhs: Decimal
    truth: Decimal
    given: Decimal

    @classmethod
    def of(cls, op: Op, dtype: Dtype, operands: tuple[str, str], expected: str, given: Decimal) -> Case:
        """Operands and truth are decimal text."""
        lhs, rhs, truth = map(exact.decimal_from, (*operands, expected))
        return cls(op, dtype, lhs, rhs, truth, given)

    @cached_property
    def answer(self) -> Decimal:
        return exact.rounded(self.given, DECIMALS) if self.dtype is Dtype.FLOAT else self.given

    @cached_property
    def rows(self) -> Rows:
        """Both numbers with the decimals that the operation gives, or more where one of them has more."""
        least = _FIXED_POINT.get(self.op, 0) if self.dtype is Dtype.FLOAT else 0
        return Rows.of(self.answer, self.truth, least)

    @property
    def same_sign(self) -> bool:
        """Whether one of them is not negative where the other is positive; zero has either sign."""
        return not self.answer or not self.truth or self.answer.is_signed() == self.truth.is_signed()

    @property
    def keeps_places(self) -> bool:
        """Whether digit can be held against digit: both have one sign, and as many digits before the point."""
        return self.same_sign and len(self.rows.answer) == len(self.rows.truth)


@dataclass(frozen=True, slots=True)
class Rows:
    """The digits of answer and truth, without sign and point, both down to the same decimal.

    `extra` of the decimals stand there because the answer has them; the truth has zeros there.
    """

    answer: str
    truth: str
    extra: int

    @classmethod
    def of(cls, answer: Decimal, truth: Decimal, least: int) -> Rows:
        (told, told_rest), (true, true_rest) = halves(answer), halves(truth)
        expected = max(least, len(true_rest))
        decimals = max(expected, len(told_rest))
        return cls(told + told_rest.ljust(decimals, "0"), true + true_rest.ljust(decimals, "0"), decimals - expected)

    @property
    def asked(self) -> Rows:
        """Both without the extra decimals."""
        answer, truth = (row[: len(row) - self.extra] for row in (self.answer, self.truth))
        return Rows(answer, truth, 0)


def halves(number: Decimal) -> tuple[str, str]:
    """The digits before the point and behind it, without zeros that say nothing."""
    whole, _, rest = exact.plain(number.copy_abs()).partition(".")
    return whole, rest
