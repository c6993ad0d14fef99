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

    Raises KeyError or ValueError where the line describes none. Numbers are taken as they are written.
    """
    row = json.loads(line, parse_float=str)
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
        "outcome": str(_OUTCOMES[row["classification"]]),
        "reason": None if reply else "the row holds no reply",
        "reading": str(Reading.TOLERANT),
        "answer": None,
        "grade": None,
        "reply": reply,
    }


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
        "depth": int(row["depth"]),
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
        cost_usd=float(row.get("cost") or 0) or None,
        attempts=int(row.get("attempts") or 1),
        asked_at=row.get("timestamp"),
    )
    return reply.fields() | {"sent": None}
