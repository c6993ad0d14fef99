"""Grades the replies of run logs and of files of llm_arithmetic again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pytest_llmarith import evaluate, records
from pytest_llmarith.records import Record
from pytest_llmarith.results import llm_arithmetic
from pytest_llmarith.results.log import NotGradedError, parsed
from pytest_llmarith.results.run_files import name_of
from pytest_llmarith.safe_text import text_of_error
from pytest_llmarith.tasks.restore import Restored
from pytest_llmarith.tasks.task import InvalidGrade, Task
from pytest_llmarith.types import Outcome


class Change(NamedTuple):
    """One recorded reply: its outcome before, and its record after."""

    file: Path
    line: int
    before: Outcome
    score_before: float | None
    record: Record
    is_graded: bool  # whether it was graded again

    @property
    def outcomes(self) -> tuple[Outcome, Outcome]:
        """Before and after."""
        return self.before, self.record.outcome


def changes(
    file: Path,
    reading: str | None,
    notes: list[str],
    tasks: Mapping[str, Task[Any]] | None = None,
) -> Iterator[Change]:
    """Every reply of a run log or of a file of llm_arithmetic, graded again; `reading`
    replaces that of the records.

    `tasks` are the user's by name. A torn line is skipped, with a note. Raises
    UsageError if another line is not a trial.
    """
    restored = Restored(tasks or {})

    def change(line: str) -> tuple[Outcome, float | None, Record, bool]:
        row = llm_arithmetic.row_in(line)
        if row is not None:
            record = llm_arithmetic.record_of(row)
            before = row.outcome
        else:
            record = records.decode_record(line)
            before = record.outcome
        score = record.grade.score if record.grade else None
        try:
            again = read_again(record, reading, restored)
        except ValueError as error:
            raise NotGradedError(str(error)) from error
        if again is None:
            return before, score, record, record.reply is None
        return before, score, again, True

    for number, changed in parsed(file, change):
        if changed is None:
            notes.append(
                f"{name_of(file)}, line {number}: skipped, as it was cut when the run "
                f"was killed"
            )
        else:
            yield Change(file, number, *changed)


def read_again(
    record: Record, reading: str | None = None, restored: Restored | None = None
) -> Record | None:
    """The record with its reply read and graded again; `reading` replaces that of the
    record.

    None without a reply, and if the task is unknown or its grade takes more than a
    reply. Raises InvalidTask, InvalidGrade, and ValueError if
    the task raises.
    """
    restored = restored or Restored({})
    task = restored.task_of(record.task)
    if record.reply is None or task is None or task.grader is not None:
        return None
    problem = restored.problem_of(task, record.problem)
    try:
        return evaluate.regraded(record, task, problem, reading)
    except InvalidGrade:
        raise
    except Exception as error:
        raise ValueError(f"task {task.name} raised {text_of_error(error)}") from error
