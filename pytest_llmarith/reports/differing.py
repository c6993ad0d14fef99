"""Facts in which runs differ: which of them say nothing but that there were two runs, and how people know the others.

It does not know which runs these are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_llmarith.reports.keys import USUAL_NAME, condition_label

# What stands for one run alone: when it was, how much of it there is, how it ended.
FACTS_OF_ONE_RUN = (
    "id",
    "started_at",
    "finished_at",
    "selected",
    "stopped",
    "partial",
    "exit_status",
    "shard",
    "merged",
)


def as_people_name_them(what: str, first: Any, second: Any) -> tuple[Any, Any]:
    """Both values of a fact in which two runs differ: conditions by their names, anything else as it is."""
    if what != "conditions":
        return first, second
    return _beside(first, second), _beside(second, first)


def _beside(conditions: Any, others: Any) -> Any:
    """The names of a run's conditions, those first that another run has not; what are no conditions stays as it is."""
    if not isinstance(conditions, list):
        return conditions
    names, its = _names(conditions), _names(others if isinstance(others, list) else ())
    return " + ".join(sorted(names, key=its.__contains__))


def _names(conditions: Iterable[Any]) -> list[str]:
    return [condition_label({"condition": condition}) or USUAL_NAME for condition in conditions]
