"""Room: stored replies, read and graded again without a call. It does not know models or prompts.

Takes run logs (`trials.jsonl`) and llm_arithmetic's JSONL, line by line; what was unanswered stays unanswered.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

from pytest_llmarith import trials
from pytest_llmarith.reports import llm_arithmetic
from pytest_llmarith.reports.jsonfiles import TORN
from pytest_llmarith.values import (
    AdditionProblem,
    ArithmeticProblem,
    Dtype,
    Model,
    Op,
    Outcome,
    Problem,
    Reading,
    Reply,
)

_WANTED = "expected a record of a run log (trials.jsonl) or a row of llm_arithmetic"
_READ_AGAIN = ("outcome", "reason", "reading", "answer", "grade")


class Mistake(Exception):
    """What a user got wrong, in one line: what, where, and what to write instead."""


class Change(NamedTuple):
    """One stored reply, before and after."""

    file: Path
    line: int
    before: str
    record: dict[str, Any]

    @property
    def after(self) -> str:
        return str(self.record["outcome"])

    @property
    def cell(self) -> tuple[str, str]:
        return self.before, self.after


def changes(file: Path, reading: Reading | None, notes: list[str]) -> Iterator[Change]:
    """Every reply of a file, read again. A line that was torn by a kill is left out, with a note."""
    for number, line in _lines(file):
        try:
            stored = _stored(line)
            change = Change(file, number, str(stored["outcome"]), read_again(stored, reading))
        except json.JSONDecodeError as fault:
            if not _is_torn(line):
                raise Mistake(f"{file}, line {number}: not JSON ({fault.msg}); {_WANTED}") from fault
            notes.append(f"{file}, line {number}: a kill tore this line; it was left out")
        except (KeyError, ValueError, TypeError, AttributeError, InvalidOperation) as fault:
            raise Mistake(f"{file}, line {number}: {_named(fault)}; {_WANTED}") from fault
        else:
            yield change


def read_again(record: Mapping[str, Any], reading: Reading | None = None) -> dict[str, Any]:
    """The record with its reply read and graded anew; `reading` overrides the one it was graded by."""
    reply = record["reply"]
    if reply is None:
        return {**record, "outcome": str(Outcome.UNANSWERED)}
    if record["task"] not in _PROBLEMS:  # programs are run, not read
        return dict(record)
    again = trials.record(
        _PROBLEMS[record["task"]](record["problem"]),
        Model(record["model"], record["model"]),
        "",
        None,
        reading or Reading(record.get("reading") or Reading.TOLERANT),
        Reply(text=_text(reply), finish_reason=reply.get("finish_reason")),
    )
    return {**record, **{key: again[key] for key in _READ_AGAIN}}


def _arithmetic(fields: Mapping[str, Any]) -> Problem:
    """As much of the problem as reading and grading ask for."""
    lhs, rhs, expected = (str(fields[key]) for key in ("lhs", "rhs", "expected"))
    return ArithmeticProblem(0, Op(fields["op"]), Dtype(fields["dtype"]), int(fields["depth"]), 0, lhs, rhs, expected)


def _addition(fields: Mapping[str, Any]) -> Problem:
    return AdditionProblem(0, 0, *(str(fields[key]) for key in ("int1", "int2", "expected")))


_PROBLEMS = {ArithmeticProblem.task: _arithmetic, AdditionProblem.task: _addition}


def _text(reply: Mapping[str, Any]) -> str:
    text = reply["text"]
    if not isinstance(text, str):
        raise TypeError("the text of the reply is not a string")
    return text


def _stored(line: str) -> Mapping[str, Any]:
    record = json.loads(line)
    if not isinstance(record, dict):
        raise TypeError("not a JSON object")
    if llm_arithmetic.is_row(record):
        return llm_arithmetic.record_of(line)
    Outcome(record["outcome"])
    return record


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    try:
        with file.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield number, line
    except OSError as fault:
        raise Mistake(f"{file}: cannot be read ({fault.strerror}); name a trials.jsonl of a run") from fault
    except UnicodeDecodeError as fault:
        raise Mistake(f"{file}: not UTF-8 text; {_WANTED}") from fault


def _is_torn(line: str) -> bool:
    """Whether the line has no end, or one that the next run gave it."""
    return not line.endswith("\n") or line.encode().endswith(TORN + b"\n")


def _named(fault: Exception) -> str:
    if isinstance(fault, KeyError):
        return f"{fault} is missing"
    if isinstance(fault, InvalidOperation):
        return "an operand or the expected answer is no number"
    return str(fault)
