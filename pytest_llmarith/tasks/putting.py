"""Room: a question put in words. The task's own prompt or a template, in a condition, after some small talk or none.

It does not know how the options name these, nor who is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import Formatter

from pytest_llmarith.tasks import Task, task_of
from pytest_llmarith.tasks.small_talk import small_talk
from pytest_llmarith.values import Condition, Problem, Wordings


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
    """Raises `UnfitTemplate` for a template that is none, or that asks for what the task does not have."""
    try:
        wanted = [field for _, field, _, _ in _parts(template)]
    except ValueError as fault:
        raise UnfitTemplate(f"template {name}: {fault}; write {{{{ and }}}} for braces that name no field") from None
    for field in filter(None, wanted):
        if field not in task.FIELDS:
            has = ", ".join(f"{{{one}}}" for one in task.FIELDS) or "none"
            raise UnfitTemplate(f"template {name}: {task.NAME} has no field {{{field}}}; it has {has}")
    if not any(wanted):
        raise UnfitTemplate(f"template {name}: it has no field, so that every question would be the same")


def _filled(template: str, fields: Mapping[str, str]) -> Iterator[str]:
    for text, field, _, _ in _parts(template):
        yield text
        if field is not None:
            yield fields[field]


def _parts(template: str) -> Iterator[tuple[str, str | None, str | None, str | None]]:
    """Texts, each with the field behind it; a field is a bare name. Raises ValueError."""
    for text, field, form, conversion in Formatter().parse(template):
        if field is not None and (form or conversion or not field.isidentifier()):
            raise ValueError(f"{{{field}}} is no bare name of a field")
        yield text, field, form, conversion
