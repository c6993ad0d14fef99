"""What differed between two runs, as far as they say: enough to know what a difference may come from.

It does not know what the facts mean, and believes nothing of their shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_llmarith.records import as_dict
from pytest_llmarith.reports.comparing.asked import Side
from pytest_llmarith.reports.differing import FACTS_OF_ONE_RUN

# What is said of a run and changes no answer: when it was, how much of it there is, how it was paced and kept.
_NEVER_DECIDING = frozenset({*FACTS_OF_ONE_RUN, "asking", "limits", "strict", "store", "models"})
_DEEPEST = 8

Difference = dict[str, Any]


def differences(first: Side, second: Side) -> list[Difference]:
    """The facts that are not the same on both sides; None stands for one that a side does not know.

    Where a run says nothing of itself, only what its records tell is compared: the rest would be a list of unknowns.
    """
    both_tell = bool(first.facts and second.facts)
    one, other = _deciding_facts(first, both_tell), _deciding_facts(second, both_tell)
    names = dict.fromkeys([*one, *other])
    return [
        {"what": name, "first": one.get(name), "second": other.get(name)}
        for name in names
        if one.get(name) != other.get(name)
    ]


def _deciding_facts(side: Side, both_tell: bool) -> dict[str, Any]:
    """All facts that may change an answer, by name."""
    of_records = {name: ", ".join(sorted(values)) or None for name, values in side.seen.items()}
    seen = {"model": side.model, "condition": side.condition} | of_records
    if not both_tell or side.facts is None:
        return seen
    described = next((as_dict(model) for model in side.facts.models if model.name == side.model), {})
    model = {name: fact for name, fact in described.items() if name != "name"}
    facts = {name: fact for name, fact in as_dict(side.facts).items() if name not in _NEVER_DECIDING}
    return seen | dict(_flat("", model)) | dict(_flat("", facts))


def _flat(prefix: str, facts: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, Any]]:
    for name, value in facts.items():
        if isinstance(value, dict) and value and depth < _DEEPEST:
            yield from _flat(f"{prefix}{name}.", value, depth + 1)
        elif value not in (None, {}, []):
            yield f"{prefix}{name}", value
