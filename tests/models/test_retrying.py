"""How long it is waited, and when it is not tried again."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.models import retrying
from pytest_llmarith.models.failures import Diagnosis, Remedy
from pytest_llmarith.values import Failure, Reply


@given(st.integers(1, 50), st.integers())
def test_the_pause_grows_to_a_bound_with_full_jitter(attempt: int, seed: int) -> None:
    """Many who failed together do not come back together."""
    bound = min(retrying.LONGEST_PAUSE_S, retrying.FIRST_PAUSE_S * 2 ** (attempt - 1))
    assert 0 <= retrying.pause_length(Random(seed))(attempt, None) <= bound


@pytest.mark.parametrize(("asked", "waited"), [(0.0, 0.0), (7.5, 7.5), (86400.0, retrying.LONGEST_RETRY_AFTER_S)])
def test_what_the_provider_asks_for_is_honoured_within_a_bound(asked: float, waited: float) -> None:
    """A provider that says tomorrow does not hold up the run."""
    assert retrying.pause_length(Random(0))(1, asked) == waited


class Attempts:
    """Fails so often, then replies; notes the pauses."""

    def __init__(self, failing: int, remedy: Remedy = Remedy.TRY_AGAIN, patient: bool = True) -> None:
        self.failing, self.remedy, self.patient = failing, remedy, patient
        self.made = 0
        self.pauses: list[float] = []

    async def attempt(self) -> Reply:
        self.made += 1
        if self.made <= self.failing:
            raise OSError(f"no {self.made}")
        return Reply("42")

    def diagnose(self, error: Exception) -> Diagnosis:
        return Diagnosis(self.remedy, str(error), retry_after_s=1.5)

    async def pause(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        return self.patient

    def run(self, retries: int) -> Reply | Failure:
        pause_s = retrying.pause_length(Random(0))
        return asyncio.run(retrying.persist(self.attempt, self.diagnose, self.pause, pause_s, retries))


def test_a_reply_says_how_many_attempts_it_took() -> None:
    """And the provider's wish was the length of the pauses."""
    attempts = Attempts(failing=2)
    assert attempts.run(retries=3) == Reply("42", attempts=3)
    assert attempts.pauses == [1.5, 1.5]


def test_retries_are_further_attempts() -> None:
    """None allowed: one attempt, no pause."""
    attempts = Attempts(failing=9)
    assert attempts.run(retries=0) == Failure("no 1", attempts=1)
    assert attempts.pauses == []


def test_the_last_failure_is_told_with_the_number_of_attempts() -> None:
    """Not the first one."""
    assert Attempts(failing=9).run(retries=2) == Failure("no 3 (3 attempts)", attempts=3)


@pytest.mark.parametrize(("remedy", "stops"), [(Remedy.GIVE_UP, False), (Remedy.STOP_RUN, True)])
def test_what_cannot_get_better_is_not_tried_again(remedy: Remedy, stops: bool) -> None:
    """Only an outage is."""
    assert Attempts(failing=9, remedy=remedy).run(retries=3) == Failure("no 1", attempts=1, stops_run=stops)


def test_a_run_that_ends_does_not_wait() -> None:
    """A pause that was broken off is the last."""
    assert Attempts(failing=9, patient=False).run(retries=3) == Failure("no 1", attempts=1)
