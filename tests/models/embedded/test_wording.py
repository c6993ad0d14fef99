"""How the simulated model says a number."""

from random import Random

import pytest
from hypothesis import given

from pytest_llmarith import numerals
from pytest_llmarith.models.embedded import wording
from pytest_llmarith.models.embedded.calculation import Calculation
from pytest_llmarith.models.embedded.wording import WORDINGS, phrase
from pytest_llmarith.values import ArithmeticProblem, Op, Outcome
from tests.tasks.problem_strategies import arithmetic_problems

PRODUCT = Calculation(Op.MUL, "1234.50", "1000.00", "1234500.0000")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bare", "-1234500.0000"),
        ("with_commas", "-1,234,500.0000"),
        ("bold", "**-1,234,500.0000**"),
        ("boxed", r"\boxed{-1234500.0000}"),
        ("latex", r"$1234.50 \times 1000.00 = -1{,}234{,}500.0000$"),
        ("sentence", "The answer is -1234500.0000."),
        ("named_sentence", "The product is **-1,234,500.0000**."),
        ("equals", "= -1234500.0000"),
        ("equation", "1234.50 × 1000.00 = -1234500.0000"),
        ("fenced", "```\n-1234500.0000\n```"),
        ("scientific", "-1.2345 × 10^6"),
    ],
)
def test_wordings(name: str, text: str) -> None:
    """Each wording in full, for a number with groups, decimals and a sign."""
    assert WORDINGS[name][0](PRODUCT, "-1234500.0000") == text


@pytest.mark.parametrize(
    ("number", "text"),
    [("120", "1.2 × 10^2"), ("500", "5 × 10^2"), ("12.34", "1.234 × 10^1"), ("7", "7"), ("0.05", "0.05"), ("0", "0")],
)
def test_scientific(number: str, text: str) -> None:
    """All digits stay; where there is no power of ten to speak of, the number is written as it is."""
    assert wording.scientific(PRODUCT, number) == text


def test_thoughts_are_closed() -> None:
    """A reply that thinks aloud closes its thought, and the number stands behind it."""
    assert wording.thought(PRODUCT, "12").partition("</think>")[2].strip() == "12"


def test_working_ends_with_the_answer() -> None:
    """Lines of working end with the answer."""
    assert wording.worked(PRODUCT, "12").splitlines()[-1] == "**Answer:** 12"


@pytest.mark.parametrize("name", WORDINGS)
@given(problem=arithmetic_problems())
def test_wordings_are_read(name: str, problem: ArithmeticProblem) -> None:
    """Every wording is read as the number that it says."""
    calculation = Calculation(problem.op, problem.lhs, problem.rhs, problem.expected)
    text = WORDINGS[name][0](calculation, problem.expected)
    read = numerals.read(text, problem.operands, problem.dtype)
    assert read.tolerant is not None
    assert numerals.grade(read.tolerant, problem.expected).outcome is Outcome.CORRECT


def test_every_wording_comes_up() -> None:
    """A few hundred replies use all wordings, the bare number most."""
    said = [phrase(Random(chance), PRODUCT, PRODUCT.truth) for chance in range(1000)]
    assert set(said) == {make(PRODUCT, PRODUCT.truth) for make, _ in WORDINGS.values()}
    assert 500 < said.count(PRODUCT.truth) < 700


def test_terse_prompts_are_mostly_obeyed() -> None:
    """Who is told to say nothing but the number does so nearly always, not always."""
    terse = Calculation(Op.ADD, "12", "5", "17", terse=True)
    bare = sum(phrase(Random(chance), terse, "17") == "17" for chance in range(1000))
    assert 900 < bare < 1000
