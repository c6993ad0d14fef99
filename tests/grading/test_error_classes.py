"""The rules of docs/errors.md one by one: what belongs to a class, and what only just
does not.
"""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.exact import Case, error_class, measure
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import TOLERANCES, Dtype, ErrorClass, Op
from tests.asked import of
from tests.tasks.problem_strategies import addition_problems, arithmetic_problems

SIGNS = {"+": Op.ADD, "-": Op.SUB, "*": Op.MUL, "/": Op.DIV}


def case_of(question: str, truth: str, answer: str) -> Case:
    """Such as `12 + 5`; numbers with a point are fixed point."""
    lhs, sign, rhs = question.split()
    dtype = Dtype.FLOAT if "." in question else Dtype.INT
    return Case.of(
        SIGNS[sign], dtype, (lhs, rhs), truth, Decimal(answer), TOLERANCES[dtype]
    )


@pytest.mark.parametrize(
    ("question", "truth", "answer", "found"),
    [
        ("12.50 * 3.14", "39.2500", "39.3", ErrorClass.ROUNDED),
        (
            "12.50 * 3.14",
            "39.2500",
            "39.2",
            ErrorClass.ROUNDED,
        ),  # a tie goes either way
        ("12.34 * 3.17", "39.1178", "39.11", ErrorClass.TAIL),  # cut off, not rounded
        ("1234 - 5678", "-4444", "4444", ErrorClass.SIGN),
        (
            "1234 - 5678",
            "-4444",
            "4445",
            ErrorClass.UNRELATED,
        ),  # two errors are no class
        ("12.34 * 56.78", "700.6652", "7006652", ErrorClass.POWER_OF_TEN),
        (
            "12.34 * 56.78",
            "700.6652",
            "7.006652",
            ErrorClass.POWER_OF_TEN,
        ),  # also where the grade rounds
        ("12.34 * 56.78", "700.6652", "-7.006652", ErrorClass.UNRELATED),
        ("1234 + 5678", "6912", "5678", ErrorClass.OPERAND_ECHOED),
        ("1234 - 5678", "-4444", "1234", ErrorClass.OPERAND_ECHOED),
        ("1234 - 5678", "-4444", "6912", ErrorClass.WRONG_OPERATION),
        ("1234 * 5678", "7006652", "6912", ErrorClass.WRONG_OPERATION),
        ("1234 * 5678", "7006652", "-4444", ErrorClass.WRONG_OPERATION),
        ("1234 + 5678", "6912", "4444", ErrorClass.WRONG_OPERATION),
        ("1234 + 5678", "6912", "0.2173", ErrorClass.WRONG_OPERATION),
        ("5678 + 1234", "6912", "4.60129659643436", ErrorClass.WRONG_OPERATION),
        (
            "84 / 42",
            "2",
            "0.5",
            ErrorClass.WRONG_OPERATION,
        ),  # the quotient the other way round
        ("84.00 / 42.00", "2.0000", "3528", ErrorClass.WRONG_OPERATION),
        ("1234 + 56", "1290", "1794", ErrorClass.MISALIGNED),
        ("1234 - 56", "1178", "674", ErrorClass.MISALIGNED),
        ("56 - 1234", "-1178", "-674", ErrorClass.MISALIGNED),
        (
            "1234 + 5678",
            "6912",
            "12345678",
            ErrorClass.MISALIGNED,
        ),  # side by side: so many columns off
        (
            "1234 + 5678",
            "6912",
            "7912",
            ErrorClass.ONE_DIGIT,
        ),  # nothing is carried there
        ("75 + 60", "135", "35", ErrorClass.CARRY),  # the one that makes the sum longer
        (
            "187 + 113",
            "300",
            "290",
            ErrorClass.CARRY,
        ),  # two digits look wrong, one carry is
        (
            "123456789 * 1000007",
            "123457653197523",
            "123457197523",
            ErrorClass.GROUP_OF_THREE,
        ),
        ("143907.16 / 35.78", "4022.0000", "402.75", ErrorClass.OTHER_LENGTH),
        # A single significant digit is no number whose groups were miscounted.
        ("24951990 / 5", "4989982", "5000", ErrorClass.OTHER_LENGTH),
        ("8000000 / 1600", "5000", "4989982", ErrorClass.OTHER_LENGTH),
        ("24951990 / 5", "4989982", "5100", ErrorClass.GROUP_OF_THREE),
        ("1234 + 5678", "6912", "9612", ErrorClass.TRANSPOSITION),
        (
            "12.34 * 56.78",
            "700.6652",
            "706.0652",
            ErrorClass.TRANSPOSITION,
        ),  # across the point
        ("1234 + 5678", "6912", "1962", ErrorClass.SCATTERED),  # no neighbours
        ("1234 + 5678", "6912", "6555", ErrorClass.TAIL),  # off by less than a tenth
        ("1234 + 5678", "6912", "6100", ErrorClass.UNRELATED),
        (
            "123456 - 23457",
            "99999",
            "100000000",
            ErrorClass.OTHER_LENGTH,
        ),  # by a thousand, and that by a hair
        ("1234 + 5678", "6912", "5812", ErrorClass.SCATTERED),  # half are right
        # Wrong from some digit on: one digit between may be right by chance, two may
        # not.
        ("1234 * 5678", "7006652", "7003659", ErrorClass.SCATTERED),
        ("1234 * 5678", "7006652", "7119352", ErrorClass.MIDDLE),
        ("1234 * 5678", "7006652", "7316152", ErrorClass.MIDDLE),
        ("1234 - 1234", "0", "73", ErrorClass.UNRELATED),
        ("1234 + 5678", "6912", "0", ErrorClass.UNRELATED),
        *(
            (
                "1234 + 5678",
                "6912",
                "6912.00004",
                ErrorClass.ROUNDED,
            ),  # the residue of a double
            ("1234 + 5678", "6912", "6912.0001", ErrorClass.ONE_DIGIT),
            ("1234 + 5678", "6912", "6912.0", None),
            ("12.50 * 3.14", "39.2500", "39.25004", None),
            ("3 - 3", "0", "-0", None),
        ),
    ],
)
def test_an_answer_is_in_its_class(
    question: str, truth: str, answer: str, found: ErrorClass | None
) -> None:
    assert error_class(case_of(question, truth, answer)) is found


ANSWERS = st.one_of(
    st.integers(-(10**40), 10**40).map(Decimal),
    st.decimals(
        allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20
    ),
    st.sampled_from([Decimal("1E+9999"), Decimal("-1E-9999"), Decimal("0.00004")]),
)


@given(arithmetic_problems(depth=st.integers(1, 12)) | addition_problems(), ANSWERS)
def test_every_deviate_has_a_class(problem: TaskProblem, answer: Decimal) -> None:
    asked = of(problem)
    case = Case.of(*asked, problem.expected, answer, TOLERANCES[asked.dtype])
    found = error_class(case)
    assert (found is None) == case.is_correct
    assert (found is ErrorClass.ROUNDED) == bool(measure(case, found).rounded)


@pytest.mark.parametrize("op", Op)
@pytest.mark.parametrize(
    "answer", ["9" * 1_000_000, f"0.{'3' * 1_000_000}", f"6912{'0' * 999_999}1"]
)
def test_a_million_digits_have_a_class(op: Op, answer: str) -> None:
    """No answer is too long to be looked at; the work grows with its digits."""
    case = Case.of(
        op, Dtype.INT, ("1234", "5678"), "6912", Decimal(answer), TOLERANCES[Dtype.INT]
    )
    assert error_class(case) is not None
