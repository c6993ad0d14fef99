"""Facts in which runs differ: which of them say nothing but that there were two runs, and how people know the others.

It does not know which runs these are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_llmarith.reports.keys import USUAL_NAME, label_of
from pytest_llmarith.values import Condition

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
    """The names of a run's conditions, those first that another run has not."""
    if conditions is None:
        return None
    names, its = _names(conditions), _names(others or ())
    return " + ".join(sorted(names, key=its.__contains__))


def _names(conditions: Iterable[Mapping[str, Any]]) -> list[str]:
    return [label_of(Condition.of_fields(condition)) or USUAL_NAME for condition in conditions]
