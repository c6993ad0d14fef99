"""Room: the replies in a run log, each with what was sent for it and for which trial. It knows neither keys nor stores.

A run log may come from another machine. Nothing of it is believed: what is handed over has the shape that a run of ours
gives it, and a reply belongs to the prompt of its record.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn

from pytest_llmarith.oeis.judges import llm
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.logs import llm_arithmetic
from pytest_llmarith.reports.logs.lines import TOO_LONG, is_torn, lines_of_any_length
from pytest_llmarith.reports.mistake import Mistake, name_of
from pytest_llmarith.trials import RECORD_FORMAT
from pytest_llmarith.values import EMBEDDED_PROVIDER, Reply

_LONGEST_CAUSE = 200
_DEEPEST = 50
_MOST = 10**12  # of anything that is counted, paid or waited for


@dataclass(frozen=True, slots=True)
class LoggedReply:
    """One reply, what it is the reply to, and where it stands."""

    line: int
    sent: Mapping[str, Any]
    trial: int
    repeat: int
    reply: Reply


class LeftOut(StrEnum):
    """Why a line holds nothing to take, though nothing is wrong with it."""

    UNANSWERED = "unanswered"
    SIMULATED = "simulated"
    OWN_MODEL = "of a `model` fixture"
    TORN = "torn by a kill"


@dataclass(frozen=True, slots=True)
class Refused:
    """What is wrong with a line, in one line for people."""

    line: int
    why: str


def replies_in(file: Path) -> Iterator[tuple[LoggedReply, ...] | LeftOut | Refused]:
    """What each line holds. Raises `Mistake` where the file cannot be read as lines of text."""
    for number, line in lines_of_any_length(file):
        yield Refused(number, TOO_LONG) if line is None else _held_by(line, file, number)


def _held_by(line: str, file: Path, number: int) -> tuple[LoggedReply, ...] | LeftOut | Refused:
    try:
        return _replies(json.loads(line, parse_constant=_no_number), file, number)
    except json.JSONDecodeError as fault:
        return LeftOut.TORN if is_torn(line) else Refused(number, f"not JSON ({fault.msg})")
    except RecursionError:
        return Refused(number, "nested too deep")
    except KeyError as fault:
        return Refused(number, f"{sanitize(str(fault), _LONGEST_CAUSE)} is missing")
    except (ValueError, TypeError) as fault:
        return Refused(number, sanitize(str(fault), _LONGEST_CAUSE))


def _replies(record: Any, file: Path, line: int) -> tuple[LoggedReply, ...] | LeftOut:
    _check(isinstance(record, dict), "not a JSON object")
    if llm_arithmetic.is_row(record):
        raise Mistake(f"{name_of(file)}: rows of llm_arithmetic do not say what was sent; name a run log of llmarith")
    _check(record["format"] == RECORD_FORMAT, f"the format of the record is not {RECORD_FORMAT}")
    if "search" in record:
        return tuple(_searched(record, line)) or _why_none(record)
    if record["reply"] is None:
        return LeftOut.UNANSWERED
    fields = _object(record["reply"], "the reply")
    if not fields["sent"]:
        return LeftOut.OWN_MODEL
    sent = _sent(fields, record["prompt"])
    judged = tuple(_judged(record, line))
    if record["simulated"] or _is_simulated(sent):
        return judged or LeftOut.SIMULATED
    # A sequence has one trial, which its record does not number.
    trial = _object(record["problem"], "the problem").get("trial", 0)
    _check(_is_count(trial), "the trial is no whole number")
    repeat = record.get("repeat", 0)
    _check(_is_count(repeat), "the repeat is no whole number")
    return (LoggedReply(line, sent, trial, repeat, _reply(fields, sent)), *judged)


def _judged(record: Mapping[str, Any], line: int) -> Iterator[LoggedReply]:
    """A judge's replies, which are asked and stored like all others: the n-th of them answers its n-th question."""
    facts = _object(record.get("oeis") or {}, "oeis")
    judges = _object(facts.get("judges") or {}, "oeis.judges")
    judge = _object(judges.get("llm") or {}, "oeis.judges.llm")
    told = judge.get("replies") or []
    _check(isinstance(told, list), "oeis.judges.llm.replies is no list")
    for trial, one in enumerate(told):
        fields = _object(one, "a judge's reply")
        _check(isinstance(facts["program"], str), "oeis.program is not a text")
        sent = _sent(fields, llm.prompt(facts["program"]))
        if not _is_simulated(sent):
            yield LoggedReply(line, sent, trial, 0, _reply(fields, sent))


