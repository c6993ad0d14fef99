"""The policy of what goes next: examples for its promises, and a state machine for everything else."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, precondition, rule

from pytest_llmarith.models.places import Places
from pytest_llmarith.models.schedule import Entry, Schedule, Waiter
from pytest_llmarith.values import Failure, Question, Reply


def question(number: int) -> Question:
    return Question("m", f"q{number}", number)


def announced(count: int, window: int) -> Schedule:
    schedule = Schedule(window)
    for number in range(count):
        schedule.announce(str(number), question(number))
    return schedule


def wait(schedule: Schedule, number: int, lane: str = "") -> None:
    schedule.wait(str(number), question(number), Waiter(lane, lambda outcome: None))


def next_numbers(schedule: Schedule, count: int) -> list[int]:
    entries = [schedule.next() for _ in range(count)]
    return [int(entry.key) for entry in entries if entry is not None]


def answer(schedule: Schedule, count: int) -> list[Entry]:
    """Ask and answer so many questions."""
    entries = [entry for _ in range(count) if (entry := schedule.next()) is not None]
    for entry in entries:
        schedule.arrived(entry, Reply(entry.key))
    return entries


def test_announced_questions_go_in_order_until_the_window_is_full() -> None:
    """Questions that nobody waits for go in the order of the list, up to the window."""
    assert next_numbers(announced(10, window=4), 10) == [0, 1, 2, 3]


def test_who_waits_goes_first_even_outside_the_window() -> None:
    """Questions that somebody waits for go first, in the order in which they were asked for."""
    schedule = announced(10, window=2)
    assert next_numbers(schedule, 10) == [0, 1]
    wait(schedule, 7)
    wait(schedule, 5)
    assert next_numbers(schedule, 10) == [7, 5]


def test_lanes_are_served_side_by_side_just_behind_where_each_of_them_is() -> None:
    """Workers start far apart in the list; the start of the list would starve all but the first."""
    schedule = announced(100, window=12)
    for lane, number in (("a", 0), ("b", 25), ("c", 50), ("d", 75)):
        wait(schedule, number, lane)
    assert next_numbers(schedule, 4) == [0, 25, 50, 75]
    assert next_numbers(schedule, 100) == [1, 26, 51, 76, 2, 27, 52, 77]


def test_a_slow_lane_cannot_fill_the_window() -> None:
    """The lane with the fewest unfetched replies comes first, so a fast one is never starved."""
    schedule = announced(100, window=8)
    wait(schedule, 0, "slow")
    wait(schedule, 50, "fast")
    answer(schedule, 100)
    for number in range(51, 60):
        assert schedule.take(str(number), "fast") is not None, number
        answer(schedule, 1)


def test_what_is_left_over_by_the_lanes_is_asked_in_the_end() -> None:
    """Idle places are filled from the start again when nothing is left behind any lane."""
    schedule = announced(6, window=100)
    wait(schedule, 3, "a")
    assert next_numbers(schedule, 100) == [3, 4, 5, 0, 1, 2]


def test_where_there_is_no_room_others_pass_and_the_order_is_kept() -> None:
    """A model that is throttled does not hold up another one that somebody waits for."""
    schedule = announced(4, window=4)
    for number in (5, 6, 7, 8):
        wait(schedule, number)
    odd = schedule.next(lambda question: question.trial % 2 == 1)
    assert odd is not None
    assert odd.key == "5"
    even = schedule.next(lambda question: question.trial % 2 == 0)
    assert even is not None
    assert even.key == "6"
    assert schedule.next(lambda question: False) is None
    assert next_numbers(schedule, 10) == [7, 8]


def test_a_reply_is_kept_until_all_who_were_announced_have_fetched_it() -> None:
    """Two models with the same target and parameters share one reply, without a store."""
    schedule = announced(1, window=4)
    schedule.announce("0", question(0))
    answer(schedule, 1)
    assert schedule.take("0", "") == schedule.take("0", "") == Reply("0")
    assert "0" not in schedule


def test_who_asks_before_the_announcement_is_not_asked_for_again() -> None:
    """The announcement travels on another way than the question and may be late."""
    schedule = Schedule(4)
    wait(schedule, 0)
    answer(schedule, 1)
    schedule.announce("0", question(0))
    assert schedule.next() is None


def test_skipped_items_give_their_places_back() -> None:
    """Replies that nobody fetches while many others are fetched do not bound the window for ever."""
    schedule = announced(100, window=2)
    assert [entry.key for entry in answer(schedule, 100)] == ["0", "1"]  # nobody is ever going to fetch these
    for number in range(2, 11):
        wait(schedule, number)
        answer(schedule, 1)
    assert len(answer(schedule, 100)) == 2


def test_a_forgotten_lane_leaves_its_questions_to_nobody() -> None:
    """An item that crashed its worker is not run again."""
    schedule = announced(2, window=0)
    wait(schedule, 0, "dead")
    wait(schedule, 1, "dead")
    wait(schedule, 1, "alive")
    schedule.forget("dead")
    assert next_numbers(schedule, 10) == [1]
    assert "0" not in schedule


def test_abandoning_spares_what_is_in_flight_where_it_is_told_to() -> None:
    """A stop answers everybody, an end lets what is in flight arrive."""
    for spare, in_vain in ((True, 1), (False, 2)):
        schedule = Schedule(4)
        wait(schedule, 0)
        assert next_numbers(schedule, 1) == [0]
        wait(schedule, 1)
        assert len(schedule.abandon(spare_in_flight=spare)) == in_vain
        assert schedule.next() is None


def test_ten_times_as_many_questions_are_ten_times_the_work() -> None:
    """Counted in executed lines, not in seconds: nothing walks the whole list for every question."""

    def lines(count: int) -> int:
        executed = 0

        def trace(frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
            nonlocal executed
            executed += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            run_through(count)
        finally:
            sys.settrace(before)
        return executed

    assert lines(3_000) < 12 * lines(300)


def run_through(count: int) -> None:
    """Eight workers, far apart, ask everything."""
    schedule = announced(count, window=64)
    for step in range(count // 8):
        for lane in range(8):
            number = lane * (count // 8) + step
            answer(schedule, 1)
            if schedule.take(str(number), f"gw{lane}") is None:
                wait(schedule, number, f"gw{lane}")


def test_places_are_found_in_order_and_taken_once() -> None:
    """Taking is allowed twice, and for no place at all."""
    places: Places[str] = Places()
    for thing in "abcd":
        places.append(thing)
    places.take(1)
    places.take(1)
    places.take(None)
    assert [places.first_from(place) for place in range(5)] == ["a", "c", "c", "d", None]
    places.take(3)
    assert places.append("e") == 4
    assert places.first_from(3) == "e"


class Runs(RuleBasedStateMachine):
    """Any order of announcing, asking, answering and dying."""

    in_flight = Bundle("in_flight")
    KEYS = st.integers(0, 7)
    LANES = st.sampled_from("abc")

    def __init__(self) -> None:
        super().__init__()
        self.schedule = Schedule(3)
        self.announced: Counter[int] = Counter()
        self.too_late: Counter[int] = Counter()  # announced anew, after all who were known had fetched the reply
        self.asked: Counter[int] = Counter()
        self.sent: Counter[int] = Counter()
        self.waiting: Counter[tuple[int, str]] = Counter()
        self.flying: set[int] = set()
        self.died = False
        self.abandoned = False

    @rule(number=KEYS)
    @precondition(lambda self: not self.abandoned)
    def announce(self, number: int) -> None:
        self.announced[number] += 1
        gone = self.sent[number] > 0 and str(number) not in self.schedule
        self.schedule.announce(str(number), question(number))
        self.too_late[number] += gone and str(number) in self.schedule

    @rule(number=KEYS, lane=LANES)
    @precondition(lambda self: not self.abandoned)
    def ask(self, number: int, lane: str) -> None:
        self.asked[number] += 1
        if self.schedule.take(str(number), lane) is None:
            self.waiting[number, lane] += 1
            wait(self.schedule, number, lane)

    @rule(target=in_flight, full=st.sets(KEYS, max_size=4))
    def send(self, full: set[int]) -> tuple[Entry | None]:
        someone = any(number not in self.flying | full for number, _ in self.waiting.elements())
        entry = self.schedule.next(lambda question: question.trial not in full)
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
        waiters = self.schedule.arrived(entry, Failure("x"))
        assert sorted(waiter.lane for waiter in waiters) == sorted(
            lane for waited, lane in self.waiting.elements() if waited == number
        )
        self.waiting = Counter({key: n for key, n in self.waiting.items() if key[0] != number})

    @rule(lane=LANES)
    @precondition(lambda self: not self.abandoned)
    def forget(self, lane: str) -> None:
        self.died = True
        self.schedule.forget(lane)
        self.waiting = Counter({key: n for key, n in self.waiting.items() if key[1] != lane})

    @rule()
    def abandon(self) -> None:
        waiters = self.schedule.abandon(spare_in_flight=False)
        assert len(waiters) == self.waiting.total()
        self.waiting.clear()
        self.abandoned = True

    @invariant()
    def nothing_is_asked_twice_that_was_announced_often_enough(self) -> None:
        for number, count in self.sent.items():
            if not self.died:
                asked_early = max(1, self.asked[number] - self.announced[number] + 1)
                assert count <= asked_early + self.too_late[number]

    @invariant()
    def the_window_holds(self) -> None:
        unasked = [number for number in self.sent if self.asked[number] == 0]
        if not self.died:
            assert len(unasked) <= 3 * (1 + self.asked.total() // (4 * 3))


TestRuns = Runs.TestCase
