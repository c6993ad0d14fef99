"""Room: problems and their prompts, one module per task. It does not know replies, models or pytest."""

from collections.abc import Mapping
from typing import Any, Protocol

from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.values import Problem, Reading, Symbols


class Task(Protocol):
    """What a task's module offers to the rooms above."""

    NAME: str
    READING: Reading

    def prompt(self, problem: Any, symbols: Symbols = ...) -> str:
        """The question as a model sees it."""

    def problem_from(self, fields: Mapping[str, str | int]) -> Problem:
        """The problem that a record describes; raises KeyError or ValueError where it describes none."""


TASKS: Mapping[str, Task] = {task.NAME: task for task in (arithmetic, addition)}
