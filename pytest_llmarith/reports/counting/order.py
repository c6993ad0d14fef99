"""In which order results stand: the order of their arrival is chance with several workers. It does not know results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pytest_llmarith.records import Run
from pytest_llmarith.reports.keys import Key
from pytest_llmarith.values import AXES, USUAL, Condition

_Place = tuple[Any, ...]


def place_of(run: Run, conditions: Mapping[Key, Condition | None], seen: Iterable[str]) -> Callable[[Key], _Place]:
    """Models as the run names them, then as they were seen; tasks by name; the usual condition before the others,
    which stand as they were given. What no run tells stands by name.
    """
    named = [model.name for model in run.models]
    ranks = {model: place for place, model in enumerate(dict.fromkeys([*named, *seen]))}
    given = _values(run.conditions or ())

    def place(key: Key) -> _Place:
        model, task, label = key
        return ranks[model], task, bool(label), _rank(given, conditions[key] or USUAL), label

    return place


def _values(conditions: Sequence[Condition]) -> dict[str, list[str | None]]:
    """The values of every axis, in the order in which they were given; every combination of them was asked."""
    return {axis: list(dict.fromkeys(getattr(condition, axis) for condition in conditions)) for axis in AXES}


def _rank(given: Mapping[str, list[str | None]], condition: Condition) -> tuple[int, ...]:
    """Axis by axis. A task knows no value of an axis that does not matter to it, and all its conditions are alike."""
    values = ((getattr(condition, axis), known) for axis, known in given.items())
    return tuple(known.index(value) if value in known else 0 for value, known in values)
