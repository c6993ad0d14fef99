"""Reads and grades recorded replies again, without a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pytest_llmarith import evaluate
from pytest_llmarith.records import (
    AdditionProblem,
    ArithmeticProblem,
    CustomProblem,
    Record,
    SearchProblem,
    decode_record,
)
from pytest_llmarith.results import llm_arithmetic
from pytest_llmarith.results.files import name_of
from pytest_llmarith.results.formatting import sanitize, sanitize_name
from pytest_llmarith.results.log import parsed
from pytest_llmarith.types import Outcome, Reading, Reply

_LONGEST_NAME = 60


class Change(NamedTuple):
    """One recorded reply: its outcome before, and its record after."""

    file: Path
    line: int
    before: Outcome
    record: Record

    @property
    def outcomes(self) -> tuple[Outcome, Outcome]:
        """Before and after."""
        return self.before, self.record.outcome


def changes(file: Path, reading: Reading | None, notes: list[str]) -> Iterator[Change]:
    """Every reply of a run log or of a file of llm_arithmetic, graded again; `reading` replaces that of the records.

    A torn line is skipped, with a note. Raises UsageError if another line is not a trial.
    """

    def change(line: str) -> tuple[Outcome, Record]:
        if row := llm_arithmetic.row_in(line):
            return row.outcome, read_again(llm_arithmetic.record_of(row), reading)
        record = decode_record(line)
        return record.outcome, read_again(record, reading)

    for number, changed in parsed(file, change):
        if changed is None:
            notes.append(f"{name_of(file)}, line {number}: skipped, as it was cut when the run was killed")
        else:
            yield Change(file, number, *changed)


def read_again(record: Record, reading: Reading | None = None) -> Record:
    """The record with its reply read and graded again; `reading` replaces that of the record.

    Records of programs, searches and custom tasks, and those without a reply, are returned unchanged.
    """
    problem, reply = record.problem, record.reply
    if reply is None or not isinstance(problem, ArithmeticProblem | AdditionProblem):
        return record
    reading = reading or record.reading or Reading.TOLERANT
    return evaluate.regraded_record(record, problem, reading, Reply(reply.text, finish_reason=reply.finish_reason))


@dataclass
class Tally:
    """Counts the changes of one file, or of all."""

    transitions: Counter[tuple[Outcome, Outcome]] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)  # why there is no answer
    left: Counter[str] = field(default_factory=Counter)  # why a record is unchanged

    def count(self, change: Change) -> None:
        """Count one reply."""
        record = change.record
        self.transitions[change.outcomes] += 1
        if record.outcome is Outcome.NAN:
            self.reasons[sanitize(str(record.reason), _LONGEST_NAME)] += 1
        if isinstance(record.problem, SearchProblem):
            self.left[
                "the questions of a search depend on the grades; rerun its tests, which take equal questions from "
                "the store"
            ] += 1
        elif isinstance(record.problem, CustomProblem):
            self.left[
                f"{sanitize_name(record.task, _LONGEST_NAME)} is a custom task; rerun its tests, which take the "
                "replies from the store"
            ] += 1

    def add(self, other: Tally) -> None:
        """Add the counts of another file."""
        self.transitions += other.transitions
        self.reasons += other.reasons
        self.left += other.left

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcomes that occur, in the order of `Outcome`."""
        occurring = {outcome for both in self.transitions for outcome in both}
        return [outcome for outcome in Outcome if outcome in occurring]

    @property
    def notes(self) -> list[str]:
        """A line for each kind of unchanged records."""
        return [
            f"{'1 record is unchanged' if count == 1 else f'{count:,} records are unchanged'}: {why}"
            for why, count in self.left.items()
        ]
