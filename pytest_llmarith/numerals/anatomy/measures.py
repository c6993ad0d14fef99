"""How much of an answer is right, digit by digit. It does not know classes' rules.

Digit match and dlength are those of NUPA (Yang et al., arXiv 2411.03766): digits are compared at their distance from
the point, and their share is of the digits of the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from operator import eq, ne

from pytest_llmarith.numerals.anatomy.case import Case, Rows
from pytest_llmarith.numerals.anatomy.classes import error_class
from pytest_llmarith.values import Anatomy

_DECIMALS = 4  # of a share: enough for what is averaged


def anatomy(case: Case) -> Anatomy:
    """The class of an answer and its measures; also of a correct one."""
    return Anatomy(error_class(case), digit_match(case.rows), dlength(case.rows), leading_digits(case))


def digit_match(rows: Rows) -> float:
    """The share of the truth's digits that the answer has at their places, to four decimals."""
    answer, truth = rows.asked.answer, rows.asked.truth
    right: int = sum(map(eq, reversed(answer), reversed(truth)))
    return round(right / len(truth), _DECIMALS)


def dlength(rows: Rows) -> int:
    """By how many digits the answer is longer or shorter than the truth, decimals included."""
    return abs(len(rows.answer) - len(rows.asked.truth))


def leading_digits(case: Case) -> int:
    """How many digits are right before the first wrong one; none where sign or length is another.

    Zeros before the truth's first other digit do not count.
    """
    if not case.keeps_places:
        return 0
    asked = case.rows.asked
    right = sum(1 for _ in takewhile(bool, map(eq, asked.answer, asked.truth)))
    return max(0, right - len(asked.truth) + len(asked.truth.lstrip("0") or "0"))


def wrong_from_left(case: Case, most: int) -> Sequence[bool] | None:
    """Whether each of the truth's first digits is wrong; None where the answer has another sign or length."""
    asked = case.rows.asked
    return tuple(map(ne, asked.answer[:most], asked.truth[:most])) if case.keeps_places else None


def wrong_from_right(case: Case, most: int) -> Sequence[bool] | None:
    """Whether each of the truth's last digits is wrong, the last one first."""
    asked = case.rows.asked
    return tuple(map(ne, asked.answer[: -most - 1 : -1], asked.truth[: -most - 1 : -1])) if case.keeps_places else None
