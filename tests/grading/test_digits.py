"""Digit match, dlength, leading digits, wrong digits by position, carries."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.exact import Case, carries, measure, wrong_digits
from pytest_llmarith.types import TOLERANCES, Dtype, Op

NUMBERS = st.integers(0, 10**40)


def case(truth: str, answer: str, op: Op = Op.ADD) -> Case:
    dtype = Dtype.FLOAT if "." in truth else Dtype.INT
    return Case.of(op, dtype, ("1", "1"), truth, Decimal(answer), TOLERANCES[dtype])


@pytest.mark.parametrize(
    ("truth", "answer", "match", "dlength", "leading"),
    [
        ("6912", "6912", 1.0, 0, 4),
        # from the right 912 is right; the first digit stands a place too high
        ("6912", "69912", 0.75, 1, 0),
        ("6912", "-6912", 1.0, 0, 0),  # digits are right and the number is not
        ("0", "7", 0.0, 0, 0),
        ("17.94", "17.9401", 1.0, 2, 4),
        ("0.05", "0.07", 0.6667, 0, 0),  # zeros in front are no leading digits
    ],
)
def test_measures(
    truth: str, answer: str, match: float, dlength: int, leading: int
) -> None:
    found = measure(case(truth, answer), None)
    assert found.digit_match == match
    assert found.dlength == dlength
    assert found.leading_digits == leading


def test_wrong_digits() -> None:
    assert wrong_digits(case("691234", "691834")) == "000100"
    assert (
        wrong_digits(case("6912", "6913.25")) == "0001"
    )  # other decimals have no place
    for answer in ("69123", "-691234", "6912345"):
        assert wrong_digits(case("691234", answer)) is None


@pytest.mark.parametrize(
    ("op", "lhs", "rhs", "count", "chain"),
    [
        (Op.ADD, "1234", "5678", 2, 2),
        (Op.ADD, "12.6", "-13.5", 1, 1),  # a difference in truth
        (Op.SUB, "1", "1000", 3, 3),  # the larger stands above
    ],
)
def test_carries(op: Op, lhs: str, rhs: str, count: int, chain: int) -> None:
    found = carries(op, Decimal(lhs), Decimal(rhs))
    assert found is not None
    assert (found.number, found.longest_chain) == (count, chain)


@given(NUMBERS, NUMBERS)
def test_carries_are_those_of_the_remainders(one: int, other: int) -> None:
    """A column takes one where what is right of it adds up to its unit; every carry
    costs nine in digits.
    """
    found = carries(Op.ADD, Decimal(one), Decimal(other))
    assert found is not None
    units = (10**place for place in range(len(found.columns)))
    assert found.columns == tuple(one % unit + other % unit >= unit for unit in units)
    digits = sum(map(int, f"{one}{other}")) - sum(map(int, str(one + other)))
    assert 9 * found.number == digits


@given(NUMBERS, NUMBERS)
def test_borrows_are_the_carries_of_the_way_back(one: int, other: int) -> None:
    """What is borrowed in a difference is carried when the smaller number is added to
    it again.
    """
    there = carries(Op.SUB, Decimal(one), Decimal(other))
    back = carries(Op.ADD, Decimal(abs(one - other)), Decimal(min(one, other)))
    assert there is not None
    assert back is not None
    assert (there.number, there.longest_chain) == (back.number, back.longest_chain)
