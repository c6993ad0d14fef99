"""The order in which questions are asked.

It holds each question from its announcement until its reply is fetched.

Questions that tests wait for go first. Free capacity is used for announced questions
that follow the last question of each worker, within a window of replies that are not
fetched yet. A key is asked once, even if it is announced or asked several times.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from pytest_llmarith.records import Reply
from pytest_llmarith.types import Failure, Question


class Waiter(NamedTuple):
    """A worker that waits for a reply."""

    worker: str
    reply: asyncio.Future[Reply | Failure]


class State(Enum):
    PENDING = auto()
    IN_FLIGHT = auto()
    READY = auto()


@dataclass(slots=True, eq=False)
class Entry:
    """One key; `due` counts the announced tests that have not fetched the reply.

    `index` is the position in the announced order, `worker` the worker for which it was
    asked ahead.
    """

    key: str
    question: Question
    state: State = State.PENDING
    index: int | None = None
    due: int = 0
    waiters: list[Waiter] = field(default_factory=list)
    outcome: Reply | Failure | None = None
    worker: str | None = None
    in_window: bool = False


@dataclass(slots=True)
class _Position:
    """A worker's next index in the announced order, and the number of unfetched replies
    asked ahead for it.
    """

    index: int = 0
    ahead: int = 0


class RequestQueue:
    """A queue whose `window` limits the replies that are in flight or not fetched."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._used = 0
        self._entries: dict[str, Entry] = {}
        # None stands for an entry that was asked or discarded.
        self._order: list[Entry | None] = []
        self._first = 0  # index of the first entry left in `_order`
        self._positions: dict[str, _Position] = {}
        self._waited: deque[Entry] = deque()
        self._abandoned = False

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def announce(self, key: str, question: Question) -> None:
        """Add a question that a test will ask."""
        entry = self._enter(key, question)
        entry.due += 1
        if entry.state is State.PENDING and entry.index is None and not entry.waiters:
            self._append(entry)

    def take(self, key: str, worker: str) -> Reply | Failure | None:
        """Fetch the outcome; None if it has not arrived."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        self._move(worker, entry)
        if entry.state is State.READY:
            self._fetched(entry)
            self._discard_if_done(entry)
        return entry.outcome

    def wait(self, key: str, question: Question, waiter: Waiter) -> None:
        """Add a worker that waits for the reply."""
        entry = self._enter(key, question)
        self._move(waiter.worker, entry)
        entry.waiters.append(waiter)
        if entry.state is State.PENDING:
            self._waited.append(entry)

    def next(
        self, has_capacity: Callable[[Question], bool] = lambda question: True
    ) -> Entry | None:
        """The next question to ask, marked as in flight; None if there is none.

        Questions to models without capacity are skipped.
        """
        if self._abandoned:
            return None
        entry = self._next_waited(has_capacity) or self._next_announced(has_capacity)
        if entry is not None:
            self._leave_order(entry)
            entry.state = State.IN_FLIGHT
            entry.in_window = True
            self._used += 1
        return entry

    def arrived(self, entry: Entry, outcome: Reply | Failure) -> list[Waiter]:
        """Set the outcome of a question; returns its waiters."""
        entry.state, entry.outcome = State.READY, outcome
        waiters, entry.waiters = entry.waiters, []
        for _ in waiters:
            self._fetched(entry)
        self._discard_if_done(entry)
        return waiters

    def forget(self, worker: str) -> None:
        """Remove a worker that is gone, with its waiters."""
        self._positions.pop(worker, None)
        for entry in [entry for entry in self._entries.values() if entry.waiters]:
            others = [waiter for waiter in entry.waiters if waiter.worker != worker]
            entry.due = max(0, entry.due - (len(entry.waiters) - len(others)))
            entry.waiters = others
            if not others and entry.state is State.PENDING:
                if entry.due == 0:
                    self._discard(entry)
                elif entry.index is None:
                    self._append(entry)

    def abandon(self, *, spare_in_flight: bool) -> list[Waiter]:
        """Ask no more questions; returns the waiters without a reply.

        Arrived replies can still be fetched.
        """
        self._abandoned = True
        waiters = []
        abandoned = {State.PENDING}
        if not spare_in_flight:
            abandoned.add(State.IN_FLIGHT)
        for entry in list(self._entries.values()):
            if entry.state in abandoned:
                waiters += entry.waiters
                entry.waiters = []
                self._discard(entry)
        return waiters

    # --- the next question ------------------------------------------------------------

    def _next_waited(self, has_capacity: Callable[[Question], bool]) -> Entry | None:
        passed = []
        found = None
        while found is None and self._waited:
            entry = self._waited.popleft()
            if entry.state is State.PENDING and entry.waiters:
                if has_capacity(entry.question):
                    found = entry
                else:
                    passed.append(entry)
        self._waited.extendleft(reversed(passed))
        return found

    def _next_announced(self, has_capacity: Callable[[Question], bool]) -> Entry | None:
        """Prefer the worker with the fewest unfetched replies, so that a slow worker
        does not fill the window.
        """
        if self._used >= self._window:
            return None
        positions = self._positions
        for name in sorted(positions, key=lambda name: positions[name].ahead):
            position = positions[name]
            position.index = self._next_index(position.index)
            entry = self._entry_at(position.index)
            if entry is not None and has_capacity(entry.question):
                entry.worker = name
                position.ahead += 1
                return entry
        self._first = self._next_index(self._first)
        entry = self._entry_at(self._first)
        if entry is None or not has_capacity(entry.question):
            return None
        return entry

    def _next_index(self, index: int) -> int:
        while index < len(self._order) and self._order[index] is None:
            index += 1
        return index

    def _entry_at(self, index: int) -> Entry | None:
        return self._order[index] if index < len(self._order) else None

    # --- the life of an entry ---------------------------------------------------------

    def _enter(self, key: str, question: Question) -> Entry:
        if key not in self._entries:
            self._entries[key] = Entry(key, question)
        return self._entries[key]

    def _append(self, entry: Entry) -> None:
        entry.index = len(self._order)
        self._order.append(entry)

    def _move(self, worker: str, entry: Entry) -> None:
        if entry.index is not None:
            self._positions.setdefault(worker, _Position()).index = entry.index + 1

    def _fetched(self, entry: Entry) -> None:
        entry.due = max(0, entry.due - 1)
        self._leave_window(entry)

    def _leave_window(self, entry: Entry) -> None:
        if not entry.in_window:
            return
        entry.in_window = False
        self._used -= 1
        if entry.worker is not None and entry.worker in self._positions:
            self._positions[entry.worker].ahead -= 1

    def _leave_order(self, entry: Entry) -> None:
        if entry.index is not None:
            self._order[entry.index] = None

    def _discard_if_done(self, entry: Entry) -> None:
        if entry.due == 0 and entry.state is State.READY:
            self._discard(entry)

    def _discard(self, entry: Entry) -> None:
        self._leave_order(entry)
        self._leave_window(entry)
        self._entries.pop(entry.key, None)
