"""The problems of each task, and their prompts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from pytest_llmarith.tasks import addition, arithmetic, breaking_point, oeis
from pytest_llmarith.tasks.custom import REPLY_TOKENS, CheckedProblem, CustomTask
from pytest_llmarith.tasks.prompts import fill, filler_text, parts_of
from pytest_llmarith.types import DEFAULT_CONDITION, Condition, Problem, PromptTexts, Reading


class TaskModule(Protocol):
    """The interface of a task.

    `READING` is the default reading, None if a reply is not a single number; `REPLY_TOKENS` is the length of a short
    reply; `FIELDS` are the fields of a template; `AXES` are the parts of a condition that change the prompts.
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
        """The text of the question."""

    def fields(self, problem: Any, condition: Condition) -> Mapping[str, str]:
        """The values of `FIELDS`."""


TASKS: Mapping[str, TaskModule] = {task.NAME: task for task in (arithmetic, addition, oeis, breaking_point)}


def task_of(problem: Problem) -> TaskModule:
    """The task of a problem."""
    return CustomTask(problem) if isinstance(problem, CheckedProblem) else TASKS[problem.task]


def reply_tokens(task: str) -> int:
    """The number of tokens of a short reply; a guess for custom tasks."""
    return TASKS[task].REPLY_TOKENS if task in TASKS else REPLY_TOKENS


class InvalidTemplate(ValueError):
    """A task cannot fill in a template; the message says what to write instead."""


def render(problem: Problem, condition: Condition, prompt_texts: PromptTexts, seed: int) -> str:
    """The prompt of a problem in a condition: filler text, then the question, worded by the task or by a template.

    The prompt of a search is that of its simplest question.
    """
    if isinstance(problem, breaking_point.BreakingPointProblem):
        problem = breaking_point.question(problem, breaking_point.SIMPLEST)
    task = task_of(problem)
    if condition.prompt is None:
        question = task.prompt(problem, condition)
    else:
        question = fill(prompt_texts.templates[condition.prompt], task.fields(problem, condition))
    if condition.context is None:
        return question
    return f"{filler_text(condition.context, f'{seed}/{problem.task}/{problem.label}')}\n\n{question}"


def check_template(name: str, template: str, task: TaskModule) -> None:
    """Raise InvalidTemplate if the task lacks a field of the template, ValueError if the text is not a template."""
    for _, field in parts_of(template):
        if field is not None and field not in task.FIELDS:
            raise InvalidTemplate(f"template {name}: {task.NAME} has no field {{{field}}}; it has {_field_names(task)}")


def check_distinct(name: str, template: str, problems: Iterable[CheckedProblem]) -> None:
    """Raise InvalidTemplate if the template gives two problems the same prompt, as one of them would not be asked.

    Problems that have the same prompt without a template differ in their trial and are allowed.
    """
    seen: dict[tuple[str, int], str] = {}
    for problem in problems:
        task = task_of(problem)
        question = fill(template, task.fields(problem, DEFAULT_CONDITION)), problem.trial
        first = seen.setdefault(question, problem.label)
        if first != problem.label:
            raise InvalidTemplate(
                f"template {name}: problems {first} and {problem.label} of {task.NAME} get the same prompt, though "
                f"they are different questions; name another field in it: there are {_field_names(task)}"
            )


def _field_names(task: TaskModule) -> str:
    return ", ".join(f"{{{one}}}" for one in task.FIELDS) or "none"
