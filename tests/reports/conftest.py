"""Records as a run would write them, without a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def make_record() -> Make:
    """A factory of arithmetic records of the model o4-mini; what is named replaces what a usual one holds."""
    return _record


@pytest.fixture(scope="session")
def make_reply() -> Make:
    """A factory of replies as they stand in a record."""
    return _reply


def _record(outcome: str = "correct", **named: Any) -> dict[str, Any]:
    grade = {"absolute_error": None, "relative_error": None, "rounded": None, "error_class": None}
    wrong = {"absolute_error": "0.5", "relative_error": "1.2e-05", "rounded": False, "error_class": None}
    record: dict[str, Any] = {
        "format": 1,
        "run": "2026-11-22T00-31-05_o4-mini",
        "nodeid": "benches/test_arithmetic.py::test_arithmetic[o4-mini-int_div-depth_7-trial_3]",
        "task": "arithmetic",
        "model": "o4-mini",
        "simulated": False,
        "outcome": outcome,
        "reason": {"nan": "empty", "unanswered": "no reply within 600 s"}.get(outcome),
        "reading": "tolerant",
        "problem": {"seed": 0, "variant": "int_div", "depth": 7, "trial": 3, "expected": "864393"},
        "prompt": "864393 * 1",
        "retries": [],
        "answer": {"tolerant": "864393.5", "strict": None},
        "grade": {"correct": grade, "deviate": wrong}.get(outcome),
        "reply": None if outcome == "unanswered" else _reply(),
    }
    return record | named


def _reply(**named: Any) -> dict[str, Any]:
    reply: dict[str, Any] = {
        "text": "864393.5",
        "reasoning": None,
        "finish_reason": "stop",
        "served_model": "o4-mini-2025-04-16",
        "prompt_tokens": 31,
        "completion_tokens": 9,
        "reasoning_tokens": None,
        "cost_usd": 0.00004,
        "latency_s": 1.5,
        "attempts": 1,
        "stored": False,
        "asked_at": "2026-11-22T00:31:07+00:00",
        "sent": {"model": "o4-mini", "api_base": None, "messages": [], "params": {}},
    }
    return reply | named
