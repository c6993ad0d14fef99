"""What a record keeps of many replies: each of them whole as long as there is room, else what it cost.

A record is one line, and readers refuse lines that are too long. It does not know what the replies were asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_llmarith import records
from pytest_llmarith.trials.frame import reply_part
from pytest_llmarith.values import Reply

_ROOM = 4_000_000  # characters of JSON for all of them: a quarter of the longest line that is read
_LONGEST_NAME = 200  # what a provider calls its model may have any length; this is long for a name


def kept(replies: Iterable[Reply]) -> Iterator[tuple[records.Reply | None, records.Usage | None]]:
    """Each reply, or only its usage. A long one takes no room from shorter ones behind it."""
    room = _ROOM
    for reply in replies:
        length = _length(reply, room)
        if length <= room:
            room -= length
            yield reply_part(reply), None
        else:
            yield None, _usage(reply)


def _length(reply: Reply, room: int) -> int:
    """Characters of JSON; of a reply that is too long in any case, so many as are sure."""
    words = len(reply.text) + len(reply.reasoning or "")
    return words if words > room else len(records.encode(reply_part(reply)))


def _usage(reply: Reply) -> records.Usage:
    name = reply.served_model
    known = {field: getattr(reply, field) for field in records.Usage.__struct_fields__}
    return records.Usage(**known | {"served_model": name if name is not None and len(name) <= _LONGEST_NAME else None})
