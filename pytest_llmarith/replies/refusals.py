"""Whether a reply says that it will not do what it was asked. It does not know what that was."""

from __future__ import annotations

import re

_REFUSAL = re.compile(
    r"\b(?:can(?:no|['’])t|can not|could ?n(?:o|['’])t|won['’]t|will not|(?:un|not )able to|not possible|impossible to"
    r"|do(?:n['’]t| not) have the (?:ability|capability)|beyond my|(?:must|have to) decline|refuse|not allowed)\b",
    re.IGNORECASE,
)


def refuses(text: str) -> bool:
    """Whether the text says that it will not or can not; meant for texts in which nothing else was found."""
    return bool(_REFUSAL.search(text))
