"""Records of integer additions, shaped as in the text that this task is from. It does not know how they are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_llmarith.reports.logs.llm_arithmetic import as_integer
from pytest_llmarith.values import AdditionProblem


def addition_of(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """The addition that a record is about; None where it is about something else. Its status is our outcome."""
    problem, reply = record["problem"], record["reply"] or {}
    if record["task"] != AdditionProblem.task or not {"int1", "int2"} <= problem.keys():
        return None
    return {
        "int1": as_integer(problem["int1"]),
        "int2": as_integer(problem["int2"]),
        "duration_seconds": reply.get("latency_s"),
        "response": reply.get("text"),
        "model": record["model"],
        "status": record["outcome"],
        "reasoning": reply.get("reasoning"),
    }
