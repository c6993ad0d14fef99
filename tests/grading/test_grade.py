"""Answers are graded exactly, at every size."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmarith.exact import Case, error_class, measure
from pytest_llmarith.types import TOLERANCES, Dtype, Op

DEEP = 10**60 + 7


def case_of(answer: str | int, expected: str) -> Case:
    """The answer to a question whose type the expected number shows."""
    dtype = Dtype.FLOAT if "." in expected else Dtype.INT
    return Case.of(
        Op.ADD, dtype, ("1", "1"), expected, Decimal(answer), TOLERANCES[dtype]
    )


def errors(
    answer: str | int, expected: str
) -> tuple[str | None, str | None, bool | None]:
    """Absolute and relative error, and whether the answer is rounded."""
    case = case_of(answer, expected)
    found = measure(case, error_class(case))
    return found.absolute_error, found.relative_error, found.rounded


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("784", "784"),
        ("784.0", "784"),
        ("784.000", "784"),
        ("364.00000000000006", "364.0000"),
        ("7.84E2", "784"),
        ("-0", "0"),
        (str(DEEP), str(DEEP)),
        ("12.5", "12.50"),
        ("12.500049", "12.5000"),
        ("0.00005", "0.0000"),  # a tie goes to the even neighbour
        ("0.00015", "0.0002"),
        (f"{DEEP}.12344999", f"{DEEP}.1234"),
        ("3086", "3086.0000"),
    ],
)
def test_correct(answer: str, expected: str) -> None:
    assert case_of(answer, expected).is_correct
    assert errors(answer, expected) == (None, None, None)


@pytest.mark.parametrize(
    ("answer", "expected", "absolute", "relative", "rounded"),
    [
        ("784.1", "784", "0.1", "1.3e-04", False),
        ("784.0001", "784", "0.0001", "1.3e-07", False),
        ("784.00005", "784", "0.00005", "6.4e-08", True),  # to four decimals it is 784
        ("364.00000000000006", "364", "0.00000000000006", "1.6e-16", True),
        ("29518877.999953269454", "29518878", "0.000046730546", "1.6e-12", True),
        ("0.00004", "0", "0.00004", None, True),
        (f"{DEEP}.00000000000001", str(DEEP), "0.00000000000001", "1.0e-74", True),
        ("-784", "784", "1568", "2.0e+00", False),
        ("3", "0", "3", None, False),
        (str(DEEP + 1), str(DEEP), "1", "1.0e-60", False),
        ("1396.24", "1396.2398", "0.0002", "1.4e-07", True),
        ("1396", "1396.2398", "0.2398", "1.7e-04", True),
        ("1396.23", "1396.2398", "0.0098", "7.0e-06", False),
        # at a tie either neighbour is a rounding
        ("0.3", "0.2500", "0.05", "2.0e-01", True),
        ("0.2", "0.2500", "0.05", "2.0e-01", True),
        ("0.0001", "0.0000", "0.0001", None, False),
        ("1E+10", "1", "9999999999", "1.0e+10", False),
    ],
)
def test_deviate(  # one row of a table
    answer: str, expected: str, absolute: str, relative: str | None, rounded: bool
) -> None:
    assert not case_of(answer, expected).is_correct
    assert errors(answer, expected) == (absolute, relative, rounded)


@given(st.integers(-(10**80), 10**80), st.integers(-(10**80), 10**80))
@settings(deadline=None)
def test_the_absolute_error_is_the_difference(answer: int, expected: int) -> None:
    assert errors(answer, str(expected))[0] == (
        None if answer == expected else str(abs(answer - expected))
    )


@pytest.mark.parametrize("answer", ["1E+9999", "-1E-9999", "9" * 20_000])
def test_huge_numbers_are_graded(answer: str) -> None:
    assert not case_of(answer, "12.5000").is_correct
