"""Summaries of a shape that can be shown and joined. One from another machine may have any: nothing is believed.

It does not know where a summary stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_llmarith.reports.checks import check, is_count, is_count_or_none, is_moment, is_number
from pytest_llmarith.values import MOST_SHARDS

# Facts that a run of today states, and that one of an earlier version may not.
_FACTS = ("id", "started_at", "finished_at", "versions", "models")
_THROTTLED = ("halved", "lowest", "most")


def check_facts(facts: Any, *, or_none: bool) -> None:
    """Raises ValueError where this does not say of a run what others are told of it; `or_none`: as far as it says."""
    check(isinstance(facts, dict), "run is not a JSON object")
    absent = {name for name in _FACTS if or_none and facts.get(name) is None}
    for name in ("id", "started_at", "finished_at"):
        check(name in absent or isinstance(facts.get(name), str), f"run.{name} is not a text")
    for name in ("started_at", "finished_at"):
        check(name in absent or is_moment(facts[name]), f"run.{name} is not a time in UTC")
    check("versions" in absent or isinstance(facts.get("versions"), dict), "run.versions is not a JSON object")
    for name in ("asking", "limits", "merged", "oeis", "search", "shard"):
        check(isinstance(facts.get(name), dict | None), f"run.{name} is not a JSON object")
    models = facts.get("models")
    are_models = isinstance(models, list) and all(map(_is_model, models))
    check("models" in absent or are_models, "run.models is no list of models")
    check(is_count_or_none(facts.get("selected")), "run.selected is no count")
    check(isinstance(facts.get("stopped"), str | None), "run.stopped is not a text")
    if (shard := facts.get("shard")) is not None:
        check(_is_shard(shard), "run.shard is no shard")
    if (merged := facts.get("merged")) is not None:
        check(_is_merged(merged), "run.merged does not say what was merged")
    if fault := _fault_of_asking(facts.get("asking") or {}):
        raise ValueError(fault)


def _is_shard(shard: Mapping[str, Any]) -> bool:
    index, count = shard.get("index", 0), shard.get("count", 0)
    return (
        is_count(index)
        and is_count(count)
        and 1 <= index <= count <= MOST_SHARDS
        and all(is_count_or_none(shard.get(name)) for name in ("dealt", "whole"))
        and isinstance(shard.get("selection"), str | None)
    )


def _is_merged(merged: Mapping[str, Any]) -> bool:
    lists = [merged.get(name) for name in ("runs", "differing", "lacks")]
    return (
        all(isinstance(one, list) for one in lists)
        and all(isinstance(text, str) for one in lists[1:] for text in one or ())
        and all(is_count(merged.get(name)) for name in ("replaced", "overlapping"))
    )


def _is_model(model: Any) -> bool:
    return isinstance(model, dict) and isinstance(model.get("name"), str)


def is_result(result: Any) -> bool:
    """Whether it says whose result it is, and what that came to."""
    return (
        isinstance(result, dict)
        and all(isinstance(result.get(name), str) for name in ("model", "task"))
        and is_count_or_none(result.get("selected"))
        and is_count(result.get("duplicates", 0))
        and isinstance(result.get("outcomes"), dict)
        and all(map(is_count, result["outcomes"].values()))
    )


def _fault_of_asking(asking: Mapping[str, Any]) -> str | None:
    """Why this cannot be added up: it holds numbers, numbers by name, and the models that were throttled."""
    for name, value in asking.items():
        if name == "throttled":
            if not isinstance(value, list) or not all(map(_is_throttled, value)):
                return "run.asking.throttled is no list of models"
        elif isinstance(value, dict):
            if not all(map(is_number, value.values())):
                return f"run.asking.{name} does not hold numbers"
        elif value is not None and not is_number(value):
            return f"run.asking.{name} is no number"
    return None


def _is_throttled(model: Any) -> bool:
    return (
        isinstance(model, dict)
        and isinstance(model.get("target"), str)
        and all(type(model.get(name)) is int and is_number(model[name]) for name in _THROTTLED)
    )
