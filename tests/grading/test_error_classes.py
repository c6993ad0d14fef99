"""The rules of docs/errors.md one by one: what belongs to a class, and what only just does not."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.grading import Case, anatomy, error_class, grade
from pytest_llmarith.values import Dtype, ErrorClass, NumberProblem, Op, Outcome
from tests.tasks.problem_strategies import addition_problems, arithmetic_problems

SIGNS = {"+": Op.ADD, "-": Op.SUB, "*": Op.MUL, "/": Op.DIV}


def case_of(question: str, truth: str, answer: str) -> Case:
    """Such as `12 + 5`; numbers with a point are fixed point."""
    lhs, sign, rhs = question.split()
    dtype = Dtype.FLOAT if "." in question else Dtype.INT
    return Case.of(SIGNS[sign], dtype, (lhs, rhs), truth, Decimal(answer))


@pytest.mark.parametrize(
    ("question", "truth", "answer", "found"),
    [
        ("12.50 * 3.14", "39.2500", "39.3", ErrorClass.ROUNDED),
        ("12.50 * 3.14", "39.2500", "39.2", ErrorClass.ROUNDED),  # a tie goes either way
        ("12.50 * 3.14", "39.2500", "39", ErrorClass.ROUNDED),
        ("12.34 * 3.17", "39.1178", "39.11", ErrorClass.TAIL),  # cut off, not rounded
        ("1234 - 5678", "-4444", "4444", ErrorClass.SIGN),
        ("1234 - 5678", "-4444", "4445", ErrorClass.UNRELATED),  # two errors are no class
        ("1234 * 5678", "7006652", "70066520", ErrorClass.POWER_OF_TEN),
        ("1250 * 5600", "7000000", "7000", ErrorClass.POWER_OF_TEN),  # not a group: all digits are right
        ("12.34 * 56.78", "700.6652", "7006652", ErrorClass.POWER_OF_TEN),
        ("12.34 * 56.78", "700.6652", "7.006652", ErrorClass.POWER_OF_TEN),  # also where the grade rounds
        ("12.34 * 56.78", "700.6652", "-7.006652", ErrorClass.UNRELATED),
        ("1234 + 5678", "6912", "5678", ErrorClass.OPERAND_ECHOED),
        ("1234 - 5678", "-4444", "1234", ErrorClass.OPERAND_ECHOED),
        ("91 + 10", "101", "91", ErrorClass.OPERAND_ECHOED),  # a lost carry would explain it too
        ("1234 - 5678", "-4444", "6912", ErrorClass.WRONG_OPERATION),
        ("1234 * 5678", "7006652", "6912", ErrorClass.WRONG_OPERATION),
        ("1234 * 5678", "7006652", "-4444", ErrorClass.WRONG_OPERATION),
        ("1234 + 5678", "6912", "4444", ErrorClass.WRONG_OPERATION),
        ("1234 + 5678", "6912", "0.2173", ErrorClass.WRONG_OPERATION),
        ("5678 + 1234", "6912", "4.60129659643436", ErrorClass.WRONG_OPERATION),
        ("84 / 42", "2", "0.5", ErrorClass.WRONG_OPERATION),  # the quotient the other way round
        ("84.00 / 42.00", "2.0000", "3528", ErrorClass.WRONG_OPERATION),
        ("1234 + 56", "1290", "1794", ErrorClass.MISALIGNED),
        ("1234 - 56", "1178", "674", ErrorClass.MISALIGNED),
        ("56 - 1234", "-1178", "-674", ErrorClass.MISALIGNED),
        ("56 - 1234", "-1178", "-12284", ErrorClass.MISALIGNED),
        ("12.34 + 5.60", "17.94", "68.34", ErrorClass.MISALIGNED),
        ("1234 + 5678", "6912", "12345678", ErrorClass.MISALIGNED),  # side by side: so many columns off
        ("1234 * 56", "69104", "1794", ErrorClass.UNRELATED),  # columns of a product are no columns of these
        ("1234 + 5678", "6912", "6902", ErrorClass.CARRY),
        ("1234 + 5678", "6912", "6922", ErrorClass.CARRY),  # carried twice
        ("1234 + 5678", "6912", "6802", ErrorClass.CARRY),  # two of them forgotten
        ("1234 + 5678", "6912", "7912", ErrorClass.ONE_DIGIT),  # nothing is carried there
        ("75 + 60", "135", "35", ErrorClass.CARRY),  # the one that makes the sum longer
        ("187 + 113", "300", "290", ErrorClass.CARRY),  # two digits look wrong, one carry is
        ("5312 - 1234", "4078", "4088", ErrorClass.CARRY),
        ("1234 - 5312", "-4078", "-4088", ErrorClass.CARRY),
        ("12.34 + 5.70", "18.04", "17.04", ErrorClass.CARRY),
        ("12.34 * 5.70", "70.3380", "70.3280", ErrorClass.ONE_DIGIT),  # a product does not tell
        ("123456789 * 1000007", "123457653197523", "123457197523", ErrorClass.GROUP_OF_THREE),
        ("123456789 * 1000007", "123457653197523", "457653197523", ErrorClass.GROUP_OF_THREE),  # the leading one
        ("123456789 * 1000007", "123457653197523", "123457653653197523", ErrorClass.GROUP_OF_THREE),
        ("123456789 * 1000007", "123457653197523", "123457999", ErrorClass.GROUP_OF_THREE),  # two, and more is wrong
        ("143907.16 / 35.78", "4022.0000", "4.1173", ErrorClass.GROUP_OF_THREE),
        ("143907.16 / 35.78", "4022.0000", "402.75", ErrorClass.OTHER_LENGTH),
        # A single significant digit is no number whose groups were miscounted.
        ("24951990 / 5", "4989982", "5000", ErrorClass.OTHER_LENGTH),
        ("8000000 / 1600", "5000", "4989982", ErrorClass.OTHER_LENGTH),
        ("24951990 / 5", "4989982", "5100", ErrorClass.GROUP_OF_THREE),
        ("1234 + 5678", "6912", "69912", ErrorClass.OTHER_LENGTH),
        ("1234 + 5678", "6912", "91", ErrorClass.UNRELATED),
        ("1234 + 5678", "6912", "12", ErrorClass.OTHER_LENGTH),  # the end is right
        ("1234 + 5678", "6912", "9612", ErrorClass.TRANSPOSITION),
        ("12.34 * 56.78", "700.6652", "706.0652", ErrorClass.TRANSPOSITION),  # across the point
        ("1234 + 5678", "6912", "1962", ErrorClass.SCATTERED),  # no neighbours
        ("1234 + 5678", "6912", "6972", ErrorClass.ONE_DIGIT),
        ("1234 + 5678", "6912", "9912", ErrorClass.ONE_DIGIT),
        ("784 / 1", "784", "784.1", ErrorClass.ONE_DIGIT),  # decimals where none belong are digits too
        ("1729 / 2", "864", "864.0052", ErrorClass.TAIL),
        ("1234 + 5678", "6912", "6555", ErrorClass.TAIL),  # off by less than a tenth
        ("1234 + 5678", "6912", "7134", ErrorClass.SCATTERED),  # so is this, though no digit is right
        ("1234 + 5678", "6912", "6100", ErrorClass.UNRELATED),
        ("123456 - 23457", "99999", "100000000", ErrorClass.OTHER_LENGTH),  # by a thousand, and that by a hair
        ("1234 + 5678", "6912", "5812", ErrorClass.SCATTERED),  # half are right
        # Wrong from some digit on: one digit between may be right by chance, two may not.
        ("1234 * 5678", "7006652", "7006319", ErrorClass.TAIL),
        ("1234 * 5678", "7006652", "7003659", ErrorClass.SCATTERED),
        ("1234 * 5678", "7006652", "7003349", ErrorClass.TAIL),
        ("1234 * 5678", "7006652", "7009619", ErrorClass.TAIL),
        ("1234 * 5678", "7006652", "7119352", ErrorClass.MIDDLE),
        ("1234 * 5678", "7006652", "7316152", ErrorClass.MIDDLE),
        ("1234 * 5678", "7006652", "7306642", ErrorClass.SCATTERED),
        ("1234 * 5678", "7006652", "8116652", ErrorClass.SCATTERED),  # the first digit is wrong
        ("1234 + 5678", "6912", "5555", ErrorClass.UNRELATED),
        ("1234 - 1234", "0", "7", ErrorClass.ONE_DIGIT),
        ("1234 - 1234", "0", "73", ErrorClass.UNRELATED),
        ("1234 + 5678", "6912", "0", ErrorClass.UNRELATED),
        ("1230 + 5670", "6900", "0", ErrorClass.UNRELATED),  # zero ends in nothing
        ("12.34 - 12.34", "0.00", "0.07", ErrorClass.ONE_DIGIT),
        ("12.34 - 12.30", "0.04", "-0.04", ErrorClass.SIGN),
        ("12.34 - 12.30", "0.04", "0.4", ErrorClass.POWER_OF_TEN),
    ],
)
def test_a_deviate_is_in_its_class(question: str, truth: str, answer: str, found: ErrorClass) -> None:
    """Each rule for a class of errors is shown, on either side of its border."""
    assert error_class(case_of(question, truth, answer)) is found


@pytest.mark.parametrize(
    ("question", "truth", "answer"),
    [("1234 + 5678", "6912", "6912.0"), ("12.50 * 3.14", "39.2500", "39.25004"), ("3 - 3", "0", "-0")],
)
def test_a_correct_answer_has_no_class(question: str, truth: str, answer: str) -> None:
    """What the grade takes for correct deviates in nothing."""
    assert error_class(case_of(question, truth, answer)) is None


ANSWERS = st.one_of(
    st.integers(-(10**40), 10**40).map(Decimal),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20),
    st.sampled_from([Decimal("1E+9999"), Decimal("-1E-9999"), Decimal("0.00004")]),
)


@given(arithmetic_problems(depth=st.integers(1, 12)) | addition_problems(), ANSWERS)
def test_every_deviate_has_a_class(problem: NumberProblem, answer: Decimal) -> None:
    """A class where the grade says deviate, none where it says correct, and one word on rounded."""
    graded = grade(answer, problem.expected)
    case = Case.of(problem.op, problem.dtype, problem.operands, problem.expected, answer)
    found = anatomy(case).error_class
    assert (found is None) == (graded.outcome is Outcome.CORRECT)
    assert (found is ErrorClass.ROUNDED) == bool(graded.rounded)


@given(addition_problems(), ANSWERS)
def test_the_order_of_a_sum_changes_no_class(problem: NumberProblem, answer: Decimal) -> None:
    """Which operand stands first says nothing about an error."""
    one, other = problem.operands
    cases = [Case.of(Op.ADD, Dtype.INT, pair, problem.expected, answer) for pair in ((one, other), (other, one))]
    assert len({error_class(case) for case in cases}) == 1


@pytest.mark.parametrize("op", Op)
@pytest.mark.parametrize("answer", ["9" * 1_000_000, f"0.{'3' * 1_000_000}", f"6912{'0' * 999_999}1"])
def test_a_million_digits_have_a_class(op: Op, answer: str) -> None:
    """No answer is too long to be looked at; the work grows with its digits."""
    case = Case.of(op, Dtype.INT, ("1234", "5678"), "6912", Decimal(answer))
    assert anatomy(case).error_class is not None


def test_a_sum_of_a_hundred_thousand_digits() -> None:
    """One lost carry is found in a sum of a hundred thousand digits."""
    half = 50_000
    answer = Decimal("9" * half + "0" * half)
    case = Case.of(Op.ADD, Dtype.INT, ("9" * 2 * half, "1"), "1" + "0" * 2 * half, answer)
    assert error_class(case) is ErrorClass.CARRY
