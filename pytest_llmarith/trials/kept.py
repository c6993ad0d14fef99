"""What a record keeps of many replies: each of them whole as long as there is room, else what it cost.

A record is one line, and readers refuse lines that are too long. It does not know what the replies were asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pytest_llmarith.values import Reply

_ROOM = 4_000_000  # characters of JSON for all of them: a quarter of the longest line that is read
_LONGEST_NAME = 200  # what a provider calls its model may have any length; this is long for a name
_AMOUNTS = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost_usd", "own_price", "latency_s", "attempts")
_USAGE = (*_AMOUNTS, "stored", "asked_at")


def kept(replies: Iterable[Reply]) -> Iterator[dict[str, Any]]:
    """Per reply its `reply`, or none and its `usage`. A long one takes no room from shorter ones behind it."""
    room = _ROOM
    for reply in replies:
        length = _length(reply, room)
        if length <= room:
            room -= length
            yield {"reply": reply.fields()}
        else:
            yield {"reply": None, "usage": _usage(reply)}


def _length(reply: Reply, room: int) -> int:
    """Characters of JSON; of a reply that is too long in any case, so many as are sure."""
    words = len(reply.text) + len(reply.reasoning or "")
    return words if words > room else len(json.dumps(reply.fields(), default=str))


def _usage(reply: Reply) -> dict[str, Any]:
    name = reply.served_model
    served = name if name is not None and len(name) <= _LONGEST_NAME else None
    return {"served_model": served} | {each: getattr(reply, each) for each in _USAGE}
