"""Keys of results in a summary, and their order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.types import Condition, Model

if TYPE_CHECKING:
    from pytest_llmarith.summaries import Run

# model, task, and label of the condition, which is empty for the usual one
Key = tuple[str, str, str]
USUAL_NAME = "usual"  # the name of the condition with an empty label
Parameters = Mapping[str, Any] | None  # None if they are unknown, as for a killed run

_LONGEST = 40


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
    """The label of a condition, such as `numbers_comma-context_2k`; empty for the usual
    condition.
    """
    return condition.label if condition else ""


def condition_name(condition: Condition | None) -> str:
    """The label of a condition, `usual` for the usual one."""
    return label_of(condition) or USUAL_NAME


def result_order(run: Run, keys: Iterable[Key]) -> list[Key]:
    """Keys of results in order: models as the run names them, then as they were seen;
    tasks by name; the usual condition, then the others as they were given.
    """
    keys = list(keys)
    models: dict[str, int] = {}
    for model in run.models:
        models.setdefault(model.name, len(models))
    for name, _, _ in keys:
        models.setdefault(name, len(models))
    conditions: dict[str, int] = {}
    for place, condition in enumerate(run.conditions or ()):
        conditions[label_of(condition)] = place

    def order(key: Key) -> tuple[int, str, bool, int, str]:
        model, task, label = key
        return models[model], task, label != "", conditions.get(label, 0), label

    return sorted(keys, key=order)


def parameters_of(run: Run, model: str) -> Parameters:
    """The request parameters of one model of a run."""
    for known in run.models:
        if known.name == model:
            return known.params
    return None


Params = Mapping[str, Any]


def neighbours(
    models: Sequence[Model], differ: Callable[[Params, Params], bool]
) -> Iterator[tuple[Model, Model]]:
    """Each model after the last one before it that differs in its parameters only, and
    there as `differ` says.
    """
    for place, model in enumerate(models):
        for before in reversed(models[:place]):
            is_same = replace(before, name=model.name, params=model.params) == model
            if is_same and differ(before.params, model.params):
                yield before, model
                break


def differ_in_one_value(before: Params, params: Params) -> bool:
    return (
        before.keys() == params.keys()
        and len(_names_of_differing([before, params])) == 1
    )


def differing(rows: Sequence[tuple[str, Parameters]]) -> list[str]:
    """For each row (a model and its parameters) the parameters in which the rows of
    this model differ.

    They are text such as `reasoning_effort=high, no temperature`.
    """
    of_model: dict[str, list[Mapping[str, Any]]] = {}
    for model, parameters in rows:
        if parameters is not None:
            of_model.setdefault(model, []).append(parameters)
    shown = []
    for model, parameters in rows:
        texts = []
        if parameters is not None:
            for name in _names_of_differing(of_model[model]):
                texts.append(sanitize_name(_text(parameters, name), _LONGEST))
        shown.append(", ".join(texts))
    return shown


def _names_of_differing(parameters: Sequence[Mapping[str, Any]]) -> list[str]:
    """The parameters that do not have the same value everywhere, in order."""
    texts: dict[str, set[str]] = {}
    for one in parameters:
        for name in one:
            texts[name] = set()
    for name, found in texts.items():
        found.update(_text(one, name) for one in parameters)
    return [name for name, found in texts.items() if len(found) > 1]


def _text(parameters: Mapping[str, Any], name: str) -> str:
    if name not in parameters:
        return f"no {name}"
    value = parameters[name]
    if not isinstance(value, str):
        value = json.dumps(value, sort_keys=True)
    return f"{name}={value}"
