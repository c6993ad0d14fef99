"""What the rows of a comparison are about: over all, each task, condition, variant and set of sequences.

It does not know what stands in a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pytest_llmarith.reports.comparing.asked import Asked, Part
from pytest_llmarith.reports.keys import USUAL_NAME
from pytest_llmarith.reports.variants import place_of_variant

OVER_ALL = "all"
_TASK = "task"
_CONDITION = "condition"


class Group(NamedTuple):
    """What a row is about."""

    kind: str
    task: str | None
    name: str | None


ALL = Group(OVER_ALL, None, None)


def groups_of(trial: Asked) -> Iterator[Group]:
    """All rows in which a trial counts."""
    yield ALL
    yield Group(_TASK, trial.task, None)
    yield Group(_CONDITION, trial.task, trial.condition or USUAL_NAME)
    if trial.part is not None:
        yield _of(trial.part)


def _of(part: Part) -> Group:
    return Group(part.kind, part.task, part.name)


def worth_a_row(groups: Iterable[Group]) -> list[Group]:
    """All but those that say again what the row above them says: the only task, the only part of a task, its only
    condition.
    """
    groups = list(groups)
    tasks = sorted({group.task for group in groups if group.task is not None})
    return [ALL] + [group for task in tasks for group in _of_task(task, groups, alone=len(tasks) == 1)]


def _of_task(task: str, groups: Sequence[Group], *, alone: bool) -> list[Group]:
    parts = [group for group in groups if group.task == task and group.kind not in (_TASK, _CONDITION)]
    conditions = [group for group in groups if group.task == task and group.kind == _CONDITION]
    own = [] if alone else [Group(_TASK, task, None)]
    return own + [one for family in (conditions, parts) if len(family) > 1 for one in sorted(family, key=_place)]


def _place(group: Group) -> tuple[int, str]:
    return place_of_variant(group.name or "")
