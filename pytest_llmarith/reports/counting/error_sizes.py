"""How far off wrong answers are. No float touches an error, which may have any size, and none decides a figure alone
but the average that llm_arithmetic has.

It does not know which answers are wrong.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from pytest_llmarith import records
from pytest_llmarith.results.statistics import WIDE, median_of_decimals, median_of_floats

_FEW = Context(prec=6, Emax=MAX_EMAX, Emin=MIN_EMIN)
_LOWEST, _HIGHEST = -12, 4  # powers of ten; errors beyond them share a bin at either end


class ErrorSizes:
    """The sizes of errors, as relative errors, as absolute ones, and as leading digits that are right."""

    def __init__(self) -> None:
        self.rounded = 0
        self._relative: list[str] = []  # texts are half the size of decimals
        self._leading = array("Q")
        self._other_length = 0
        self._absolute = Decimal(0)
        self._absolutes = 0

    def add(self, grade: records.Grade) -> None:
        """Take the grade of one deviating answer."""
        self.rounded += bool(grade.rounded)
        if grade.relative_error is not None:
            self._relative.append(grade.relative_error)
        if grade.absolute_error is not None:
            self._absolute = WIDE.add(self._absolute, WIDE.create_decimal(grade.absolute_error))
            self._absolutes += 1
        self._leading.append(grade.leading_digits)
        self._other_length += not grade.leading_digits and bool(grade.dlength)

    def join(self, other: ErrorSizes) -> None:
        self.rounded += other.rounded
        self._relative += other._relative
        self._leading.extend(other._leading)
        self._other_length += other._other_length
        self._absolute = WIDE.add(self._absolute, other._absolute)
        self._absolutes += other._absolutes

    @property
    def average_absolute(self) -> str | None:
        return _text(WIDE.divide(self._absolute, Decimal(self._absolutes)) if self._absolutes else None)

    def part(self) -> records.ErrorSizes:
        """Figures that no single answer decides."""
        relative = [Decimal(text) for text in self._relative]
        return records.ErrorSizes(
            median_relative_error=_text(median_of_decimals(relative)),
            log10_bins=_bins(relative),
            median_leading_digits=median_of_floats(self._leading),
            other_length=self._other_length,
        )


def _bins(errors: Sequence[Decimal]) -> list[records.Bin]:
    """How many errors are of which power of ten, from the smallest to the largest that there is, without a gap."""
    counts = Counter(map(_exponent, errors))
    if not counts:
        return []
    return [
        records.Bin(
            low=exponent if exponent >= _LOWEST else None,
            high=exponent + 1 if exponent < _HIGHEST else None,
            count=counts[exponent],
        )
        for exponent in range(min(counts), max(counts) + 1)
    ]


def _exponent(error: Decimal) -> int:
    """The power of ten at which a bin begins that holds the error."""
    return max(_LOWEST - 1, min(error.adjusted(), _HIGHEST)) if error else _LOWEST - 1


def _text(number: Decimal | None) -> str | None:
    """A number with few digits, such as `0.00125`, `1200` or `4.82351e+21`."""
    if number is None:
        return None
    short = number.normalize(_FEW)
    return format(short, "f" if -_FEW.prec <= short.adjusted() < _FEW.prec else "g")
