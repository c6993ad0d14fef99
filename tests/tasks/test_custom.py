"""Custom tasks: their problems and prompts, and the messages for those that cannot be asked."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import count
from typing import Any

import pytest

from pytest_llmarith import Problem, Task
from pytest_llmarith.tasks import InvalidTemplate, check_template, render, task_of
from pytest_llmarith.tasks.custom import InvalidTask
from pytest_llmarith.tasks.custom import problems as posed
from pytest_llmarith.values import Condition, NumberFormat, Wordings


def prompt(problem: Problem) -> str:
    return f"Reverse {problem['word']}!"


def read(text: str, problem: Problem) -> str | None:
    return text


def task_with(*problems: Any, prompt: Any = prompt) -> Task[Any]:
    return Task("reversal", lambda seed, trials: problems, prompt, read)


def word(label: Any, text: str = "abc") -> Problem:
    return Problem(label, {"word": text}, text[::-1])


def test_problems_are_posed() -> None:
    """A problem keeps what it was given, gets its prompt, and stands in records as builtins."""
    (one,) = posed(task_with(Problem("a", {"word": ("x", 1)}, None)), 7, 1)
    assert (one.task, one.label, one.prompt, one["word"]) == ("reversal", "a", "Reverse ('x', 1)!", ("x", 1))
    assert one.coordinates() == {"label": "a"}
    assert one.fields() == {"label": "a", "seed": 7, "trial": 0, "given": {"word": ["x", 1]}, "expected": None}


def test_a_problem_is_what_it_was_when_it_was_made() -> None:
    """A task that goes on with a list that it has handed over, or sorts it for its prompt, changes no problem."""

    def growing(seed: int, trials: int) -> Iterator[Problem]:
        words: list[str] = []
        for trial in range(2):
            words.append("ba"[trial])
            yield Problem(f"t{trial}", {"words": words}, words)

    made = posed(Task("own", growing, lambda problem: str(problem["words"].sort()), read), 0, 1)
    assert [one.given["words"] for one in made] == [["b"], ["b", "a"]]
    assert made[1].expected == ["b", "a"]


def test_the_same_words_are_several_questions() -> None:
    """The trial tells problems apart that are put in the same words, and depends on no others."""
    made = posed(task_with(word("a"), word("b", "x"), word("c"), word("d", "y")), 0, 1)
    assert [one.trial for one in made] == [0, 0, 1, 0]


def test_conditions_stand_around_the_question() -> None:
    """Small talk and templates, of the names that are given; number formats leave the prompt alone."""
    (one,) = posed(task_with(word("a", "1234")), 0, 1)
    wordings = Wordings({"terse": "{word} backwards"})
    assert render(one, Condition(NumberFormat.COMMA), wordings, 0) == "Reverse 1234!"
    assert render(one, Condition(prompt="terse"), wordings, 0) == "1234 backwards"
    assert render(one, Condition(context="1k"), wordings, 0).endswith("\n\nReverse 1234!")
    assert (
        render(posed(task_with(Problem("a", {"word": [1]}, 1)), 0, 1)[0], Condition(prompt="terse"), wordings, 0)[:3]
        == "[1]"
    )
    with pytest.raises(InvalidTemplate, match=r"reversal has no field \{text\}; it has \{word\}"):
        check_template("t", "{text}", task_of(one))


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (task_with(), "problems gave none; yield a Problem for every question"),
        (task_with("abc"), "problems gave 'abc'; it has to give Problem(label, given, expected)"),
        (task_with(word("a b")), "'a b' is no label; write up to 200 letters, digits and _ . + -, such as 'trial_3'"),
        (task_with(word(3)), "3 is no label; "),
        (task_with(word("a[1]")), "'a[1]' is no label; "),
        (task_with(word("a::b")), "'a::b' is no label; "),
        (task_with(word("a"), word("a", "x")), "two problems have the label 'a'; give each its own"),
        (task_with(Problem("a", "abc", 1)), "problem a: given is 'abc'; write a dict of what the question is made of"),  # type: ignore[arg-type]
        (task_with(Problem("a", {"a b": 1}, 1)), "problem a: 'a b' in given is no name; write one such as 'word'"),
        (
            task_with(Problem("a", {"word": "x"}, Fraction(1, 3))),
            "problem a: expected is not JSON (Object of type Fraction is not JSON serializable); write",
        ),
        (task_with(Problem("a", {"word": "x"}, float("nan"))), "problem a: expected is not JSON ("),
        (task_with(Problem("a", {"word": {1}}, 1)), "problem a: given is not JSON ("),
        (task_with(Problem("a", {"word": "\ud800"}, 1)), "problem a: given is not JSON ("),
        (
            task_with(Problem("a", {"word": json.loads("[" * 600 + "]" * 600)}, 1)),
            "problem a: what is given or expected is nested too deep; write it flatter",
        ),
        (
            task_with(word("a"), Problem("b", {"text": "x"}, "x")),
            "problem b is given text, problem a word; give all problems of a task the same names",
        ),
        (
            task_with(word("a"), prompt=lambda _: None),
            "problem a: prompt gave None; it has to give the text of the question",
        ),
        (task_with(word("a"), prompt=lambda _: " \n"), "problem a: prompt gave ' \\n'; it has to give"),
    ],
)
def test_what_cannot_be_asked(task: Task[Any], message: str) -> None:
    """A problem that cannot be asked is one line: what is wrong, where, and what to write instead."""
    with pytest.raises(InvalidTask) as refused:
        posed(task, 0, 1)
    said = str(refused.value)
    assert said.startswith(("task reversal: ", "task reversal, "))
    assert message in said
    assert "\n" not in said


def test_problems_that_differ_every_time() -> None:
    """Workers make the problems anew: those that depend on chance are refused."""
    numbers = count()

    def differing(seed: int, trials: int) -> Iterator[Problem]:
        yield word("a", str(next(numbers)))

    def growing(seed: int, trials: int) -> Iterable[Problem]:
        return [word(f"t{n}") for n in range(next(numbers))]

    with pytest.raises(InvalidTask, match="problem a comes out differently every time; draw from"):
        posed(Task("reversal", differing, prompt, read), 0, 1)
    with pytest.raises(InvalidTask, match="problems gave 2 problems at first and then 3"):
        posed(Task("reversal", growing, prompt, read), 0, 1)


def test_what_a_task_raises_is_its_own() -> None:
    """An exception in `problems` or `prompt` is passed on as it is."""
    with pytest.raises(KeyError, match="word"):
        posed(task_with(Problem("a", {"text": "x"}, "x")), 0, 1)


@pytest.mark.parametrize("name", ["Reversal", "my task", "", "1st", "a" * 61, None, "größe"])
def test_what_is_no_name(name: Any) -> None:
    """What is no name of a task is refused, as names stand in options, records and tables."""
    with pytest.raises(ValueError, match="is no name of a task; write small letters, digits and _, such as 'reversal'"):
        Task(name, lambda seed, trials: [], prompt, read)


@pytest.mark.parametrize("name", ["arithmetic", "integer_addition", "oeis", "breaking_point"])
def test_names_of_our_tasks_are_taken(name: str) -> None:
    """Results of two tasks with one name could not be told apart."""
    with pytest.raises(ValueError, match=f"'{name}' is a task of pytest-llmarith; give yours another name"):
        Task(name, lambda seed, trials: [], prompt, read)


def test_what_is_no_function() -> None:
    """A function of a task that was forgotten is named."""
    with pytest.raises(TypeError, match="Task reversal: read is None; it has to be a function"):
        Task("reversal", lambda seed, trials: [], prompt, None)  # type: ignore[arg-type]


def test_importing_the_package_loads_nothing() -> None:
    """Every pytest run of an environment does: the public names are looked up when they are asked for."""
    found = "*(name for name in sys.modules if 'llmarith' in name)"
    code = f"import sys, pytest_llmarith as p; print({found}, p.Task.__name__, *p.__all__)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert printed == ["pytest_llmarith", "Task", "Problem", "Task"]
    import pytest_llmarith

    with pytest.raises(AttributeError, match="has no attribute 'Tasks'"):
        _ = pytest_llmarith.Tasks  # type: ignore[attr-defined]
