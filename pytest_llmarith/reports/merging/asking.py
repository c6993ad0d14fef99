"""What several runs asked, added up. It does not know what is asked, nor who counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

_LARGEST = 1e15
_THROTTLED: Mapping[str, Callable[[list[int]], int]] = {"halved": sum, "lowest": min, "most": max}

Asking = Mapping[str, Any]


def fault_of_asking(asking: Asking) -> str | None:
    """Why this cannot be added up: it holds numbers, numbers by name, and the models that were throttled."""
    for name, value in asking.items():
        if name == "throttled":
            if not isinstance(value, list) or not all(map(_is_throttled, value)):
                return "run.asking.throttled is no list of models"
        elif isinstance(value, dict):
            if not all(map(_is_number, value.values())):
                return f"run.asking.{name} does not hold numbers"
        elif value is not None and not _is_number(value):
            return f"run.asking.{name} is no number"
    return None


def added_up(askings: Sequence[Asking | None]) -> dict[str, Any] | None:
    """Sums of what is known; what no run knows is null."""
    known = [asking for asking in askings if asking is not None]
    if not known:
        return None
    names = dict.fromkeys(name for asking in known for name in asking)
    return {name: _together(name, [asking.get(name) for asking in known]) for name in names}


def _together(name: str, values: Sequence[Any]) -> Any:
    known = [value for value in values if value is not None]
    if name == "throttled":
        return _throttled([model for models in known for model in models])
    if any(isinstance(value, dict) for value in known):
        return _by_name([value for value in known if isinstance(value, dict)])
    return _sum(known) if known else None


def _by_name(counts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(name for one in counts for name in one)
    return {name: _sum([one[name] for one in counts if name in one]) for name in names}


def _throttled(models: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A model that several runs found throttled is named once: how often in all, and how low at worst."""
    by_target: dict[str, list[Mapping[str, Any]]] = {}
    for model in models:
        by_target.setdefault(model["target"], []).append(model)
    return [
        {"target": target} | {name: of([model[name] for model in found]) for name, of in _THROTTLED.items()}
        for target, found in by_target.items()
    ]


def _sum(numbers: Sequence[int | float]) -> int | float:
    """Cents add up: ten times ten of them are a dollar."""
    if all(isinstance(number, int) for number in numbers):
        return sum(numbers)
    return float(sum(Decimal(repr(number)) for number in numbers))


def _is_throttled(model: Any) -> bool:
    return (
        isinstance(model, dict)
        and isinstance(model.get("target"), str)
        and all(type(model.get(name)) is int and _is_number(model[name]) for name in _THROTTLED)
    )


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= _LARGEST and math.isfinite(value)
