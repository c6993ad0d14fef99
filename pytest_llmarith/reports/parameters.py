"""In which parameters runs of one model differ: whoever shows them beside each other tells them apart by these.

It does not know how a row is laid out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_llmarith.records import Run
from pytest_llmarith.reports.harmless import sanitize_name

_LONGEST = 40

# None where nobody knows what was sent, as of a killed run.
Parameters = Mapping[str, Any] | None


def parameters_of(run: Run, model: str) -> Parameters:
    """What a run sent to one of its models beside the prompts."""
    return next((known.params or {} for known in run.models if known.name == model), None)


def differing(rows: Sequence[tuple[str, Parameters]]) -> list[str]:
    """Per row, a model and its parameters, those that other rows of this model have not, or have otherwise."""
    of_model: dict[str, list[Mapping[str, Any]]] = {}
    for model, parameters in rows:
        if parameters is not None:
            of_model.setdefault(model, []).append(parameters)
    names = {model: _differing_names(many) for model, many in of_model.items()}
    return ["" if parameters is None else _as_words(parameters, names[model]) for model, parameters in rows]


def _differing_names(many: Sequence[Mapping[str, Any]]) -> list[str]:
    first = many[0]
    names = dict.fromkeys(name for parameters in many for name in parameters)
    return [name for name in names if any(_value(one, name) != _value(first, name) for one in many)]


def _as_words(parameters: Mapping[str, Any], names: Sequence[str]) -> str:
    """Such as `reasoning_effort=high, no temperature`."""
    return ", ".join(
        sanitize_name(f"{name}={_value(parameters, name)}" if name in parameters else f"no {name}", _LONGEST)
        for name in names
    )


def _value(parameters: Mapping[str, Any], name: str) -> str | None:
    if name not in parameters:
        return None
    value = parameters[name]
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
