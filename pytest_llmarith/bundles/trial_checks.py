"""Checks the trials of a bundle one by one: the question is made anew, and the reply is
graded anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from pytest_llmarith import evaluate
from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.records import Record, RecordedProblem, encode
from pytest_llmarith.results.log import SUMMARY
from pytest_llmarith.results.run_files import UsageError
from pytest_llmarith.safe_text import sanitize, text_of_error
from pytest_llmarith.summaries import Run, RunTimes
from pytest_llmarith.tasks.prompts import render
from pytest_llmarith.tasks.restore import Restored
from pytest_llmarith.tasks.task import Task, TaskProblem
from pytest_llmarith.types import (
    FailureCode,
    Outcome,
    Prompt,
    Question,
    messages_of,
)

_GRADE = ("outcome", "reason", "reading", "answer", "answers", "grade")
_DEEPEST = 10_000  # a deeper problem may take hours to make
_LONGEST = 200
_CLOCKS = timedelta(seconds=5)  # by which clocks of a run may differ

Found = Iterator[tuple[str, str]]  # a kind of finding, and what it says


class GradedAnew(Protocol):
    """A task whose grade takes more than a reply, and how its grades are checked."""

    @property
    def task(self) -> Task[Any]: ...

    def contradictions(self, record: Record, problem: TaskProblem) -> Iterator[str]:
        """What of a record's grade is not what its reply is graded as."""


