"""Tasks of the user's own as items. It does not know what their functions do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks import custom
from pytest_llmarith.tasks.custom import CheckedProblem, Task

EXAMPLE = "llmarith_task(reversal, trials=10), where reversal is a pytest_llmarith.Task"
# Who has used which task first, by its name.
_CLAIMS = pytest.StashKey[dict[str, tuple[Task[Any], str]]]()


def is_task(value: Any) -> bool:
    return isinstance(value, Task)


def problems(arguments: Mapping[str, Any], settings: Settings) -> list[CheckedProblem]:
    """The problems of one function. Raises pytest.UsageError; what the task's own functions raise is passed on."""
    try:
        return custom.problems(arguments["task"], settings.seed, settings.trials or arguments.get("trials", 10))
    except custom.InvalidTask as fault:
        raise pytest.UsageError(str(fault)) from None


def claim_name(metafunc: pytest.Metafunc, arguments: Mapping[str, Any]) -> None:
    """Raises pytest.UsageError where another task goes by the same name: results could not be told apart."""
    task, nodeid = arguments["task"], metafunc.definition.nodeid
    first, first_nodeid = metafunc.config.stash.setdefault(_CLAIMS, {}).setdefault(task.name, (task, nodeid))
    if first != task:
        raise pytest.UsageError(
            f"{nodeid}: {first_nodeid} has another task with the name {task.name!r}; give one of them its own"
        )
