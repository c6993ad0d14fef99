"""What each problem mark says: its arguments, and the problems that it makes with the
settings of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_llmarith.session.items import (
    ADDITION_MARK,
    ARITHMETIC_MARK,
    BREAKING_MARK,
    CUSTOM_MARK,
    NO_SEARCH,
    OEIS_MARK,
    problem_marks,
)
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks import addition, arithmetic, search_questions
from pytest_llmarith.tasks.checks import problems_of
from pytest_llmarith.tasks.oeis.sequences import sequence_problems
from pytest_llmarith.tasks.parameters import with_parameters
from pytest_llmarith.tasks.task import InvalidTask, Task, TaskProblem

Arguments = Mapping[str, Any]
# The first function that uses a task of each name.
_TASKS = pytest.StashKey[dict[str, tuple[Task[Any], str]]]()


@dataclass(frozen=True, slots=True)
class ProblemMark:
    """A problem mark: an example of its arguments, and its problems.

    The first `positional` arguments may be given without a name; the first `needed`
    ones must be given.
    """

    example: str
    arguments: Sequence[str]
    problems: Callable[[Arguments, Settings], list[TaskProblem]]
    positional: int = 0
    needed: int = 0
    why_none: Callable[[Arguments, Settings], str | None] | None = None


# --- arguments ------------------------------------------------------------------------


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and value > 0


def _are_counts(value: Any) -> bool:
    return isinstance(value, Iterable) and all(map(_is_count, value))


def _are_names(value: Any) -> bool:
    is_list = isinstance(value, list | tuple)
    return is_list and all(isinstance(name, str) for name in value)


def _is_task(value: Any) -> bool:
    return isinstance(value, Task)


def _are_tasks(value: Any) -> bool:
    if not isinstance(value, list | tuple):
        return _is_task(value)
    return bool(value) and all(_is_task(_unmarked(one)[0]) for one in value)


def _unmarked(value: Any) -> tuple[Any, Sequence[Any]]:
    """A task, and its marks if it is a `pytest.param`."""
    if hasattr(value, "marks") and len(value.values) == 1:
        return value.values[0], list(value.marks)
    return value, []


_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "depths": _are_counts,
    "trials": _is_count,
    "sets": _are_names,
    "task": _are_tasks,
}


# The arguments of a mark for one task, what its ids begin with, and further marks.
OneTask = tuple[Arguments, str, Sequence[Any]]


def mark_of(
    metafunc: pytest.Metafunc, settings: Settings
) -> tuple[ProblemMark, list[OneTask]]:
    """The problem mark of a function, and its arguments for each task. Raises
    InvalidTask.
    """
    on_function, *others = problem_marks(metafunc)
    where = f"{metafunc.definition.nodeid}: @pytest.mark.{on_function.name}"
    if others:
        raise InvalidTask(
            f"{where} and {others[0].name} are on one function; keep one of them"
        )
    mark = MARKS[on_function.name]
    names = mark.arguments
    arguments = dict(zip(names[: mark.positional], on_function.args, strict=False))
    arguments.update(on_function.kwargs)
    unknown = on_function.args[mark.positional :] or sorted(set(arguments) - set(names))
    if unknown:
        raise InvalidTask(
            f"{where} takes only the keywords {', '.join(names)}, not {unknown}"
        )
    for name, value in arguments.items():
        if not _CHECKS[name](value):
            raise InvalidTask(
                f"{where}: {name}={value!r} is invalid; write {mark.example}"
            )
    for name in names[: mark.needed]:
        if name not in arguments:
            raise InvalidTask(f"{where} needs a {name}; write {mark.example}")
    if "task" not in arguments:
        return mark, [(arguments, "", ())]
    given = arguments["task"]
    is_list = not _is_task(given)
    found = dict[str, OneTask]()
    for value in given if is_list else [given]:
        task, marks = _unmarked(value)
        task = _of_run(metafunc, task, settings)
        if task.name in found:
            raise InvalidTask(f"{where} has the task {task.name!r} twice; remove one")
        prefix = f"{task.name}-" if is_list else ""
        found[task.name] = arguments | {"task": task}, prefix, marks
    return mark, list(found.values())


def _of_run(
    metafunc: pytest.Metafunc, task: Task[Any], settings: Settings
) -> Task[Any]:
    """The task with the parameters of the run, known to this process."""
    _refuse_same_name(metafunc, task)
    task = with_parameters(task, settings.task_parameters)
    task.register()
    return task


def without_task(config: pytest.Config, settings: Settings) -> str | None:
    """Why a parameter is that of no task of the run, or None."""
    tasks = config.stash.get(_TASKS, {})
    for name in settings.task_parameters:
        if name not in tasks:
            there = ", ".join(sorted(tasks)) or "none"
            return f"--llm-task-param: there is no task {name!r}; there are: {there}"
    return None


def _refuse_same_name(metafunc: pytest.Metafunc, task: Task[Any]) -> None:
    """Raises InvalidTask if another task has the same name, as their results would be
    mixed.
    """
    nodeid = metafunc.definition.nodeid
    tasks = metafunc.config.stash.setdefault(_TASKS, {})
    first, first_nodeid = tasks.setdefault(task.name, (task, nodeid))
    if first is not task and first != task:
        raise InvalidTask(
            f"{nodeid}: {first_nodeid} has a different task with the name "
            f"{task.name!r}; rename one of them"
        )


# --- problems -------------------------------------------------------------------------


def _of_task(task: Task[Any], trials: int, settings: Settings) -> list[TaskProblem]:
    """The problems of a task or, if its depths are to be chosen, the items that choose
    them.
    """
    if settings.depths is not None and task.grid is not None:
        task = task.with_depths(settings.depths)
    if settings.adaptive is not None and task.grid is not None:
        return search_questions.thresholds(task, settings.seed, *settings.adaptive)
    return problems_of(task, settings.seed, settings.trials or trials)


def _arithmetic(arguments: Arguments, settings: Settings) -> list[TaskProblem]:
    task = arithmetic.task(arguments.get("depths", arithmetic.DEPTHS))
    return _of_task(task, arguments.get("trials", 10), settings)


def _addition(arguments: Arguments, settings: Settings) -> list[TaskProblem]:
    return _of_task(addition.TASK, arguments.get("trials", 100), settings)


def _own(arguments: Arguments, settings: Settings) -> list[TaskProblem]:
    return _of_task(arguments["task"], arguments.get("trials", 10), settings)


def _searches(arguments: Arguments, settings: Settings) -> list[TaskProblem]:
    task: Task[Any] | None = arguments.get("task")
    if task is not None and task.grid is not None and settings.depths is not None:
        task = task.with_depths(settings.depths)
    return search_questions.breaking_points(
        settings.seed, settings.breaking_point or 0, task
    )


def _not_requested(arguments: Arguments, settings: Settings) -> str | None:
    return None if settings.breaking_point else NO_SEARCH


# --- sequences ------------------------------------------------------------------------


def _sequences(arguments: Arguments, settings: Settings) -> list[TaskProblem]:
    named = arguments.get("sets", ())
    return sequence_problems(settings.oeis, named, settings.seed)


def _no_sequences(arguments: Arguments, settings: Settings) -> str | None:
    return settings.oeis.why_no_sets(arguments.get("sets", ()))


_OWN = (
    "reversal, trials=10), where reversal is a pytest_llmarith.Task or a list of them"
)
MARKS: Mapping[str, ProblemMark] = {
    ARITHMETIC_MARK: ProblemMark(
        "depths=range(2, 11), trials=10", ("depths", "trials"), _arithmetic
    ),
    ADDITION_MARK: ProblemMark("trials=100", ("trials",), _addition),
    BREAKING_MARK: ProblemMark(
        "breaking_point, or breaking_point(reversal), where reversal is a "
        "pytest_llmarith.Task",
        ("task",),
        _searches,
        positional=1,
        why_none=_not_requested,
    ),
    OEIS_MARK: ProblemMark(
        'sets=["classic_easy"]', ("sets",), _sequences, why_none=_no_sequences
    ),
    CUSTOM_MARK: ProblemMark(
        f"{CUSTOM_MARK}({_OWN}", ("task", "trials"), _own, positional=1, needed=1
    ),
}
