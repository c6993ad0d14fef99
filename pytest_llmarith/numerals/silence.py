"""Step 9 of the tolerant reading: why a reply gives no number. It does not know numbers."""

from __future__ import annotations

import re

from pytest_llmarith.numerals.thoughts import Said
from pytest_llmarith.values import NanReason

_REFUSAL = re.compile(
    r"\b(?:can(?:no|')t|can not|could ?n(?:o|')t|won't|will not|(?:un|not )able to|not possible|impossible to"
    r"|do(?:n't| not) have the (?:ability|capability)|beyond my|(?:must|have to) decline|refuse|not allowed)\b",
    re.IGNORECASE,
)


def refuses(text: str) -> bool:
    """Whether the text says that it will not or can not compute."""
    return bool(_REFUSAL.search(text))


def reason(said: Said, text: str) -> NanReason:
    """Why nothing could be read from `text`, the end of what was said."""
    if refuses(text):
        return NanReason.REFUSAL
    if said.cut:
        return NanReason.TRUNCATED
    return NanReason.UNREADABLE if text.strip() else NanReason.EMPTY
