"""What several runs asked, added up. It does not know what is asked, nor who counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

_THROTTLED: Mapping[str, Callable[[list[int]], int]] = {"halved": sum, "lowest": min, "most": max}

Asking = Mapping[str, Any]


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
