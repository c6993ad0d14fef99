"""The built-in tasks whose replies can be graded again from a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.tasks.task import Task

BUILT_IN: Mapping[str, Task[Any]] = {
    task.name: task for task in (arithmetic.task(), addition.TASK)
}
