"""Errors that show in the digits alone: rules on answer and truth, whatever was calculated.

What is related to the truth and what is not is decided here, once. docs/anatomy.md tells the rules in words.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import compress, count, islice, pairwise
from operator import eq, ne

from pytest_llmarith.numerals import exact
from pytest_llmarith.numerals.anatomy.case import Case

_GROUP = 3


def has_another_sign(case: Case) -> bool:
    return case.answer == case.truth.copy_negate()


def is_off_by_a_power_of_ten(case: Case) -> bool:
    """All digits are right and the point is not, also where the grade rounds some of them away."""
    if not case.given or not case.truth or case.given.is_signed() != case.truth.is_signed():
        return False
    return exact.significant(case.truth) in (exact.significant(case.given), exact.significant(case.answer))


def has_groups_too_many_or_few(case: Case) -> bool:
    """Both numbers need two significant digits: one digit and zeros is a guess of the size."""
    surplus = len(case.rows.answer) - len(case.rows.truth)
    significant = min(len(exact.significant(number)) for number in (case.answer, case.truth))
    return surplus != 0 and surplus % _GROUP == 0 and significant > 1 and is_related(case)


def has_another_length(case: Case) -> bool:
    return not case.keeps_places and is_related(case)


def transposes(case: Case) -> bool:
    """Two neighbouring digits have changed places, and all others are right."""
    if len(places := _first_differences(case, 3)) != 2:
        return False
    left, right = places
    answer, truth = case.rows.answer, case.rows.truth
    return right == left + 1 and (answer[left], answer[right]) == (truth[right], truth[left])


def misses_one_digit(case: Case) -> bool:
    return len(_first_differences(case, 2)) == 1


def misses_the_tail(case: Case) -> bool:
    """All is right up to some digit, and wrong from there to the last one."""
    return _misses_a_stretch(case) and case.rows.answer[-1] != case.rows.truth[-1]


def misses_the_middle(case: Case) -> bool:
    """All is right before and behind a stretch of wrong digits."""
    return _misses_a_stretch(case) and case.rows.answer[-1] == case.rows.truth[-1]


def _misses_a_stretch(case: Case) -> bool:
    """The first digit is right, and no two neighbours between the wrong digits are; one may be right by chance."""
    if not misses_several_digits(case) or case.rows.answer[0] != case.rows.truth[0]:
        return False
    return all(after - before <= 2 for before, after in pairwise(_differences(case.rows.answer, case.rows.truth)))


def misses_several_digits(case: Case) -> bool:
    return case.keeps_places and is_related(case)


def is_related(case: Case) -> bool:
    """Whether the answer is close to the truth but for the point, or half of the shorter one's digits are in place.

    Places are counted from the left or from the right. Zero is related to nothing, nor is a number of the other sign.
    """
    if not case.answer or not case.truth or not case.same_sign:
        return False
    answer, truth = case.rows.answer, case.rows.truth
    right = max(sum(map(eq, answer, truth)), sum(map(eq, reversed(answer), reversed(truth))))
    return 2 * right >= min(len(answer), len(truth)) or _is_close(case.answer, case.truth)


def _is_close(answer: Decimal, truth: Decimal) -> bool:
    """Whether some power of ten times the answer is off by less than a tenth."""
    told, true = (Decimal(f".{exact.significant(number)}") for number in (answer, truth))
    context = exact.wide_context(told, true)
    return any(exact.distance(context.scaleb(told, by), true) < context.scaleb(true, -1) for by in (-1, 0, 1))


def _first_differences(case: Case, most: int) -> list[int]:
    """Where the digits differ, where digit can be held against digit."""
    if not case.keeps_places:
        return []
    return list(islice(_differences(case.rows.answer, case.rows.truth), most))


def _differences(answer: str, truth: str) -> Iterator[int]:
    return compress(count(), map(ne, answer, truth))
