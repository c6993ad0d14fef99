"""Figures and names of a comparison in few characters. It does not know where they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.values import BreakingProblem

LONGEST_NAME = 80
_LONGEST_LABEL = 28
_LONGEST_CONDITION = 60  # whose parts are told apart
_MOST_NAMED = 5


def shown(name: str) -> str:
    """The name of a run, a model or a set as it may be shown."""
    return sanitize_name(name, LONGEST_NAME)


def whose(side: Mapping[str, Any]) -> str:
    """The model, and the condition where somebody asked for one."""
    return ", ".join(shown(name) for name in (side["model"], side["condition"]) if name)


def listed(names: Iterable[str]) -> str:
    """Some names, and how many more there are."""
    names = list(names)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return (", ".join(map(shown, names[:_MOST_NAMED])) or "none") + more


def label_of(row: Mapping[str, Any]) -> str:
    """What a row is about. Searches have the variants of sums, so their rows name the task too."""
    longest = _LONGEST_CONDITION if row["kind"] == "condition" else _LONGEST_LABEL
    name = sanitize_name(row["name"] or row["task"] or "over all", longest)
    is_of_a_search = row["task"] == BreakingProblem.task and row["name"] and row["kind"] == "variant"
    return f"{row['task']} {name}" if is_of_a_search else name
