"""A question put in words. The task's own prompt or a template, in a condition, after some small talk or none.

It does not know how the options name these, nor who is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pytest_llmarith.tasks import TaskModule, task_of
from pytest_llmarith.tasks.small_talk import small_talk
from pytest_llmarith.values import USUAL, Condition, Problem, Wordings
from pytest_llmarith.values.own import Posed
from pytest_llmarith.values.templates import parts_of


class UnfitTemplate(ValueError):
    """A template that a task cannot fill in; the message says what to write instead."""


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


def check_template(name: str, template: str, task: TaskModule) -> None:
    """Raises `UnfitTemplate` where it asks for what the task does not have, ValueError where it is no template."""
    for _, field in parts_of(template):
        if field is not None and field not in task.FIELDS:
            raise UnfitTemplate(f"template {name}: {task.NAME} has no field {{{field}}}; it has {_listed(task)}")


def check_told_apart(name: str, template: str, problems: Iterable[Posed]) -> None:
    """Raises `UnfitTemplate` where two problems of a user's own come to the same question, which would be asked once.

    Those that their own task puts in the same words are told apart by their trial, whatever the template.
    """
    seen: dict[tuple[str, int], str] = {}
    for problem in problems:
        task = task_of(problem)
        question = "".join(_filled(template, task.fields(problem, USUAL))), problem.trial
        first = seen.setdefault(question, problem.label)
        if first != problem.label:
            raise UnfitTemplate(
                f"template {name}: problems {first} and {problem.label} of {task.NAME} come to the same words, though "
                f"they are other questions; name another field in it: there are {_listed(task)}"
            )


def _listed(task: TaskModule) -> str:
    return ", ".join(f"{{{one}}}" for one in task.FIELDS) or "none"


def _filled(template: str, fields: Mapping[str, str]) -> Iterator[str]:
    for text, field in parts_of(template):
        yield text
        if field is not None:
            yield fields[field]
