"""How the questions of a function are put: the manners that matter to its task, each once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import pytest

from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks import InvalidTemplate, check_distinct, check_template, task_of
from pytest_llmarith.tasks.custom import CheckedProblem
from pytest_llmarith.values import Manner, Problem

MANNER_FIXTURE = "llm_manner"
USUAL_MANNER = Manner()


def manners_of(problems: Sequence[Problem], settings: Settings) -> list[Manner]:
    """Every condition that changes the questions of a task, with all its repeats; there are problems of it.

    Raises pytest.UsageError where a template does not fit the task.
    """
    task = task_of(problems[0])
    conditions = dict.fromkeys(condition.only(task.AXES) for condition in settings.manners.conditions)
    templates = settings.manners.wordings.templates if "prompt" in task.AXES else {}
    for name, template in templates.items():
        try:
            check_template(name, template, task)
            check_distinct(name, template, (problem for problem in problems if isinstance(problem, CheckedProblem)))
        except InvalidTemplate as fault:
            raise pytest.UsageError(f"--llm-prompt: {fault}") from None
    return [Manner(condition, repeat) for condition in conditions for repeat in range(settings.manners.repeats)]


def refuse_same_ids(problems: Iterable[Problem], manners: Sequence[Manner]) -> None:
    """Raises pytest.UsageError where a label is another problem's with its manner, as a user's own may be."""
    seen: dict[str, str] = {}
    for problem, manner_label in product(problems, [manner.label for manner in manners]):
        called = problem.label + manner_label
        first = seen.setdefault(called, problem.label)
        if first != problem.label:
            raise pytest.UsageError(
                f"task {problem.task}: {called!r} would be the id of problem {first} and of problem "
                f"{problem.label}, in different conditions or repeats; give one of them another label"
            )


def manner_of(item: pytest.Item) -> Manner:
    """The manner of an item; the usual one where nobody asked for another."""
    manner: Manner = getattr(getattr(item, "callspec", None), "params", {}).get(MANNER_FIXTURE, USUAL_MANNER)
    return manner
