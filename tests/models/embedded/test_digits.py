"""Numbers as their digits stand on paper, and where carries go."""

import pytest
from hypothesis import given

from pytest_llmarith.models.embedded.calculation import Calculation, solve
from pytest_llmarith.models.embedded.digits import Written, carried
from pytest_llmarith.values import ArithmeticProblem, Op
from tests.tasks.problem_strategies import arithmetic_problems


def calculation(op: Op, lhs: str, rhs: str) -> Calculation:
    return Calculation(op, lhs, rhs, solve(op, lhs, rhs))


@given(arithmetic_problems())
def test_apart_and_together(problem: ArithmeticProblem) -> None:
    """A number taken apart and put together again is the same text."""
    assert str(Written.of(problem.expected)) == problem.expected


@pytest.mark.parametrize(
    ("text", "by", "moved"),
    [
        ("12", 3, "12000"),
        ("1200", -2, "12"),
        ("0", -1, "0"),
        ("12.34", 1, "123.40"),
        ("12.34", -1, "1.234"),
        ("0.05", 3, "50.00"),
        ("0.05", -3, "0.00005"),
        ("-1.50", 2, "-150.00"),
    ],
)
def test_moved(text: str, by: int, moved: str) -> None:
    """Moving the point keeps all digits, and an integer stays one."""
    assert str(Written.of(text).moved(by)) == moved


@pytest.mark.parametrize(
    ("text", "groups"),
    [("123", []), ("1234", [1]), ("-123456.78", [3]), ("1234567", [1, 4]), ("0.12", [])],
)
def test_groups(text: str, groups: list[int]) -> None:
    """Groups of three are counted from the decimal point, the leading one aside."""
    assert Written.of(text).groups() == groups


@pytest.mark.parametrize(
    ("op", "lhs", "rhs", "places"),
    [
        (Op.ADD, "123", "456", []),  # 579
        (Op.ADD, "95", "7", [1, 0]),  # 102
        (Op.ADD, "128", "45", [1]),  # 173
        (Op.ADD, "1.85", "2.30", [0]),  # 4.15
        (Op.ADD, "12", "0.95", []),  # 12.95
        (Op.SUB, "579", "123", []),  # 456
        (Op.SUB, "502", "37", [1, 0]),  # 465
        (Op.SUB, "37", "502", [1, 0]),  # -465
        (Op.SUB, "1000", "999", []),  # 1: only leading zeros were borrowed from
        (Op.SUB, "1000", "995", []),  # 5
        (Op.MUL, "12", "12", [0, 1]),  # 144
        (Op.DIV, "144", "12", [0]),  # 12
    ],
)
def test_carried(op: Op, lhs: str, rhs: str, places: list[int]) -> None:
    """The places that took a carry or lent to their neighbour, from the right."""
    assert carried(calculation(op, lhs, rhs)) == places
