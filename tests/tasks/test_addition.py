"""The integer addition task: what is drawn, what is expected, and how it is asked."""

import json

import pytest
from hypothesis import given

from pytest_llmarith.tasks import addition
from pytest_llmarith.values import AdditionProblem, Condition, Reading, Symbols
from tests.tasks.problem_strategies import addition_problems

PROMPT = (
    "Provide the sum of the two numbers. Don't output anything else. Only output the sum of the two numbers without "
    "anything additional. Only output the final number, no calculation, no explanation, just the final number without "
    'any text.: "7" "88"'
)

# Published runs are compared problem by problem: these never change.
PINNED = [
    (0, "454597", "131", "454728"),
    (1, "8124903130032820884443380", "9223", "8124903130032820884452603"),
    (99, "28563403", "630043665297012935844994605", "630043665297012935873558008"),
]


@given(addition_problems())
def test_expected_is_the_sum(problem: AdditionProblem) -> None:
    """What an addition expects is the exact sum of its operands."""
    assert int(problem.expected) == sum(map(int, problem.operands))


@given(addition_problems())
def test_operands_are_written_plainly(problem: AdditionProblem) -> None:
    """Operands have up to thirty digits, and leading zeros have fallen away."""
    for operand in problem.operands:
        assert operand == str(int(operand))
        assert 1 <= len(operand) <= addition.LONGEST


def test_lengths_are_spread() -> None:
    """Every length from two digits to thirty comes up; shorter ones are left of leading zeros."""
    lengths = {len(operand) for problem in addition.problems(0, 2000) for operand in problem.operands}
    assert lengths == set(range(1, 31))


def test_prompt() -> None:
    """The prompt of integer addition is one line, word for word."""
    assert addition.prompt(AdditionProblem(0, 0, "7", "88", "95")) == PROMPT


def test_prompt_has_no_sign() -> None:
    """Unicode signs change nothing where there is no sign."""
    problem = addition.problem(0, 0)
    assert addition.prompt(problem, Condition(symbols=Symbols.UNICODE)) == addition.prompt(problem)


def test_labels_are_unique() -> None:
    """Every trial has a label of its own."""
    labels = [problem.label for problem in addition.problems(0, 100)]
    assert labels == [f"trial_{trial}" for trial in range(100)]


def test_neighbours_change_nothing() -> None:
    """A problem is the same however many trials are asked for."""
    assert list(addition.problems(0, 100))[:10] == list(addition.problems(0, 10))


def test_seeds_differ() -> None:
    """Another seed asks other questions."""
    ours, theirs = ({problem.operands for problem in addition.problems(seed, 50)} for seed in (0, 1))
    assert not ours & theirs


@pytest.mark.parametrize(("trial", "int1", "int2", "expected"), PINNED)
def test_pinned(trial: int, int1: str, int2: str, expected: str) -> None:
    """The problems of seed 0 stay what they were."""
    assert addition.problem(0, trial) == AdditionProblem(0, trial, int1, int2, expected)


@given(addition_problems())
def test_fields_are_plain(problem: AdditionProblem) -> None:
    """Fields are builtins: they come back from JSON as they were."""
    fields = json.loads(json.dumps(problem.fields()))
    assert fields == problem.fields()


def test_coordinates() -> None:
    """The trial alone tells additions apart."""
    assert addition.problem(0, 4).coordinates() == {"trial": 4}


def test_graded_strictly() -> None:
    """The prompt asks for the bare number, and only that counts."""
    assert addition.READING is Reading.STRICT
