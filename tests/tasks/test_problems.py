"""The problems of arithmetic, integer addition and the breaking point: what is drawn
and what is expected.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.records import as_dict
from pytest_llmarith.tasks import arithmetic, search_questions
from pytest_llmarith.tasks.oeis.details import IntegerSequence
from pytest_llmarith.tasks.search_questions import BreakingPointSearch
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import Dtype, Op
from tests.asked import additions, calculations, of, operands, sequence
from tests.tasks.problem_strategies import addition_problems, arithmetic_problems

APPLY = {
    Op.ADD: Fraction.__add__,
    Op.SUB: Fraction.__sub__,
    Op.MUL: Fraction.__mul__,
    Op.DIV: Fraction.__truediv__,
}
DECIMALS = {Op.ADD: 2, Op.SUB: 2, Op.MUL: 4, Op.DIV: 4}  # of a fixed-point result

# Published runs are compared problem by problem: these never change.
PINNED = {
    "int_add-depth_2-trial_0": ("68", "65", "133"),
    "int_add-depth_7-trial_3": ("6338105", "7592638", "13930743"),
    "int_sub-depth_7-trial_3": ("3720737", "8125661", "-4404924"),
    "int_mul-depth_7-trial_3": ("9876905", "1702884", "16819223494020"),
    "int_div-depth_2-trial_0": ("2088", "24", "87"),
    "int_div-depth_7-trial_3": ("43784772364467", "6786951", "6451317"),
    "float_add-depth_7-trial_3": ("2500895.53", "5997964.96", "8498860.49"),
    "float_sub-depth_2-trial_0": ("29.72", "28.43", "1.29"),
    "float_mul-depth_7-trial_3": ("2057644.64", "6210167.27", "12778317396618.9328"),
    "float_div-depth_2-trial_0": ("76102.32", "54.32", "1401.0000"),
    "float_div-depth_7-trial_3": ("959088889501163.45", "5147442.11", "186323395.0000"),
    "trial_0": ("454597", "131", "454728"),
    "trial_1": ("8124903130032820884443380", "9223", "8124903130032820884452603"),
    "trial_99": (
        "28563403",
        "630043665297012935844994605",
        "630043665297012935873558008",
    ),
}


def op_of(problem: TaskProblem) -> Op:
    op = of(problem).op
    assert op is not None
    return op


def decimals(number: str) -> int:
    return len(number.partition(".")[2])


def test_pinned() -> None:
    """The problems of seed 0 are the same in every version; 720 and 100 are asked by
    default, each with its label.
    """
    made = [*calculations(0, iter(range(2, 11)), 10), *additions(0, 100)]
    by_label = {one.label: (*operands(one), one.expected) for one in made}
    assert len(by_label) == 820
    assert {label: by_label[label] for label in PINNED} == PINNED


@given(arithmetic_problems())
def test_the_expected_result_is_exact(problem: TaskProblem) -> None:
    lhs, rhs = map(Fraction, operands(problem))
    assert Fraction(problem.expected) == APPLY[op_of(problem)](lhs, rhs)
    assert decimals(problem.expected) == (
        0 if of(problem).dtype is Dtype.INT else DECIMALS[op_of(problem)]
    )


@given(arithmetic_problems())
def test_operands_have_depth_digits(problem: TaskProblem) -> None:
    assert problem.depth is not None
    low, high = 10 ** (problem.depth - 1), 10**problem.depth - 1
    places = 0 if of(problem).dtype is Dtype.INT else 2
    drawn = [Fraction(problem["lhs"]), Fraction(problem["rhs"])]
    if of(problem).op is Op.DIV:
        quotient = Fraction(problem.expected)
        assert quotient.denominator == 1
        drawn[0] = (
            quotient / 10**places
        )  # the quotient is drawn in hundredths, as operands are
    assert all(low <= number <= high for number in drawn)
    assert [decimals(operand) for operand in operands(problem)] == [places, places]


@given(addition_problems())
def test_sums(problem: TaskProblem) -> None:
    assert int(problem.expected) == sum(map(int, operands(problem)))
    assert all(
        operand == str(int(operand)) and len(operand) <= 30
        for operand in operands(problem)
    )


@pytest.mark.parametrize("depth", [1, 2])
def test_draws_reach_both_ends(depth: int) -> None:
    """The lowest and the highest number of a range are drawn, and every length of an
    addition.
    """
    drawn = {
        arithmetic.problem(0, Dtype.INT, Op.ADD, depth, trial)["lhs"]
        for trial in range(1000)
    }
    assert {str(10 ** (depth - 1)), str(10**depth - 1)} <= drawn
    lengths = {
        len(operand) for problem in additions(0, 2000) for operand in operands(problem)
    }
    assert lengths == set(range(1, 31))


def test_a_problem_depends_on_its_seed_and_place_alone() -> None:
    many = [one.recorded for one in calculations(0, range(2, 8), 12)]
    assert all(one.recorded in many for one in calculations(0, [4], 3))
    assert additions(0, 100)[:10] == additions(0, 10)
    ours, theirs = (
        {operands(p) for p in calculations(seed, [6], 10)} for seed in (0, 1)
    )
    assert not ours & theirs
    ours, theirs = ({operands(p) for p in additions(seed, 50)} for seed in (0, 1))
    assert not ours & theirs


def test_labels_and_fields() -> None:
    """The label names variant, depth and trial for `-k`; fields of a record hold them,
    and no terms of a sequence.
    """
    problem = arithmetic.problem(0, Dtype.FLOAT, Op.MUL, 7, 5)
    assert problem.label == "float_mul-depth_7-trial_5"
    place = {"variant": "float_mul", "depth": 7, "trial": 5}
    assert problem.coordinates() == place | {
        "label": problem.label,
        "op": "mul",
        "dtype": "float",
    }
    assert place.items() <= as_dict(problem.recorded).items()
    squares = IntegerSequence(
        "A000290", "The squares.", (), ("0", "1", "4"), 0, ("nonn", "easy")
    )
    entry = sequence(squares, "classic_easy")
    assert entry.label == "classic_easy-A000290"
    assert as_dict(entry.recorded) == {
        "label": "classic_easy-A000290",
        "seed": 0,
        "variant": "classic_easy",
        "depth": None,
        "trial": 0,
        "inputs": {"number": "A000290", "name": "The squares.", "comments": ""},
        "expected": None,
        "question": "A000290 The squares.",
    }


# --- breaking point -------------------------------------------------------------------


def question(variant: str, draws: tuple[int, int]) -> TaskProblem:
    search = next(
        one.search
        for one in search_questions.breaking_points(0, 80)
        if one.variant == variant
    )
    assert isinstance(search, BreakingPointSearch)
    return search.space.question(draws)


@pytest.mark.parametrize(
    ("variant", "draws", "numbers", "expected"),
    [
        ("int_add", (27, 48), ("27", "48"), "75"),
        ("int_div", (27, 48), ("1296", "48"), "27"),
        ("int_div", (5, 0), ("5", "1"), "5"),
        ("float_mul", (2700, 4800), ("27.00", "48.00"), "1296.0000"),
        ("float_div", (3, 0), ("0.03", "0.01"), "3.0000"),
        ("integer_addition", (3, 40), ("3", "40"), "43"),
    ],
)
def test_two_draws_make_a_question(
    variant: str, draws: tuple[int, int], numbers: tuple[str, str], expected: str
) -> None:
    asked = question(variant, draws)
    assert (operands(asked), asked.expected) == (numbers, expected)


@given(
    st.sampled_from(Op),
    st.sampled_from(Dtype),
    st.integers(1, 12),
    st.integers(0, 1000),
)
def test_a_search_asks_what_arithmetic_asks(
    op: Op, dtype: Dtype, depth: int, trial: int
) -> None:
    """From the same numbers it makes the same question."""
    problem = arithmetic.problem(0, dtype, op, depth, trial)
    right = int(problem["rhs"].replace(".", ""))
    left = int(problem["lhs"].replace(".", "")) // (right if op is Op.DIV else 1)
    asked = question(f"{dtype}_{op}", (left, right))
    assert (operands(asked), asked.expected) == (operands(problem), problem.expected)
