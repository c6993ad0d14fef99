"""Rows of llm_arithmetic's JSONL as records of ours, as far as their facts go, and back. It does not grade.

What a row does not tell is null: seed, trial, prompt, latency. A cost of 0 is one nobody knew. Rows made of our records
say more than llm_arithmetic does: without a finish reason and a reading, nobody could grade them alike.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pytest_llmarith import records
from pytest_llmarith.records import FORMAT, Record, convert
from pytest_llmarith.values import USUAL, ArithmeticProblem, Dtype, Op, Outcome, Reading, Reply

MARK = '"raw_response"'  # what stands in every row, and hardly in a record of ours

_OUTCOMES = {"Correct": Outcome.CORRECT, "Deviate": Outcome.DEVIATE, "NaN": Outcome.NAN}
_CLASSES = {outcome: name for name, outcome in _OUTCOMES.items()}
_TOKENS = ("prompt_tokens", "completion_tokens")
_THOUSANDS = re.compile(r"([0-9]{1,6})k", re.ASCII)
_INTEGER = re.compile(r"-?[1-9][0-9]{0,4000}|0", re.ASCII)


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether the object is a row of llm_arithmetic."""
    return {"variant", "operands", "correct", "raw_response", "classification"} <= row.keys()


def row_in(line: str) -> dict[str, Any]:
    """What a line holds, with its numbers as they are written; nothing where that is no object."""
    row = json.loads(line, parse_float=str)
    return row if isinstance(row, dict) else {}


def outcome_of(row: Mapping[str, Any]) -> Outcome:
    """llm_arithmetic's own verdict. Raises ValueError if there is none."""
    if (name := row["classification"]) not in list(_OUTCOMES):  # a list compares what cannot be looked up
        raise ValueError(f"the classification is none of {', '.join(_OUTCOMES)}")
    return _OUTCOMES[name]


def record_of(row: Mapping[str, Any]) -> Record:
    """The record that a row describes, graded by nothing but llm_arithmetic's own verdict.

    Raises KeyError, ValueError or TypeError if it describes none.
    """
    _check_shape(row)
    reply = None if _is_unanswered(row) else _reply(row)
    record: dict[str, Any] = {  # of a file that another program wrote: `convert` checks it
        "format": FORMAT,
        "run": None,
        "nodeid": None,
        "task": ArithmeticProblem.task,
        "model": str(row["model"]),
        "simulated": row.get("simulated") is True,
        "problem": _problem(row),
        "condition": USUAL.fields(),
        "repeat": 0,
        "prompt": None,
        "retries": [],
        "outcome": outcome_of(row) if reply else Outcome.UNANSWERED,
        "reason": None if reply else "the row holds no reply",
        "reading": row.get("reading") or Reading.TOLERANT,
        "answer": None,
        "grade": None,
        "reply": reply,
    }
    return convert(record, Record)


def row_of(record: Record) -> dict[str, Any] | None:
    """The row that says of a record what llm_arithmetic says of a trial; None where it has no such trials."""
    problem, reply, answer = record.problem, record.reply, record.answer
    if not isinstance(problem, records.ArithmeticProblem):
        return None
    parsed = answer.by(record.reading) if isinstance(answer, records.Answer) else None
    write = as_integer if problem.dtype is Dtype.INT else str
    return {
        "model": record.model,
        "variant": problem.variant,
        "depth": problem.depth,
        "operands": [write(problem.lhs), write(problem.rhs)],
        "correct": write(problem.expected),
        "raw_response": reply.text if reply else "",
        "parsed": None if parsed is None else write(parsed),
        "classification": _CLASSES.get(record.outcome, "NaN"),
        "error": record.grade and record.grade.absolute_error,
        "tokens": {name: (reply and getattr(reply, name)) or 0 for name in _TOKENS},
        "cost": (reply and reply.cost_usd) or 0.0,
        "timestamp": reply and reply.asked_at,
        "attempts": reply.attempts if reply else 1,
        "failed_to_get_reply": reply is None,
        "extra_context": _context_tokens(record),
        "reading": record.reading and str(record.reading),
        "finish_reason": reply and reply.finish_reason,
        "simulated": record.simulated,
    }


def _context_tokens(record: Record) -> int:
    """How many tokens of filler text came before the question, of a condition such as `2k`."""
    thousands = _THOUSANDS.fullmatch(record.condition.context or "")
    return 1_000 * int(thousands[1]) if thousands else 0


def as_integer(number: str) -> int | str:
    """The number where it is written as one writes it; `007` and `1.5` stay text."""
    return int(number) if _INTEGER.fullmatch(number) else number


def _check_shape(row: Mapping[str, Any]) -> None:
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
    """Whether the API gave up. Older rows have no flag: an empty text that was paid for, token by token, is a reply."""
    if isinstance(failed := row.get("failed_to_get_reply"), bool):
        return failed
    return not row["raw_response"] and not (row.get("tokens") or {}).get("completion_tokens")


def _problem(row: Mapping[str, Any]) -> dict[str, Any]:
    dtype, _, op = str(row["variant"]).partition("_")
    lhs, rhs = row["operands"]
    return {
        "kind": ArithmeticProblem.task,
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
    if not any(map(tokens.get, _TOKENS)):  # no prompt has none: the API did not say
        tokens = {}
    reply = Reply(
        text=row["raw_response"] or "",
        finish_reason=row.get("finish_reason"),
        prompt_tokens=tokens.get("prompt_tokens"),
        completion_tokens=tokens.get("completion_tokens"),
        cost_usd=_cost(row),
        attempts=_whole(row, "attempts") if row.get("attempts") else 1,
        asked_at=row.get("timestamp"),
    )
    return reply.fields() | {"sent": None}