class TrialChecks:
    """The checks of one trial after the other.

    `unchecked` counts trials by what of them could not be checked.
    """

    def __init__(
        self,
        run: Run,
        tasks: Mapping[str, Task[Any]],
        graded_anew: Mapping[str, GradedAnew],
        *,
        is_same_version: bool,
    ) -> None:
        self.unchecked: dict[str, int] = {}
        self._run = run
        self._anew = graded_anew
        self._restored = Restored(
            {**tasks, **{name: one.task for name, one in graded_anew.items()}}
        )
        self._models = {model.name: model for model in run.models}
        self._is_same_version = is_same_version
        self._runs = {run.id}
        parts = run.merged.runs if run.merged else [run]
        self._runs = {run.id, *(one.id for one in parts)}
        self._asked = [_time_of(one) for one in parts]

    def of(self, record: Record, line: str) -> Found:
        """What is wrong with a trial."""
        if self._is_same_version and encode(record) != line.strip():
            yield "no line that a run writes", "has unknown, doubled or reordered keys"
        if record.run not in self._runs:
            yield "a trial of another run", f"is of the run {record.run}"
        yield from self._of_time(record)
        if (
            record.outcome is Outcome.UNANSWERED
            and record.reply is not None
            and not _has_no_grade(record)
        ):
            yield "unanswered with a reply", "is unanswered, but has a reply"
        if record.search is not None:
            self._skip("searches")
            return
        problem = yield from self._problem(record)
        if problem is None:
            return
        prompt = yield from self._prompt(record, problem)
        if prompt is not None:
            yield from self._sent(record, prompt)
        if record.reply is not None:
            yield from self._grade(record, problem)

    def _of_time(self, record: Record) -> Found:
        reply = record.reply
        if reply is None or reply.stored or reply.batched or reply.asked_at is None:
            return
        try:
            asked = datetime.fromisoformat(reply.asked_at)
        except ValueError:  # such as a 13th month
            asked = datetime.max.replace(tzinfo=UTC)
        for first, last in self._asked:
            if first <= asked <= last:
                return
        yield "asked outside of the run", f"was asked at {reply.asked_at}"

    def _problem(self, record: Record) -> Any:
        """The problem made anew; None if it cannot be."""
        seen = record.problem
        if seen.seed != self._run.seed:
            what = f"has the seed {seen.seed}, and the run {self._run.seed}"
            yield "another seed", what
        task = self._restored.task_of(record.task)
        if task is None:
            self._skip(f"trials of the task {sanitize(record.task, _LONGEST)}")
            return None
        made = self._made(task, seen)
        if made is None:
            what = f"{sanitize(seen.label, _LONGEST)} is no problem of {task.name}"
            yield "no problem of the task", what
        elif made.recorded != seen:
            what = f"{sanitize(seen.label, _LONGEST)}: the seed makes another problem"
            yield "another problem than the seed makes", what
            return None
        return made

    def _made(self, task: Task[Any], seen: RecordedProblem) -> TaskProblem | None:
        if max(seen.depth or 0, seen.trial or 0) > _DEEPEST * _DEEPEST:
            return None
        if task.grid is not None and (seen.depth or 0) > _DEEPEST:
            return None
        try:
            return self._restored.made_anew(task, seen)
        except Exception:  # of a user's task, for a problem that it never makes
            return None

    def _prompt(self, record: Record, problem: TaskProblem) -> Any:
        texts = self._run.prompt_texts or {}
        templates = {
            name: text or "" for name, text in texts.get("templates", {}).items()
        }
        try:
            prompt = render(
                problem, record.condition, templates, record.problem.seed or 0
            )
        except (KeyError, ValueError) as error:
            yield "no condition of the run", f"has no prompt ({text_of_error(error)})"
            return None
        if record.prompt is not None and tuple(record.prompt) != messages_of(prompt):
            yield "another prompt", "has another prompt than its task makes"
            return None
        return prompt

    def _sent(self, record: Record, prompt: Prompt) -> Found:
        """Whether that prompt was sent, with the parameters of the summary."""
        model = self._models.get(record.model)
        if model is None:
            yield "another model", f"names {record.model}, which the run does not have"
            return
        if record.simulated != model.simulated:
            yield "simulated or not", "says wrongly whether a fake model replied"
        if record.reply is None:
            return
        if record.reply.sent is None:
            self._skip("replies of a `model` fixture")
            return
        system = None
        if record.condition.system is not None:
            texts = self._run.prompt_texts or {}
            system = texts.get("systems", {}).get(record.condition.system)
        question = Question(record.model, prompt, 0, record.repeat, system)
        wanted, sent = sent_of(model.for_question(question), prompt), record.reply.sent
        for name in wanted.__struct_fields__:
            if getattr(wanted, name) != getattr(sent, name):
                what = f"was sent with other {name} than the summary and its prompt say"
                yield f"other {name} were sent", what

    def _grade(self, record: Record, problem: TaskProblem) -> Found:
        task = problem.owner
        kind = "another grade"
        wanted = self._run.reading
        if wanted not in task.readings:
            wanted = next(iter(task.readings), None)  # type: ignore[assignment]
        if record.reading != wanted and record.outcome is not Outcome.UNANSWERED:
            yield "another reading", f"is graded by {record.reading}, not by {wanted}"
        if task.grader is not None:
            for what in self._anew[task.name].contradictions(record, problem):
                yield kind, what
            return
        try:
            anew = evaluate.regraded(record, task, problem, wanted)
        except Exception as error:
            if record.raised is None and record.failure is not FailureCode.GRADE:
                yield (
                    kind,
                    f"cannot be graded: {sanitize(text_of_error(error), _LONGEST)}",
                )
            return
        for name in _GRADE:
            before, after = getattr(record, name), getattr(anew, name)
            if before != after:
                what = f"{name} is {before}, graded anew it is {after}"
                yield kind, sanitize(what, 2 * _LONGEST)
                return

    def _skip(self, what: str) -> None:
        self.unchecked[what] = self.unchecked.get(what, 0) + 1


def _has_no_grade(record: Record) -> bool:
    """Whether its task raised, or returned no grade."""
    return record.raised is not None or record.failure is FailureCode.GRADE


def _time_of(run: RunTimes) -> tuple[datetime, datetime]:
    """When the questions of a run were asked. Raises UsageError."""
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    try:
        if run.started_at is not None:
            first = datetime.fromisoformat(run.started_at) - _CLOCKS
        if run.finished_at is not None:
            last = datetime.fromisoformat(run.finished_at) + _CLOCKS
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{SUMMARY}: no time of a run ({error})") from None
    return first, last
