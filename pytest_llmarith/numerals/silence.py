"""Step 9 of the tolerant reading: why a reply gives no number. It does not know numbers."""

from __future__ import annotations

from pytest_llmarith.replies import Said, refuses
from pytest_llmarith.values import NanReason


def reason(said: Said, text: str) -> NanReason:
    """Why nothing could be read from `text`, the end of what was said."""
    if refuses(text):
        return NanReason.REFUSAL
    if said.cut:
        return NanReason.TRUNCATED
    return NanReason.UNREADABLE if text.strip() else NanReason.EMPTY
