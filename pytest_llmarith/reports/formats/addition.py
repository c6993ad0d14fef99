"""Records of integer additions, shaped as in the text that this task is from. It does not know how they are written."""

from __future__ import annotations

from typing import Any

from pytest_llmarith.records import AdditionProblem, Record
from pytest_llmarith.reports.logs.llm_arithmetic import as_integer


def addition_of(record: Record) -> dict[str, Any] | None:
    """The addition that a record is about; None where it is about something else. Its status is our outcome."""
    problem, reply = record.problem, record.reply
    if not isinstance(problem, AdditionProblem):
        return None
    return {
        "int1": as_integer(problem.int1),
        "int2": as_integer(problem.int2),
        "duration_seconds": reply and reply.latency_s,
        "response": reply and reply.text,
        "model": record.model,
        "status": str(record.outcome),
        "reasoning": reply and reply.reasoning,
    }
