"""The gates that a run was given; what is none is refused before anything is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_llmarith.options.settings import Settings

if TYPE_CHECKING:
    from pytest_llmarith.reports.gates import Gate


def asked_gates(settings: Settings) -> list[Gate]:
    """Parse --llm-fail-under; raises pytest.UsageError with one line for people."""
    if not settings.fail_under:
        return []
    from pytest_llmarith.reports.gates import parse_gate
    from pytest_llmarith.tasks import TASKS

    try:
        gates = [parse_gate(text) for text in settings.fail_under]
    except ValueError as error:
        raise pytest.UsageError(f"--llm-fail-under: {error}") from None
    for gate in gates:
        if gate.task is not None and gate.task not in TASKS:
            raise pytest.UsageError(f"--llm-fail-under: there is no task {gate.task!r}; write {' or '.join(TASKS)}")
    return gates
