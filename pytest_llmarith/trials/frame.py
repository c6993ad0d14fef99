"""What the records of all tasks share: which trial it is, and what came back when no answer did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pytest_llmarith.values import USUAL, Failure, Manner, Model, NanReason, Outcome, Problem, Reply

RECORD_FORMAT = 1


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
    subject: Subject, returned: Reply | Failure, outcome: Outcome, reason: str | None = None, **fields: Any
) -> dict[str, Any]:
    """The record of a trial, as builtins. The run's name is left to whoever knows it.

    `fields` are what else there is to say: the reading, the answer and its grade, and keys of the task's own.
    """
    return {
        "format": RECORD_FORMAT,
        "run": None,
        "nodeid": subject.nodeid,
        "task": subject.task,
        "model": subject.model.name,
        "simulated": subject.model.simulated,
        "problem": dict(subject.fields),
        "condition": dict(subject.condition),
        "repeat": subject.repeat,
        "prompt": subject.prompt,
        "retries": [asdict(retry) for retry in returned.retries],
        "outcome": str(outcome),
        "reason": reason and str(reason),
        "reading": None,
        "answer": None,
        "grade": None,
        "reply": returned.fields() if isinstance(returned, Reply) else None,
        **fields,
    }


def unanswered_record(subject: Subject, failure: Failure, reply: Reply | None = None) -> dict[str, Any]:
    """The record of a trial that measures nothing; a reply that was paid for is kept in it."""
    return record(subject, reply or failure, Outcome.UNANSWERED, failure.message)


def cut_short(reply: Reply) -> NanReason | None:
    """A reply that was cut has no final answer: what stands at the cut may be half a number, or half a program."""
    if reply.finish_reason == "content_filter":
        return NanReason.FILTERED
    return NanReason.TRUNCATED if reply.finish_reason == "length" else None
