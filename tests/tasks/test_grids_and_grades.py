"""Grids, grades, and tasks of numbers, as a user writes them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith import Grade, Grid, NoAnswer, Problem, Task, number_task
from pytest_llmarith.evaluate import graded
from pytest_llmarith.records import OwnDetails, Reply
from pytest_llmarith.tasks.checks import problems_of
from pytest_llmarith.tasks.restore import Restored, load_task
from pytest_llmarith.tasks.task import InvalidGrade, InvalidTask
from pytest_llmarith.types import Outcome


def prompt(problem: Problem) -> str:
    return f"Echo {problem.inputs}"


def test_the_first_task_has_three_parts() -> None:
    words: Task[Any] = Task(
        "words", [Problem({"word": word}, word) for word in ("ab", "cd")], prompt
    )
    first, second = problems_of(words, 0, 10)
    assert first.label == "trial_0"
    assert second.label == "trial_1"
    assert first.prompt == "Echo {'word': 'ab'}"
    outcomes = [
        graded(first, Reply(text)).outcome
        for text in ("ab\n", "<think>cd</think> ab", "cd", " ")
    ]
    assert outcomes == ["correct", "correct", "deviate", "nan"]


def test_a_grid_places_its_problems() -> None:
    def problem_at(seed: int, variant: str, depth: int, trial: int) -> Problem:
        return Problem({"n": f"{seed}/{variant}/{depth}/{trial}"}, "x", private=trial)

    def task(*depths: int) -> Task[Any]:
        return Task("grid", Grid(problem_at, ["up", "down"], depths), prompt)

    many, few = problems_of(task(1, 2, 3), 7, 4), problems_of(task(2), 7, 2)
    assert (len(many), len(few)) == (2 * 3 * 4, 2 * 2)
    assert few[0].label == "up-depth_2-trial_0"
    assert {one.label: one.recorded for one in few}.items() <= {
        one.label: one.recorded for one in many
    }.items()
    place = {"variant": "down", "depth": 3, "trial": 1}
    assert (
        place.items()
        <= next(one for one in many if one.label == "down-depth_3-trial_1")
        .coordinates()
        .items()
    )
    places = {(one.variant, one.recorded.variant_place) for one in many}
    assert places == {("up", 0), ("down", 1)}
    restored = Restored({"grid": task(1)})
    assert restored.problem_of(task(1), few[-1].recorded).private == 1


@pytest.mark.parametrize(
    "place",
    [
        {"variant": "a b"},
        {"variant": 3},
        {"depth": -1},
        {"depth": True},
        {"depth": 1.5},
    ],
)
def test_what_is_no_place(place: dict[str, Any]) -> None:
    task: Task[Any] = Task("own", [Problem({"n": 1}, 1, **place)], prompt)
    with pytest.raises(InvalidTask, match=next(iter(place))):
        problems_of(task, 0, 1)


@pytest.mark.parametrize("expected", [5, True, None, ["a"], 1.5, " a", ""], ids=repr)
def test_an_expected_answer_that_no_text_equals(expected: Any) -> None:
    """Without `read`, answers are texts; another `read` or `grade` may compare."""
    problems = [Problem({"n": 1}, expected)]
    with pytest.raises(InvalidTask) as refused:
        problems_of(Task("own", problems, prompt), 0, 1)
    assert f"problem trial_0: expected is {expected!r}" in str(refused.value)
    assert "use number_task" in str(refused.value)
    problems_of(Task("own", problems, prompt, lambda text, problem: 5), 0, 1)
    problems_of(Task("own", problems, prompt, grade=lambda answer, problem: True), 0, 1)


@pytest.mark.parametrize(
    "score",
    [float("nan"), float("inf"), -0.1, 1.01, "1", None, Decimal("0.5"), [1]],
    ids=repr,
)
def test_what_is_no_score(score: Any) -> None:
    (problem,) = problems_of(
        Task(
            "own", [Problem({"n": 1}, 1)], prompt, grade=lambda answer, problem: score
        ),
        0,
        1,
    )
    with pytest.raises(InvalidGrade, match="score"):
        graded(problem, Reply("1"))
    with pytest.raises(InvalidGrade, match="score"):
        Grade(score)


@pytest.mark.parametrize(
    ("score", "graded_as"),
    [
        (sum([0.1] * 10), 1.0),
        (1.0000000000000002, 1.0),
        (-1e-17, 0.0),
        (Fraction(1, 2), 0.5),
        (True, 1.0),
        (0.999, 0.999),
    ],
    ids=repr,
)
def test_rounding_is_no_part_of_a_score(score: Any, graded_as: float) -> None:
    """All parts right is right, also if their sum is not exactly 1."""
    assert Grade.of(score).score == graded_as
    assert Grade(score, scores={"half": score}).scores == {"half": graded_as}


def test_a_grade_is_recorded() -> None:
    grade = Grade(0.5, {"found": [1, 2]}, "half", {"style": 1})

    def task(one: Any, read: Any = None) -> Task[Any]:
        return Task(
            "own",
            [Problem({"n": 1}, 1)],
            prompt,
            read or (lambda text, problem: text),
            lambda a, p: one,
        )

    (problem,) = problems_of(task(grade), 0, 1)
    found = graded(problem, Reply("x"))
    assert found.grade is not None
    assert found.outcome == "deviate"
    assert found.reason == "half"
    assert found.grade.score == 0.5
    assert found.grade.scores == {"style": 1}
    (problem,) = problems_of(task(Grade(1, {"found": Fraction(1, 2)})), 0, 1)
    with pytest.raises(InvalidGrade, match="JSON"):
        graded(problem, Reply("x"))
    (problem,) = problems_of(
        task(True, lambda text, problem: NoAnswer("no date")), 0, 1
    )
    assert graded(problem, Reply("x")).outcome == "nan"
    assert graded(problem, Reply("x")).reason == "no date"


@pytest.mark.parametrize(
    ("expected", "strict", "text", "outcome", "error_class"),
    [
        (6, False, "It has **6** letters.", "correct", None),
        (6, True, "It has **6** letters.", "nan", None),
        (6, True, "6", "correct", None),
        (1234, False, "1235", "deviate", "one digit"),
        ("-2.50", False, "-2.5", "correct", None),
        ("2.50", False, "25", "deviate", "power of ten"),
        ("-17", False, "17", "deviate", "sign"),
        (17, False, "It is odd.", "nan", None),
    ],
)
def test_numbers_of_ones_own(
    expected: Any, strict: bool, text: str, outcome: str, error_class: str | None
) -> None:
    """Both readings, and the error classes that need no operation."""
    (problem,) = problems_of(
        number_task("own", [Problem({"n": 1}, expected)], prompt, strict=strict), 0, 1
    )
    found = graded(problem, Reply(text))
    details: Any = found.grade and found.grade.details
    assert (found.outcome, details and details.error_class) == (outcome, error_class)


@pytest.mark.parametrize("expected", ["seven", "1,000", True, [1], 2.5, None], ids=repr)
def test_an_expected_answer_that_is_no_number(expected: Any) -> None:
    """It is refused before a reply is paid for."""
    task = number_task("own", [Problem({"n": 1}, expected)], prompt)
    with pytest.raises(InvalidTask) as refused:
        problems_of(task, 0, 1)
    said = f"task own, problem trial_0: expected is {expected!r}; write an integer"
    assert str(refused.value).startswith(said)


def test_a_list_is_restored(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(
        "from pytest_llmarith import Problem, Task\n"
        "own = Task('own', lambda seed, n: [Problem({'n': k}, f'{k}', private=-k) for k in range(n)], str)\n",
        "utf-8",
    )
    task = load_task(f"{file}:own")
    *_, last = problems_of(task, 3, 40)
    restored = Restored({"own": task})
    assert restored.problem_of(task, last.recorded).private == -39
    other = problems_of(Task("own", [Problem({"n": 5}, "6", "trial_5")], str), 3, 1)[
        0
    ].recorded
    with pytest.raises(InvalidTask, match="trial_5"):
        restored.problem_of(task, other)
    for text in (f"{file}:other", f"{tmp_path}/none.py:own", "own"):
        with pytest.raises(ValueError, match=r"Task|file|FILE:NAME"):
            load_task(text)


def test_a_reason_is_text() -> None:
    """Records hold no other, and it is refused before one is written."""
    for made in (NoAnswer, partial(Grade, 0.5, None)):
        with pytest.raises(InvalidGrade, match="its reason is 7; write a line of text"):
            made(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "named",
    [
        {"outcome": "bogus"},
        {"outcome": "correct"},
        {"scores": {5: 0.5}},
        {"scores": [1]},
        {"details": {"x": float("nan")}},
    ],
)
def test_what_is_no_grade(named: dict[str, Any]) -> None:
    with pytest.raises(InvalidGrade):
        Grade(0.5, **named)


def test_an_outcome_may_be_text() -> None:
    """Such as that of a grade without a score."""
    unanswered: Any = "unanswered"
    grade = Grade(None, reason="no sandbox", outcome=unanswered)
    task: Task[Any] = Task(
        "out", [Problem({"n": 1}, "x")], prompt, grade=lambda answer, problem: grade
    )
    (problem,) = problems_of(task, 0, 1)
    assert graded(problem, Reply("x")).outcome is Outcome.UNANSWERED


def test_private_data_is_the_same_for_every_reply() -> None:
    """Models and repeats share a problem, and `grade` may take from its list."""

    def grade(answer: str, problem: Problem) -> bool:
        right = answer in problem.private
        problem.private.clear()
        return right

    problems = [Problem({"n": 1}, "", private=["x"])]
    (problem,) = problems_of(Task("once", problems, prompt, grade=grade), 0, 1)
    assert [graded(problem, Reply("x")).outcome for _ in range(2)] == ["correct"] * 2


@pytest.mark.parametrize(
    ("said", "written"),
    [("a \udc80", "a ?"), ("\ud83d \ude00", "? ?"), ("é 😀", "é 😀")],
)
def test_details_may_quote_any_reply(said: str, written: str) -> None:
    """A lone surrogate is part of some replies, and no part of JSON."""

    def grade(answer: str, problem: Problem) -> Grade:
        return Grade(0.5, {"said": answer})

    task: Task[Any] = Task("quote", [Problem({"n": 1}, "")], prompt, grade=grade)
    (problem,) = problems_of(task, 0, 1)
    found = graded(problem, Reply(said))
    assert found.outcome is Outcome.DEVIATE
    assert found.grade is not None
    assert found.grade.details == OwnDetails({"said": written})
