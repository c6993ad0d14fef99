"""A reply of a model without its thoughts, and whether it refuses."""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

_TAGS = "think|thinking|thought|reasoning|scratchpad"
# An opening tag begins a line; within a sentence it is only mentioned.
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
    """A reply without its thoughts; `cut` says that the last thought is not closed."""

    text: str
    cut: bool


def strip_thoughts(reply: str) -> Stripped:
    """Drop everything up to the last closing tag, whose opening may be missing, and everything from an open tag on."""
    closings = deque(_CLOSED.finditer(reply), maxlen=1)
    text = reply[closings[0].end() :] if closings else reply
    opening = _OPENED.search(text)
    return Stripped(text[: opening.start()], cut=True) if opening else Stripped(text, cut=False)


def refuses(text: str) -> bool:
    """Whether the text says that it will not or cannot do what was asked; for texts without an answer."""
    return bool(_REFUSAL.search(text))
