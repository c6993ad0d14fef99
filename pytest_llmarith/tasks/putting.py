"""A question put in words. The task's own prompt or a template, in a condition, after some small talk or none.

It does not know how the options name these, nor who is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_llmarith.tasks import Task, task_of
from pytest_llmarith.tasks.small_talk import small_talk
from pytest_llmarith.values import Condition, Problem, Wordings
from pytest_llmarith.values.templates import parts_of


class UnfitTemplate(ValueError):
    """A template that a task cannot fill in; the message names the field."""


def put(problem: Problem, condition: Condition, wordings: Wordings, seed: int) -> str:
    """The prompt as a model sees it: a pure function of all that it is given."""
    task = task_of(problem)
    if condition.prompt is None:
        question = task.prompt(problem, condition)
    else:
        question = "".join(_filled(wordings.templates[condition.prompt], task.fields(problem, condition)))
    if condition.context is None:
        return question
    return f"{small_talk(condition.context, f'{seed}/{problem.task}/{problem.label}')}\n\n{question}"


def check_template(name: str, template: str, task: Task) -> None:
    """Raises `UnfitTemplate` where it asks for what the task does not have, ValueError where it is no template."""
    for _, field in parts_of(template):
        if field is not None and field not in task.FIELDS:
            has = ", ".join(f"{{{one}}}" for one in task.FIELDS) or "none"
            raise UnfitTemplate(f"template {name}: {task.NAME} has no field {{{field}}}; it has {has}")


def _filled(template: str, fields: Mapping[str, str]) -> Iterator[str]:
    for text, field in parts_of(template):
        yield text
        if field is not None:
            yield fields[field]
