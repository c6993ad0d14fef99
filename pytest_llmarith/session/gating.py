"""The gates that a run was given; what is none is refused before anything is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest

from pytest_llmarith.settings import Settings

if TYPE_CHECKING:
    from pytest_llmarith.reports.gates import Gate


def asked_gates(settings: Settings) -> list[Gate]:
    """Parse --llm-fail-under; raises pytest.UsageError with one line for people."""
    if not settings.fail_under:
        return []
    from pytest_llmarith.reports.gates import parse_gate

    try:
        return [parse_gate(text) for text in settings.fail_under]
    except ValueError as error:
        raise pytest.UsageError(f"--llm-fail-under: {error}") from None


def refuse_unknown_tasks(gates: Iterable[Gate], selected: Iterable[str]) -> None:
    """Raises pytest.UsageError for a gate of a task that is neither ours nor was selected: a task of the user's own is
    known only when its items are.
    """
    from pytest_llmarith.tasks import TASKS

    known = list(dict.fromkeys([*TASKS, *selected]))
    for gate in gates:
        if gate.task is not None and gate.task not in known:
            raise pytest.UsageError(f"--llm-fail-under: there is no task {gate.task!r}; write {' or '.join(known)}")
