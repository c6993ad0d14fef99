"""Which of the collected items will put a problem to a model, and what crosses to the controller about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_llmarith.items.marks import CELL_MARK
from pytest_llmarith.items.parametrize import MODEL_FIXTURE
from pytest_llmarith.options.settings import Settings
from pytest_llmarith.tasks import TASKS
from pytest_llmarith.values import Model, Problem, Question

# What crosses an xdist channel with an announced question, as builtins: node id, task, the problem's fields.
Label = tuple[str, str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Selected:
    """An item that will ask: `model` is None where the user's own `model` fixture replies."""

    nodeid: str
    problem: Problem
    model: Model | None

    def question(self, settings: Settings) -> Question | None:
        """What the item is going to ask the broker."""
        if self.model is None:
            return None
        return Question(self.model.name, self.prompt(settings), self.problem.trial)

    def prompt(self, settings: Settings) -> str:
        """The text that whichever model it is will see."""
        return TASKS[self.problem.task].prompt(self.problem, settings.symbols)

    def label(self) -> Label:
        return self.nodeid, self.problem.task, self.problem.fields()


def selected(items: Iterable[pytest.Item]) -> Iterator[Selected]:
    """The items that will ask. One that may be skipped is left out: a question it does not put is not paid for."""
    for item in items:
        if item.get_closest_marker(CELL_MARK) and _asks(item) and not _may_be_skipped(item):
            parameters = item.callspec.params  # type: ignore[attr-defined]  # whoever has a cell was parametrized
            yield Selected(item.nodeid, parameters["problem"], parameters.get(MODEL_FIXTURE))


def _asks(item: pytest.Item) -> bool:
    return "ask" in getattr(item, "fixturenames", ())


def _may_be_skipped(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(mark) for mark in ("skip", "skipif"))
