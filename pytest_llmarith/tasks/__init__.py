"""Room: problems and their prompts, one module per task. It does not know replies, models or pytest."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pytest_llmarith.tasks import addition, arithmetic, breaking_point, oeis
from pytest_llmarith.tasks.own import REPLY_TOKENS, OwnTask
from pytest_llmarith.values import Condition, Problem, Reading
from pytest_llmarith.values.own import Posed


class TaskModule(Protocol):
    """What a task's module offers to the rooms above. `READING` is None where replies are not read as one number;
    `REPLY_TOKENS` is about what a reply takes that is not long in coming to the point. `AXES` are the parts of a
    condition that change its questions.
    """

    @property
    def NAME(self) -> str: ...
    @property
    def READING(self) -> Reading | None: ...
    @property
    def REPLY_TOKENS(self) -> int: ...

    @property
    def FIELDS(self) -> Sequence[str]: ...
    @property
    def AXES(self) -> frozenset[str]: ...

    def prompt(self, problem: Any, condition: Condition = ...) -> str:
        """The question as a model sees it, before anything is put around it."""

    def fields(self, problem: Any, condition: Condition) -> Mapping[str, str]:
        """What a template of a prompt may hold, by the names of `FIELDS`."""


TASKS: Mapping[str, TaskModule] = {task.NAME: task for task in (arithmetic, addition, oeis, breaking_point)}


def task_of(problem: Problem) -> TaskModule:
    """The task that a problem is of, one of the user's own too."""
    return OwnTask(problem) if isinstance(problem, Posed) else TASKS[problem.task]


def reply_tokens(task: str) -> int:
    """About how long a reply is; whoever asks need not have met the task, when it is the user's own."""
    return TASKS[task].REPLY_TOKENS if task in TASKS else REPLY_TOKENS
