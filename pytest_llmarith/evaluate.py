"""Evaluates replies: a reply to a problem of any task is read, graded, and becomes a
record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pytest_llmarith import exact, records
from pytest_llmarith.exact.digits import decimal_from
from pytest_llmarith.records import Record, Reply, for_record
from pytest_llmarith.tasks.task import (
    Grade,
    InvalidGrade,
    NoAnswer,
    Problem,
    Task,
    TaskProblem,
    Tools,
)
from pytest_llmarith.tasks.values import plain_details, recorded_answer
from pytest_llmarith.types import (
    DEFAULT_CONDITION,
    Condition,
    Failure,
    FailureCode,
    Model,
    NanReason,
    Outcome,
    Prompt,
    PromptConfig,
    Reading,
    messages_of,
)

_DIGITS = re.compile(r"[0-9]")
_INCOMPLETE = {  # replies, which have no answer
    "content_filter": NanReason.FILTERED,
    "length": NanReason.TRUNCATED,
    "repetition": NanReason.REPETITION,
}


@dataclass(frozen=True, slots=True)
class AskedTrial:
    """What a record says about a trial before the reply: problem, model, prompt and
    prompt config.
    """

    task: str
    problem: records.RecordedProblem
    model: Model
    prompt: Prompt
    nodeid: str | None
    condition: Condition = DEFAULT_CONDITION
    repeat: int = 0

    @classmethod
    def of(
        cls,
        problem: TaskProblem,
        model: Model,
        prompt: Prompt,
        nodeid: str | None,
        prompt_config: PromptConfig | None = None,
    ) -> AskedTrial:
        how = prompt_config or PromptConfig()
        return cls(
            problem.task,
            problem.recorded,
            model,
            prompt,
            nodeid,
            how.condition,
            how.repeat,
        )


@dataclass(slots=True)
class Graded:
    """What a reply was read and graded as."""

    outcome: Outcome
    reason: str | None = None
    reading: str | None = None
    answer: Any = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    grade: records.RecordedGrade | None = None
    failure: FailureCode | None = None


def evaluate(
    problem: TaskProblem,
    trial: AskedTrial,
    reply: Reply,
    reading: str | None = None,
    tools: Tools | None = None,
) -> Record:
    """The record of an answered trial."""
    __tracebackhide__ = True
    return record(trial, reply, graded(problem, reply, reading, tools))


def graded(
    problem: TaskProblem,
    reply: Reply,
    reading: str | None = None,
    tools: Tools | None = None,
) -> Graded:
    """Read a reply to a problem, and grade its answer; `reading` is the one to grade,
    if the task has several.
    """
    __tracebackhide__ = True
    return _graded(problem.owner, problem, reply, reading, tools)


def regraded(
    record: Record, task: Task[Any], problem: Problem, reading: str | None
) -> Record:
    """The record with its reply read and graded anew.

    Raises InvalidGrade, and the exceptions of the task's functions.
    """
    assert record.reply is not None
    reply = record.reply
    reply = Reply(reply.text, finish_reason=reply.finish_reason, sent=reply.sent)
    found = _graded(task, problem, reply, reading or record.reading, None)
    return msgspec.structs.replace(record, raised=None, **_fields(found))


def _graded(
    task: Task[Any],
    problem: Problem,
    reply: Reply,
    reading: str | None,
    tools: Tools | None,
) -> Graded:
    __tracebackhide__ = True
    if reading not in task.readings:
        reading = next(iter(task.readings), None)
    found = _read(task, problem, reply.to_read)
    if task.grader is not None:
        recorded = reason = None
        if isinstance(found, NoAnswer):
            reason = found.reason
        else:
            recorded = recorded_answer(found)
        grade = Grade.of(task.grader.grade(found, problem, tools or Tools(reply)))
        return _of_grade(grade, recorded, reason)
    if isinstance(found, NoAnswer):
        answers = dict.fromkeys(task.readings)
        none = records.RecordedGrade(0.0, dict.fromkeys(task.readings, 0.0))
        return Graded(Outcome.NAN, found.reason, reading, None, answers, none)
    if reading is None:
        # Before grading, as `grade` may modify the answer.
        recorded = recorded_answer(found)
        return _of_grade(_grade(task, problem, found), recorded)
    return _of_readings(task, problem, found, reading)


def _of_readings(
    task: Task[Any], problem: Problem, found: tuple[Any, ...], reading: str
) -> Graded:
    """The grade of one of several answers, with the scores of all."""
    __tracebackhide__ = True
    by_reading = dict(zip(task.readings, found, strict=True))
    grades = {}
    for answer in found:
        if answer is not None and answer not in grades:
            grades[answer] = _grade(task, problem, answer)
    scores = {}
    for name, answer in by_reading.items():
        scores[name] = 0.0 if answer is None else float(grades[answer].score or 0)
    answer = by_reading[reading]
    if answer is None:
        return Graded(
            Outcome.NAN,
            str(NanReason.UNREADABLE),
            reading,
            None,
            by_reading,
            records.RecordedGrade(0.0, scores),
        )
    graded = _of_grade(grades[answer], answer, scores=scores)
    graded.reading, graded.answers = reading, by_reading
    return graded


def _read(task: Task[Any], problem: Problem, reply: Reply) -> Any:
    """The answer, or a `NoAnswer`. Incomplete and empty replies are not read."""
    __tracebackhide__ = True
    # What stands at the end of an incomplete reply may be cut in half.
    incomplete = _INCOMPLETE.get(reply.finish_reason or "")
    if incomplete:
        return NoAnswer(str(incomplete))
    if task.has_thoughts:
        return task.read(reply.text, problem)
    stripped = exact.strip_thoughts(reply.text)
    answer = None
    if stripped.text.strip():
        answer = task.read(stripped.text, problem.copy())
    if answer is None:
        return NoAnswer(str(exact.reason(stripped, stripped.text)))
    return answer


def _grade(task: Task[Any], problem: Problem, answer: Any) -> Grade:
    """The grade by a function. A user's may modify the problem."""
    __tracebackhide__ = True
    grade: Any = task.grade
    return Grade.of(grade(answer, problem if task.has_thoughts else problem.copy()))


