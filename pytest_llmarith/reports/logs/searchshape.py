"""A search for the breaking point of a shape that can be counted; nothing of it is believed.

It does not know what its replies hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_llmarith.reports.checks import is_count

# What is said of the simplest wrong answer that a search found.
OF_MINIMUM = ("question", "expected", "answer", "reason", "error_class")


def fault_of_search(record: Mapping[str, Any]) -> str | None:
    """Why a search cannot be counted, in one line for people; its replies are looked at elsewhere."""
    search, problem = record.get("search"), record["problem"]
    if not isinstance(search, dict):
        return "search is not a JSON object"
    if not isinstance(problem.get("variant"), str) or not is_count(problem.get("budget")):
        return "the problem of a search has no variant or no budget"
    trail = search.get("trail")
    if not isinstance(trail, list) or not all(isinstance(step, dict) and "reply" in step for step in trail):
        return "search.trail is no list of questions"
    minimum = search.get("minimum", "")
    if minimum is not None and not (isinstance(minimum, dict) and all(_is_word(minimum, name) for name in OF_MINIMUM)):
        return "search.minimum is no question"
    if not is_count(search.get("questions")) or not is_count(search.get("not_reproduced")):
        return "search does not say how much was asked"
    return None if _is_word(search, "ended") and _is_word(search, "largest_right") else "search has no end"


def _is_word(facts: Mapping[str, Any], name: str) -> bool:
    return isinstance(facts.get(name, 0), str | None)
