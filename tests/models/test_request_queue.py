"""The policy of what goes next: examples for its promises, and a state machine for everything else."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import cast

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, precondition, rule

from pytest_llmarith.models.request_queue import Entry, RequestQueue, Waiter
from pytest_llmarith.values import Failure, Question, Reply


def question(number: int) -> Question:
    return Question("m", f"q{number}", number)


def announced(count: int, window: int) -> RequestQueue:
    queue = RequestQueue(window)
    for number in range(count):
        queue.announce(str(number), question(number))
    return queue


def wait(queue: RequestQueue, number: int, worker: str = "") -> None:
    queue.wait(str(number), question(number), Waiter(worker, cast(asyncio.Future[Reply | Failure], None)))


def next_numbers(queue: RequestQueue, count: int) -> list[int]:
    entries = [queue.next() for _ in range(count)]
    return [int(entry.key) for entry in entries if entry is not None]


def answer(queue: RequestQueue, count: int) -> list[Entry]:
    """Ask and answer so many questions."""
    entries = [entry for _ in range(count) if (entry := queue.next()) is not None]
    for entry in entries:
        queue.arrived(entry, Reply(entry.key))
    return entries


def test_announced_questions_go_in_order_until_the_window_is_full() -> None:
    """Questions that nobody waits for go in the order of the list, up to the window."""
    assert next_numbers(announced(10, window=4), 10) == [0, 1, 2, 3]


def test_who_waits_goes_first_even_outside_the_window() -> None:
    """Questions that somebody waits for go first, in the order in which they were asked for."""
    queue = announced(10, window=2)
    assert next_numbers(queue, 10) == [0, 1]
    wait(queue, 7)
    wait(queue, 5)
    assert next_numbers(queue, 10) == [7, 5]


def test_workers_are_served_side_by_side_just_behind_where_each_of_them_is() -> None:
    """Workers start far apart in the list; the start of the list would starve all but the first."""
    queue = announced(100, window=12)
    for worker, number in (("a", 0), ("b", 25), ("c", 50), ("d", 75)):
        wait(queue, number, worker)
    assert next_numbers(queue, 4) == [0, 25, 50, 75]
    assert next_numbers(queue, 100) == [1, 26, 51, 76, 2, 27, 52, 77]


def test_a_slow_worker_cannot_fill_the_window() -> None:
    """The worker with the fewest unfetched replies comes first, so a fast one is never starved."""
    queue = announced(100, window=8)
    wait(queue, 0, "slow")
    wait(queue, 50, "fast")
    answer(queue, 100)
    for number in range(51, 60):
        assert queue.take(str(number), "fast") is not None, number
        answer(queue, 1)


def test_what_is_left_over_by_the_workers_is_asked_in_the_end() -> None:
    """Idle places are filled from the start again when nothing is left behind any worker."""
    queue = announced(6, window=100)
    wait(queue, 3, "a")
    assert next_numbers(queue, 100) == [3, 4, 5, 0, 1, 2]


def test_where_there_is_no_room_others_pass_and_the_order_is_kept() -> None:
    """A model that is throttled does not hold up another one that somebody waits for."""
    queue = announced(4, window=4)
    for number in (5, 6, 7, 8):
        wait(queue, number)
    odd = queue.next(lambda question: question.trial % 2 == 1)
    assert odd is not None
    assert odd.key == "5"
    even = queue.next(lambda question: question.trial % 2 == 0)
    assert even is not None
    assert even.key == "6"
    assert queue.next(lambda question: False) is None
    assert next_numbers(queue, 10) == [7, 8]


def test_a_reply_is_kept_until_all_who_were_announced_have_fetched_it() -> None:
    """Two models with the same target and parameters share one reply, without a store."""
    queue = announced(1, window=4)
    queue.announce("0", question(0))
    answer(queue, 1)
    assert queue.take("0", "") == queue.take("0", "") == Reply("0")
    assert "0" not in queue


def test_skipped_items_give_their_places_back() -> None:
    """Replies that nobody fetches while many others are fetched do not bound the window for ever."""
    queue = announced(100, window=2)
    assert [entry.key for entry in answer(queue, 100)] == ["0", "1"]  # nobody is ever going to fetch these
    for number in range(2, 11):
        wait(queue, number)
        answer(queue, 1)
    assert len(answer(queue, 100)) == 2


def test_a_forgotten_worker_leaves_its_questions_to_nobody() -> None:
    """An item that crashed its worker is not run again."""
    queue = announced(2, window=0)
    wait(queue, 0, "dead")
    wait(queue, 1, "dead")
    wait(queue, 1, "alive")
    queue.forget("dead")
    assert next_numbers(queue, 10) == [1]
    assert "0" not in queue


def test_abandoning_spares_what_is_in_flight_where_it_is_told_to() -> None:
    """A stop answers everybody, an end lets what is in flight arrive."""
    for spare, in_vain in ((True, 1), (False, 2)):
        queue = RequestQueue(4)
        wait(queue, 0)
        assert next_numbers(queue, 1) == [0]
        wait(queue, 1)
        assert len(queue.abandon(spare_in_flight=spare)) == in_vain
        assert queue.next() is None


class Runs(RuleBasedStateMachine):
    """Any order of announcing, asking, answering and dying."""

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
        someone = any(number not in self.flying | full for number, _ in self.waiting.elements())
        entry = self.queue.next(lambda question: question.trial not in full)
        assert not (entry is None and someone and not self.abandoned), "somebody waits, and nothing is asked"
        if entry is None:
            return (None,)
        assert not self.abandoned
        number = int(entry.key)
        assert number not in self.flying, "the same question is in flight twice"
        assert number not in full, "there is no room for it"
        if someone:
            assert any(waited == number for waited, _ in self.waiting.elements()), "who waits goes first"
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
        assert sorted(waiter.worker for waiter in waiters) == sorted(
            worker for waited, worker in self.waiting.elements() if waited == number
        )
        self.waiting = Counter({key: n for key, n in self.waiting.items() if key[0] != number})

    @rule(worker=WORKERS)
    @precondition(lambda self: not self.abandoned)
    def forget(self, worker: str) -> None:
        self.died = True
        self.queue.forget(worker)
        self.waiting = Counter({key: n for key, n in self.waiting.items() if key[1] != worker})

    @rule()
    def abandon(self) -> None:
        waiters = self.queue.abandon(spare_in_flight=False)
        assert len(waiters) == self.waiting.total()
        self.waiting.clear()
        self.abandoned = True

    @invariant()
    def nothing_is_asked_twice_that_was_announced_often_enough(self) -> None:
        for number, count in self.sent.items():
            if not self.died:
                assert count <= max(1, self.asked[number] - self.announced[number] + 1)

    @invariant()
    def the_window_holds(self) -> None:
        unasked = [number for number in self.sent if self.asked[number] == 0]
        if not self.died:
            assert len(unasked) <= 3 * (1 + self.asked.total() // (4 * 3))


TestRuns = Runs.TestCase
