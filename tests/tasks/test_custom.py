"""Custom tasks: their problems and prompts, and the messages for those that cannot be
asked.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import Any

import pytest

import pytest_llmarith
from pytest_llmarith import Grid, Problem, Task
from pytest_llmarith.records import as_dict
from pytest_llmarith.tasks.checks import problems_of
from pytest_llmarith.tasks.prompts import check_template, render
from pytest_llmarith.tasks.task import InvalidTask
from pytest_llmarith.types import Condition, NumberFormat


def prompt(problem: Problem) -> str:
    return f"Reverse {problem['word']}!"


def read(text: str, problem: Problem) -> str | None:
    return text


def task_with(*made: Any, prompt: Any = prompt) -> Task[Any]:
    return Task("reversal", lambda seed, trials: made, prompt, read)


def word(label: Any, text: Any = "abc") -> Problem:
    return Problem({"word": text}, "cba", label)


def test_a_problem_is_as_it_was_made() -> None:
    def sort_and_ask(problem: Problem) -> str:
        asked = len(problem["words"])
        problem["words"].sort()
        return f"Sort {asked} words!"

    def growing(seed: int, trials: int) -> Iterator[Problem]:
        words: list[str] = []
        for trial in range(2):
            words.append("ba"[trial])
            yield Problem({"words": words, "pair": ("x", 1)}, words, f"t{trial}")

    first, second = problems_of(Task("own", growing, sort_and_ask, read), 7, 1)
    assert first.task == "own"
    assert first.label == "t0"
    assert first.prompt == "Sort 1 words!"
    assert first["words"] == ["b"]
    assert as_dict(second.recorded) == {
        "label": "t1",
        "seed": 7,
        "variant": None,
        "depth": None,
        "trial": 0,
        "inputs": {"words": ["b", "a"], "pair": ["x", 1]},
        "expected": ["b", "a"],
    }


@pytest.mark.parametrize(
    "task",
    [
        task_with(word("a"), word("b"), prompt=lambda problem: "Reverse it!"),
        task_with(word("a"), word("b")),
        Task(
            "reversal",
            Grid(lambda seed, variant, depth, trial: word(""), ["x", "y"], [1]),
            prompt,
        ),
        Task(
            "reversal",
            Grid(lambda seed, variant, depth, trial: word("", variant), ["x"], [1]),
            lambda problem: [{"role": "user", "content": "Reverse it!"}],
        ),
        Task(
            "reversal",
            Grid(
                lambda seed, variant, depth, trial: Problem(
                    {"word": f"{trial}{depth % 3}"}, variant
                ),
                ["x", "y"],
                [1, 2, 3],
            ),
            prompt,
        ),
    ],
    ids=["forgotten input", "equal problems", "variants", "trials", "answers"],
)
def test_the_same_question_twice(task: Task[Any]) -> None:
    """It would be paid for twice, and counted as if it were two."""
    with pytest.raises(InvalidTask) as refused:
        problems_of(task, 0, 2)
    assert re.search(
        r"^task reversal: problems \S+ and \S+ have the same question \('Reverse .*!'\)",
        str(refused.value),
    )


def test_a_grid_may_draw_a_question_again() -> None:
    """Easy depths have few questions."""
    drawn = Grid(
        lambda seed, variant, depth, trial: word("", "abcda"[trial]), [""], [1]
    )
    made = problems_of(Task("reversal", drawn, prompt), 0, 5)
    assert [one.prompt for one in made].count(made[0].prompt) == 2
    assert len({one.label for one in made}) == 5


def test_prompt_configs_a_custom_task() -> None:
    """Filler text and templates of the inputs apply; number formats do not change the
    prompt.
    """
    plain, listed = problems_of(task_with(word("a", "1234"), word("b", [1])), 0, 1)
    prompt_texts = {"terse": "{word} backwards"}
    assert (
        render(plain, Condition(NumberFormat.COMMA), prompt_texts, 0) == "Reverse 1234!"
    )
    assert render(plain, Condition(prompt="terse"), prompt_texts, 0) == "1234 backwards"
    assert render(listed, Condition(prompt="terse"), prompt_texts, 0) == "[1] backwards"
    assert str(render(plain, Condition(context="1k"), prompt_texts, 0)).endswith(
        "\n\nReverse 1234!"
    )
    with pytest.raises(
        InvalidTask, match=r"reversal has no field \{text\}; it has \{word\}"
    ):
        check_template("t", "{text}", plain)


def nested(depth: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(depth):
        made = [made]
    return made


BAD_GRIDS: list[tuple[Any, Any, Any, str]] = [
    (lambda *place: None, ["x"], [1], "problem_at returned None; return a Problem"),
    (
        lambda variant, depth: word(""),
        ["x"],
        [1],
        "it is called as problem_at(seed, variant, depth, trial)",
    ),
    (lambda *place: word(""), ["x"], 5, "depths of its Grid is 5; write"),
    (lambda *place: word(""), ["x"], [], "depths of its Grid is []; write"),
    (lambda *place: word(""), ["x"], [1.5], "is [1.5]; write a list of"),
    (lambda *place: word(""), "xy", [1], "variants of its Grid is 'xy'"),
]


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (task_with(), "problems returned nothing; return a Problem(inputs, expected)"),
        (
            task_with("abc"),
            "problems returned 'abc'; return a Problem(inputs, expected)",
        ),
        *(
            (task_with(word(label)), f"{label!r} is not a label; ")
            for label in ("a b", 3, "a[1]", "a::b")
        ),
        (task_with(word("a"), word("a", "x")), "two problems have the label 'a'"),
        (task_with(Problem("abc", 1, "a")), "problem a: inputs is 'abc'; write a dict"),  # type: ignore[arg-type]
        (
            task_with(Problem({"a b": 1}, 1, "a")),
            "problem a: 'a b' in inputs is not a name",
        ),
        (
            task_with(Problem({}, Fraction(1, 3), "a")),
            "problem a: expected cannot be written as JSON",
        ),
        (
            task_with(Problem({}, float("nan"), "a")),
            "problem a: expected cannot be written as JSON",
        ),
        *(
            (task_with(word("a", one)), "problem a: inputs cannot be written as JSON")
            for one in ({1}, "\ud800")
        ),
        *(
            (
                task_with(word("a", nested(depth))),
                "problem a: inputs cannot be written as JSON",
            )
            for depth in (600, 10**5)
        ),
        (
            task_with(word("a"), Problem({"text": "x"}, 0, "b")),
            "problem b: its inputs are text, those of the first one word;",
        ),
        (
            Task("reversal", lambda seed, trials: None, prompt),  # type: ignore[arg-type, return-value]
            "problems returned None; return a list of Problem",
        ),
        (
            Task("reversal", lambda seed: [], prompt),  # type: ignore[arg-type, misc]
            "it is called as problems(seed, trials)",
        ),
        (
            Task("reversal", [word("a")], lambda: ""),  # type: ignore[arg-type, misc]
            "prompt takes other arguments (too many positional arguments); it is "
            "called as prompt(problem)",
        ),
        (
            Task("reversal", [word("a")], prompt, lambda text: text),  # type: ignore[arg-type, misc]
            "it is called as read(text, problem)",
        ),
        (
            Task("reversal", [word("a")], prompt, grade=lambda answer: True),  # type: ignore[arg-type, misc]
            "it is called as grade(answer, problem)",
        ),
        *(
            (Task("reversal", Grid(make, variants, depths), prompt), message)
            for make, variants, depths, message in BAD_GRIDS
        ),
        *(
            (Task("reversal", [one, other], prompt), "problem b: it has")
            for one, other in (
                (word("a"), replace(word("b"), variant="up")),
                (replace(word("a"), variant="up"), word("b")),
            )
        ),
        *(
            (
                task_with(word("a"), prompt=lambda _, p=p: p),
                "problem a: prompt returned",
            )
            for p in (None, " \n", "\ud800")
        ),
    ],
)
def test_what_cannot_be_asked(task: Task[Any], message: str) -> None:
    with pytest.raises(InvalidTask) as refused:
        problems_of(task, 0, 1)
    assert str(refused.value).startswith(("task reversal: ", "task reversal, "))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda n: [word("a", str(n))],
        lambda n: [word(f"t{k}", f"{k}") for k in range(1 + n)],
    ],
)
def test_problems_that_differ_every_time(make: Any) -> None:
    """Workers make the problems anew: those that depend on chance are refused."""
    calls = count()
    task: Task[Any] = Task(
        "reversal", lambda seed, trials: make(next(calls)), prompt, read
    )
    with pytest.raises(InvalidTask, match="differs between two calls; draw from"):
        problems_of(task, 0, 1)


@pytest.mark.parametrize(
    ("name", "reader", "message"),
    [
        *(
            (name, read, "is not a task name")
            for name in ("Reversal", "my task", "", "1st", "a" * 61, None, "größe")
        ),
        *(
            (name, read, "is a built-in task")
            for name in ("arithmetic", "breaking_point")
        ),
        ("reversal", None, "Task reversal: read is None; pass a function"),
        (
            "reversal",
            [word("a")] * 99,
            r"read is \[Problem.{,80}\.\.\.; pass a function",
        ),
    ],
)
def test_what_is_no_task(name: Any, reader: Any, message: str) -> None:
    """Names stand in options, records and tables, and belong to one task; all four
    parts are functions.
    """
    with pytest.raises((ValueError, TypeError), match=message):
        Task(name, lambda seed, trials: [], prompt, reader)


def test_a_grader_has_all_of_its_parts() -> None:
    class Judge:
        limit_s = None
        model = None

        def grade(self, answer: str, problem: Problem, tools: Any) -> bool:
            return True

    with pytest.raises(TypeError, match="Task reversal: its grader has no 'unavail"):
        Task("reversal", [word("a")], prompt, grade=Judge())  # type: ignore[arg-type]


def test_a_name_that_is_no_input() -> None:
    with pytest.raises(KeyError, match=r"'wrod' is no input .* there are: word"):
        problems_of(task_with(word("a"), prompt=lambda problem: problem["wrod"]), 0, 1)


def test_importing_the_package_loads_nothing() -> None:
    """Every pytest run of an environment does: the public names are looked up when they
    are asked for.
    """
    found = "*(name for name in sys.modules if 'llmarith' in name)"
    code = (
        f"import sys, pytest_llmarith as p; print({found}, p.Task.__name__, *p.__all__)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert printed == [
        "pytest_llmarith",
        "Task",
        *pytest_llmarith.__all__,
    ]