def _of_grade(
    grade: Grade,
    answer: Any,
    reason: str | None = None,
    scores: Mapping[str, float] | None = None,
) -> Graded:
    """The parts of a record that a grade says; details of a kind of its own are the
    answer.
    """
    outcome = grade.outcome
    if outcome is None:
        outcome = Outcome.CORRECT if grade.score == 1 else Outcome.DEVIATE
    details = grade.details
    if isinstance(details, records.Part) and not isinstance(details, records.Details):
        answer, details = None, records.as_dict(details)
    if isinstance(details, Mapping):
        try:
            details = records.OwnDetails(plain_details(details))
        except (TypeError, ValueError) as error:
            raise InvalidGrade(
                f"its details cannot be written as JSON ({error})"
            ) from None
    score = None if grade.score is None else float(grade.score)
    named = scores or {name: float(one) for name, one in grade.scores.items()}
    part = records.RecordedGrade(score, dict(named), details)
    return Graded(outcome, grade.reason or reason, None, answer, {}, part)


# --- records --------------------------------------------------------------------------


def record(
    trial: AskedTrial,
    returned: Reply | Failure,
    found: Graded,
    raised: str | None = None,
) -> Record:
    """Make the record of a trial; the recorder adds the name of the run."""
    reply = None
    if isinstance(returned, Reply):
        reply = for_record(returned, logprobs_of_answer(returned, found))
    return Record(
        format=records.FORMAT,
        run=None,
        nodeid=trial.nodeid,
        task=trial.task,
        model=trial.model.name,
        simulated=trial.model.simulated,
        problem=trial.problem,
        condition=trial.condition,
        repeat=trial.repeat,
        prompt=list(messages_of(trial.prompt)),
        retries=list(returned.retries),
        reply=reply,
        raised=raised,
        **_fields(found),
    )


def logprobs_of_answer(reply: Reply, found: Graded) -> tuple[records.TokenLogprob, ...]:
    """Those of the tokens of a number, where the reply has it in digits; empty if one
    of them is not known.
    """
    if not reply.logprobs or found.reading is None or found.answer is None:
        return ()
    text = reply.to_read.text
    number = decimal_from(found.answer)
    is_bare = found.answers.get(Reading.STRICT) is not None
    read = exact.ExtractedAnswer(number, number if is_bare else None)
    place = exact.place_of(text, read)
    if place is None or not reply.text.startswith(text):
        return ()
    start, end = place
    if number < 0 and text[start - 1 : start] == "-":
        start -= 1
    tokens = []
    for one in reply.logprobs:
        if one.start < end and start < one.start + len(one.text):
            tokens.append(one)
    told = "".join(one.text for one in tokens)
    if _DIGITS.findall(told) != _DIGITS.findall(text, start, end):
        return ()
    if any(one.logprob is None for one in tokens):
        return ()
    return tuple(tokens)


def _fields(found: Graded) -> dict[str, Any]:
    return {
        "outcome": found.outcome,
        "reason": found.reason,
        "reading": found.reading,
        "answer": found.answer,
        "answers": dict(found.answers),
        "grade": found.grade,
        "failure": found.failure,
    }


def unanswered_record(
    trial: AskedTrial, failure: Failure, grade: records.RecordedGrade | None = None
) -> Record:
    """The record of a trial without a reply."""
    found = Graded(Outcome.UNANSWERED, failure.message, grade=grade)
    found.failure = failure.code
    return record(trial, failure, found)


def raised_record(trial: AskedTrial, reply: Reply, message: str) -> Record:
    """The unanswered record of a trial whose task raised, with the reply."""
    found = Graded(Outcome.UNANSWERED, f"task {trial.task} raised {message}")
    return record(trial, reply, found, raised=message)


def invalid_grade_record(
    trial: AskedTrial, reply: Reply, error: InvalidGrade
) -> Record:
    """The unanswered record of a trial whose task returned no grade, with the reply."""
    return record(trial, reply, invalid_grade(trial.task, trial.problem.label, error))


def invalid_grade(task: str, problem: str, error: InvalidGrade) -> Graded:
    """What a reply without a grade is graded as."""
    why = f"grade of task {task}, problem {problem}: {error}"
    return Graded(Outcome.UNANSWERED, why, failure=FailureCode.GRADE)
