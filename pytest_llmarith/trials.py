"""Room: the deed. A reply is read and graded, and the trial is written down as a record of builtins.

It does not know pytest, litellm or options: replies and rules arrive as arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pytest_llmarith import numerals
from pytest_llmarith.values import Failure, Grade, Model, NanReason, Outcome, Problem, Reading, Readings, Reply

RECORD_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply came to: both readings, the grade of the one that counts, and why there is none."""

    outcome: Outcome
    readings: Readings
    grade: Grade | None
    reason: NanReason | None


def settle(problem: Problem, reply: Reply, reading: Reading) -> Verdict:
    """Read a reply and grade the reading that counts."""
    readings = _read(problem, reply)
    answer = readings.strict if reading is Reading.STRICT else readings.tolerant
    if answer is None:
        return Verdict(Outcome.NAN, readings, None, readings.reason or NanReason.UNREADABLE)
    grade = numerals.grade(answer, problem.expected, problem.dtype)
    return Verdict(grade.outcome, readings, grade, None)


def nan_reason_of(reply: Reply) -> NanReason | None:
    """Why a reply holds no answer, as far as it can be told without its question."""
    return _cut_short(reply) or numerals.read(reply.text).reason


def record(
    problem: Problem, model: Model, prompt: str, nodeid: str | None, reading: Reading, reply: Reply
) -> dict[str, Any]:
    """The record of an answered trial. The run's name is left to whoever knows it."""
    verdict = settle(problem, reply, reading)
    return _frame(problem, model, prompt, nodeid) | {
        "outcome": str(verdict.outcome),
        "reason": verdict.reason and str(verdict.reason),
        "reading": str(reading),
        "answer": {
            "tolerant": _text(verdict.readings.tolerant),
            "strict": _text(verdict.readings.strict),
        },
        "grade": verdict.grade and _grade_fields(verdict.grade),
        "reply": reply.fields(),
    }


def unanswered_record(
    problem: Problem, model: Model, prompt: str, nodeid: str | None, reading: Reading, failure: Failure
) -> dict[str, Any]:
    """The record of a trial without a reply: it measures nothing."""
    return _frame(problem, model, prompt, nodeid) | {
        "outcome": str(Outcome.UNANSWERED),
        "reason": failure.message,
        "reading": str(reading),
        "answer": None,
        "grade": None,
        "reply": None,
    }


def _frame(problem: Problem, model: Model, prompt: str, nodeid: str | None) -> dict[str, Any]:
    return {
        "format": RECORD_FORMAT,
        "run": None,
        "nodeid": nodeid,
        "task": problem.task,
        "model": model.name,
        "simulated": model.simulated,
        "problem": problem.fields(),
        "prompt": prompt,
    }


def _read(problem: Problem, reply: Reply) -> Readings:
    if cut := _cut_short(reply):
        return Readings(None, None, cut)
    return numerals.read(reply.text, problem.operands, problem.dtype)


def _cut_short(reply: Reply) -> NanReason | None:
    """A reply that was cut has no final answer: what stands at the cut may be half a number."""
    if reply.finish_reason == "content_filter":
        return NanReason.FILTERED
    return NanReason.TRUNCATED if reply.finish_reason == "length" else None


def _grade_fields(grade: Grade) -> dict[str, Any]:
    return {
        "absolute_error": grade.absolute_error,
        "relative_error": grade.relative_error,
        "rounded": grade.rounded,
        "error_class": None,
    }


def _text(number: Decimal | None) -> str | None:
    return None if number is None else format(number, "f")
