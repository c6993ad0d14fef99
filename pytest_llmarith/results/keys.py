"""Keys of results in a summary, and their order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.types import Condition, Model

if TYPE_CHECKING:
    from pytest_llmarith.summaries import Run

Key = tuple[
    str, str, str
]  # model, task, and label of the condition, which is empty for the usual one
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
    models = list(
        dict.fromkeys(
            [*(model.name for model in run.models), *(model for model, *_ in keys)]
        )
    )
    ranks = {
        label_of(condition): place
        for place, condition in enumerate(run.conditions or ())
    }
    return sorted(
        keys,
        key=lambda key: (
            models.index(key[0]),
            key[1],
            bool(key[2]),
            ranks.get(key[2], 0),
            key[2],
        ),
    )


def parameters_of(run: Run, model: str) -> Parameters:
    """The request parameters of one model of a run."""
    return next((known.params for known in run.models if known.name == model), None)


def neighbours(models: Sequence[Model]) -> Iterator[tuple[str, Model, Model]]:
    """Each model with the last one before it that differs in the value of one parameter
    only, and that parameter.

    Fake models are left out.
    """
    models = [model for model in models if not model.simulated]
    for place, model in enumerate(models):
        for before in reversed(models[:place]):
            differ = [
                key
                for key in model.params
                if _text(before.params, key) != _text(model.params, key)
            ]
            is_alike = replace(before, name=model.name, params=model.params) == model
            if (
                is_alike
                and len(differ) == 1
                and before.params.keys() == model.params.keys()
            ):
                yield differ[0], before, model
                break


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
        many = [] if parameters is None else of_model[model]
        names = dict.fromkeys(name for one in many for name in one)
        differ = [name for name in names if len({_text(one, name) for one in many}) > 1]
        shown.append(
            ", ".join(
                sanitize_name(_text(parameters or {}, name), _LONGEST)
                for name in differ
            )
        )
    return shown


def _text(parameters: Mapping[str, Any], name: str) -> str:
    if name not in parameters:
        return f"no {name}"
    value = parameters[name]
    return f"{name}={value if isinstance(value, str) else json.dumps(value, sort_keys=True)}"
