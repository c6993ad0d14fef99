"""The public API as its users' type checkers see it.

This file is only type-checked, it is never run.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, assert_type

import pytest

from pytest_llmarith import Problem, Task, load


def problems(seed: int, trials: int) -> Iterator[Problem]:
    yield Problem({"word": "abc"}, "cba")
    yield Problem(label="trial_1", inputs={"word": "de"}, expected="ed")


def prompt(problem: Problem) -> str:
    assert_type(problem.label, str)
    assert_type(problem["word"], Any)
    return f"Reverse {problem['word']}!"


def read(text: str, problem: Problem) -> str | None:
    return text or None


def read_number(text: str, problem: Problem) -> int | None:
    return int(text) if text.isdecimal() else None


def is_close(answer: int, problem: Problem) -> bool:
    return abs(answer - int(problem.expected)) < 2


reversal = Task("reversal", problems, prompt, read)
assert_type(reversal, Task[str])
assert_type(reversal.name, str)

counting = Task("counting", problems, prompt, read_number, is_close)
assert_type(counting, Task[int])

# What would raise or grade nonsense is known before anything runs; mypy complains where
# an `ignore` is not needed.
Task("mixed", problems, prompt, read, is_close)  # type: ignore[misc]
Task("unasked", problems)  # type: ignore[call-arg]
Task("words", [Problem({"word": "abc"}, "cba")], prompt)
reversal.name = "other"  # type: ignore[misc]


@pytest.mark.llmarith_task(reversal, trials=20)
def check_reversal(problem: Problem, ask: Any) -> None:
    ask(problem)


def loaded() -> None:
    load("reports")
    load([Path("reports"), "baseline"])
