"""What a model thought is no part of what it said."""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

_TAGS = "think|thinking|thought|reasoning|scratchpad"
# A tag within a sentence only speaks of thoughts; one that opens them begins a line.
_OPENED = re.compile(
    rf"^[ \t]*+(?:<(?:{_TAGS})>|\[THINK\]|<\|channel\|>(?:analysis|commentary)<\|message\|>)",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSED = re.compile(rf"</(?:{_TAGS})>|\[/THINK\]|<\|channel\|>final<\|message\|>", re.IGNORECASE)


class Said(NamedTuple):
    """A reply without its thoughts; `cut` says that the last thought has no end."""

    text: str
    cut: bool


def said(reply: str) -> Said:
    """Drop all up to the last closing tag (its opening may be missing), and all from a tag that stays open."""
    closings = deque(_CLOSED.finditer(reply), maxlen=1)
    text = reply[closings[0].end() :] if closings else reply
    opening = _OPENED.search(text)
    return Said(text[: opening.start()], cut=True) if opening else Said(text, cut=False)
