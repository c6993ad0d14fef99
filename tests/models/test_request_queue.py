"""Which question goes next: examples of the rules, and a state machine for everything
else.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import cast

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    precondition,
    rule,
)

from pytest_llmarith.models.request_queue import Entry, RequestQueue, Waiter
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Failure, Question


def question(number: int) -> Question:
    return Question("m", f"q{number}", number)


def announced(count: int, window: int) -> RequestQueue:
    queue = RequestQueue(window)
    for number in range(count):
        queue.announce(str(number), question(number))
    return queue


def wait(queue: RequestQueue, number: int, worker: str = "") -> None:
    queue.wait(
        str(number),
        question(number),
        Waiter(worker, cast(asyncio.Future[Reply | Failure], None)),
    )


def next_numbers(queue: RequestQueue, count: int) -> list[int]:
    entries = [queue.next() for _ in range(count)]
    return [int(entry.key) for entry in entries if entry is not None]


def answer(queue: RequestQueue, count: int) -> None:
    """Ask and answer this many questions."""
    for entry in [entry for _ in range(count) if (entry := queue.next()) is not None]:
        queue.arrived(entry, Reply(entry.key))


def test_a_question_that_is_waited_for_goes_first() -> None:
    """The announced ones go in their order up to the window; a waiting test is not held
    up by it.
    """
    queue = announced(10, window=4)
    assert next_numbers(queue, 10) == [0, 1, 2, 3]
    wait(queue, 7)
    wait(queue, 5)
    assert next_numbers(queue, 10) == [7, 5]


def test_workers_are_served_side_by_side() -> None:
    queue = announced(100, window=12)
    for worker, number in (("a", 0), ("b", 25), ("c", 50), ("d", 75)):
        wait(queue, number, worker)
    assert next_numbers(queue, 100) == [0, 25, 50, 75, 1, 26, 51, 76, 2, 27, 52, 77]
    queue = announced(100, window=8)
    wait(queue, 0, "slow")
    wait(queue, 50, "fast")
    answer(queue, 100)
    for number in range(51, 60):
        assert queue.take(str(number), "fast") is not None, number
        answer(queue, 1)
    queue = announced(6, window=100)
    wait(queue, 3, "a")
    assert next_numbers(queue, 100) == [3, 4, 5, 0, 1, 2]


def test_what_workers_leave_behind() -> None:
    """A reply is kept until all announced tests have it; a dead worker's question is
    not asked, unless others wait.
    """
    queue = announced(1, window=4)
    queue.announce("0", question(0))
    answer(queue, 1)
    assert queue.take("0", "") == queue.take("0", "") == Reply("0")
    assert "0" not in queue
    queue = announced(2, window=0)
    for number, worker in ((0, "dead"), (1, "dead"), (1, "alive")):
        wait(queue, number, worker)
    queue.forget("dead")
    assert next_numbers(queue, 10) == [1]
    assert "0" not in queue


class Runs(RuleBasedStateMachine):
    """Any order of announcing, asking, answering, dying and ending."""

    in_flight = Bundle("in_flight")
    KEYS = st.integers(0, 7)
    WORKERS = st.sampled_from("abc")

    def __init__(self) -> None:
        super().__init__()
        self.queue = RequestQueue(3)
        self.announced: Counter[int] = Counter()
        self.asked: Counter[int] = Counter()
        self.sent: Counter[int] = Counter()
        self.waiting: Counter[tuple[int, str]] = Counter()
        self.flying: set[int] = set()
        self.died = False
        self.abandoned = False

    @rule(number=KEYS)
    @precondition(lambda self: not self.abandoned)
    def announce(self, number: int) -> None:
        if not self.asked[number]:  # questions are announced before the first test runs
            self.announced[number] += 1
            self.queue.announce(str(number), question(number))

    @rule(number=KEYS, worker=WORKERS)
    @precondition(lambda self: not self.abandoned)
    def ask(self, number: int, worker: str) -> None:
        self.asked[number] += 1
        if self.queue.take(str(number), worker) is None:
            self.waiting[number, worker] += 1
            wait(self.queue, number, worker)

    @rule(target=in_flight, full=st.sets(KEYS, max_size=4))
    def send(self, full: set[int]) -> tuple[Entry | None]:
        is_waited_for = any(
            number not in self.flying | full for number, _ in self.waiting.elements()
        )
        entry = self.queue.next(lambda question: question.trial not in full)
        assert entry is not None or not is_waited_for or self.abandoned, (
            "a test waits, and nothing is asked"
        )
        if entry is None:
            return (None,)
        assert not self.abandoned
        number = int(entry.key)
        assert number not in self.flying | full, (
            "it is in flight already, or there is no room for it"
        )
        assert not is_waited_for or any(
            waited == number for waited, _ in self.waiting.elements()
        )
        self.flying.add(number)
        self.sent[number] += 1
        return (entry,)

    @rule(flight=consumes(in_flight))
    def arrive(self, flight: tuple[Entry | None]) -> None:
        (entry,) = flight
        if entry is None:
            return
        number = int(entry.key)
        self.flying.remove(number)
        waiters = self.queue.arrived(entry, Failure("x"))
        expected = sorted(
            worker for waited, worker in self.waiting.elements() if waited == number
        )
        assert sorted(waiter.worker for waiter in waiters) == expected
        self.waiting = Counter(
            {key: n for key, n in self.waiting.items() if key[0] != number}
        )

    @rule(worker=WORKERS)
    @precondition(lambda self: not self.abandoned)
    def forget(self, worker: str) -> None:
        self.died = True
        self.queue.forget(worker)
        self.waiting = Counter(
            {key: n for key, n in self.waiting.items() if key[1] != worker}
        )

    @rule()
    def abandon(self) -> None:
        waiters = self.queue.abandon(spare_in_flight=False)
        assert len(waiters) == self.waiting.total()
        self.waiting.clear()
        self.abandoned = True

    @invariant()
    def nothing_is_paid_for_twice_and_the_window_holds(self) -> None:
        if not self.died:
            for number, count in self.sent.items():
                assert count <= max(1, self.asked[number] - self.announced[number] + 1)
            assert sum(self.asked[number] == 0 for number in self.sent) <= 3


TestRuns = Runs.TestCase
TestRuns.settings = settings(max_examples=40)
