"""Arguments of tasks that the command line changes (--llm-task-param)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial, wraps
from inspect import signature
from typing import Any, ParamSpec

from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.tasks.task import NAME, Task, UnusableInput

_Arguments = ParamSpec("_Arguments")
# Of a run: the arguments by task.
TaskParameters = Mapping[str, Mapping[str, Any]]

_WRITTEN = re.compile(r"([a-z][a-z0-9_]*)\.([A-Za-z_]\w*)=(.*)", re.DOTALL)
_LONGEST_MESSAGE = 500


def task_factory(
    function: Callable[_Arguments, Task[Any]],
) -> Callable[_Arguments, Task[Any]]:
    """Let --llm-task-param change the arguments of a function that returns a task."""
    names = list(signature(function).parameters)

    @wraps(function)
    def made(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> Task[Any]:
        given: dict[str, Any] = {**dict(zip(names, args, strict=False)), **kwargs}
        again: Any = partial(made, **given)
        return replace(function(*args, **kwargs), make=again)

    return made


def parse_task_parameters(texts: Sequence[str]) -> TaskParameters:
    """The arguments by task. Raises ValueError."""
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        match = _WRITTEN.fullmatch(text)
        if match is None:
            raise ValueError(
                f"{text!r} is not NAME.KEY=VALUE; write chain_sum.min_digits=4"
            )
        name, key, written = match.groups()
        value: Any = written
        with suppress(ValueError):
            value = json.loads(written)
        found.setdefault(name, {})[key] = value
    return found


def with_parameters(task: Task[Any], parameters: TaskParameters) -> Task[Any]:
    """The task with the arguments of a run. Its name tells them, so that no other
    result has its name. Raises UnusableInput.
    """
    changed = parameters.get(task.name)
    if changed is None:
        return task
    where = f"--llm-task-param: task {task.name}"
    if task.make is None:
        raise UnusableInput(f"{where} has no parameters; a task_factory gives it some")
    known = signature(task.make)
    try:
        known.bind(**changed)
        made = task.make(**changed)
    except Exception as error:
        why = sanitize(str(error), _LONGEST_MESSAGE)
        raise UnusableInput(
            f"{where}: {why}; its parameters are {', '.join(known.parameters)}"
        ) from None
    return replace(made, name=_name(task.name, changed), shots=task.shots)


def _name(name: str, changed: Mapping[str, Any]) -> str:
    """Such as `chain_sum_min_digits_4`; with a digest if letters or length do not
    fit.
    """
    said = "_".join([name, *(f"{key}_{value}" for key, value in changed.items())])
    if NAME.fullmatch(said):
        return said
    digest = hashlib.sha256(said.encode()).hexdigest()[:8]
    return f"{name[:50]}_{digest}"
