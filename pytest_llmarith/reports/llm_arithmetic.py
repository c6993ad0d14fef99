"""Room: rows of llm_arithmetic's JSONL as records of ours, as far as their facts go. It does not grade.

What a row does not tell is null: seed, trial, prompt, finish reason, latency. A cost of 0 is one nobody knew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_llmarith.trials import RECORD_FORMAT
from pytest_llmarith.values import ArithmeticProblem, Dtype, Op, Outcome, Reading, Reply

_OUTCOMES = {"Correct": Outcome.CORRECT, "Deviate": Outcome.DEVIATE, "NaN": Outcome.NAN}


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether the object is a row of llm_arithmetic."""
    return {"variant", "operands", "correct", "raw_response", "classification"} <= row.keys()


def record_of(line: str) -> dict[str, Any]:
    """The record that a line describes, with llm_arithmetic's own verdict as its outcome.

    Raises KeyError, ValueError or TypeError where the line describes none. Numbers are taken as they are written.
    """
    row = json.loads(line, parse_float=str)
    _check_shape(row)
    reply = None if _is_unanswered(row) else _reply(row)
    return {
        "format": RECORD_FORMAT,
        "run": None,
        "nodeid": None,
        "task": ArithmeticProblem.task,
        "model": str(row["model"]),
        "simulated": False,
        "problem": _problem(row),
        "prompt": None,
        "retries": [],
        "outcome": str(_OUTCOMES[row["classification"]]),
        "reason": None if reply else "the row holds no reply",
        "reading": str(Reading.TOLERANT),
        "answer": None,
        "grade": None,
        "reply": reply,
    }


def _check_shape(row: Mapping[str, Any]) -> None:
    if row["classification"] not in list(_OUTCOMES):  # a list compares what cannot be looked up
        raise ValueError(f"the classification is none of {', '.join(_OUTCOMES)}")
    if not isinstance(row.get("tokens"), dict | None):
        raise TypeError("the tokens are not a JSON object")
    if not isinstance(row["raw_response"], str | None):
        raise TypeError("the raw_response is not a string")
    if not isinstance(row["operands"], list) or len(row["operands"]) != 2:
        raise TypeError("the operands are not a list of two")


def _whole(row: Mapping[str, Any], key: str) -> int:
    try:
        return int(row[key])
    except (TypeError, ValueError, OverflowError) as fault:
        raise ValueError(f"{key} is no whole number: {row[key]!r}") from fault


def _cost(row: Mapping[str, Any]) -> float | None:
    try:
        return float(row.get("cost") or 0) or None
    except (TypeError, ValueError, OverflowError) as fault:
        raise ValueError(f"the cost is no number: {row['cost']!r}") from fault


def _is_unanswered(row: Mapping[str, Any]) -> bool:
    """Whether the API gave up. An empty text that was paid for, token by token, is a reply; older rows have no flag."""
    if row.get("failed_to_get_reply"):
        return True
    return not row["raw_response"] and not (row.get("tokens") or {}).get("completion_tokens")


def _problem(row: Mapping[str, Any]) -> dict[str, Any]:
    dtype, _, op = str(row["variant"]).partition("_")
    lhs, rhs = row["operands"]
    return {
        "seed": None,
        "variant": f"{Dtype(dtype)}_{Op(op)}",
        "op": op,
        "dtype": dtype,
        "depth": _whole(row, "depth"),
        "trial": None,
        "lhs": str(lhs),
        "rhs": str(rhs),
        "expected": str(row["correct"]),
    }


def _reply(row: Mapping[str, Any]) -> dict[str, Any]:
    tokens = row.get("tokens") or {}
    reply = Reply(
        text=row["raw_response"] or "",
        prompt_tokens=tokens.get("prompt_tokens"),
        completion_tokens=tokens.get("completion_tokens"),
        cost_usd=_cost(row),
        attempts=_whole(row, "attempts") if row.get("attempts") else 1,
        asked_at=row.get("timestamp"),
    )
    return reply.fields() | {"sent": None}
