"""Evaluates replies: reads and grades numbers and answers to custom tasks, and makes the records."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

import msgspec

from pytest_llmarith import exact, records
from pytest_llmarith.exact import reason
from pytest_llmarith.records import Record, check_plain
from pytest_llmarith.tasks import Problem
from pytest_llmarith.tasks.custom import CheckedProblem, plain
from pytest_llmarith.types import (
    DEFAULT_CONDITION,
    TOLERANCES,
    Condition,
    ExtractedAnswer,
    Failure,
    Model,
    NanReason,
    Outcome,
    Prompt,
    PromptConfig,
    Reading,
    Reply,
    messages_of,
)

Calculation = records.ArithmeticProblem | records.AdditionProblem


@dataclass(frozen=True, slots=True)
class Trial:
    """What a record says about a trial before the reply: problem, model, prompt and prompt config."""

    task: str
    problem: records.Problem
    model: Model
    prompt: Prompt
    nodeid: str | None
    condition: Condition = DEFAULT_CONDITION
    repeat: int = 0

    @classmethod
    def of(
        cls,
        problem: Problem,
        model: Model,
        prompt: Prompt,
        nodeid: str | None,
        prompt_config: PromptConfig | None = None,
    ) -> Trial:
        how = prompt_config or PromptConfig()
        return cls(problem.task, problem.recorded, model, prompt, nodeid, how.condition, how.repeat)


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
    """Make the record of a trial; the recorder adds the name of the run."""
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
    """The record of an unanswered trial, with the reply if there is one."""
    return record(trial, reply or failure, Outcome.UNANSWERED, failure.message, raised=raised, oeis=oeis, search=search)


def reply_part(reply: Reply) -> records.Reply:
    """The reply part of a record."""
    fields = reply.fields()
    sent = records.convert(fields.pop("sent"), records.Sent) if reply.sent else None
    return records.Reply(**fields | {"sent": sent})


def incomplete_reason(reply: Reply) -> NanReason | None:
    """Why an incomplete reply counts as one without an answer: a number or program at its end may be cut in half."""
    if reply.finish_reason == "content_filter":
        return NanReason.FILTERED
    return NanReason.TRUNCATED if reply.finish_reason == "length" else None


# --- numbers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a reply: both readings of the answer, the grade of the graded one, or why there is no answer."""

    outcome: Outcome
    reading: Reading
    answer: records.Answer
    grade: records.Grade | None
    reason: NanReason | None


def verdict_of(problem: Calculation, reply: Reply, reading: Reading) -> Verdict:
    """Read a reply, and grade the answer of `reading`."""
    cut = incomplete_reason(reply)
    found = ExtractedAnswer(None, None) if cut else exact.read(reply.text, problem.operands, problem.dtype)
    both = records.Answer(tolerant=_text(found.tolerant), strict=_text(found.strict))
    answer = found.strict if reading is Reading.STRICT else found.tolerant
    if answer is None:
        why = cut or NanReason(found.reason or NanReason.UNREADABLE)
        return Verdict(Outcome.NAN, reading, both, None, why)
    case = exact.Case.of(
        problem.op, problem.dtype, problem.operands, problem.expected, answer, TOLERANCES[problem.dtype]
    )
    measured = exact.measure(case, exact.error_class(case))
    grade = records.Grade(**asdict(measured))
    return Verdict(Outcome.CORRECT if case.is_correct else Outcome.DEVIATE, reading, both, grade, None)


def number_record(problem: Calculation, trial: Trial, reading: Reading, reply: Reply) -> Record:
    """The record of an answered trial."""
    found = verdict_of(problem, reply, reading)
    return record(trial, reply, found.outcome, found.reason, reading=reading, answer=found.answer, grade=found.grade)


def regraded_record(record: Record, problem: Calculation, reading: Reading, reply: Reply) -> Record:
    """The record with its reply read and graded anew."""
    found = verdict_of(problem, reply, reading)
    reason = found.reason and str(found.reason)
    return msgspec.structs.replace(
        record, outcome=found.outcome, reason=reason, reading=reading, answer=found.answer, grade=found.grade
    )


def _text(number: Decimal | None) -> str | None:
    return None if number is None else format(number, "f")


# --- custom tasks -----------------------------------------------------------------------------------------------------


def custom_record(problem: CheckedProblem, trial: Trial, reply: Reply) -> Record:
    """The record of an answered trial."""
    __tracebackhide__ = True
    answer, why_none = _read_custom(problem, reply)
    read = None if why_none else records.CustomAnswer(read=_recordable(answer))  # `grade` may mutate it
    outcome = Outcome.NAN if why_none else _grade_custom(problem, answer)
    return record(trial, reply, outcome, why_none, answer=read)


def raised_record(trial: Trial, reply: Reply, message: str) -> Record:
    """The unanswered record of a trial whose custom task raised, with the reply."""
    failure = Failure(f"task {trial.task} raised {message}")
    return unanswered_record(trial, failure, reply, raised=message)


def _read_custom(problem: CheckedProblem, reply: Reply) -> tuple[Any, NanReason | None]:
    """The answer, or why there is none. The task gets the text without thoughts, and is skipped if that is empty."""
    __tracebackhide__ = True
    if cut := incomplete_reason(reply):
        return None, cut
    stripped = exact.strip_thoughts(reply.text)
    answer = problem.owner.read(stripped.text, problem.copy()) if stripped.text.strip() else None
    return answer, NanReason(reason(stripped, stripped.text)) if answer is None else None


def _grade_custom(problem: CheckedProblem, answer: Any) -> Outcome:
    __tracebackhide__ = True
    verdict = problem.owner.grade(answer, problem.copy())
    if not isinstance(verdict, bool):
        raise TypeError(f"grade of task {problem.task} returned {verdict!r}; return True or False")
    return Outcome.CORRECT if verdict else Outcome.DEVIATE


def _recordable(answer: Any) -> Any:
    """The answer as JSON or text, equal for equal answers. It never raises, so that the trial can still be graded."""
    try:
        value = plain(answer, _sorted_set)
        check_plain(value, "the answer")
        return value
    except Exception:
        try:
            return hex(answer) if isinstance(answer, int) else str(answer)  # `str` is limited to 4,300 digits
        except Exception as error:
            return f"[{type(answer).__name__} without a text: str() raised {type(error).__name__}]"


def _sorted_set(answer: Any) -> list[Any]:
    """A set as a sorted list, as its order differs between processes."""
    if isinstance(answer, set | frozenset):
        return sorted(answer, key=repr)
    raise TypeError(f"{type(answer).__name__} is not JSON")
