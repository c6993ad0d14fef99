"""Run logs into a store: it brings together who reads logs (reports) and who keeps replies (models)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from pytest_llmarith.models.keeping.claims import Claims
from pytest_llmarith.models.keeping.store import Store
from pytest_llmarith.models.request import hides_headers, holds_secrets, key_of_sent
from pytest_llmarith.reports.logs.replies import LeftOut, LoggedReply, Refused, replies_in
from pytest_llmarith.values import Reply

_BATCH = 500
_MOST_NAMED = 10


@dataclass
class Taken:
    """What came of one run log: replies that are `new` to the store or were `there`, lines that hold none to take."""

    new: int = 0
    there: int = 0
    left_out: Counter[LeftOut] = field(default_factory=Counter)
    refused: int = 0
    first_refused: list[Refused] = field(default_factory=list)

    def refuse(self, line: Refused) -> None:
        self.refused += 1
        if self.refused <= _MOST_NAMED:
            self.first_refused.append(line)


@contextmanager
def opened(path: Path) -> Iterator[Store]:
    """The store, with a seat among its users: nobody trims it meanwhile. Raises StoreError."""
    with closing(Claims(path)), closing(Store(path)) as store:
        yield store


def take(log: Path, store: Store, *, force: bool) -> Taken:
    """Put the replies of a run log where a run would look for them; with `force` they replace what is there.

    Raises `Mistake` and StoreError; what was taken before stays.
    """
    taken = Taken()
    keyed = _keyed(log, taken)
    while batch := list(islice(keyed, _BATCH)):
        new = _put(store, dict(batch)) if force else store.add_all(dict(reversed(batch)))
        taken.new += new
        taken.there += len(batch) - new
    return taken


def _put(store: Store, replies: Mapping[str, Reply]) -> int:
    there = store.known(replies)
    store.put_all(replies)
    return len(replies) - len(there)


def _keyed(log: Path, taken: Taken) -> Iterator[tuple[str, Reply]]:
    """The replies of a run log with their keys, which are made anew: a key that stood in a file would prove nothing."""
    for found in replies_in(log):
        if isinstance(found, LeftOut):
            taken.left_out[found] += 1
        elif isinstance(found, Refused):
            taken.refuse(found)
        else:
            taken.left_out.update(one for one in found if isinstance(one, LeftOut))
            yield from _keyed_line([one for one in found if isinstance(one, LoggedReply)], taken)


def _keyed_line(replies: Sequence[LoggedReply], taken: Taken) -> Iterator[tuple[str, Reply]]:
    """All replies of a line, or none of a line that is refused."""
    try:
        yield from [(_key(logged), logged.reply) for logged in replies]
    except (ValueError, RecursionError) as fault:
        taken.refuse(Refused(replies[0].line, str(fault)))


def _key(logged: LoggedReply) -> str:
    if holds_secrets(logged.sent):
        raise ValueError("what was sent holds a key or a password; nothing of ours writes such a line")
    if hides_headers(logged.sent):
        raise ValueError("a header was sent whose value is not written down, so nobody knows which request it was")
    return key_of_sent(logged.sent, logged.trial, logged.repeat)
