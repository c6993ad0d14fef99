"""Removes a model's thoughts from its reply, and detects refusals."""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

_TAGS = "think|thinking|thought|reasoning|scratchpad"
# An opening tag counts only at the beginning of a line: within a sentence it is a word.
_OPENED = re.compile(
    rf"^[ \t]*+(?:<(?:{_TAGS})>|\[THINK\]|<\|channel\|>(?:analysis|commentary)<\|message\|>)",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSED = re.compile(rf"</(?:{_TAGS})>|\[/THINK\]|<\|channel\|>final<\|message\|>", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:can(?:no|['’])t|can not|could ?n(?:o|['’])t|won['’]t|will not|(?:un|not )able to|not possible|impossible to"
    r"|do(?:n['’]t| not) have the (?:ability|capability)|beyond my|(?:must|have to) decline|refuse|not allowed)\b",
    re.IGNORECASE,
)


class Stripped(NamedTuple):
    """A reply without its thoughts; `cut` is true if the last thought is not closed."""

    text: str
    cut: bool


def strip_thoughts(reply: str) -> Stripped:
    """Remove everything up to the last closing tag, and everything from an opening tag that is not closed."""
    closings = deque(_CLOSED.finditer(reply), maxlen=1)
    text = reply[closings[0].end() :] if closings else reply
    opening = _OPENED.search(text)
    return Stripped(text[: opening.start()], cut=True) if opening else Stripped(text, cut=False)


def refuses(text: str) -> bool:
    """Whether a text without an answer says that the model will not or cannot answer."""
    return bool(_REFUSAL.search(text))
