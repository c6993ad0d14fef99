"""Which of the collected items will put a problem to a model, and what crosses to the controller about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_llmarith.items.manners import manner_of
from pytest_llmarith.items.marks import problem_of
from pytest_llmarith.items.parametrize import MODEL_FIXTURE
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks import breaking_point, render
from pytest_llmarith.values import BreakingProblem, Condition, Manner, Model, Problem, Question

# What crosses an xdist channel with an announced question, as builtins: node id, task, the problem's fields, condition.
Label = tuple[str, str, dict[str, Any], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Selected:
    """An item that will ask: `model` is None where the user's own `model` fixture replies."""

    nodeid: str
    problem: Problem
    model: Model | None
    manner: Manner

    def question(self, settings: Settings) -> Question | None:
        """What the item is going to ask the broker."""
        if self.model is None:
            return None
        manner = self.manner
        system = system_prompt(manner.condition, settings)
        return Question(self.model.name, self.prompt(settings), self.problem.trial, manner.repeat, system)

    def prompt(self, settings: Settings) -> str:
        """The text that whichever model it is will see."""
        return prompt_of(self.problem, self.manner, settings)

    def system_prompt(self, settings: Settings) -> str | None:
        """What goes along with it; somebody's own `model` fixture is handed prompts alone."""
        if self.model is None:
            return None
        own = system_prompt(self.manner.condition, settings)
        return self.model.system_prompt if own is None else own

    @property
    def search(self) -> BreakingProblem | None:
        """The search that begins with its question, where there is one."""
        return self.problem if isinstance(self.problem, BreakingProblem) else None

    def label(self) -> Label:
        return self.nodeid, self.problem.task, self.problem.fields(), self.manner.condition.fields()


def prompt_of(problem: Problem, manner: Manner, settings: Settings) -> str:
    """What a problem is put as; a search begins with its simplest question."""
    if isinstance(problem, BreakingProblem):
        problem = breaking_point.question(problem, breaking_point.SIMPLEST)
    return render(problem, manner.condition, settings.manners.wordings, settings.seed)


def system_prompt(condition: Condition, settings: Settings) -> str | None:
    """The system prompt of a run that has several; None leaves the model's own."""
    return None if condition.system is None else settings.manners.wordings.systems[condition.system]


def selected(items: Iterable[pytest.Item]) -> Iterator[Selected]:
    """The items that will ask. One that may be skipped is left out: a question it does not put is not paid for."""
    for item in items:
        if (problem := problem_of(item)) is not None and _asks(item) and not _may_be_skipped(item):
            model = item.callspec.params.get(MODEL_FIXTURE)  # type: ignore[attr-defined]  # it was parametrized
            yield Selected(item.nodeid, problem, model, manner_of(item))


def _asks(item: pytest.Item) -> bool:
    return not {"ask", "search"}.isdisjoint(getattr(item, "fixturenames", ()))


def _may_be_skipped(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(mark) for mark in ("skip", "skipif"))
