"""How long it is waited, how often it is tried, and when it is not tried again."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.models.patience import retrying
from pytest_llmarith.models.patience.failures import Diagnosis, Remedy
from pytest_llmarith.models.patience.retrying import GivenUp, Over, Persistence
from pytest_llmarith.values import AskingLimits, Reply, Retry
from tests.models.virtual_time import in_no_time


class Attempts:
    """Fails so often, then replies; notes the pauses. It is over at some pause, or at some attempt."""

    def __init__(
        self,
        failing: int = 99,
        remedy: Remedy = Remedy.TRY_AGAIN,
        asks_s: float | None = 1.5,
        takes_s: float = 0.0,
        over_at: str = "",
    ) -> None:
        self.failing, self.remedy, self.asks_s, self.takes_s, self.over_at = failing, remedy, asks_s, takes_s, over_at
        self.made = 0
        self.pauses: list[float] = []

    async def attempt(self) -> Reply | Diagnosis:
        if self.over_at == f"attempt {self.made + 1}":
            raise Over
        self.made += 1
        await asyncio.sleep(self.takes_s)
        if self.made > self.failing:
            return Reply("42")
        return Diagnosis(self.remedy, f"no {self.made}", "503 from m", retry_after_s=self.asks_s)

    async def pause(self, seconds: float, diagnosis: Diagnosis) -> None:
        if self.over_at == f"pause {self.made}":
            raise Over
        self.pauses.append(seconds)
        await asyncio.sleep(seconds)

    def run(self, **limits: float) -> Reply | GivenUp:
        async def run() -> Reply | GivenUp:
            clock = asyncio.get_running_loop().time
            began = clock()
            bounds = AskingLimits(**limits)  # type: ignore[arg-type]  # names of fields
            return await Persistence(self.attempt, self.pause, lambda: clock() - began, bounds).outcome()

        return in_no_time(run())

    def message(self, **limits: float) -> str:
        outcome = self.run(**limits)
        assert isinstance(outcome, GivenUp)
        return outcome.message


@given(st.integers())
def test_the_pause_grows_to_a_bound_with_full_jitter(seed: int) -> None:
    """Many who failed together do not come back together."""
    random.seed(seed)
    attempts = Attempts(asks_s=None)
    attempts.run(retries=9)
    bounds = [min(retrying.LONGEST_PAUSE_S, retrying.FIRST_PAUSE_S * 2**attempt) for attempt in range(9)]
    assert bounds == [2, 4, 8, 16, 32, 60, 60, 60, 60]
    assert len(attempts.pauses) == 9
    assert all(0 <= pause <= bound for pause, bound in zip(attempts.pauses, bounds, strict=True))


def test_the_jitter_is_full() -> None:
    """A pause may be anything up to its bound: some come back soon, some late."""
    random.seed(0)
    pauses = []
    for _ in range(200):
        attempts = Attempts(asks_s=None, failing=1)
        attempts.run()
        pauses += attempts.pauses
    assert min(pauses) < 0.5
    assert max(pauses) > 1.5


def test_a_reply_says_how_many_attempts_it_took_and_why() -> None:
    """A reply tells its attempts and why they failed, and pauses were as long as the provider asked."""
    attempts = Attempts(failing=2)
    assert attempts.run(retries=3) == Reply("42", attempts=3, retries=(Retry("no 1", 1.5), Retry("no 2", 1.5)))
    assert attempts.pauses == [1.5, 1.5]


def test_retries_are_further_attempts() -> None:
    """With no retries there is one attempt, and no pause."""
    attempts = Attempts()
    outcome = attempts.run(retries=0)
    assert isinstance(outcome, GivenUp)
    assert (outcome.message, outcome.attempts, outcome.retries) == ("no 1", 1, ())
    assert attempts.pauses == []


def test_the_last_failure_is_told_with_the_number_of_attempts() -> None:
    """The last failure is told, and not the first; earlier ones stand among the retries."""
    outcome = Attempts().run(retries=2)
    assert isinstance(outcome, GivenUp)
    assert (outcome.message, outcome.attempts) == ("no 3 (3 attempts)", 3)
    assert [retry.reason for retry in outcome.retries] == ["no 1", "no 2"]


@pytest.mark.parametrize("remedy", [Remedy.GIVE_UP, Remedy.STOP_RUN])
def test_what_cannot_get_better_is_not_tried_again(remedy: Remedy) -> None:
    """Whatever is no outage gets one attempt, however many retries are allowed."""
    outcome = Attempts(remedy=remedy).run(retries=3)
    assert isinstance(outcome, GivenUp)
    assert (outcome.message, outcome.attempts) == ("no 1", 1)


@pytest.mark.parametrize(
    ("attempts", "message"),
    [
        (Attempts(asks_s=901), "no 1 (it asks to wait 901 s, retries end after 900 s)"),
        (Attempts(asks_s=86_400), "no 1 (it asks to wait 86,400 s, retries end after 900 s)"),
        (Attempts(asks_s=400), "no 3 (3 attempts, it asks to wait 400 s, retries end after 900 s)"),
        (Attempts(asks_s=None, takes_s=600), "no 2 (2 attempts, retries end after 900 s)"),
    ],
)
def test_trying_again_ends_when_it_would_take_too_long(attempts: Attempts, message: str) -> None:
    """At once, and not after waiting in vain: a provider that says tomorrow does not hold up the run."""
    assert attempts.message(retries=9) == message


def test_what_is_asked_for_is_waited_to_the_end() -> None:
    """A minute would be too early where the provider asks for ten."""
    attempts = Attempts(failing=1, asks_s=600)
    assert isinstance(attempts.run(), Reply)
    assert attempts.pauses == [600]


@pytest.mark.parametrize(
    ("over_at", "message", "retries"),
    [
        ("attempt 1", "the run ended before this question was asked", 0),
        ("pause 1", "no 1", 0),
        ("attempt 2", "no 1", 0),
        ("pause 2", "no 2 (2 attempts)", 1),
    ],
)
def test_a_run_that_ends_does_not_wait(over_at: str, message: str, retries: int) -> None:
    """A retry counts once it was made; attempts are one more than retries."""
    outcome = Attempts(over_at=over_at).run(retries=3)
    assert isinstance(outcome, GivenUp)
    assert (outcome.message, len(outcome.retries)) == (message, retries)
