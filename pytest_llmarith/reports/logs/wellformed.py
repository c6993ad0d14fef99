"""The parts of a record that somebody else may have made, of exactly the shape that ours have; nothing is believed.

Every function raises ValueError, in words for people. It does not know what records are taken for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from pytest_llmarith.values import Reply

_DEEPEST = 50
_MOST = 10**12  # of anything that is counted, paid or waited for


def sent_for(fields: Mapping[str, Any], prompt: Any) -> Mapping[str, Any]:
    """What was sent, for this prompt."""
    sent = sent_in(fields)
    check(sent["messages"][-1]["content"] == prompt, "the prompt is not the one that was sent")
    return sent


def sent_in(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """What was sent, of exactly the shape that `models.request` gives it."""
    sent = object_of(fields["sent"], "what was sent")
    check(sent.keys() == {"model", "api_base", "messages", "params"}, "what was sent has other keys than we send")
    check(_is_name(sent["model"]), "the model that was asked is not a text")
    check(isinstance(sent["api_base"], str | None), "the base URL is not a text")
    check(_is_shallow(object_of(sent["params"], "params")), f"the parameters are more than {_DEEPEST} levels deep")
    messages = sent["messages"]
    check(isinstance(messages, list) and len(messages) in (1, 2), "the messages are not one or two")
    for message, role in zip(messages, ("system", "user")[-len(messages) :], strict=True):
        object_of(message, "a message")
        check(message.keys() == {"role", "content"} and message["role"] == role, "the messages have other roles")
        check(isinstance(message["content"], str), "the content of a message is not a text")
    return sent


def reply_in(fields: Mapping[str, Any], sent: Mapping[str, Any]) -> Reply:
    """The reply, to what was sent."""
    for name, (holds, wanted) in _SHAPES.items():
        check(holds(fields[name]), f"{name} of the reply is not {wanted}")
    own = {"cost_usd": None} if fields.get("own_price") else {}  # of that run alone, as in the store
    return Reply(**{name: fields[name] for name in _SHAPES} | own, sent=sent)


def object_of(value: Any, what: str) -> Mapping[str, Any]:
    """The value, which is a JSON object."""
    check(isinstance(value, dict), f"{what} is not a JSON object")
    found: Mapping[str, Any] = value
    return found


def check(holds: bool, otherwise: str) -> None:
    """Raise what is wrong, unless it holds."""
    if not holds:
        raise ValueError(otherwise)


def is_count(value: Any) -> bool:
    """Whether it is a whole number from 0, and none that nobody could have counted."""
    return type(value) is int and 0 <= value <= _MOST


def _is_shallow(value: Any, levels: int = _DEEPEST) -> bool:
    """Whether it can be worked with: Python reads deeper than it copies and writes."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(_is_shallow(one, levels - 1) for one in inside)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_name(value: Any) -> bool:
    """Half a surrogate pair stands in no column of a database."""
    return isinstance(value, str) and bool(value) and not any("\ud800" <= char <= "\udfff" for char in value)


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
    "prompt_tokens": (_or_none(is_count), "a count"),
    "completion_tokens": (_or_none(is_count), "a count"),
    "reasoning_tokens": (_or_none(is_count), "a count"),
    "cost_usd": (_or_none(_is_amount), "an amount"),
    "latency_s": (_or_none(_is_amount), "a time in seconds"),
    "attempts": (lambda value: is_count(value) and value > 0, "a count"),
    "asked_at": (_or_none(_is_moment), "a time in UTC"),
}
