"""A reply that is to be one number: read, graded, and written down."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec

from pytest_llmarith import answers, grading, records
from pytest_llmarith.records import Record
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


def number_record(problem: NumberProblem, subject: Subject, reading: Reading, reply: Reply) -> Record:
    """The record of an answered trial."""
    verdict = verdict_of(problem, reply, reading)
    return record(subject, reply, verdict.outcome, verdict.reason, **_graded(verdict, reading))


def graded_again(record: Record, problem: NumberProblem, reading: Reading, reply: Reply) -> Record:
    """The record with its reply read and graded anew."""
    verdict = verdict_of(problem, reply, reading)
    reason = verdict.reason and str(verdict.reason)
    return msgspec.structs.replace(record, outcome=verdict.outcome, reason=reason, **_graded(verdict, reading))


def _graded(verdict: Verdict, reading: Reading) -> dict[str, Any]:
    readings, grade, anatomy = verdict.readings, verdict.grade, verdict.anatomy
    return {
        "reading": reading,
        "answer": records.Answer(tolerant=_text(readings.tolerant), strict=_text(readings.strict)),
        "grade": None
        if grade is None or anatomy is None
        else records.Grade(
            absolute_error=grade.absolute_error,
            relative_error=grade.relative_error,
            rounded=grade.rounded,
            error_class=anatomy.error_class,
            digit_match=anatomy.digit_match,
            dlength=anatomy.dlength,
            leading_digits=anatomy.leading_digits,
        ),
    }


def _read(problem: NumberProblem, reply: Reply) -> Readings:
    if cut := cut_short(reply):
        return Readings(None, None, cut)
    return answers.read(reply.text, problem.operands, problem.dtype)


def _text(number: Decimal | None) -> str | None:
    return None if number is None else format(number, "f")
