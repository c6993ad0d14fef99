"""Which questions of a result were counted already. Two items that ask the same are one request, and one measurement.

So it is where two functions share a task or a mark. It keeps a number of each question, and does not know what it is.
"""

from __future__ import annotations

from pytest_llmarith.records import Record
from pytest_llmarith.values import Outcome


class Questions:
    """The questions of one model, task and condition, and which item asked each first."""

    def __init__(self) -> None:
        self._items: dict[int, int] = {}
        self.duplicates = 0

    def is_another_items(self, record: Record) -> bool:
        """Whether another item asked this before; what no item asked is always a question of its own.

        What was sent for it has to be the same, too: a model of the user's own may put it otherwise, or be another one,
        and what it was sent nobody knows. Those without a reply are looked at apart, so that the order of records,
        which is chance, decides nothing: of two items one may have had no reply, and lacks it.
        """
        item, sent = record.nodeid, record.reply and record.reply.sent
        is_answered = record.outcome is not Outcome.UNANSWERED
        if item is None or (is_answered and not sent):
            return False
        question = hash((repr(record.problem), record.repeat, is_answered and repr(sent)))
        is_duplicate = self._items.setdefault(question, hash(item)) != hash(item)
        self.duplicates += is_duplicate
        return is_duplicate
