"""Grades the replies of run logs and of files of llm_arithmetic again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pytest_llmarith import evaluate, records
from pytest_llmarith.records import Record
from pytest_llmarith.results import llm_arithmetic
from pytest_llmarith.results.log import NotGradedError, Span, parsed, place_of
from pytest_llmarith.results.run_files import UsageError
from pytest_llmarith.safe_text import sanitize, text_of_error
from pytest_llmarith.tasks.restore import Restored, load_task
from pytest_llmarith.tasks.task import InvalidGrade, Task, Tasks
from pytest_llmarith.types import Outcome

_LONGEST_REASON = 60


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

    def count_in(self, counts: RegradedCounts) -> None:
        """Add the reply to counts."""
        after = self.record.grade.score if self.record.grade else None
        counts.add(
            self.outcomes,
            (self.score_before, after),
            self.record.reason,
            is_graded=self.is_graded,
        )


@dataclass
class RegradedCounts:
    """The counts of replies that were graded again.

    `before` and `after` are the sums of the scores of those that have both.
    """

    transitions: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)  # for no answer
    scored: int = 0
    before: float = 0.0
    after: float = 0.0
    partial: int = 0  # with a score between 0 and 1
    unchanged: int = 0
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.transitions = Counter(self.transitions)
        self.reasons = Counter(self.reasons)

    def add(
        self,
        outcomes: tuple[str, str],
        scores: tuple[float | None, float | None],
        reason: str | None,
        *,
        is_graded: bool,
    ) -> None:
        """Count a reply by its outcomes and scores before and after."""
        self.transitions["->".join(outcomes)] += 1
        if outcomes[1] == Outcome.NAN:
            self.reasons[sanitize(str(reason), _LONGEST_REASON)] += 1
        self.unchanged += not is_graded
        before, after = scores
        if before is not None and after is not None:
            self.scored += 1
            self.before += before
            self.after += after
            self.partial += 0 < before < 1 or 0 < after < 1

    def merge(self, other: RegradedCounts) -> None:
        """Count those of another part as well."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def tasks_named(texts: Iterable[str]) -> dict[str, Task[Any]]:
    """The tasks that `--task` names. Raises UsageError."""
    try:
        return {task.name: task for task in map(load_task, texts)}
    except ValueError as error:
        raise UsageError(f"--task: {error}") from None


def changes(
    file: Path,
    reading: str | None,
    notes: list[str],
    tasks: Tasks | None = None,
    span: Span | None = None,
) -> Iterator[Change]:
    """Every reply of a run log or of a file of llm_arithmetic, or of its span, graded
    again; `reading` replaces that of the records.

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

    for number, changed in parsed(file, change, span):
        if changed is None:
            notes.append(
                f"{place_of(file, number, span)}: skipped, as it was cut when the run "
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
