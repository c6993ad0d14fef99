"""Records as a run would write them, without a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_llmarith.values import USUAL

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
    """A part that is named in part is made whole with that of the usual one."""
    anatomy = {"error_class": None, "digit_match": 1.0, "dlength": 0, "leading_digits": 6}
    grade = {"absolute_error": None, "relative_error": None, "rounded": None} | anatomy
    wrong = {"absolute_error": "0.5", "relative_error": "1.2e-05", "rounded": False} | anatomy | {"error_class": "tail"}
    problem = named.pop("problem", {})
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
        "problem": next(known for key, known in _PROBLEMS.items() if not key or key in problem) | problem,
        "condition": USUAL.fields(),
        "repeat": 0,
        "prompt": "864393 * 1",
        "retries": [],
        "answer": {"kind": "number", "tolerant": "864393.5", "strict": None},
        "grade": {"correct": grade, "deviate": wrong}.get(outcome),
        "reply": None if outcome == "unanswered" else _reply(),
    }
    return record | named


# A problem of each kind, by a key that only problems of that kind have.
_PROBLEMS: dict[str, dict[str, Any]] = {
    "int1": {"kind": "integer_addition", "seed": 0, "trial": 0, "int1": "1", "int2": "1", "expected": "2"},
    "set": {"kind": "oeis", "set": "easy", "number": "A000045", "name": "", "offset": 0, "keywords": []},
    "budget": {
        "kind": "breaking_point",
        "seed": 0,
        "of": "arithmetic",
        "variant": "int_add",
        "op": "add",
        "dtype": "int",
        "budget": 20,
    },
    "given": {"kind": "custom", "label": "a", "seed": 0, "trial": 0, "expected": None},
    "": {
        "kind": "arithmetic",
        "seed": 0,
        "variant": "int_div",
        "op": "div",
        "dtype": "int",
        "depth": 7,
        "trial": 3,
        "lhs": "864393",
        "rhs": "1",
        "expected": "864393",
    },
}


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
        "own_price": False,
        "latency_s": 1.5,
        "attempts": 1,
        "stored": False,
        "asked_at": "2026-11-22T00:31:07+00:00",
        "sent": {
            "model": "o4-mini",
            "api_base": None,
            "params": {},
            "messages": [{"role": "user", "content": "864393 * 1"}],
        },
    }
    return reply | named
