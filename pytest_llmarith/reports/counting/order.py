"""In which order results stand: the order of their arrival is chance with several workers. It does not know results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pytest_llmarith.reports.keys import Key, value_of_axis

_Condition = Mapping[str, Any]
_Place = tuple[Any, ...]


def place_of(
    run: Mapping[str, Any], conditions: Mapping[Key, _Condition | None], seen: Iterable[str]
) -> Callable[[Key], _Place]:
    """Models as the run names them, then as they were seen; tasks by name; the usual condition before the others,
    which stand as they were given. What no run tells stands by name.
    """
    named = [model["name"] for model in run.get("models") or ()]
    ranks = {model: place for place, model in enumerate(dict.fromkeys([*named, *seen]))}
    given = _values(run.get("conditions"))

    def place(key: Key) -> _Place:
        model, task, label = key
        return ranks[model], task, bool(label), _rank(given, conditions[key] or {}), label

    return place


def _values(conditions: Any) -> dict[str, list[str | None]]:
    """The values of every axis, in the order in which they were given; every combination of them was asked."""
    given: dict[str, dict[str | None, None]] = {}
    for condition in conditions if isinstance(conditions, list) else ():
        for axis, value in condition.items() if isinstance(condition, dict) else ():
            given.setdefault(axis, {})[value_of_axis(value)] = None
    return {axis: list(values) for axis, values in given.items()}


def _rank(given: Mapping[str, list[str | None]], condition: _Condition) -> tuple[int, ...]:
    """Axis by axis. A task knows no value of an axis that does not matter to it, and all its conditions are alike."""
    values = {axis: value_of_axis(value) for axis, value in condition.items()}
    return tuple(
        known.index(values[axis]) if axis in values and values[axis] in known else 0 for axis, known in given.items()
    )