def _searched(record: Mapping[str, Any], line: int) -> Iterator[LoggedReply]:
    """The replies of a search, each of which belongs to the prompt that was sent for it."""
    trail = _object(record["search"], "search")["trail"]
    _check(isinstance(trail, list), "search.trail is no list")
    repeat = record.get("repeat", 0)
    _check(_is_count(repeat), "the repeat is no whole number")
    for one in trail:
        step = _object(one, "a question of the search")
        if step["reply"] is None:
            continue
        fields = _object(step["reply"], "a reply of the search")
        _check(_is_count(step["before"]), "before is no whole number")
        if not fields["sent"]:
            continue
        sent = _well_sent(fields)
        if not _is_simulated(sent):
            yield LoggedReply(line, sent, step["before"], repeat, _reply(fields, sent))


def _why_none(record: Mapping[str, Any]) -> LeftOut:
    """Why there is nothing to take from a search."""
    if record["simulated"]:
        return LeftOut.SIMULATED
    return LeftOut.UNANSWERED if record["reply"] is None else LeftOut.OWN_MODEL


def _sent(fields: Mapping[str, Any], prompt: Any) -> Mapping[str, Any]:
    """What was sent, for this prompt."""
    sent = _well_sent(fields)
    _check(sent["messages"][-1]["content"] == prompt, "the prompt is not the one that was sent")
    return sent


def _well_sent(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """What was sent, of exactly the shape that `models.request` gives it."""
    sent = _object(fields["sent"], "what was sent")
    _check(sent.keys() == {"model", "api_base", "messages", "params"}, "what was sent has other keys than we send")
    _check(_is_name(sent["model"]), "the model that was asked is not a text")
    _check(isinstance(sent["api_base"], str | None), "the base URL is not a text")
    _check(_is_shallow(_object(sent["params"], "params")), f"the parameters are more than {_DEEPEST} levels deep")
    messages = sent["messages"]
    _check(isinstance(messages, list) and len(messages) in (1, 2), "the messages are not one or two")
    for message, role in zip(messages, ("system", "user")[-len(messages) :], strict=True):
        _object(message, "a message")
        _check(message.keys() == {"role", "content"} and message["role"] == role, "the messages have other roles")
        _check(isinstance(message["content"], str), "the content of a message is not a text")
    return sent


def _reply(fields: Mapping[str, Any], sent: Mapping[str, Any]) -> Reply:
    for name, (holds, wanted) in _SHAPES.items():
        _check(holds(fields[name]), f"{name} of the reply is not {wanted}")
    own = {"cost_usd": None} if fields.get("own_price") else {}  # of that run alone, as in the store
    return Reply(**{name: fields[name] for name in _SHAPES} | own, sent=sent)


def _is_simulated(sent: Mapping[str, Any]) -> bool:
    return str(sent["model"]).startswith(f"{EMBEDDED_PROVIDER}/")


def _is_shallow(value: Any, levels: int = _DEEPEST) -> bool:
    """Whether it can be worked with: Python reads deeper than it copies and writes."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(_is_shallow(one, levels - 1) for one in inside)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_name(value: Any) -> bool:
    """Half a surrogate pair stands in no column of a database."""
    return isinstance(value, str) and bool(value) and not any("\ud800" <= char <= "\udfff" for char in value)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= _MOST


def _is_moment(value: Any) -> bool:
    """A time in UTC, as text: times are compared as texts."""
    if not isinstance(value, str):
        return False
    try:
        return datetime.fromisoformat(value).utcoffset() == timedelta(0)
    except ValueError:
        return False


def _or_none(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or holds(value)


_SHAPES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "text": (_is_text, "a text"),
    "reasoning": (_or_none(_is_text), "a text"),
    "finish_reason": (_or_none(_is_text), "a text"),
    "served_model": (_or_none(_is_text), "a text"),
    "prompt_tokens": (_or_none(_is_count), "a count"),
    "completion_tokens": (_or_none(_is_count), "a count"),
    "reasoning_tokens": (_or_none(_is_count), "a count"),
    "cost_usd": (_or_none(_is_amount), "an amount"),
    "latency_s": (_or_none(_is_amount), "a time in seconds"),
    "attempts": (lambda value: _is_count(value) and value > 0, "a count"),
    "asked_at": (_or_none(_is_moment), "a time in UTC"),
}


def _object(value: Any, what: str) -> Mapping[str, Any]:
    _check(isinstance(value, dict), f"{what} is not a JSON object")
    found: Mapping[str, Any] = value
    return found


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
