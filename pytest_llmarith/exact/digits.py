"""Grades an answer: compares it exactly with the expected number, as a whole and digit
by digit, at every size.

Digit match and dlength are those of NUPA (Yang et al., arXiv 2411.03766): digits are
compared at their distance from the point, as a share of the digits of the truth.

Floats and the default context of 28 digits would round, so each computation uses a
context that is wide enough for its operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Context,
    Decimal,
)
from functools import cached_property, lru_cache
from itertools import groupby
from operator import eq, ne
from typing import NamedTuple, Protocol

from .enums import Dtype, ErrorClass, Op

DECIMALS = 4  # of fixed-point answers, as in llm_arithmetic
# The decimals of a result of fixed-point operands; a quotient has as many as it needs.
_FIXED_POINT = {Op.ADD: 2, Op.SUB: 2, Op.MUL: 4}
_MOST_DECIMALS = 1_000
_ZERO = Decimal(0)


def decimal_from(text: str) -> Decimal:
    """Parse a number that `decimal.Decimal` accepts, in linear time; negative zero
    becomes 0.
    """
    number = Decimal(text)
    return number if number else _ZERO


def wide_context(*numbers: Decimal, decimals: int = 0) -> Context:
    """A context in which sums and differences of the numbers, and rounding to
    `decimals`, are exact.
    """
    highest = max(map(Decimal.adjusted, numbers))
    lowest = min(map(_exponent, numbers))
    return _context(max(highest, 0) - min(lowest, -decimals) + 3)


def distance(one: Decimal, other: Decimal) -> Decimal:
    """The exact absolute difference."""
    return wide_context(one, other).subtract(one, other).copy_abs()


def product(one: Decimal, other: Decimal) -> Decimal:
    """The exact product."""
    digits = one.adjusted() - _exponent(one) + 1
    other_digits = other.adjusted() - _exponent(other) + 1
    return _context(digits + other_digits).multiply(one, other)


def rounded(number: Decimal, decimals: int, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """The number rounded to that many decimals."""
    unit = Decimal((0, (1,), -decimals))
    return number.quantize(unit, rounding, wide_context(number, decimals=decimals))


def is_close(rounded: Decimal, exact: Decimal) -> bool:
    """Whether two absolute values differ by at most 1 in the last digit of `rounded`
    and by a factor of at most 2.
    """
    if abs(rounded.adjusted() - exact.adjusted()) > 1:
        return False
    few = rounded.normalize().copy_abs().scaleb(-exact.adjusted())
    many = exact.copy_abs().scaleb(-exact.adjusted())
    if few > 2 * many or many > 2 * few:
        return False
    unit = Decimal((0, (1,), _exponent(few)))
    return abs(few - many) <= unit


def shifted(number: Decimal, places: int) -> Decimal:
    """The number times a power of ten."""
    sign, digits, _ = number.as_tuple()
    return Decimal((sign, digits, _exponent(number) + places))


def plain(number: Decimal) -> str:
    """The number as text, without an exponent or trailing zeros."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def significant(number: Decimal) -> str:
    """The digits without point, sign, leading and trailing zeros."""
    return format(number.copy_abs(), "f").replace(".", "").strip("0")


def short_ratio(part: Decimal, whole: Decimal) -> str:
    """`part / whole` with two significant digits, such as 1.2e-05."""
    few = _context(20)
    ratio = few.divide(few.plus(part), few.plus(whole))
    mantissa, _, exponent = format(ratio, ".1e").partition("e")
    return f"{mantissa}e{int(exponent):+03d}"


@lru_cache(maxsize=256)
def _context(precision: int) -> Context:
    return Context(
        prec=precision, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX
    )


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)  # infinities and NaN have a letter
    return exponent


# --- what is graded of a number -------------------------------------------------------


class Tolerance(Protocol):
    """A rule that takes from a number the part that is graded.

    Two numbers are the same if these parts are equal.
    """

    def graded(self, number: Decimal) -> Decimal:
        """The part of the number that is graded."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The whole number is graded.

    >>> Exact().graded(Decimal("1.00004"))
    Decimal('1.00004')
    """

    def graded(self, number: Decimal) -> Decimal:
        """The number itself."""
        return number


