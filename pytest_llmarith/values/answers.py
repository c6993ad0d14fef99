"""The answer of a record as a text, whatever task it is of. A record may come from anywhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def answer_text(record: Mapping[str, Any]) -> str | None:
    """The answer that was graded: the number of one reading, or what the user's own task has read."""
    answer = record.get("answer")
    return as_text(answer.get(record.get("reading") or "read")) if isinstance(answer, dict) else None


def as_text(value: Any) -> str | None:
    """A text as it is, anything else that JSON holds as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
