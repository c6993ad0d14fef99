"""Trials of the user's own task: what it reads and grades, whatever that is, and what
stands in their records.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from pytest_llmarith import Problem, Task
from pytest_llmarith.evaluate import AskedTrial, evaluate
from pytest_llmarith.records import Reply, as_dict
from pytest_llmarith.tasks.checks import problems_of
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import Model


def checked(
    read: Callable[..., Any], grade: Callable[..., Any], asked: Problem
) -> TaskProblem:
    """The one problem of a task, as it is asked."""
    task: Task[Any] = Task(
        "own", lambda seed, trials: [asked], lambda problem: "?", read, grade
    )
    (problem,) = problems_of(task, 0, 1)
    return problem


def record_of(problem: TaskProblem) -> dict[str, Any]:
    return as_dict(
        evaluate(
            problem, AskedTrial.of(problem, Model("m", "m"), "?", None), Reply("1")
        )
    )


def read_as(answer: Any) -> Any:
    """What the record holds of a right answer."""
    record = record_of(
        checked(
            lambda text, problem: answer,
            lambda answer, problem: True,
            Problem({}, None),
        )
    )
    assert record["outcome"] == "correct"
    return record["answer"]


def in_turn(*results: Any) -> Any:
    return results[-1]


def test_a_task_changes_no_problem() -> None:
    """Repeats and conditions share theirs, so `read` and `grade` get copies, and the
    record holds what was asked.
    """
    asked = checked(
        lambda text, problem: in_turn(
            problem.inputs.update(word="X"), problem["letters"].sort(), [2, 1]
        ),
        lambda answer, problem: in_turn(
            problem.expected.sort(), answer.sort(), problem["word"] == "abc"
        ),
        Problem({"word": "abc", "letters": ["c", "a"]}, [3, 1]),
    )
    for _ in range(2):
        record = record_of(asked)
        assert record["problem"]["inputs"] == {"word": "abc", "letters": ["c", "a"]}
        assert record["problem"]["expected"] == [3, 1]
        assert (record["answer"], record["outcome"]) == ([2, 1], "correct")
    assert asked.inputs == {"word": "abc", "letters": ["c", "a"]}
    assert asked.expected == [3, 1]


class Mute:
    def __str__(self) -> str:
        raise RuntimeError("hunter2hunter2")


def nested(depth: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(depth):
        made = [made]
    return made


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        ([{3, 1}, frozenset({"x"})], [[1, 3], ["x"]]),
        ({"words": {"b", "a"}, 1: ("a", 1)}, {"words": ["a", "b"], "1": ["a", 1]}),
        (10**4000, 10**4000),
        (16**60_000, "0x1" + "0" * 60_000),
        (Mute(), "[Mute without a text: str() raised RuntimeError]"),
        ([Mute], str([Mute])),
        (nested(100_000), "[list without a text: str() raised RecursionError]"),
    ],
    ids=[
        *("sets", "keys", "short", "too long for digits", "raises", "has a text"),
        "too deep",
    ],
)
def test_how_an_answer_is_written(answer: object, written: object) -> None:
    """Sets have one order in records, long integers are texts, and an answer without a
    text is graded all the same.
    """
    assert read_as(answer) == written


@pytest.mark.parametrize(
    ("expected", "answer", "outcome"),
    [
        (["a", "b"], ("a", "b"), "correct"),
        ([["a", 1]], [("a", 1)], "correct"),
        (["a", "b"], {"b", "a"}, "correct"),
        ([9, 10, 11], {11, 10, 9}, "correct"),
        ("1/3", Fraction(1, 3), "correct"),
        (5, Decimal(5), "correct"),
        ({"1": ["a"]}, {1: ("a",)}, "correct"),
        (["a", "b"], ("b", "a"), "deviate"),
        (5, "5", "deviate"),
        (None, "None", "deviate"),
    ],
)
def test_an_answer_is_compared_as_it_is_recorded(
    expected: object, answer: object, outcome: str
) -> None:
    """Expected answers are JSON, so a tuple is a list, and a set a sorted list."""
    task: Task[Any] = Task(
        "own", [Problem({}, expected)], lambda problem: "?", lambda text, _: answer
    )
    (problem,) = problems_of(task, 0, 1)
    assert record_of(problem)["outcome"] == outcome
