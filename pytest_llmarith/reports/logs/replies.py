"""The replies in a run log, each with what was sent for it and for which trial. It knows neither keys nor stores.

A run log may come from another machine. Nothing of it is believed: what is handed over has the shape that a run of ours
gives it, and a reply belongs to the prompt of its record.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pytest_llmarith.oeis.judges import llm
from pytest_llmarith.plainjson import strictly_read
from pytest_llmarith.reports.checks import check, is_count, object_of
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.logs import llm_arithmetic
from pytest_llmarith.reports.logs.lines import TOO_LONG, is_torn, lines_of_any_length
from pytest_llmarith.reports.logs.replyshape import reply_in, sent_for, sent_in
from pytest_llmarith.reports.mistake import Mistake, name_of
from pytest_llmarith.trials import RECORD_FORMAT
from pytest_llmarith.values import EMBEDDED_PROVIDER, Reply

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
    """What each line holds. Raises `Mistake` where the file cannot be read as lines of text."""
    for number, line in lines_of_any_length(file):
        yield Refused(number, TOO_LONG) if line is None else _held_by(line, file, number)


def _held_by(line: str, file: Path, number: int) -> Held | Refused:
    try:
        return _replies(strictly_read(line), file, number)
    except json.JSONDecodeError as fault:
        return LeftOut.TORN if is_torn(line) else Refused(number, f"not JSON ({fault.msg})")
    except RecursionError:
        return Refused(number, "nested too deep")
    except KeyError as fault:
        return Refused(number, f"{sanitize(str(fault), _LONGEST_CAUSE)} is missing")
    except (ValueError, TypeError) as fault:
        return Refused(number, sanitize(str(fault), _LONGEST_CAUSE))


def _replies(record: Any, file: Path, line: int) -> Held:
    check(isinstance(record, dict), "not a JSON object")
    if llm_arithmetic.is_row(record):
        raise Mistake(f"{name_of(file)}: rows of llm_arithmetic do not say what was sent; name a run log of llmarith")
    check(record["format"] == RECORD_FORMAT, f"the format of the record is not {RECORD_FORMAT}")
    if "search" in record:
        return tuple(_searched(record, line)) or _why_none(record)
    if record["reply"] is None:
        return LeftOut.UNANSWERED
    fields = object_of(record["reply"], "the reply")
    if not fields["sent"]:
        return LeftOut.OWN_MODEL
    sent = sent_for(fields, record["prompt"])
    judged = tuple(_judged(record, line))
    if record["simulated"] or _is_simulated(sent):
        return judged or LeftOut.SIMULATED
    # A sequence has one trial, which its record does not number.
    trial = object_of(record["problem"], "the problem").get("trial", 0)
    check(is_count(trial), "the trial is no whole number")
    return (LoggedReply(line, sent, trial, _repeat(record), reply_in(fields, sent)), *judged)


def _judged(record: Mapping[str, Any], line: int) -> Iterator[LoggedReply]:
    """A judge's replies, which are asked and stored like all others: the n-th of them answers its n-th question."""
    facts = object_of(record.get("oeis") or {}, "oeis")
    judges = object_of(facts.get("judges") or {}, "oeis.judges")
    judge = object_of(judges.get("llm") or {}, "oeis.judges.llm")
    told = judge.get("replies") or []
    check(isinstance(told, list), "oeis.judges.llm.replies is no list")
    for trial, one in enumerate(told):
        fields = object_of(one, "a judge's reply")
        check(isinstance(facts["program"], str), "oeis.program is not a text")
        sent = sent_for(fields, llm.prompt(facts["program"]))
        if not _is_simulated(sent):
            yield LoggedReply(line, sent, trial, 0, reply_in(fields, sent))


def _searched(record: Mapping[str, Any], line: int) -> Iterator[LoggedReply | LeftOut]:
    """The replies of a search, each of which belongs to the prompt that was sent for it."""
    trail = object_of(record["search"], "search")["trail"]
    check(isinstance(trail, list), "search.trail is no list")
    repeat = _repeat(record)
    for one in trail:
        step = object_of(one, "a question of the search")
        if step["reply"] is None:
            yield LeftOut.NOT_KEPT
            continue
        fields = object_of(step["reply"], "a reply of the search")
        check(is_count(step["before"]), "before is no whole number")
        if not fields["sent"]:
            continue
        sent = sent_in(fields)
        if not _is_simulated(sent):
            yield LoggedReply(line, sent, step["before"], repeat, reply_in(fields, sent))


def _repeat(record: Mapping[str, Any]) -> int:
    repeat: int = record.get("repeat", 0)
    check(is_count(repeat), "the repeat is no whole number")
    return repeat


def _why_none(record: Mapping[str, Any]) -> LeftOut:
    """Why there is nothing to take from a search."""
    if record["simulated"]:
        return LeftOut.SIMULATED
    return LeftOut.UNANSWERED if record["reply"] is None else LeftOut.OWN_MODEL


def _is_simulated(sent: Mapping[str, Any]) -> bool:
    return str(sent["model"]).startswith(f"{EMBEDDED_PROVIDER}/")
