"""Checks the trials of a bundle one by one: the question is made anew, and the reply is
graded anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import msgspec

from pytest_llmarith import evaluate
from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.records import Record, encode
from pytest_llmarith.results.log import SUMMARY
from pytest_llmarith.results.run_files import UsageError
from pytest_llmarith.safe_text import text_of_error
from pytest_llmarith.summaries import Run
from pytest_llmarith.tasks.prompts import render
from pytest_llmarith.tasks.restore import Restored
from pytest_llmarith.tasks.task import InvalidGrade, Task, TaskProblem, Tasks
from pytest_llmarith.types import FailureCode, Outcome, Question, messages_of

_GRADE = ("outcome", "reason", "reading", "answer", "answers", "grade", "raised")
_DEEPEST = 10_000  # a deeper problem may take hours to make
_CLOCKS = timedelta(seconds=5)  # by which clocks of a run may differ


def trials_of(task: str) -> str:
    """What is not checked if the task is unknown."""
    return f"trials of the task {task}"


class TrialChecks:
    """The checks of one trial after the other.

    `unchecked` counts what of them could not be checked, such as `trials_of` a task,
    and `noted` what is worth a question.
    """

    def __init__(self, run: Run, tasks: Tasks, *, is_same_version: bool) -> None:
        """Raises UsageError for a time that is none."""
        self.unchecked: Counter[str] = Counter()
        self.noted: Counter[str] = Counter()
        self._run = run
        self._restored = Restored(tasks)
        self._models = {model.name: model for model in run.models}
        texts = run.prompt_texts or {}
        self._templates = {
            name: text or "" for name, text in texts.get("templates", {}).items()
        }
        self._systems = texts.get("systems", {})
        self._is_same_version = is_same_version
        parts = run.merged.runs if run.merged else [run]
        self._runs = {run.id, *(one.id for one in parts)}
        try:
            self._asked = [
                # No reply is of a run without times.
                (
                    datetime.fromisoformat(one.started_at or "9998-01-01T00Z")
                    - _CLOCKS,
                    datetime.fromisoformat(one.finished_at or "0002-01-01T00Z")
                    + _CLOCKS,
                )
                for one in parts
            ]
        except ValueError as error:
            raise UsageError(f"{SUMMARY}: no time of a run ({error})") from None

    def of(self, record: Record, line: str) -> Iterator[str]:
        """What is wrong with a trial."""
        if self._is_same_version and encode(record) != line.strip():
            yield "has unknown, doubled or reordered keys"
        if record.run not in self._runs:
            yield f"is of the run {record.run}"
        if record.reply is not None and record.outcome is Outcome.UNANSWERED:
            self.noted["replies have no grade, and are in no percentage"] += 1
        yield from self._timed(record)
        task = self._restored.task_of(record.task)
        if task is None or record.search is not None:
            self.unchecked[trials_of(record.task)] += 1
            return
        problem = self._problem(task, record)
        if problem is None or problem.recorded != record.problem:
            yield f"{record.problem.label}: the task makes no such problem"
            return
        yield from self._asked_of(record, problem)
        if record.reply is not None:
            yield from self._graded(record, problem)

    def _timed(self, record: Record) -> Iterator[str]:
        reply = record.reply
        if reply is None or (reply.sent is None and reply.asked_at is None):
            return  # that a `model` fixture gave
        try:
            asked = datetime.fromisoformat(reply.asked_at or "")
        except ValueError:  # such as a 13th month
            yield "does not say when it was asked"
            return
        if reply.stored or any(first <= asked <= last for first, last in self._asked):
            return
        if reply.batched:
            self.noted["replies are of batches that are older than the run"] += 1
        else:
            yield "was asked before the run or after it"

    def _problem(self, task: Task[Any], record: Record) -> TaskProblem | None:
        """The problem that the seed of the run makes at this place."""
        seen = record.problem
        if task.grid is not None and (seen.depth or 0) > _DEEPEST:
            return None
        try:
            place = msgspec.structs.replace(seen, seed=self._run.seed)
            return self._restored.made_anew(task, place)
        except Exception:  # of a user's task, for a problem that it never makes
            return None

    def _asked_of(self, record: Record, problem: TaskProblem) -> Iterator[str]:
        """Whether this prompt was sent, with the parameters of the summary."""
        condition = record.condition
        try:
            prompt = render(problem, condition, self._templates, problem.seed)
        except (KeyError, ValueError) as error:
            yield f"has no prompt ({text_of_error(error)})"
            return
        if record.prompt != list(messages_of(prompt)):
            yield "has another prompt than its task makes"
        model = self._models.get(record.model)
        if model is None or record.simulated != model.simulated:
            yield "is of no model of the run"
        elif record.reply is not None and record.reply.sent is None:
            self.unchecked["replies that a `model` fixture gave"] += 1
        elif record.reply is not None:
            system = self._systems.get(condition.system or "")
            question = Question(model.name, prompt, 0, record.repeat, system)
            if record.reply.sent != sent_of(model.for_question(question), prompt):
                yield (
                    "was sent with other parameters, model or messages than summary "
                    "and prompt say"
                )

    def _graded(self, record: Record, problem: TaskProblem) -> Iterator[str]:
        task = problem.owner
        wanted: str | None = self._run.reading
        if wanted not in task.readings:
            wanted = next(iter(task.readings), None)
        grader: Any = task.grader
        if grader is not None and not hasattr(grader, "of"):
            self.unchecked[trials_of(record.task)] += 1  # it may ask or run anything
            return
        try:
            if grader is not None:
                task = replace(task, grade=grader.of(record))
            anew = evaluate.regraded(record, task, problem, wanted)
        except (Exception, SystemExit) as error:  # as of an argument parser
            if grader is not None or type(error).__name__ != _error_in(record):
                yield f"cannot be graded: {text_of_error(error)}"
            return
        for name in _GRADE:
            before, after = getattr(record, name), getattr(anew, name)
            if before != after:
                yield f"graded anew, its {name} is {after}, not {before}"
                return


def _error_in(record: Record) -> str | None:
    """The class of the error for which a record has no grade."""
    if record.outcome is not Outcome.UNANSWERED or record.grade is not None:
        return None
    if record.failure is FailureCode.GRADE:
        return InvalidGrade.__name__
    return record.raised and record.raised.partition(":")[0]
