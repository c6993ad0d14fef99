"""Problems from records, and tasks from files, to grade replies again."""

from __future__ import annotations

import runpy
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pytest_llmarith import records
from pytest_llmarith.safe_text import text_of_error
from pytest_llmarith.tasks import addition
from pytest_llmarith.tasks.checks import bound, problems_of
from pytest_llmarith.tasks.registry import BUILT_IN
from pytest_llmarith.tasks.task import (
    RESERVED,
    InvalidTask,
    Problem,
    Task,
    TaskProblem,
    Tasks,
)

SUITES = "benches/papers"  # below pytest's root
_MOST_TRIALS = 1 << 20


class Restored:
    """The problems of records.

    Those of a user's task are made again from their seed, as private data needs it.
    """

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = {**BUILT_IN, **tasks}
        self._made: dict[tuple[str, int], tuple[int, dict[str, Problem]]] = {}

    def task_of(self, name: str) -> Task[Any] | None:
        """The task of this name, if its records can be graded again."""
        return self._tasks.get(name)

    def problem_of(self, task: Task[Any], one: records.RecordedProblem) -> Problem:
        """The problem of a record.

        Raises InvalidTask if the task makes another one now.
        """
        if task.name in BUILT_IN:
            return _as_recorded(one)
        made = self._again(task, one)
        is_same = (
            made is not None
            and dict(made.inputs) == one.inputs
            and made.expected == one.expected
        )
        if made is None or not is_same:
            raise InvalidTask(
                f"task {task.name} makes another problem {one.label} now; use the "
                f"file of the run"
            )
        return made

    def made_anew(
        self, task: Task[Any], one: records.RecordedProblem
    ) -> TaskProblem | None:
        """The problem that the task makes at the place of a record; None if it makes
        none there.

        Raises ValueError, and the exceptions of the task's functions.
        """
        seed = one.seed or 0
        if task is addition.TASK:  # which has no end
            return addition.problem(seed, one.trial or 0)
        made = self._again(task, one)
        if made is None or isinstance(made, TaskProblem):
            return made
        return bound(task, seed, made)

    def _again(self, task: Task[Any], one: records.RecordedProblem) -> Problem | None:
        if one.seed is None:
            return None
        if (
            task.grid is not None
            and one.variant is not None
            and one.depth is not None
            and one.trial is not None
        ):
            return task.grid.at(one.seed, one.variant, one.depth, one.trial)
        # A record does not know how many trials its run had.
        trials, made = self._made.get((task.name, one.seed), (0, {}))
        while one.label not in made and trials < _MOST_TRIALS:
            before = len(made)
            trials = 2 * trials or 16
            problems = problems_of(task, one.seed, trials)
            made = {problem.label: problem for problem in problems}
            self._made[task.name, one.seed] = trials, made
            if len(made) == before:  # a list, whatever the number of trials
                break
        return made.get(one.label)


def _as_recorded(one: records.RecordedProblem) -> Problem:
    return Problem(
        inputs=one.inputs,
        expected=one.expected,
        label=one.label,
        variant=one.variant,
        depth=one.depth,
        trial=one.trial,
        question=one.question,
    )


def load_task(text: str) -> Task[Any]:
    """The task `FILE:NAME`. Raises ValueError in one line."""
    file, _, name = text.rpartition(":")
    if not file or not name.isidentifier():
        raise ValueError(f"{text!r} is no FILE:NAME; write test_sorting.py:sorting")
    if not Path(file).is_file():
        raise ValueError(f"{file}: no such file")
    found = _names_in(file).get(name)
    if not isinstance(found, Task):
        raise ValueError(f"{file} has no Task of the name {name}")
    return found


def _names_in(file: str) -> dict[str, Any]:
    """What a file of tasks defines. Raises ValueError in one line."""
    try:
        return runpy.run_path(file)
    except Exception as error:
        raise ValueError(
            f"{file}: cannot be imported ({text_of_error(error)})"
        ) from None


# --- suites ---------------------------------------------------------------------------


class Suite(NamedTuple):
    """The tasks that a suite brings, and the names of all that it asks."""

    tasks: Sequence[Task[Any]]
    names: Sequence[str]


def suite_file(root: Path, name: str) -> Path:
    """The file of a suite. Its name is none that pytest collects, so that it is asked
    for by name alone.

    Raises ValueError in one line.
    """
    found = {path.stem: path for path in sorted((root / SUITES).glob("*.py"))}
    if name not in found:
        known = ", ".join(found) or "none here, llmarith init copies them"
        raise ValueError(f"{name!r} is not in {SUITES}; there are: {known}")
    return found[name]


def load_suite(root: Path, name: str) -> Suite:
    """A suite by its name. Raises ValueError in one line."""
    tasks, names = [], []
    for found in _names_in(str(suite_file(root, name))).values():
        if isinstance(found, Task):
            tasks.append(found)
            names.append(found.name)
        for mark in getattr(found, "pytestmark", ()):
            if mark.name in RESERVED:  # the mark of a built-in task has its name
                names.append(mark.name)
    return Suite(tasks, names)
