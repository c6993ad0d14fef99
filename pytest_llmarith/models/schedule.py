"""Which question goes to a model next. Pure policy: it knows no clock, thread, loop, store or model.

A question that somebody waits for goes first. Idle places are filled with announced questions, just behind the
place where each asker (a *lane*) was last seen, within a window of replies that nobody has fetched yet. One key
is asked once, however often it is announced or asked.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from pytest_llmarith.models.places import Places
from pytest_llmarith.values import Failure, Question, Reply

# A reply that was not fetched while so many windows of others were is not waited for any longer: its item was
# skipped. It is kept, but its place in the window goes to another.
_STALE_WINDOWS = 4


class Waiter(NamedTuple):
    """Somebody who waits for a reply."""

    lane: str
    deliver: Callable[[Reply | Failure], None]


class State(Enum):
    PENDING = auto()
    IN_FLIGHT = auto()
    READY = auto()


@dataclass(slots=True, eq=False)
class Entry:
    """One key's way through the schedule; `due` counts the announced askers that have not fetched the reply."""

    key: str
    question: Question
    state: State = State.PENDING
    place: int | None = None
    due: int = 0
    waiters: list[Waiter] = field(default_factory=list)
    outcome: Reply | Failure | None = None
    lane: str | None = None
    in_window: bool = False


@dataclass(slots=True)
class Lane:
    """An asker's place in the announced order, and how many unfetched replies lie ahead of it."""

    cursor: int = 0
    ahead: int = 0


class Schedule:
    """Holds every question of a run from its announcement until its reply is fetched."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._used = 0
        self._entries: dict[str, Entry] = {}
        self._places: Places[Entry] = Places()
        self._lanes: dict[str, Lane] = {}
        self._waited: deque[Entry] = deque()
        self._early: Counter[str] = Counter()
        self._unfetched: deque[tuple[int, Entry]] = deque()
        self._fetches = 0
        self._abandoned = False

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def announce(self, key: str, question: Question) -> None:
        """Somebody is going to ask this, unless that has happened already."""
        if self._early[key] > 0:
            self._early[key] -= 1
            return
        entry = self._entries.get(key) or self._enter(key, question)
        entry.due += 1
        if entry.state is State.PENDING and entry.place is None and not entry.waiters:
            entry.place = self._places.append(entry)

    def take(self, key: str, lane: str) -> Reply | Failure | None:
        """Fetch what has arrived; None where it has not."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        self._move(lane, entry)
        if entry.state is not State.READY:
            return None
        self._fetch(entry)
        self._drop_if_done(entry)
        return entry.outcome

    def wait(self, key: str, question: Question, waiter: Waiter) -> None:
        """Somebody waits for a reply that has not arrived."""
        entry = self._entries.get(key) or self._enter(key, question)
        self._move(waiter.lane, entry)
        entry.waiters.append(waiter)
        if entry.state is State.PENDING:
            self._waited.append(entry)

    def next(self, has_room: Callable[[Question], bool] = lambda question: True) -> Entry | None:
        """What to ask now, if anything; it counts as in flight from here on.

        A question for which there is no room lets those pass that somebody else waits for.
        """
        if self._abandoned:
            return None
        entry = self._next_waited(has_room) or self._next_ahead(has_room)
        if entry is not None:
            self._places.take(entry.place)
            entry.state = State.IN_FLIGHT
            entry.in_window = True
            self._used += 1
        return entry

    def arrived(self, entry: Entry, outcome: Reply | Failure) -> list[Waiter]:
        """A reply is here; returns those who wait for it."""
        entry.state, entry.outcome = State.READY, outcome
        waiters, entry.waiters = entry.waiters, []
        for _ in waiters:
            self._fetch(entry)
        if not waiters:
            self._unfetched.append((self._fetches, entry))
        self._drop_if_done(entry)
        return waiters

    def forget(self, lane: str) -> None:
        """An asker is gone. What it waited for, nobody is going to fetch in its stead."""
        self._lanes.pop(lane, None)
        for entry in [entry for entry in self._entries.values() if entry.waiters]:
            stay = [waiter for waiter in entry.waiters if waiter.lane != lane]
            entry.due = max(0, entry.due - (len(entry.waiters) - len(stay)))
            entry.waiters = stay
            if not stay and entry.state is State.PENDING:
                self._nobody_waits(entry)

    def abandon(self, *, spare_in_flight: bool) -> list[Waiter]:
        """Nothing is asked any more; returns those who wait in vain. What has arrived can still be fetched."""
        self._abandoned = True
        waiters: list[Waiter] = []
        for entry in list(self._entries.values()):
            if entry.state is State.IN_FLIGHT and spare_in_flight:
                continue
            waiters += entry.waiters
            entry.waiters = []
            if entry.state is State.PENDING:
                self._discard(entry)
        return waiters

    # --- what goes next ---------------------------------------------------------------------------------------------

    def _next_waited(self, has_room: Callable[[Question], bool]) -> Entry | None:
        passed = list[Entry]()
        found = None
        while found is None and self._waited:
            entry = self._waited.popleft()
            if entry.state is State.PENDING and entry.waiters:
                if has_room(entry.question):
                    found = entry
                else:
                    passed.append(entry)
        self._waited.extendleft(reversed(passed))
        return found

    def _next_ahead(self, has_room: Callable[[Question], bool]) -> Entry | None:
        """The lane with the fewest replies ahead of it comes first: a slow one cannot fill the window."""
        if self._used >= self._window:
            return None
        for name, lane in sorted(self._lanes.items(), key=lambda item: item[1].ahead):
            entry = self._places.first_from(lane.cursor)
            if entry is not None and has_room(entry.question):
                entry.lane = name
                lane.ahead += 1
                return entry
        entry = self._places.first_from(0)
        return entry if entry is not None and has_room(entry.question) else None

    # --- the life of an entry ---------------------------------------------------------------------------------------

    def _enter(self, key: str, question: Question) -> Entry:
        entry = self._entries[key] = Entry(key, question)
        return entry

    def _move(self, lane: str, entry: Entry) -> None:
        if entry.place is not None:
            self._lanes.setdefault(lane, Lane()).cursor = entry.place + 1

    def _fetch(self, entry: Entry) -> None:
        """One asker has the reply. An asker who comes before its announcement is remembered until that arrives."""
        if entry.due > 0:
            entry.due -= 1
        else:
            self._early[entry.key] += 1
        self._fetches += 1
        self._leave_window(entry)
        while self._unfetched and self._is_done_with(*self._unfetched[0]):
            self._leave_window(self._unfetched.popleft()[1])

    def _is_done_with(self, arrived_at: int, entry: Entry) -> bool:
        """It was fetched, or others were for so long that nobody is going to."""
        return not entry.in_window or self._fetches - arrived_at > _STALE_WINDOWS * self._window

    def _leave_window(self, entry: Entry) -> None:
        if entry.in_window:
            entry.in_window = False
            self._used -= 1
            if (lane := self._lanes.get(entry.lane or "")) is not None:
                lane.ahead -= 1

    def _drop_if_done(self, entry: Entry) -> None:
        if entry.due == 0 and entry.state is State.READY:
            self._discard(entry)

    def _nobody_waits(self, entry: Entry) -> None:
        if entry.due == 0:
            self._discard(entry)
        elif entry.place is None:
            entry.place = self._places.append(entry)

    def _discard(self, entry: Entry) -> None:
        self._places.take(entry.place)
        self._leave_window(entry)
        del self._entries[entry.key]
