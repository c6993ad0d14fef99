"""The task of searching: which questions two draws make, and which of them is the simpler one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.tasks import arithmetic, breaking_point
from pytest_llmarith.values import ArithmeticProblem, BreakingProblem, Dtype, Op

BUDGET = 80


def search(variant: str) -> BreakingProblem:
    return next(one for one in breaking_point.problems(0, BUDGET) if one.variant == variant)


def test_one_search_for_each_variant_and_one_for_addition() -> None:
    """There are nine searches, one for each variant and one for addition, each with its label."""
    labels = [one.label for one in breaking_point.problems(0, BUDGET)]
    assert labels == [*(f"{dtype}_{op}" for dtype, op in arithmetic.VARIANTS), "integer_addition"]


@pytest.mark.parametrize(
    ("variant", "draws", "operands", "expected", "depth"),
    [
        ("int_add", (27, 48), ("27", "48"), "75", 2),
        ("int_sub", (7, 148), ("7", "148"), "-141", 3),
        ("int_mul", (27, 48), ("27", "48"), "1296", 2),
        ("int_div", (27, 48), ("1296", "48"), "27", 2),
        ("int_div", (5, 0), ("5", "1"), "5", 1),
        ("float_add", (5, 7), ("0.05", "0.07"), "0.12", 1),
        ("float_mul", (2700, 4800), ("27.00", "48.00"), "1296.0000", 2),
        ("float_div", (3, 0), ("0.03", "0.01"), "3.0000", 1),
    ],
)
def test_two_draws_make_a_question(
    variant: str, draws: tuple[int, int], operands: tuple[str, str], expected: str, depth: int
) -> None:
    """Operands, or quotient and divisor; fixed point counts in hundredths, and no divisor is 0."""
    question = breaking_point.question(search(variant), draws)
    assert isinstance(question, ArithmeticProblem)
    assert (question.operands, question.expected, question.depth) == (operands, expected, depth)


def test_addition_has_questions_of_its_own_task() -> None:
    """The search through additions puts questions of integer addition."""
    question = breaking_point.question(search("integer_addition"), (3, 40))
    assert (question.task, question.operands, question.expected) == ("integer_addition", ("3", "40"), "43")


@given(st.sampled_from(Op), st.sampled_from(Dtype), st.integers(1, 12), st.integers(0, 1000))
def test_the_draws_of_a_trial_make_its_problem(op: Op, dtype: Dtype, depth: int, trial: int) -> None:
    """A search asks what the arithmetic task asks, where it comes upon the same numbers."""
    problem = arithmetic.problem(0, dtype, op, depth, trial)
    right = int(problem.rhs.replace(".", ""))
    left = int(problem.lhs.replace(".", "")) // (right if op is Op.DIV else 1)
    question = breaking_point.question(search(f"{dtype}_{op}"), (left, right))
    assert (question.operands, question.expected) == (problem.operands, problem.expected)


@given(
    st.sampled_from(list(breaking_point.problems(0, BUDGET))),
    *[st.tuples(st.integers(0, 3) | st.integers(0, 10**12), st.integers(0, 3) | st.integers(0, 10**12))] * 2,
)
def test_the_same_numbers_are_the_same_question(
    search: BreakingProblem, one: tuple[int, int], other: tuple[int, int]
) -> None:
    """Two draws ask the same where they stand for the same numbers, and only there; numbers stand for themselves."""
    same = breaking_point.numbers(search, one) == breaking_point.numbers(search, other)
    assert same == (breaking_point.question(search, one) == breaking_point.question(search, other))
    assert breaking_point.question(search, breaking_point.numbers(search, one)) == breaking_point.question(search, one)


@pytest.mark.parametrize(
    ("simpler", "than"),
    [((0, 0), (0, 1)), ((0, 1), (1, 0)), ((9, 9), (0, 10)), ((0, 999), (100, 0)), ((199, 0), (200, 0))],
)
def test_what_simpler_means(simpler: tuple[int, int], than: tuple[int, int]) -> None:
    """Fewer digits of the longer number, then smaller digits from the left, the left number's first."""
    assert breaking_point.simplicity(simpler) < breaking_point.simplicity(than)
