"""The replies in a run log, each with what was sent for it and for which trial, for the store.

A run log may come from another machine: a reply is taken if it is one to the prompt of its record.
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
    """One reply, what it is the reply to, and where it stands."""

    line: int
    sent: Mapping[str, Any]
    trial: int
    repeat: int
    reply: Reply


class LeftOut(StrEnum):
    """Why a line, or a question of a search, holds nothing to take, though nothing is wrong with it."""

    UNANSWERED = "unanswered"
    SIMULATED = "simulated"
    OWN_MODEL = "of a `model` fixture"
    TORN = "torn by a kill"
    NOT_KEPT = "too long to be kept by a search"


@dataclass(frozen=True, slots=True)
class Refused:
    """What is wrong with a line, in one line for people."""

    line: int
    why: str


# What a line holds: a search holds many replies, not all of which are there.
Held = tuple[LoggedReply | LeftOut, ...] | LeftOut


def replies_in(file: Path) -> Iterator[Held | Refused]:
    """What each line holds. Raises UsageError if the file cannot be read, or holds rows of llm_arithmetic."""
    for number, line in lines(file):
        yield Refused(number, TOO_LONG) if line is None else _held_by(line, file, number)


def _held_by(line: str, file: Path, number: int) -> Held | Refused:
    try:
        if values_in(line):
            why = "rows of llm_arithmetic do not say what was sent; name a run log of llmarith"
            raise UsageError(f"{name_of(file)}: {why}")
        return _replies(decode_record(line), number)
    except json.JSONDecodeError as fault:
        return LeftOut.TORN if is_torn(line) else Refused(number, f"not JSON ({fault.msg})")
    except ValueError as fault:
        return Refused(number, sanitize(str(fault), _LONGEST_CAUSE))


def _replies(record: Record, line: int) -> Held:
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
    trial = getattr(record.problem, "trial", 0)  # a sequence has one trial, which its record does not number
    return (_logged(reply, reply.sent, record.prompt, line, trial, record.repeat), *judged)


def _judged(record: Record, line: int) -> Iterator[LoggedReply]:
    """A judge's replies, which are asked and stored like all others: the n-th of them answers its n-th question."""
    if record.oeis is None or record.oeis.judges.llm is None:
        return
    if record.oeis.program is None:
        raise ValueError("oeis.program is null, but a judge replied")
    for trial, reply in enumerate(record.oeis.judges.llm.replies):
        if reply.sent and not _is_simulated(reply.sent):
            yield _logged(reply, reply.sent, model_judge.prompt(record.oeis.program), line, trial, 0)


def _searched(record: Record, search: Search, line: int) -> Iterator[LoggedReply | LeftOut]:
    """The replies of a search, each of which belongs to the prompt that was sent for it."""
    for step in search.trail:
        if step.reply is None:
            yield LeftOut.NOT_KEPT
        elif step.reply.sent and not _is_simulated(sent := step.reply.sent):
            yield _logged(step.reply, sent, sent.messages[-1].content, line, step.before, record.repeat)


def _logged(reply: records.Reply, sent: Sent, prompt: str | None, line: int, trial: int, repeat: int) -> LoggedReply:
    """The reply to a prompt, as it is stored: a price that the user gave holds for that run alone."""
    if sent.messages[-1].content != prompt:
        raise ValueError("the prompt is not the one that was sent")
    if reply.asked_at and datetime.fromisoformat(reply.asked_at).utcoffset() != timedelta(0):
        raise ValueError("asked_at of the reply is not a time in UTC")
    sent.model.encode()  # half a surrogate pair has no place in a database
    told = as_dict(sent)
    fields = as_dict(reply) | {"sent": told, "stored": False, "own_price": False}
    return LoggedReply(line, told, trial, repeat, Reply(**fields | ({"cost_usd": None} if reply.own_price else {})))


def _is_simulated(sent: Sent) -> bool:
    return sent.model.startswith(f"{FAKE_PROVIDER}/")
