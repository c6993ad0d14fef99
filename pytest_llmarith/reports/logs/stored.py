"""Stored replies, read and graded again without a call. It does not know models or prompts.

Takes run logs (`trials.jsonl`) and llm_arithmetic's JSONL, line by line; what was unanswered stays unanswered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

from pytest_llmarith import trials
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.logs import llm_arithmetic
from pytest_llmarith.reports.logs.lines import WANTED, is_torn, lines
from pytest_llmarith.reports.mistake import Mistake, name_of
from pytest_llmarith.values import (
    AdditionProblem,
    ArithmeticProblem,
    Dtype,
    NumberProblem,
    Op,
    Outcome,
    Reading,
    Reply,
)

_LONGEST_CAUSE = 200
_LARGEST_EXPONENT = 1_000  # beyond what anybody asks; written out, 1e999999999 would fill the memory
# What reading and grading a reply again says of it.
READ_AGAIN = ("outcome", "reason", "reading", "answer", "grade")


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


def too_deep(file: Path, line: int) -> Mistake:
    """What is said of a record that is nested beyond what Python follows."""
    return Mistake(f"{name_of(file)}, line {line}: nested too deep; {WANTED}")


def changes(file: Path, reading: Reading | None, notes: list[str]) -> Iterator[Change]:
    """Every reply of a file, read again. A line that was torn by a kill is left out, with a note."""
    return _changes(file, notes, lambda record: read_again(record, reading))


def changes_known(file: Path, verdicts: Iterable[Mapping[str, Any]]) -> Iterator[Change]:
    """The same once more, of a file that was read to its end before: what became of each reply then."""
    known = iter(verdicts)
    return _changes(file, [], lambda record: {**record, **next(known, {})})


def _changes(file: Path, notes: list[str], again: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Iterator[Change]:
    for number, line in lines(file):
        try:
            stored = _stored(line)
            change = Change(file, number, str(stored["outcome"]), again(stored))
        except json.JSONDecodeError as fault:
            if not is_torn(line):
                raise Mistake(f"{name_of(file)}, line {number}: not JSON ({fault.msg}); {WANTED}") from fault
            notes.append(f"{name_of(file)}, line {number}: a kill tore this line; it was left out")
        except RecursionError as fault:
            raise too_deep(file, number) from fault
        except (KeyError, ValueError, TypeError, AttributeError, ArithmeticError) as fault:
            raise Mistake(f"{name_of(file)}, line {number}: {_named(fault)}; {WANTED}") from fault
        else:
            yield change


def read_again(record: Mapping[str, Any], reading: Reading | None = None) -> dict[str, Any]:
    """The record with its reply read and graded anew; `reading` overrides the one it was graded by."""
    reply = record["reply"]
    if reply is None:
        return {**record, "outcome": str(Outcome.UNANSWERED)}
    if record["task"] not in _PROBLEMS:  # programs are run, not read, and what is no task of ours is its owner's
        return dict(record)
    problem = _PROBLEMS[record["task"]](record["problem"])
    reading = reading or Reading(record.get("reading") or Reading.TOLERANT)
    return {**record, **trials.verdict_fields(problem, reading, Reply(_text(reply), finish_reason=_ending(reply)))}


def is_of_own_task(record: Mapping[str, Any]) -> bool:
    """Whether only the test-suite that asked knows how to read and grade this."""
    return "given" in (record.get("problem") or {})


def _arithmetic(fields: Mapping[str, Any]) -> NumberProblem:
    """As much of the problem as reading and grading ask for."""
    lhs, rhs, expected = (_number(fields, key) for key in ("lhs", "rhs", "expected"))
    return ArithmeticProblem(0, Op(fields["op"]), Dtype(fields["dtype"]), int(fields["depth"]), 0, lhs, rhs, expected)


def _addition(fields: Mapping[str, Any]) -> NumberProblem:
    return AdditionProblem(0, 0, *(_number(fields, key) for key in ("int1", "int2", "expected")))


def _number(fields: Mapping[str, Any], key: str) -> str:
    """A number as it is written. Decimal also takes "NaN" and "Infinity", which no answer equals."""
    text = str(fields[key])
    try:
        number = Decimal(text)
    except InvalidOperation as fault:
        raise ValueError(f"problem.{key} is no number: {text!r}") from fault
    if not number.is_finite():
        raise ValueError(f"problem.{key} is no number: {text!r}")
    if abs(number.adjusted()) > len(text) + _LARGEST_EXPONENT:
        raise ValueError(f"problem.{key} has an exponent beyond {_LARGEST_EXPONENT:,}: {text!r}")
    return text


_PROBLEMS = {ArithmeticProblem.task: _arithmetic, AdditionProblem.task: _addition}


def _ending(reply: Mapping[str, Any]) -> str | None:
    reason: str | None = reply.get("finish_reason")
    return reason


def _text(reply: Mapping[str, Any]) -> str:
    text = reply["text"]
    if not isinstance(text, str):
        raise TypeError("the text of the reply is not a string")
    return text


def _stored(line: str) -> Mapping[str, Any]:
    if llm_arithmetic.MARK in line and llm_arithmetic.is_row(row := llm_arithmetic.row_in(line)):
        return llm_arithmetic.record_of(row)
    record = json.loads(line)
    if not isinstance(record, dict):
        raise TypeError("not a JSON object")
    Outcome(record["outcome"])
    _check_shape(record)
    return record


def _check_shape(record: Mapping[str, Any]) -> None:
    """Also records that are not read again have to be shown, whatever their task."""
    if not isinstance(record.get("task", ""), str):
        raise TypeError("the task is not a string")
    if not isinstance(record.get("problem"), dict | None):
        raise TypeError("the problem is not a JSON object")
    reply = record["reply"]
    if not isinstance(reply, dict | None):
        raise TypeError("the reply is not a JSON object")
    if reply and not isinstance(reply.get("text"), str | None):
        raise TypeError("the text of the reply is not a string")


def _named(fault: Exception) -> str:
    if isinstance(fault, KeyError):
        return f"{sanitize(str(fault), _LONGEST_CAUSE)} is missing"
    return sanitize(str(fault), _LONGEST_CAUSE)
