"""The text of a reply: of a text, a message, a list of messages, or a list of content
blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Reply = str | Mapping[str, Any] | Sequence[Mapping[str, Any]]

_THOUGHTS = frozenset(
    {
        "reasoning",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "tool_call",
        "tool_result",
    }
)


def text_of(reply: Reply) -> str:
    """The text that answers: of messages the last one of the assistant, without blocks
    of reasoning and tools.

    >>> question = {"role": "user", "content": "6 * 7?"}
    >>> text_of([question, {"role": "assistant", "content": "42"}])
    '42'
    >>> thought = {"type": "thinking", "thinking": "41?"}
    >>> text_of([thought, {"type": "text", "text": "42"}])
    '42'
    """
    if isinstance(reply, str):
        return reply
    if isinstance(reply, Mapping):
        return _text_of_part(reply)
    if not isinstance(reply, list | tuple):
        raise TypeError(
            f"a reply is a text, a message, or a list of messages or content blocks, "
            f"not {_kind(reply)}"
        )
    for part in reply:
        if not isinstance(part, Mapping):
            raise TypeError(
                f"a list of messages or content blocks holds dictionaries, not "
                f"{_kind(part)}"
            )
    if any("role" in part for part in reply):
        said = [part for part in reply if part.get("role") == "assistant"]
        return _text_of_part(said[-1]) if said else ""
    return "".join(map(_text_of_part, reply))


def _text_of_part(part: Mapping[str, Any]) -> str:
    """The text of a message or a content block."""
    if part.get("type") in _THOUGHTS:
        return ""
    name = "content" if "content" in part else "text"
    content = part.get(name)
    if content is None:
        return ""
    if isinstance(content, str | list | tuple):
        return text_of(content)
    raise TypeError(
        f"{name!r} of a message or content block is a text or a list, not "
        f"{_kind(content)}"
    )


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__
