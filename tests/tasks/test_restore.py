"""Problems of records, made again from their seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pytest_llmarith.tasks.checks import problems_of
from pytest_llmarith.tasks.restore import Restored
from pytest_llmarith.tasks.task import InvalidTask, Problem, Task


def drawn(seed: int, trials: int) -> Iterator[Problem]:
    for trial in range(trials):
        yield Problem({"n": trial}, str(trial + seed), f"trial_{trial}", private=trial)


def ask(problem: Problem) -> str:
    return f"What is {problem['n']}?"


DRAWN: Task[str] = Task("drawn", drawn, ask)
LISTED: Task[str] = Task("listed", [Problem({"n": 1}, "1", "one")], ask)


@pytest.mark.parametrize("trial", [0, 15, 16, 47, 200])
def test_a_problem_is_found_whatever_the_number_of_trials(trial: int) -> None:
    """A record does not say how many trials its run had."""
    recorded = problems_of(DRAWN, 3, 201)[trial].recorded
    made = Restored({"drawn": DRAWN}).problem_of(DRAWN, recorded)
    assert (made.expected, made.private) == (str(trial + 3), trial)


def test_another_problem_is_refused() -> None:
    (problem,) = problems_of(LISTED, 0, 1)
    restored = Restored({"listed": LISTED})
    for other in (
        replace(problem, label="two"),
        replace(problem, expected=2),
        replace(problem, inputs={"n": 2}),
    ):
        with pytest.raises(InvalidTask, match="makes another problem"):
            restored.problem_of(LISTED, other.recorded)
