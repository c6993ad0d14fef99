"""The replies in a run log, with the requests and trials that they belong to, for the store.

A run log may come from another machine: a reply is taken if it was sent for the prompt of its record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_llmarith import records
from pytest_llmarith.oeis.lookup_table import model_judge
from pytest_llmarith.records import Record, as_dict
from pytest_llmarith.types import FAKE_PROVIDER, Reply


@dataclass(frozen=True, slots=True)
class LoggedReply:
    """One reply, its request and its trial."""

    sent: Mapping[str, Any]
    trial: int
    repeat: int
    reply: Reply


def replies_of(record: Record, left_out: Counter[str]) -> Iterator[LoggedReply]:
    """The replies of a record: of its model, of a judge, or of a search. Counts in `left_out` why others are not taken.

    Raises ValueError if a reply was not sent for the prompt of the record.
    """
    if record.search:
        for step in record.search.trail:
            if step.reply is None:
                left_out["too long to be kept by a search"] += 1
            else:
                prompt = step.reply.sent.messages[-1].content if step.reply.sent else None
                yield from _logged(step.reply, prompt, step.before, record.repeat, left_out)
    elif record.reply is None:
        left_out["unanswered"] += 1
    else:
        trial = getattr(record.problem, "trial", 0)  # a sequence has one trial, without a number
        yield from _logged(record.reply, record.prompt, trial, record.repeat, left_out)
    if record.oeis and record.oeis.judges.llm:  # its replies are numbered as trials
        prompt = model_judge.prompt(record.oeis.program or "")
        for trial, reply in enumerate(record.oeis.judges.llm.replies):
            yield from _logged(reply, prompt, trial, 0, left_out)


def _logged(
    reply: records.Reply, prompt: str | None, trial: int, repeat: int, left_out: Counter[str]
) -> Iterator[LoggedReply]:
    """The reply to a prompt for the store, without a cost that was computed from the user's own price."""
    sent = reply.sent
    if sent is None:
        left_out["of a `model` fixture"] += 1
        return
    if sent.model.startswith(f"{FAKE_PROVIDER}/"):
        left_out["simulated"] += 1
        return
    if sent.messages[-1].content != prompt:
        raise ValueError("the prompt is not the one that was sent")
    sent.model.encode()  # fails for lone surrogates, which the database cannot store
    fields = as_dict(reply) | {"stored": False, "own_price": False}
    fields["cost_usd"] = None if reply.own_price else reply.cost_usd
    yield LoggedReply(fields["sent"], trial, repeat, Reply(**fields))
