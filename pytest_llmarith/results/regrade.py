"""Stored replies, read and graded again without a request."""

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
    """One stored reply: its outcome before, and its record after."""

    file: Path
    line: int
    before: Outcome
    record: Record

    @property
    def outcomes(self) -> tuple[Outcome, Outcome]:
        """Before and after."""
        return self.before, self.record.outcome


def changes(file: Path, reading: Reading | None, notes: list[str]) -> Iterator[Change]:
    """Every reply of a run log or of a file of llm_arithmetic, read again; `reading` replaces that of the records.

    A line that a kill cut short is left out, with a note. Raises UsageError if another line holds no trial.
    """

    def change(line: str) -> tuple[Outcome, Record]:
        if row := llm_arithmetic.row_in(line):
            return row.outcome, read_again(llm_arithmetic.record_of(row), reading)
        record = decode_record(line)
        return record.outcome, read_again(record, reading)

    for number, changed in parsed(file, change):
        if changed is None:
            notes.append(f"{name_of(file)}, line {number}: a kill tore this line; it was left out")
        else:
            yield Change(file, number, *changed)


def read_again(record: Record, reading: Reading | None = None) -> Record:
    """The record with its reply read and graded anew; `reading` replaces the one by which it was graded.

    Records of programs, searches and custom tasks stay as they are, and so do those without a reply.
    """
    problem, reply = record.problem, record.reply
    if reply is None or not isinstance(problem, ArithmeticProblem | AdditionProblem):
        return record
    reading = reading or record.reading or Reading.TOLERANT
    return evaluate.graded_again(record, problem, reading, Reply(reply.text, finish_reason=reply.finish_reason))


@dataclass
class Tally:
    """What became of the replies of one file, or of all."""

    transitions: Counter[tuple[Outcome, Outcome]] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)  # why there is no answer
    left: Counter[str] = field(default_factory=Counter)  # why a record is left as it was

    def count(self, change: Change) -> None:
        """Count one reply."""
        record = change.record
        self.transitions[change.outcomes] += 1
        if record.outcome is Outcome.NAN:
            self.reasons[sanitize(str(record.reason), _LONGEST_NAME)] += 1
        if isinstance(record.problem, SearchProblem):
            self.left[
                "a search whose replies are graded otherwise goes another way; the tests that searched can search "
                "again, from the store as far as it goes the same way"
            ] += 1
        elif isinstance(record.problem, CustomProblem):
            self.left[
                f"{sanitize_name(record.task, _LONGEST_NAME)} is no task of pytest-llmarith; the tests that asked can "
                "grade it again, without a call where the replies are in the store"
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
        """A line for each kind of records that are left as they were."""
        return [
            f"{'1 record is left as it was' if count == 1 else f'{count:,} records are left as they were'}: {why}"
            for why, count in self.left.items()
        ]
