"""A reply that is to be one number: read, graded, and written down."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pytest_llmarith import answers, grading
from pytest_llmarith.trials.frame import Subject, cut_short, record
from pytest_llmarith.values import (
    Anatomy,
    Grade,
    NanReason,
    NumberProblem,
    Outcome,
    Reading,
    Readings,
    Reply,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply came to: both readings, grade and anatomy of the one that counts, and why there is none."""

    outcome: Outcome
    readings: Readings
    grade: Grade | None
    anatomy: Anatomy | None
    reason: NanReason | None


def verdict_of(problem: NumberProblem, reply: Reply, reading: Reading) -> Verdict:
    """Read a reply and grade the reading that counts."""
    readings = _read(problem, reply)
    answer = readings.strict if reading is Reading.STRICT else readings.tolerant
    if answer is None:
        return Verdict(Outcome.NAN, readings, None, None, readings.reason or NanReason.UNREADABLE)
    grade = grading.grade(answer, problem.expected)
    case = grading.Case.of(problem.op, problem.dtype, problem.operands, problem.expected, answer)
    return Verdict(grade.outcome, readings, grade, grading.anatomy(case), None)


def nan_reason_of(reply: Reply) -> NanReason | None:
    """Why a reply holds no answer, as far as it can be told without its question."""
    return cut_short(reply) or answers.read(reply.text).reason


def number_record(problem: NumberProblem, subject: Subject, reading: Reading, reply: Reply) -> dict[str, Any]:
    """The record of an answered trial."""
    verdict = verdict_of(problem, reply, reading)
    return record(subject, reply, verdict.outcome, verdict.reason, **_fields(verdict, reading))


def verdict_fields(problem: NumberProblem, reading: Reading, reply: Reply) -> dict[str, Any]:
    """What a record says of a reply that was read and graded."""
    verdict = verdict_of(problem, reply, reading)
    reason = verdict.reason and str(verdict.reason)
    return {"outcome": str(verdict.outcome), "reason": reason, **_fields(verdict, reading)}


def _fields(verdict: Verdict, reading: Reading) -> dict[str, Any]:
    return {
        "reading": str(reading),
        "answer": {
            "tolerant": _text(verdict.readings.tolerant),
            "strict": _text(verdict.readings.strict),
        },
        "grade": _grade_fields(verdict.grade, verdict.anatomy),
    }


def _read(problem: NumberProblem, reply: Reply) -> Readings:
    if cut := cut_short(reply):
        return Readings(None, None, cut)
    return answers.read(reply.text, problem.operands, problem.dtype)


def _grade_fields(grade: Grade | None, anatomy: Anatomy | None) -> dict[str, Any] | None:
    if grade is None or anatomy is None:
        return None
    return {
        "absolute_error": grade.absolute_error,
        "relative_error": grade.relative_error,
        "rounded": grade.rounded,
        **anatomy.fields(),
    }


def _text(number: Decimal | None) -> str | None:
    return None if number is None else format(number, "f")
