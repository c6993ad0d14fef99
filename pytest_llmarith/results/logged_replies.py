"""The replies of a run log, for the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from pytest_llmarith import records
from pytest_llmarith.figures.estimates import Trial
from pytest_llmarith.records import Record
from pytest_llmarith.types import (
    FAKE_PROVIDER,
    Message,
    few_shot_text,
    without_system,
)


class LoggedReply(NamedTuple):
    """One reply, its request and its trial."""

    sent: records.Request
    trial: int
    repeat: int
    reply: records.Reply


def replies_of(record: Record, left_out: Counter[str]) -> Iterator[LoggedReply]:
    """The replies of a record: of its model, of the grader's, or of a search.

    Counts in `left_out` why others are not taken.

    Raises ValueError if a reply was not sent for the prompt of its record, which may
    come from another machine.
    """
    if record.search:
        for step in record.search.trail:
            if step.reply is None:
                left_out["too long to be kept by a search"] += 1
            else:
                yield from _logged(step.reply, step.before, record.repeat, left_out)
    elif record.reply is None:
        left_out["unanswered"] += 1
    else:
        trial = record.problem.trial or 0
        for logged in _logged(record.reply, trial, record.repeat, left_out):
            if not record.prompt or not _was_sent(record.prompt, logged.sent):
                raise ValueError("the prompt is not the one that was sent")
            yield logged
    # What a grader asked is numbered as trials.
    graded = Trial(record)
    for trial, reply in enumerate(graded.of_task.other_replies(graded)):
        yield from _logged(reply, trial, 0, left_out)


def _was_sent(prompt: Sequence[Message], sent: records.Request) -> bool:
    """Whether this is the prompt of a request, whatever its system prompt."""
    asked = without_system(prompt)
    if sent.is_completion:
        return sent.messages[-1].content.endswith(few_shot_text(asked))
    return without_system(sent.messages) == asked


def _logged(
    reply: records.Reply, trial: int, repeat: int, left_out: Counter[str]
) -> Iterator[LoggedReply]:
    """The reply for the store, without a cost that was computed from the user's own
    price.
    """
    sent = reply.sent
    if sent is None:
        left_out["of a `model` fixture"] += 1
        return
    if sent.model.startswith(f"{FAKE_PROVIDER}/"):
        left_out["simulated"] += 1
        return
    sent.model.encode()  # fails for lone surrogates, which the database cannot store
    if reply.own_price:
        reply = msgspec.structs.replace(reply, cost_usd=None)
    yield LoggedReply(sent, trial, repeat, reply)
