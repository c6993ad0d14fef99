"""How many requests may be in flight, and whether a provider is there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.models.limits import FAILURES, LASTING_S, PROBE_EVERY_S, CircuitBreaker, ConcurrencyLimit


def send(limit: ConcurrencyLimit, count: int) -> list[int]:
    return [limit.begin() for _ in range(count)]


def refuse(limit: ConcurrencyLimit, requests: list[int]) -> list[bool]:
    """Each of them is answered with 429; whether that lowered the limit."""
    lowered = []
    for began in requests:
        lowered.append(limit.refused(began))
        limit.end()
    return lowered


def answer(limit: ConcurrencyLimit, requests: list[int]) -> None:
    for began in requests:
        limit.replied(began)
        limit.end()


def test_a_burst_of_429s_halves_the_limit_once_and_each_further_burst_again() -> None:
    """Down to one, as that one has to try."""
    limit = ConcurrencyLimit(16)
    assert refuse(limit, send(limit, 16)) == [True] + [False] * 15
    assert (limit.allowed, limit.lowered, limit.lowest, limit.in_flight) == (8, 1, 8, 0)
    found = []
    for _ in range(5):
        refuse(limit, send(limit, limit.allowed))
        found.append(limit.allowed)
    assert found == [4, 2, 1, 1, 1]


def test_the_requests_that_were_in_flight_are_halved_and_not_the_limit() -> None:
    """Half of a thousand would change nothing for forty; a single one is not the reason."""
    limit = ConcurrencyLimit(1024)
    refuse(limit, send(limit, 40))
    assert limit.allowed == 20
    limit = ConcurrencyLimit(16)
    refuse(limit, send(limit, 1))
    assert (limit.allowed, limit.lowered) == (16, 0)


def test_the_limit_settles_at_what_the_provider_takes() -> None:
    """Of 64 it takes 8: 88 refusals until the limit is there, and 6 in the next hundred rounds."""
    limit, refusals = ConcurrencyLimit(64), []
    for _ in range(110):
        requests = send(limit, limit.allowed)
        answer(limit, requests[:8])
        refuse(limit, requests[8:])
        refusals.append(len(requests[8:]))
    assert limit.lowest == limit.allowed == 8
    assert sum(refusals) <= 88 + 7


def test_a_provider_that_takes_more_or_less_later_is_followed() -> None:
    """The limit grows by one a round as long as no 429 comes, and is halved where fewer are taken than were known."""
    limit = ConcurrencyLimit(32)
    refuse(limit, send(limit, 32))
    for _ in range(4):
        answer(limit, send(limit, limit.allowed))
    assert limit.allowed == 20
    answer(limit, send(limit, 19))
    refuse(limit, send(limit, 10))
    assert limit.allowed < 20


@given(st.integers(1, 64), st.lists(st.tuples(st.integers(1, 64), st.booleans()), max_size=30))
def test_the_limit_stays_between_one_and_the_most(most: int, rounds: list[tuple[int, bool]]) -> None:
    """Whatever comes back, and it grows by one at most."""
    limit = ConcurrencyLimit(most)
    for count, refused in rounds:
        requests = send(limit, min(count, limit.allowed))
        before = limit.allowed
        refuse(limit, requests) if refused else answer(limit, requests)
        assert 1 <= limit.lowest <= limit.allowed <= min(most, before + 1)
    assert limit.in_flight == 0


class Watched:
    """A circuit breaker on a clock that the test sets."""

    def __init__(self) -> None:
        self.now = 500.0
        self.breaker = CircuitBreaker(lambda: self.now)

    def fail(self, count: int, after_s: float = 0.0) -> Watched:
        self.now += after_s
        for _ in range(count):
            self.breaker.failed()
        return self


def test_the_figures_that_the_documents_promise() -> None:
    """20 failures in a row, a minute, and a request every 3 seconds meanwhile."""
    assert (FAILURES, LASTING_S, PROBE_EVERY_S) == (20, 60.0, 3.0)


@pytest.mark.parametrize(
    ("watched", "is_down"),
    [
        (Watched(), False),
        (Watched().fail(19).fail(0, 3600), False),
        (Watched().fail(1024), False),
        (Watched().fail(1024).fail(1, 59), False),
        (Watched().fail(19).fail(1, 60), True),
        (Watched().fail(16).fail(16, 600), True),
    ],
)
def test_a_provider_is_down_after_failures_in_a_row_that_last(watched: Watched, is_down: bool) -> None:
    """Neither many at once nor few over a long time are an outage, and a reply ends it."""
    assert watched.breaker.is_down == is_down
    watched.breaker.replied()
    assert not watched.fail(19, 61).breaker.is_down
    assert watched.fail(1, 60).breaker.is_down


@pytest.mark.parametrize(
    ("lasting_s", "refused", "replied", "is_down"),
    [(4, True, False, False), (5, True, False, True), (5, True, True, False), (5, False, False, False)],
)
def test_a_server_that_never_replied_and_refuses_connections_is_down_after_seconds(
    lasting_s: float, refused: bool, replied: bool, is_down: bool
) -> None:
    """One that has replied may be about to start again."""
    watched = Watched()
    if replied:
        watched.breaker.replied()
    watched.breaker.failed(refused=True)
    watched.now += lasting_s
    watched.breaker.failed(refused=refused)
    assert watched.breaker.is_down == is_down


def test_nothing_is_known_while_older_requests_are_in_flight() -> None:
    """A slow model may fail twenty times before its first reply is there."""
    watched = Watched()
    older = watched.breaker.begin()
    watched.fail(20)
    watched.breaker.begin()  # it was sent later, and may stay away
    assert not watched.fail(1, 600).breaker.is_down
    watched.breaker.end(older)
    assert watched.breaker.is_down


def test_requests_are_some_seconds_apart_while_an_outage_is_suspected() -> None:
    """From the 20th failure on, until a reply comes."""
    watched = Watched().fail(19)
    watched.breaker.begin()
    assert watched.breaker.wait_s() == 0
    watched.fail(1)
    assert watched.breaker.wait_s() == 3
    watched.now += 2
    assert watched.breaker.wait_s() == 1
    watched.breaker.replied()
    assert watched.breaker.wait_s() == 0
