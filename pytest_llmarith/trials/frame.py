"""What the records of all tasks share: which trial it is, and what came back when no answer did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_llmarith import records
from pytest_llmarith.records import Record
from pytest_llmarith.values import (
    USUAL,
    Condition,
    Failure,
    Manner,
    Model,
    NanReason,
    Outcome,
    Problem,
    Reading,
    Reply,
)


@dataclass(frozen=True, slots=True)
class Subject:
    """The trial that a record is about: its problem as builtins, its model, and what the model was told."""

    task: str
    fields: Mapping[str, Any]
    model: Model
    prompt: str
    nodeid: str | None
    condition: Mapping[str, Any] = field(default_factory=USUAL.fields)
    repeat: int = 0

    @classmethod
    def of(
        cls, problem: Problem, model: Model, prompt: str, nodeid: str | None, manner: Manner | None = None
    ) -> Subject:
        how = manner or Manner()
        return cls(problem.task, problem.fields(), model, prompt, nodeid, how.condition.fields(), how.repeat)


def record(
    subject: Subject,
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
        nodeid=subject.nodeid,
        task=subject.task,
        model=subject.model.name,
        simulated=subject.model.simulated,
        problem=records.problem_of(subject.task, subject.fields),
        condition=Condition.of_fields(subject.condition),
        repeat=subject.repeat,
        prompt=subject.prompt,
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
    subject: Subject,
    failure: Failure,
    reply: Reply | None = None,
    *,
    raised: str | None = None,
    oeis: records.Program | None = None,
    search: records.Search | None = None,
) -> Record:
    """The record of a trial that measures nothing; a reply that was paid for is kept in it."""
    return record(
        subject, reply or failure, Outcome.UNANSWERED, failure.message, raised=raised, oeis=oeis, search=search
    )


def reply_part(reply: Reply) -> records.Reply:
    """A reply as it stands in a record."""
    fields = reply.fields()
    sent = records.convert(fields.pop("sent"), records.Sent) if reply.sent else None
    return records.Reply(**fields | {"sent": sent})


def cut_short(reply: Reply) -> NanReason | None:
    """A reply that was cut has no final answer: what stands at the cut may be half a number, or half a program."""
    if reply.finish_reason == "content_filter":
        return NanReason.FILTERED
    return NanReason.TRUNCATED if reply.finish_reason == "length" else None
