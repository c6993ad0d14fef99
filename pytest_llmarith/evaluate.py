"""A reply becomes a record: a number is read and graded, and so is the answer to a custom task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import msgspec

from pytest_llmarith import answers, grading, records
from pytest_llmarith.answers.extract import reason
from pytest_llmarith.records import Record, check_plain
from pytest_llmarith.tasks.custom import CheckedProblem, plain
from pytest_llmarith.types import (
    DEFAULT_CONDITION,
    Calculation,
    Condition,
    ErrorAnalysis,
    ExtractedAnswer,
    Failure,
    Grade,
    Model,
    NanReason,
    NumberProblem,
    Outcome,
    Problem,
    PromptConfig,
    Reading,
    Reply,
)

# Python neither writes nor reads integers of more than 4,300 digits, as JSON or otherwise; these have 4,214 at most.
_JSON_BITS = 14_000
# About 50,000 digits, a tenth of a second: the time of Decimal grows with their square, that of `hex` does not.
_DECIMAL_BITS = 166_000


@dataclass(frozen=True, slots=True)
class Trial:
    """The trial of a record: its problem as builtins, its model, its prompt and its prompt config."""

    task: str
    fields: Mapping[str, Any]
    model: Model
    prompt: str
    nodeid: str | None
    condition: Mapping[str, Any] = field(default_factory=DEFAULT_CONDITION.fields)
    repeat: int = 0

    @classmethod
    def of(
        cls, problem: Problem, model: Model, prompt: str, nodeid: str | None, prompt_config: PromptConfig | None = None
    ) -> Trial:
        how = prompt_config or PromptConfig()
        return cls(problem.task, problem.fields(), model, prompt, nodeid, how.condition.fields(), how.repeat)


def record(
    trial: Trial,
    returned: Reply | Failure,
    outcome: Outcome,
    reason: str | None = None,
    *,
    reading: Reading | None = None,
    answer: records.Answer | records.CustomAnswer | None = None,
    grade: records.Grade | None = None,
    raised: str | None = None,
    oeis: records.Program | None = None,
    search: records.Search | None = None,
) -> Record:
    """The record of a trial, without the name of its run."""
    return Record(
        format=records.FORMAT,
        run=None,
        nodeid=trial.nodeid,
        task=trial.task,
        model=trial.model.name,
        simulated=trial.model.simulated,
        problem=records.problem_of(trial.task, trial.fields),
        condition=Condition.of_fields(trial.condition),
        repeat=trial.repeat,
        prompt=trial.prompt,
        retries=list(returned.retries),
        outcome=outcome,
        reason=None if reason is None else str(reason),
        reading=reading,
        answer=answer,
        grade=grade,
        reply=reply_part(returned) if isinstance(returned, Reply) else None,
        raised=raised,
        oeis=oeis,
        search=search,
    )


def unanswered_record(
    trial: Trial,
    failure: Failure,
    reply: Reply | None = None,
    *,
    raised: str | None = None,
    oeis: records.Program | None = None,
    search: records.Search | None = None,
) -> Record:
    """The record of a trial that measures nothing; a reply that was paid for is kept in it."""
    return record(trial, reply or failure, Outcome.UNANSWERED, failure.message, raised=raised, oeis=oeis, search=search)


def reply_part(reply: Reply) -> records.Reply:
    """A reply as it stands in a record."""
    fields = reply.fields()
    sent = records.convert(fields.pop("sent"), records.Sent) if reply.sent else None
    return records.Reply(**fields | {"sent": sent})


def cut_short(reply: Reply) -> NanReason | None:
    """Why a reply that was cut has no answer: at the cut may stand half a number, or half a program."""
    if reply.finish_reason == "content_filter":
        return NanReason.FILTERED
    return NanReason.TRUNCATED if reply.finish_reason == "length" else None


# --- numbers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a reply: both readings, grade and error class of the one that counts, why there is none."""

    outcome: Outcome
    readings: ExtractedAnswer
    grade: Grade | None
    errors: ErrorAnalysis | None
    reason: NanReason | None


def verdict_of(problem: Calculation, reply: Reply, reading: Reading) -> Verdict:
    """Read a reply, and grade the reading that counts."""
    readings = _readings(problem, reply)
    answer = readings.strict if reading is Reading.STRICT else readings.tolerant
    if answer is None:
        return Verdict(Outcome.NAN, readings, None, None, readings.reason or NanReason.UNREADABLE)
    grade = grading.grade(answer, problem.expected)
    case = grading.Case.of(problem.op, problem.dtype, problem.operands, problem.expected, answer)
    return Verdict(grade.outcome, readings, grade, grading.analyze(case), None)


