"""Whose result it is: the model, the task, and the condition in which its questions were put.

It takes records and results alike; older ones know no conditions, and what they say of one may be anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pytest_llmarith.values import USUAL

# A model, a task, and the label of a condition, which is empty for the usual one.
Key = tuple[str, str, str]

# What people call the condition whose label is empty.
USUAL_NAME = "usual"


def key_of(facts: Mapping[str, Any]) -> Key:
    """The key of a record, or of a result of a summary."""
    return facts["model"], facts["task"], condition_label(facts)


def condition_label(facts: Mapping[str, Any]) -> str:
    """What tells a condition from the usual one, such as `numbers_comma-context_2k`."""
    return "-".join(condition_parts(facts))


def condition_parts(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """The same axis by axis, such as `numbers_comma` and `context_2k`."""
    condition = facts.get("condition")
    if not isinstance(condition, dict):
        return ()
    return _parts(tuple((axis, value_of_axis(condition.get(axis))) for axis in _USUAL))


def value_of_axis(value: Any) -> str | None:
    """What a condition says of one axis, as text; nothing stays nothing, as a template may be called `None`."""
    return None if value is None else str(value)


@lru_cache(maxsize=4096)
def _parts(values: tuple[tuple[str, str | None], ...]) -> tuple[str, ...]:
    return tuple(f"{axis}_{value}" for axis, value in values if value != _USUAL[axis])


_USUAL = {axis: value_of_axis(value) for axis, value in USUAL.fields().items()}
