"""Reads the replies in a run log, with the requests and trials that they belong to, for the store.

A run log may come from another machine: a reply is taken if it was sent for the prompt of its record.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from pytest_llmarith import records
from pytest_llmarith.oeis.lookup_table import model_judge
from pytest_llmarith.records import Record, Search, Sent, as_dict, decode_record
from pytest_llmarith.results.files import UsageError, name_of
from pytest_llmarith.results.formatting import sanitize
from pytest_llmarith.results.llm_arithmetic import values_in
from pytest_llmarith.results.log import TOO_LONG, is_torn, lines
from pytest_llmarith.types import FAKE_PROVIDER, Reply

_LONGEST_CAUSE = 200


@dataclass(frozen=True, slots=True)
class LoggedReply:
    """One reply, the request, the trial, and the line."""

    line: int
    sent: Mapping[str, Any]
    trial: int
    repeat: int
    reply: Reply


class LeftOut(StrEnum):
    """Why a valid line, or a question of a search, has no reply to import."""

    UNANSWERED = "unanswered"
    SIMULATED = "simulated"
    OWN_MODEL = "of a `model` fixture"
    TORN = "torn by a kill"
    NOT_KEPT = "too long to be kept by a search"


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a line is invalid, in one line for the user."""

    line: int
    why: str


# A search has many replies, some of which may be missing.
LineContent = tuple[LoggedReply | LeftOut, ...] | LeftOut


def replies_in(file: Path) -> Iterator[LineContent | Refused]:
    """The content of each line. Raises UsageError if the file cannot be read, or has rows of llm_arithmetic."""
    for number, line in lines(file):
        yield Refused(number, TOO_LONG) if line is None else _content_of(line, file, number)


def _content_of(line: str, file: Path, number: int) -> LineContent | Refused:
    try:
        if values_in(line):
            why = "rows of llm_arithmetic lack the requests; name a run log of llmarith"
            raise UsageError(f"{name_of(file)}: {why}")
        return _replies(decode_record(line), number)
    except json.JSONDecodeError as error:
        return LeftOut.TORN if is_torn(line) else Refused(number, f"not JSON ({error.msg})")
    except ValueError as error:
        return Refused(number, sanitize(str(error), _LONGEST_CAUSE))


def _replies(record: Record, line: int) -> LineContent:
    reply = record.reply
    if record.search:
        if found := tuple(_searched(record, record.search, line)):
            return found
        if record.simulated:
            return LeftOut.SIMULATED
        return LeftOut.UNANSWERED if reply is None else LeftOut.OWN_MODEL
    if reply is None:
        return LeftOut.UNANSWERED
    if reply.sent is None:
        return LeftOut.OWN_MODEL
    judged = tuple(_judged(record, line))
    if record.simulated or _is_simulated(reply.sent):
        return judged or LeftOut.SIMULATED
    trial = getattr(record.problem, "trial", 0)  # a sequence has one trial, without a number
    return (_logged(reply, reply.sent, record.prompt, line, trial, record.repeat), *judged)


def _judged(record: Record, line: int) -> Iterator[LoggedReply]:
    """The replies of a judge, numbered as trials."""
    if record.oeis is None or record.oeis.judges.llm is None:
        return
    if record.oeis.program is None:
        raise ValueError("oeis.program is null, but a judge replied")
    for trial, reply in enumerate(record.oeis.judges.llm.replies):
        if reply.sent and not _is_simulated(reply.sent):
            yield _logged(reply, reply.sent, model_judge.prompt(record.oeis.program), line, trial, 0)


def _searched(record: Record, search: Search, line: int) -> Iterator[LoggedReply | LeftOut]:
    """The replies of a search."""
    for step in search.trail:
        if step.reply is None:
            yield LeftOut.NOT_KEPT
        elif step.reply.sent and not _is_simulated(sent := step.reply.sent):
            yield _logged(step.reply, sent, sent.messages[-1].content, line, step.before, record.repeat)


def _logged(reply: records.Reply, sent: Sent, prompt: str | None, line: int, trial: int, repeat: int) -> LoggedReply:
    """The reply to a prompt for the store, without a cost that was computed from the user's own price."""
    if sent.messages[-1].content != prompt:
        raise ValueError("the prompt is not the one that was sent")
    if reply.asked_at and datetime.fromisoformat(reply.asked_at).utcoffset() != timedelta(0):
        raise ValueError("asked_at of the reply is not a time in UTC")
    sent.model.encode()  # fails for lone surrogates, which the database cannot store
    sent_fields = as_dict(sent)
    fields = as_dict(reply) | {"sent": sent_fields, "stored": False, "own_price": False}
    return LoggedReply(
        line, sent_fields, trial, repeat, Reply(**fields | ({"cost_usd": None} if reply.own_price else {}))
    )


def _is_simulated(sent: Sent) -> bool:
    return sent.model.startswith(f"{FAKE_PROVIDER}/")
