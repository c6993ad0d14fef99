"""The columns of a sum or a difference: where one is carried or borrowed. It does not know answers."""

from __future__ import annotations

from decimal import Decimal
from itertools import groupby
from typing import NamedTuple

from pytest_llmarith.numerals.anatomy.case import halves
from pytest_llmarith.values import Op


class Carries(NamedTuple):
    """Which columns take one that was carried to them or gave one away, counted from the right from 0.

    The last column may be one that neither operand has. `decimals` of the columns stand behind the point.
    """

    taking: tuple[bool, ...]
    decimals: int

    @property
    def number(self) -> int:
        return sum(self.taking)

    @property
    def longest_chain(self) -> int:
        """The most carries in a row, each of which may hang on the one before it."""
        return max((sum(run) for _, run in groupby(self.taking)), default=0)


def carries(op: Op, lhs: Decimal, rhs: Decimal) -> Carries | None:
    """The carries of a sum or the borrows of a difference; None for other operations."""
    if op not in (Op.ADD, Op.SUB):
        return None
    halved = [halves(lhs), halves(rhs)]
    width, decimals = (max(map(len, half)) for half in zip(*halved, strict=True))
    lower, upper = sorted(whole.rjust(width, "0") + rest.ljust(decimals, "0") for whole, rest in halved)
    is_sum = (lhs.is_signed() == rhs.is_signed()) is (op is Op.ADD)
    return Carries(_taking(upper, lower, is_sum), decimals)


def _taking(upper: str, lower: str, is_sum: bool) -> tuple[bool, ...]:
    taking = [False]
    for above, below in zip(map(int, reversed(upper)), map(int, reversed(lower)), strict=True):
        taking.append(above + below + taking[-1] > 9 if is_sum else above < below + taking[-1])
    return tuple(taking)