@dataclass(frozen=True, slots=True)
class Decimals:
    """That many decimals are graded; a tie goes to the even digit.

    >>> Decimals(4).graded(Decimal("1.00004"))
    Decimal('1.0000')
    """

    places: int

    def __post_init__(self) -> None:
        if type(self.places) is not int or not 0 <= self.places <= _MOST_DECIMALS:
            raise ValueError(
                f"Decimals({self.places!r}): write a whole number from 0 to "
                f"{_MOST_DECIMALS:,}"
            )

    def graded(self, number: Decimal) -> Decimal:
        """The number rounded to the decimals."""
        return rounded(number, self.places)


# --- the comparison -------------------------------------------------------------------


def is_rounding(answer: Decimal, truth: Decimal) -> bool:
    """Whether one is the other rounded: the truth to fewer decimals (a tie may go
    either way), or the answer to four.

    The latter are integers with the residue of a double: 364.00000000000006 for 364.
    """
    if rounded(answer, DECIMALS) == truth:
        return True
    _, _, rest = plain(answer).partition(".")
    _, _, true_rest = format(truth, "f").partition(".")
    places = len(rest)
    if places >= len(true_rest):
        return False
    to_even = rounded(truth, places, ROUND_HALF_EVEN)
    return answer in (to_even, rounded(truth, places, ROUND_HALF_UP))


