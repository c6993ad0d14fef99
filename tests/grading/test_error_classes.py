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


# A question, its answer, another one, the class of that, and a remark.
ROWS = """
12.50 * 3.14 = 39.2500 | 39.3 | rounded
12.50 * 3.14 = 39.2500 | 39.2 | rounded | a tie goes either way
12.34 * 3.17 = 39.1178 | 39.11 | tail | cut off, not rounded
1234 - 5678 = -4444 | 4444 | sign
1234 - 5678 = -4444 | 4445 | unrelated | two errors are no class
12.34 * 56.78 = 700.6652 | 7006652 | power of ten
12.34 * 56.78 = 700.6652 | 7.006652 | power of ten | also where the grade rounds
12.34 * 56.78 = 700.6652 | -7.006652 | unrelated
1234 + 5678 = 6912 | 5678 | operand echoed
1234 - 5678 = -4444 | 1234 | operand echoed
1234 - 5678 = -4444 | 6912 | wrong operation
1234 * 5678 = 7006652 | 6912 | wrong operation
1234 * 5678 = 7006652 | -4444 | wrong operation
1234 + 5678 = 6912 | 4444 | wrong operation
1234 + 5678 = 6912 | 0.2173 | wrong operation
5678 + 1234 = 6912 | 4.60129659643436 | wrong operation
84 / 42 = 2 | 0.5 | wrong operation | the quotient the other way round
84.00 / 42.00 = 2.0000 | 3528 | wrong operation
1234 + 56 = 1290 | 1794 | misaligned
1234 - 56 = 1178 | 674 | misaligned
56 - 1234 = -1178 | -674 | misaligned
1234 + 5678 = 6912 | 12345678 | misaligned | side by side: so many columns off
1234 + 5678 = 6912 | 7912 | one digit | nothing is carried there
75 + 60 = 135 | 35 | carry | the one that makes the sum longer
187 + 113 = 300 | 290 | carry | two digits look wrong, one carry is
123456789 * 1000007 = 123457653197523 | 123457197523 | group of three
143907.16 / 35.78 = 4022.0000 | 402.75 | other length
24951990 / 5 = 4989982 | 5000 | other length
8000000 / 1600 = 5000 | 4989982 | other length
24951990 / 5 = 4989982 | 5100 | group of three
1234 + 5678 = 6912 | 9612 | transposition
12.34 * 56.78 = 700.6652 | 706.0652 | transposition | across the point
1234 + 5678 = 6912 | 1962 | scattered | no neighbours
1234 + 5678 = 6912 | 6555 | tail | off by less than a tenth
1234 + 5678 = 6912 | 6100 | unrelated
123456 - 23457 = 99999 | 100000000 | other length | by a thousand, and that by a hair
1234 + 5678 = 6912 | 5812 | scattered | half are right
1234 * 5678 = 7006652 | 7003659 | scattered
1234 * 5678 = 7006652 | 7119352 | middle
1234 * 5678 = 7006652 | 7316152 | middle
1234 - 1234 = 0 | 73 | unrelated
1234 + 5678 = 6912 | 0 | unrelated
1234 + 5678 = 6912 | 6912.00004 | rounded | the residue of a double
1234 + 5678 = 6912 | 6912.0001 | one digit
1234 + 5678 = 6912 | 6912.0 | correct
12.50 * 3.14 = 39.2500 | 39.25004 | correct
3 - 3 = 0 | -0 | correct
"""


@pytest.mark.parametrize("row", ROWS.strip().splitlines())
def test_an_answer_is_in_its_class(row: str) -> None:
    asked, answer, found, *_ = row.split(" | ")
    question, truth = asked.split(" = ")
    assert str(error_class(case_of(question, truth, answer)) or "correct") == found


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
