"""Stored replies, read and graded again without a call. It does not know models or prompts.

Takes run logs (`trials.jsonl`) and llm_arithmetic's JSONL, line by line; what was unanswered stays unanswered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pytest_llmarith import records, trials
from pytest_llmarith.records import Record, as_dict
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.logs import llm_arithmetic
from pytest_llmarith.reports.logs.lines import WANTED, is_torn, lines
from pytest_llmarith.reports.mistake import Mistake, name_of
from pytest_llmarith.values import (
    AdditionProblem,
    ArithmeticProblem,
    NumberProblem,
    Reading,
    Reply,
)

_LONGEST_CAUSE = 200
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


def changes(file: Path, reading: Reading | None, notes: list[str]) -> Iterator[Change]:
    """Every reply of a file, read again. A line that was torn by a kill is left out, with a note."""
    return _changes(file, notes, lambda record: as_dict(read_again(record, reading)))


def changes_known(file: Path, verdicts: Iterable[Mapping[str, Any]]) -> Iterator[Change]:
    """The same once more, of a file that was read to its end before: what became of each reply then."""
    known = iter(verdicts)
    return _changes(file, [], lambda record: as_dict(record) | dict(next(known, {})))


def _changes(file: Path, notes: list[str], again: Callable[[Record], dict[str, Any]]) -> Iterator[Change]:
    for number, line in lines(file):
        try:
            before, stored = _stored(line)
            change = Change(file, number, before, again(stored))
        except json.JSONDecodeError as fault:
            if not is_torn(line):
                raise Mistake(f"{name_of(file)}, line {number}: not JSON ({fault.msg}); {WANTED}") from fault
            notes.append(f"{name_of(file)}, line {number}: a kill tore this line; it was left out")
        except RecursionError as fault:
            raise Mistake(f"{name_of(file)}, line {number}: nested too deep; {WANTED}") from fault
        except KeyError as fault:
            raise Mistake(f"{name_of(file)}, line {number}: {_named(fault)} is missing; {WANTED}") from fault
        except (ValueError, TypeError) as fault:
            raise Mistake(f"{name_of(file)}, line {number}: {_named(fault)}; {WANTED}") from fault
        else:
            yield change


def read_again(record: Record, reading: Reading | None = None) -> Record:
    """The record with its reply read and graded anew; `reading` overrides the one it was graded by.

    Programs are not run again, and only its owner can grade a custom task: their records stay.
    """
    problem, reply = record.problem, record.reply
    if reply is None or not isinstance(problem, records.ArithmeticProblem | records.AdditionProblem):
        return record
    asked: NumberProblem
    if isinstance(problem, records.ArithmeticProblem):
        numbers = problem.lhs, problem.rhs, problem.expected
        asked = ArithmeticProblem(0, problem.op, problem.dtype, problem.depth, 0, *numbers)
    else:
        asked = AdditionProblem(0, 0, problem.int1, problem.int2, problem.expected)
    reading = reading or record.reading or Reading.TOLERANT
    return trials.graded_again(record, asked, reading, Reply(reply.text, finish_reason=reply.finish_reason))


def is_of_own_task(record: Mapping[str, Any]) -> bool:
    """Whether only the test-suite that asked knows how to read and grade this."""
    return "given" in (record.get("problem") or {})


def _stored(line: str) -> tuple[str, Record]:
    """The outcome that a line states, and its record."""
    if llm_arithmetic.MARK in line and llm_arithmetic.is_row(row := llm_arithmetic.row_in(line)):
        return llm_arithmetic.outcome_of(row), llm_arithmetic.record_of(row)
    record = records.decode_record(line)
    return str(record.outcome), record


def _named(fault: Exception) -> str:
    return sanitize(str(fault), _LONGEST_CAUSE)