# --- digits ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A calculation, its exact result (`truth`), and the number that was given as the
    answer.

    Without an operation, there are no operands, and only rules on digits apply.
    """

    op: Op | None
    dtype: Dtype
    lhs: Decimal
    rhs: Decimal
    truth: Decimal
    given: Decimal
    tolerance: Tolerance

    @classmethod
    def of(
        cls,
        op: Op | None,
        dtype: Dtype,
        operands: Sequence[str],
        expected: str,
        given: Decimal,
        tolerance: Tolerance,
    ) -> Case:
        """A case from operands and truth as decimal text."""
        *both, truth = map(decimal_from, (*operands, expected))
        lhs, rhs = both or (Decimal(0), Decimal(0))
        return cls(op, dtype, lhs, rhs, truth, given, tolerance)

    @cached_property
    def answer(self) -> Decimal:
        """The graded part of the answer."""
        return self.tolerance.graded(self.given)

    @cached_property
    def is_correct(self) -> bool:
        """Whether the graded part of the answer is that of the truth."""
        return self.answer == self.tolerance.graded(self.truth)

    @cached_property
    def rows(self) -> Rows:
        """The digits of both numbers, with the decimals of the operation, or more if
        one of the numbers has more.
        """
        least = 0
        if self.op and self.dtype is Dtype.FLOAT:
            least = _FIXED_POINT.get(self.op, 0)
        return Rows.of(self.answer, self.truth, least)

    @property
    def same_sign(self) -> bool:
        """Whether both have the same sign; zero has both signs."""
        if not self.answer or not self.truth:
            return True
        return self.answer.is_signed() == self.truth.is_signed()

    @property
    def same_places(self) -> bool:
        """Whether both have the same sign and as many digits before the point."""
        return self.same_sign and len(self.rows.answer) == len(self.rows.truth)

    @cached_property
    def wrong_places(self) -> list[int]:
        """The positions of wrong digits in the rows; none if sign or length differs."""
        if not self.same_places:
            return []
        return self.rows.differences


@dataclass(frozen=True, slots=True)
class Rows:
    """The digits of answer and truth down to the same decimal, without sign and point.

    Only the answer has the last `extra` decimals; the truth is padded with zeros.
    """

    answer: str
    truth: str
    extra: int

    @classmethod
    def of(cls, answer: Decimal, truth: Decimal, least: int) -> Rows:
        """The digits with at least `least` decimals."""
        whole, rest = split_at_point(answer)
        true_whole, true_rest = split_at_point(truth)
        expected = max(least, len(true_rest))
        width = max(expected, len(rest))
        return cls(
            whole + rest.ljust(width, "0"),
            true_whole + true_rest.ljust(width, "0"),
            width - expected,
        )

    @property
    def differences(self) -> list[int]:
        """The positions at which the digits differ."""
        pairs = zip(self.answer, self.truth, strict=True)
        return [at for at, (one, other) in enumerate(pairs) if one != other]

    @property
    def without_extra(self) -> Rows:
        """Both without the extra decimals."""
        if not self.extra:
            return self
        return Rows(self.answer[: -self.extra], self.truth[: -self.extra], 0)


def split_at_point(number: Decimal) -> tuple[str, str]:
    """The digits before and after the point, without leading and trailing zeros."""
    whole, _, rest = plain(number.copy_abs()).partition(".")
    return whole, rest


# --- measures -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Measures:
    """How far an answer is from the truth.

    Errors and wrong digits are None if the answer is correct.

    Errors are decimal text. `wrong_digits` has 1 for each of the truth's digits that is
    wrong, else 0; it is None, too, if sign or length differs.
    """

    absolute_error: str | None
    relative_error: str | None
    rounded: bool | None
    error_class: ErrorClass | None
    digit_match: float
    dlength: int
    leading_digits: int
    wrong_digits: str | None


def measure(case: Case, error_class: ErrorClass | None) -> Measures:
    """The measures of an answer with its error class, which is None if it is
    correct.
    """
    absolute = relative = rounded = wrong = None
    if error_class:
        error = distance(case.given, case.truth)
        absolute = plain(error)
        if case.truth:
            relative = short_ratio(error, case.truth.copy_abs())
        rounded = error_class is ErrorClass.ROUNDED
        wrong = wrong_digits(case)
    return Measures(
        absolute_error=absolute,
        relative_error=relative,
        rounded=rounded,
        error_class=error_class,
        digit_match=digit_match(case.rows),
        dlength=dlength(case.rows),
        leading_digits=leading_digits(case),
        wrong_digits=wrong,
    )


def digit_match(rows: Rows) -> float:
    """The share of the truth's digits that the answer has at the same positions, to
    four decimals.
    """
    asked = rows.without_extra
    right: int = sum(map(eq, reversed(asked.answer), reversed(asked.truth)))
    return round(right / len(asked.truth), 4)


def dlength(rows: Rows) -> int:
    """By how many digits the answer is longer or shorter than the truth, decimals
    included.
    """
    return abs(len(rows.answer) - len(rows.without_extra.truth))


def leading_digits(case: Case) -> int:
    """The number of right digits before the first wrong one, leading zeros excluded; 0
    if sign or length differs.
    """
    if not case.same_places:
        return 0
    asked = case.rows.without_extra
    right = min(asked.differences, default=len(asked.truth))
    leading_zeros = len(asked.truth) - len(asked.truth.lstrip("0") or "0")
    return max(0, right - leading_zeros)


def wrong_digits(case: Case) -> str | None:
    """1 for each of the truth's digits that is wrong, else 0; None if the answer has
    another sign or length.
    """
    if not case.same_places:
        return None
    asked = case.rows.without_extra
    wrong = map(ne, asked.answer, asked.truth)
    return "".join("01"[is_wrong] for is_wrong in wrong)


# --- carries of the operands ----------------------------------------------------------


class Carries(NamedTuple):
    """The columns of a sum that receive a carry, or of a difference that lend a borrow,
    counted from the right.

    The last column is to the left of both operands. `decimals` columns are after the
    point.
    """

    columns: tuple[bool, ...]
    decimals: int

    @property
    def number(self) -> int:
        """How many columns carry."""
        return sum(self.columns)

    @property
    def longest_chain(self) -> int:
        """The length of the longest run of carries, each of which may depend on the one
        before it.
        """
        return max((sum(run) for _, run in groupby(self.columns)), default=0)


def carries(op: Op | None, lhs: Decimal, rhs: Decimal) -> Carries | None:
    """The carries of a sum or the borrows of a difference; None for other
    operations.
    """
    if op not in (Op.ADD, Op.SUB):
        return None
    whole, rest = split_at_point(lhs)
    other_whole, other_rest = split_at_point(rhs)
    width = max(len(whole), len(other_whole))
    places = max(len(rest), len(other_rest))
    row = whole.rjust(width, "0") + rest.ljust(places, "0")
    other_row = other_whole.rjust(width, "0") + other_rest.ljust(places, "0")
    lower, upper = sorted((row, other_row))
    is_sum = (lhs.is_signed() == rhs.is_signed()) is (op is Op.ADD)
    columns = [False]
    for above, below in zip(reversed(upper), reversed(lower), strict=True):
        least = int(below) + columns[-1]
        if is_sum:
            columns.append(int(above) + least > 9)
        else:
            columns.append(int(above) < least)
    return Carries(tuple(columns), places)
