"""What the embedded models understand of a prompt, and what they work out."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.models.embedded.calculation import Calculation, read, solve
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.tasks.putting import put
from pytest_llmarith.tasks.small_talk import small_talk
from pytest_llmarith.values import AdditionProblem, ArithmeticProblem, Condition, NumberFormat, Op, Symbols, Wordings
from tests.tasks.problem_strategies import addition_problems, arithmetic_problems


@pytest.mark.parametrize("symbols", Symbols)
@given(problem=arithmetic_problems())
def test_reads_arithmetic(symbols: Symbols, problem: ArithmeticProblem) -> None:
    """The last line of an arithmetic prompt is understood in both sets of signs."""
    calculation = read(arithmetic.prompt(problem, Condition(symbols=symbols)))
    assert calculation == Calculation(problem.op, problem.lhs, problem.rhs, problem.expected)


@given(addition_problems())
def test_reads_addition(problem: AdditionProblem) -> None:
    """The quoted pair of an addition prompt is understood, and that the bare number is wanted."""
    calculation = read(addition.prompt(problem))
    assert calculation == Calculation(Op.ADD, problem.int1, problem.int2, problem.expected, terse=True)


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "What is the capital of France?",
        "12 ^ 5",
        "12 + 5 + 1",
        "12 + 5, 7 - 2",
        "-12 + 5",
        "12 + -5",
        "1.234 + 5",
        "12 + 5,00",
        "12 + 5 3",
        "2 12 + 5",
        "x12 + 5",
        "12 + 5th",
        "12 / 0",
        "0.00 / 0.00",
        'Provide the product of the two numbers: "12" "5"',
        'The sum: "12" "5" "6"',
        '"12" "5"',
    ],
)
def test_reads_nothing_else(prompt: str) -> None:
    """A prompt without a single sum, difference, product or quotient of plain numbers is not understood."""
    assert read(prompt) is None


@pytest.mark.parametrize("numbers", NumberFormat)
@given(problem=arithmetic_problems())
def test_reads_groups(numbers: NumberFormat, problem: ArithmeticProblem) -> None:
    """Digits in groups of three are the number that they make."""
    calculation = read(arithmetic.prompt(problem, Condition(numbers)))
    assert calculation is not None
    assert (calculation.lhs, calculation.rhs, calculation.truth) == (problem.lhs, problem.rhs, problem.expected)
    longest = max(len(operand.partition(".")[0]) for operand in problem.operands)
    assert calculation.grouped == (numbers is not NumberFormat.PLAIN and longest > 3)


@pytest.mark.parametrize("numbers", NumberFormat)
@given(problem=addition_problems())
def test_reads_groups_of_a_quoted_pair(numbers: NumberFormat, problem: AdditionProblem) -> None:
    """Grouped digits of both quoted operands are read in the prompt of integer addition, too."""
    calculation = read(addition.prompt(problem, Condition(numbers)))
    assert calculation is not None
    assert (calculation.lhs, calculation.rhs, calculation.terse) == (problem.int1, problem.int2, True)


@pytest.mark.parametrize(
    "template",
    [
        "{lhs} {sign} {rhs}",
        "{lhs}{sign}{rhs}",
        "What is {lhs} {sign} {rhs}?",
        "Work out ({lhs} {sign} {rhs}).",
        "{lhs} {sign} {rhs} = ?",
        "{lhs} {sign} {rhs}\nThank you!",
        "Q: {lhs} {sign} {rhs}\n\nReply with the number, please.\n",
        "The {operation} of {lhs} and {rhs}, to four decimals:",
    ],
)
@given(problem=arithmetic_problems(), numbers=st.sampled_from(NumberFormat))
def test_reads_templates(template: str, problem: ArithmeticProblem, numbers: NumberFormat) -> None:
    """A calculation that stands in one line is understood, whatever stands around it."""
    calculation = read(put(problem, Condition(numbers, prompt="t"), Wordings({"t": template}), 0))
    assert calculation is not None
    assert (calculation.op, calculation.lhs, calculation.rhs) == (problem.op, problem.lhs, problem.rhs)


def test_small_talk_stands_aside() -> None:
    """What a prompt says in other paragraphs before the question is measured, and nothing else of it is understood."""
    problem = addition.problem(0, 0)
    calculation = read(put(problem, Condition(context="1k"), Wordings(), 0))
    assert calculation is not None
    assert calculation.truth == problem.expected
    assert calculation.aside == len(small_talk("1k", f"0/{problem.task}/{problem.label}"))


@pytest.mark.parametrize(
    ("op", "lhs", "rhs", "result"),
    [
        (Op.ADD, "0.05", "0.05", "0.10"),
        (Op.ADD, "12", "0.50", "12.50"),
        (Op.SUB, "5", "5", "0"),
        (Op.SUB, "5.25", "5.25", "0.00"),
        (Op.SUB, "5", "12", "-7"),
        (Op.MUL, "1.05", "1.05", "1.1025"),
        (Op.DIV, "100", "10", "10"),
        (Op.DIV, "7", "2", "3.5"),
        (Op.DIV, "1", "3", "0.3333"),
        (Op.DIV, "0", "3", "0"),
        (Op.DIV, "7.00", "2.00", "3.5000"),
        (Op.DIV, "2.00", "3.00", "0.6667"),
        (Op.DIV, "1", "20000", "0"),
        (Op.DIV, "3", "20000", "0.0002"),
    ],
)
def test_solves(op: Op, lhs: str, rhs: str, result: str) -> None:
    """Results are exact, quotients to four decimals, half even; only integers lose trailing zeros."""
    assert solve(op, lhs, rhs) == result


def test_near_tie_is_no_tie() -> None:
    """A quotient that exceeds a tie by less than a billionth of a billionth is still rounded up."""
    rhs = 2 * 10**30
    lhs = 10**26 + 1
    assert solve(Op.DIV, str(lhs), str(rhs)) == "0.0001"
    assert solve(Op.DIV, str(lhs - 1), str(rhs)) == "0"


@pytest.mark.parametrize("op", Op)
def test_any_length(op: Op) -> None:
    """Numbers longer than Python converts to `int` by default are worked out all the same."""
    result = solve(op, "9" * 6000, "3" * 3000)
    assert len(result) == {Op.ADD: 6001, Op.SUB: 6000, Op.MUL: 9000, Op.DIV: 3001}[op]


@given(arithmetic_problems())
def test_exact(problem: ArithmeticProblem) -> None:
    """The exact result is the fraction itself, and nothing of it is lost."""
    result = solve(problem.op, problem.lhs, problem.rhs)
    assert Fraction(Decimal(result)) == Fraction(problem.expected)


@pytest.mark.parametrize(
    ("op", "lhs", "rhs", "length"),
    [
        (Op.ADD, "123", "45", 3),
        (Op.SUB, "12", "4567", 4),
        (Op.MUL, "12.34", "5.67", 4),
        (Op.DIV, "123456", "123", 3),
        (Op.DIV, "12345", "123", 3),
        (Op.DIV, "1", "12345", 5),
    ],
)
def test_length(op: Op, lhs: str, rhs: str, length: int) -> None:
    """A calculation is as long as its longer operand, a dividend counts half."""
    assert Calculation(op, lhs, rhs, "").length == length
