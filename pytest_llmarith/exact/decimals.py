"""Exact decimal arithmetic: each computation uses a context that is wide enough for its
operands.

Grading uses these functions for all numbers; floats and the default context of 28
digits would round.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache

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
