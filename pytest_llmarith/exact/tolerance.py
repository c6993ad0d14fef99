"""What must be right of a number for it to count as the expected one."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from .decimals import rounded

_MOST_DECIMALS = 1_000


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
