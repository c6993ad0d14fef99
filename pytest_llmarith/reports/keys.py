"""What tells the results of a summary apart: a model, a task, and a condition by its label."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from pytest_llmarith.values import Condition

# A model, a task, and the label of a condition, which is empty for the usual one.
Key = tuple[str, str, str]

# What people call the condition whose label is empty.
USUAL_NAME = "usual"


class Keyed(Protocol):
    """A record, or a result of a summary."""

    @property
    def model(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def condition(self) -> Condition | None: ...


def key_of(one: Keyed) -> Key:
    """The key of a record, or of a result of a summary."""
    return one.model, one.task, label_of(one.condition)


@lru_cache
def label_of(condition: Condition | None) -> str:
    """What tells a condition from the usual one, such as `numbers_comma-context_2k`."""
    return condition.label if condition else ""
