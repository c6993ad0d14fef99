"""The replies of a run that has no store, as far as the same may be asked again before it ends. It knows no disk.

What was announced is asked once whoever waits for it, so only what nobody could announce comes here: the questions of
searches, which two conditions may put in the same words, and those to judges, who may be shown one program twice.
"""

from __future__ import annotations

from collections import OrderedDict

from pytest_llmarith.values import Reply

# Replies may be megabytes, and searches ask thousands of questions. Those of one problem run side by side or one after
# another in all conditions, so what was said long ago can go.
_MOST_CHARACTERS = 2**25
_AROUND_A_REPLY = 2_000  # what it takes beside its texts


class Memory:
    """Holds the replies that were wanted last, within so many characters of prompts and texts."""

    def __init__(self, most: int = _MOST_CHARACTERS) -> None:
        self._most = most
        self._held = 0
        self._replies: OrderedDict[str, Reply] = OrderedDict()

    def put(self, key: str, reply: Reply) -> None:
        self._replies[key] = reply
        self._held += _size(reply)
        while self._held > self._most:
            _, oldest = self._replies.popitem(last=False)
            self._held -= _size(oldest)

    def get(self, key: str) -> Reply | None:
        if key in self._replies:
            self._replies.move_to_end(key)
        return self._replies.get(key)


def _size(reply: Reply) -> int:
    messages = (message["content"] for message in reply.sent.get("messages", ()))
    return _AROUND_A_REPLY + sum(map(len, (reply.text, reply.reasoning or "", *messages)))
