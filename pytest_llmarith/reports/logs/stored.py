"""Stored replies, read and graded again without a call. It does not know models or prompts.

Takes run logs (`trials.jsonl`) and llm_arithmetic's JSONL, line by line; what was unanswered stays unanswered.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pytest_llmarith import evaluate, records
from pytest_llmarith.records import Record
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.logs import llm_arithmetic
from pytest_llmarith.reports.logs.lines import WANTED, is_torn, lines
from pytest_llmarith.reports.mistake import Mistake, name_of
from pytest_llmarith.values import (
    AdditionProblem,
    ArithmeticProblem,
    NumberProblem,
    Outcome,
    Reading,
    Reply,
)

_LONGEST_CAUSE = 200


class Change(NamedTuple):
    """One stored reply, before and after."""

    file: Path
    line: int
    before: Outcome
    record: Record

    @property
    def cell(self) -> tuple[Outcome, Outcome]:
        return self.before, self.record.outcome


def changes(file: Path, reading: Reading | None, notes: list[str]) -> Iterator[Change]:
    """Every reply of a file, read again. A line that was torn by a kill is left out, with a note."""
    for number, line in lines(file):
        try:
            before, stored = _stored(line)
            change = Change(file, number, before, read_again(stored, reading))
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
    return evaluate.graded_again(record, asked, reading, Reply(reply.text, finish_reason=reply.finish_reason))


def _stored(line: str) -> tuple[Outcome, Record]:
    """The outcome that a line states, and its record."""
    if llm_arithmetic.MARK in line and llm_arithmetic.is_row(row := llm_arithmetic.row_in(line)):
        return llm_arithmetic.outcome_of(row), llm_arithmetic.record_of(row)
    record = records.decode_record(line)
    return record.outcome, record


def _named(fault: Exception) -> str:
    return sanitize(str(fault), _LONGEST_CAUSE)
