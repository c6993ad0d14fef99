"""A reply in a record that somebody else may have made, and what was sent for it, of exactly the shape that ours have.

Nothing is believed: every function raises ValueError, in words for people. It does not know what records are taken for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pytest_llmarith.plainjson import DEEPEST, is_shallow
from pytest_llmarith.reports.checks import check, is_amount, is_count, is_moment, object_of
from pytest_llmarith.values import Reply


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
    check(is_shallow(object_of(sent["params"], "params")), f"the parameters are more than {DEEPEST} levels deep")
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


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_name(value: Any) -> bool:
    """Half a surrogate pair stands in no column of a database."""
    return isinstance(value, str) and bool(value) and not any("\ud800" <= char <= "\udfff" for char in value)


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
    "cost_usd": (_or_none(is_amount), "an amount"),
    "latency_s": (_or_none(is_amount), "a time in seconds"),
    "attempts": (lambda value: is_count(value) and value > 0, "a count"),
    "asked_at": (_or_none(is_moment), "a time in UTC"),
}
