"""How many requests may be in flight: halved once per burst, won back slowly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.models.patience.throttle import Throttle


def in_flight(throttle: Throttle, count: int) -> list[int]:
    return [throttle.begin() for _ in range(count)]


def refuse(throttle: Throttle, requests: list[int]) -> list[bool]:
    """All of them are answered with 429."""
    halved = []
    for began in requests:
        halved.append(throttle.refused(began))
        throttle.end()
    return halved


def answer(throttle: Throttle, requests: list[int]) -> None:
    for began in requests:
        throttle.replied(began)
        throttle.end()


def test_a_burst_halves_once() -> None:
    """Fifteen more 429s of requests that had set out before say nothing new."""
    throttle = Throttle(16)
    assert refuse(throttle, in_flight(throttle, 16)) == [True] + [False] * 15
    assert (throttle.places, throttle.halved, throttle.lowest, throttle.in_flight) == (8, 1, 8, 0)


def test_the_next_burst_halves_again_down_to_one() -> None:
    """Each burst of 429s halves the places again, down to one, as somebody has to try."""
    throttle = Throttle(16)
    places = []
    for _ in range(6):
        refuse(throttle, in_flight(throttle, throttle.places))
        places.append(throttle.places)
    assert places == [8, 4, 2, 1, 1, 1]
    assert (throttle.halved, throttle.lowest) == (4, 1)


def test_what_was_used_is_halved_and_not_what_was_allowed() -> None:
    """Half of a thousand would change nothing for forty."""
    throttle = Throttle(1024)
    refuse(throttle, in_flight(throttle, 40))
    assert throttle.places == 20


def test_one_alone_is_not_halved() -> None:
    """Fewer than one there cannot be, and the others were not the reason."""
    throttle = Throttle(16)
    refuse(throttle, in_flight(throttle, 1))
    assert (throttle.places, throttle.halved) == (16, 0)


def test_a_round_of_replies_wins_back_one_place() -> None:
    """As many replies as there are places win back one place."""
    throttle = Throttle(16)
    refuse(throttle, in_flight(throttle, 16))
    places = []
    for _ in range(5):
        answer(throttle, in_flight(throttle, throttle.places))
        places.append(throttle.places)
    assert places == [8, 9, 10, 11, 12]


def test_replies_to_what_was_in_flight_win_nothing_back() -> None:
    """Replies to requests from before the burst win no place back, as they set out with more room."""
    throttle = Throttle(16)
    requests = in_flight(throttle, 16)
    refuse(throttle, requests[:1])
    answer(throttle, requests[1:])
    assert throttle._allowed == 8


@given(st.integers(1, 64), st.lists(st.tuples(st.integers(1, 64), st.booleans()), max_size=30))
def test_there_is_always_a_place_and_never_one_too_many(most: int, rounds: list[tuple[int, bool]]) -> None:
    """Whatever comes back, in whatever order, there are from one to all places, and at most one is won at once."""
    throttle = Throttle(most)
    for count, refused in rounds:
        requests = in_flight(throttle, min(count, throttle.places))
        before = throttle.places
        refuse(throttle, requests) if refused else answer(throttle, requests)
        assert 1 <= throttle.lowest <= throttle.places <= most
        assert throttle.places <= before + 1
    assert throttle.in_flight == 0
