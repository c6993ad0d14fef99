"""Room: problems and their prompts, one module per task. It does not know replies, models or pytest."""

from collections.abc import Mapping
from typing import Any, Protocol

from pytest_llmarith.tasks import addition, arithmetic, oeis
from pytest_llmarith.values import Reading, Symbols


class Task(Protocol):
    """What a task's module offers to the rooms above. `READING` is None where replies hold programs, not numbers;
    `REPLY_TOKENS` is about what a reply takes that is not long in coming to the point.
    """

    @property
    def NAME(self) -> str: ...
    @property
    def READING(self) -> Reading | None: ...
    @property
    def REPLY_TOKENS(self) -> int: ...

    def prompt(self, problem: Any, symbols: Symbols = ...) -> str:
        """The question as a model sees it."""


TASKS: Mapping[str, Task] = {task.NAME: task for task in (arithmetic, addition, oeis)}