def number_record(problem: NumberProblem, trial: Trial, reading: Reading, reply: Reply) -> Record:
    """The record of an answered trial."""
    verdict = verdict_of(problem, reply, reading)
    return record(trial, reply, verdict.outcome, verdict.reason, **_graded(verdict, reading))


def graded_again(record: Record, problem: Calculation, reading: Reading, reply: Reply) -> Record:
    """The record with its reply read and graded anew."""
    verdict = verdict_of(problem, reply, reading)
    reason = verdict.reason and str(verdict.reason)
    return msgspec.structs.replace(record, outcome=verdict.outcome, reason=reason, **_graded(verdict, reading))


def _graded(verdict: Verdict, reading: Reading) -> dict[str, Any]:
    readings, grade, errors = verdict.readings, verdict.grade, verdict.errors
    return {
        "reading": reading,
        "answer": records.Answer(tolerant=_text(readings.tolerant), strict=_text(readings.strict)),
        "grade": None
        if grade is None or errors is None
        else records.Grade(
            absolute_error=grade.absolute_error,
            relative_error=grade.relative_error,
            rounded=grade.rounded,
            error_class=errors.error_class,
            digit_match=errors.digit_match,
            dlength=errors.dlength,
            leading_digits=errors.leading_digits,
        ),
    }


def _readings(problem: Calculation, reply: Reply) -> ExtractedAnswer:
    if cut := cut_short(reply):
        return ExtractedAnswer(None, None, cut)
    return answers.read(reply.text, problem.operands, problem.dtype)


def _text(number: Decimal | None) -> str | None:
    return None if number is None else format(number, "f")


# --- custom tasks -----------------------------------------------------------------------------------------------------


def custom_record(problem: CheckedProblem, trial: Trial, reply: Reply) -> Record:
    """The record of an answered trial."""
    __tracebackhide__ = True
    answer, why_none = _read_custom(problem, reply)
    read = None if why_none else records.CustomAnswer(read=_written(answer))  # `grade` may change it
    outcome = Outcome.NAN if why_none else _grade_custom(problem, answer)
    return record(trial, reply, outcome, why_none, answer=read)


def raised_record(trial: Trial, reply: Reply, message: str) -> Record:
    """The record of a trial whose task raised: nothing is measured, and the reply is kept."""
    failure = Failure(f"task {trial.task} raised {message}")
    return unanswered_record(trial, failure, reply, raised=message)


def _read_custom(problem: CheckedProblem, reply: Reply) -> tuple[Any, NanReason | None]:
    """The answer, or why there is none. A task gets neither thoughts nor an empty text."""
    __tracebackhide__ = True
    if cut := cut_short(reply):
        return None, cut
    heard = answers.strip_thoughts(reply.text)
    answer = problem.owner.read(heard.text, problem.copy()) if heard.text.strip() else None
    return answer, reason(heard, heard.text) if answer is None else None


def _grade_custom(problem: CheckedProblem, answer: Any) -> Outcome:
    __tracebackhide__ = True
    verdict = problem.owner.grade(answer, problem.copy())
    if not isinstance(verdict, bool):
        raise TypeError(f"grade of task {problem.task} gave {verdict!r}; it has to give True or False")
    return Outcome.CORRECT if verdict else Outcome.DEVIATE


def _written(answer: Any) -> Any:
    """The answer as JSON or as text, equal for equal answers. It raises nothing: the trial can still be graded."""
    try:
        return _as_json_or_text(answer)
    except Exception as error:
        return f"[{type(answer).__name__} without a text: str() raised {type(error).__name__}]"


def _as_json_or_text(answer: Any) -> Any:
    try:
        value = plain(_fit(answer))
        check_plain(value, "the answer")
        return value
    except (TypeError, ValueError, RecursionError):
        return str(answer)


def _fit(answer: Any) -> Any:
    """Sets as sorted lists, because every process has another order; long integers as their digits."""
    if isinstance(answer, set | frozenset):
        return sorted(map(_fit, answer), key=repr)
    if isinstance(answer, list | tuple):
        return [_fit(part) for part in answer]
    if isinstance(answer, dict):
        return {name: _fit(part) for name, part in answer.items()}
    return _digits(answer) if isinstance(answer, int) and answer.bit_length() > _JSON_BITS else answer


def _digits(number: int) -> str:
    return str(Decimal(number)) if number.bit_length() <= _DECIMAL_BITS else hex(number)
