"""The way of questions to their models, on a clock that runs by itself: who sets out when, and who is waited for."""

from __future__ import annotations

import asyncio
import errno
import random
from collections import Counter
from collections.abc import Callable, Coroutine
from fnmatch import fnmatchcase
from typing import Any

import pytest

from pytest_llmarith.models.budget import Budget, Prices
from pytest_llmarith.models.progress import Counts
from pytest_llmarith.models.provider_errors import UnusableResponse
from pytest_llmarith.models.retry import Requester
from pytest_llmarith.values import AskingLimits, Failure, Model, Progress, Reply, Retry, Terms, Throttled
from tests.models.scripted import Provider
from tests.models.virtual_time import in_no_time

ONE = Model("one", "openai/one")
OTHER = Model("other", "openai/other")
SAME = Model("same", "openai/one")
JUDGE = Model("judge", "openai/judge", judge=True)


@pytest.fixture(autouse=True)
def _same_jitter() -> None:
    random.seed(0)


Script = Callable[[Model, str, int], Reply | Exception]


class Town:
    """Models that answer as the script says, each request after a second; notes when they were asked."""

    def __init__(
        self,
        script: Script,
        models: tuple[Model, ...] = (ONE,),
        takes_s: Callable[[str, int], float] = lambda prompt, nth: 1.0,
        most: int = 10**6,
        **limits: Any,
    ) -> None:
        self._most = most
        self._script = script
        self.takes_s = takes_s
        self._clock = asyncio.get_running_loop().time
        self._began = self._clock()
        self.asked: Counter[str] = Counter()
        self.times: list[float] = []
        self.in_flight = self.peak = 0
        self.counts = Counts(self._clock)
        self.room = 0
        self.stopped_at: float | None = None
        self.limits = AskingLimits(**limits)
        budget = Budget(self.limits, Prices(self, None))
        self.requester = Requester(self, models, self.limits, self.counts, budget, on_room=self._make_room)

    @property
    def now(self) -> float:
        return self._clock() - self._began

    def terms(self, model: Model) -> Terms:
        return Terms()

    def _make_room(self) -> None:
        self.room += 1

    def prepare(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def complete(self, model: Model, prompt: str, timeout_s: float) -> Reply:
        self.times.append(round(self.now, 6))
        self.asked[prompt] += 1
        nth = self.asked[prompt]
        if self.in_flight >= self._most:
            raise Provider(429)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            await asyncio.sleep(self.takes_s(prompt, nth))
        finally:
            self.in_flight -= 1
        outcome = self._script(model, prompt, nth)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def ask(self, count: int, model: Model = ONE, first: int = 0) -> list[Reply | Failure]:
        """So many questions, as a desk would bring them: when there is room."""
        tasks = []
        for number in range(first, first + count):
            while not self.requester.has_room(model):
                await asyncio.sleep(0.25 if self._most == 10**6 else 0.001)
            self.requester.enter(model)
            task = asyncio.create_task(self.requester.request(model, f"q{number}"))
            task.add_done_callback(lambda done: self._end(model, done.result()))
            tasks.append(task)
            await asyncio.sleep(0)
        return await asyncio.gather(*tasks)

    def _end(self, model: Model, outcome: Reply | Failure) -> None:
        self.requester.leave(model)
        if isinstance(outcome, Failure) and outcome.stops_run and self.stopped_at is None:
            self.stopped_at = self.now


def right(model: Model, prompt: str, nth: int) -> Reply:
    return Reply("42", prompt_tokens=100, completion_tokens=900)


def down(model: Model, prompt: str, nth: int) -> Exception:
    return Provider(503)


def messages(outcomes: list[Reply | Failure]) -> Counter[str]:
    return Counter("reply" if isinstance(outcome, Reply) else outcome.message for outcome in outcomes)


def simulated(story: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """A test whose waiting takes no time."""

    def test() -> None:
        in_no_time(story())

    test.__name__, test.__doc__ = story.__name__, story.__doc__
    return test


# --- trying again ---------------------------------------------------------------------------------


@simulated
async def test_a_wish_to_wait_is_granted_and_told() -> None:
    """To the second, in the reply, and in the counts."""

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return Provider(429, retry_after_s=12) if nth < 3 else right(model, prompt, nth)

    town = Town(script)
    (outcome,) = await town.ask(1)
    assert isinstance(outcome, Reply)
    reason = "openai/one: 429 Provider: scripted"
    assert (outcome.attempts, outcome.retries) == (3, (Retry(reason, 12.0), Retry(reason, 12.0)))
    assert town.times == [0, 13, 26]
    assert town.counts.progress().retries == {"429 from openai/one": 2}


@simulated
async def test_what_waits_is_shown_with_its_reasons_and_the_next_try() -> None:
    """At any moment progress says what waits, for which reasons, and when it is tried again."""

    def script(model: Model, prompt: str, nth: int) -> Exception:
        return UnusableResponse("garbage") if prompt == "q2" else Provider(429, retry_after_s=30)

    town = Town(script)
    asking = asyncio.create_task(town.ask(3))
    await asyncio.sleep(1.001)
    progress = town.counts.progress()
    assert (progress.retrying, progress.in_flight, progress.held) == (3, 0, 0)
    assert progress.waiting_for == {"429 from openai/one": 2, "unusable response from openai/one": 1}
    assert progress.next_try_s is not None
    assert 0 <= progress.next_try_s <= 2
    assert town.room == 3
    town.requester.halt()
    outcomes = await asking
    assert messages(outcomes) == {"openai/one: 429 Provider: scripted": 2, "openai/one: garbage": 1}
    assert town.counts.progress() == Progress(requests=3, throttled=(Throttled("openai/one", 1, 1, 16),))


@simulated
async def test_a_provider_that_asks_for_too_much_patience_gets_none() -> None:
    """The question is given up at once, and says why."""
    town = Town(lambda *asked: Provider(429, retry_after_s=3600))
    outcomes = await town.ask(1)
    assert messages(outcomes) == {
        "openai/one: 429 Provider: scripted (it asks to wait 3,600 s, retries end after 900 s)": 1
    }
    assert town.now == pytest.approx(1)


@simulated
async def test_the_time_of_trying_again_begins_with_the_first_request() -> None:
    """The time counts from a question's first request, and not its waiting for a turn."""
    town = Town(
        lambda model, prompt, nth: Provider(503) if nth == 1 else right(model, prompt, nth), requests_per_minute=1
    )
    outcomes = await town.ask(30)
    assert messages(outcomes) == {"reply": 30}


@pytest.mark.parametrize("hint_s", [None, 0.2, "until then"], ids=["no hint", "at once", "exactly"])
def test_a_limit_per_minute_costs_no_question(hint_s: float | str | None) -> None:
    """It is waited out, whether the provider says nothing of how long that takes, too little, or the truth."""

    async def story() -> None:
        town: Town
        minute = Counter[int]()

        def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
            minutes, seconds = divmod(town.now, 60)
            minute[int(minutes)] += 1
            if minute[int(minutes)] <= 20:
                return right(model, prompt, nth)
            return Provider(429, retry_after_s=60 - seconds if isinstance(hint_s, str) else hint_s)

        town = Town(script)
        assert messages(await town.ask(180)) == {"reply": 180}

    in_no_time(story())


@simulated
async def test_a_429_is_worth_more_retries_than_an_outage() -> None:
    """There are four times as many, and none where none are wanted."""
    for retries, attempts in ((0, ""), (2, " (9 attempts)")):
        town = Town(lambda *asked: Provider(429), retries=retries)
        assert messages(await town.ask(1)) == {f"openai/one: 429 Provider: scripted{attempts}": 1}


@simulated
async def test_429s_use_up_no_retry_of_an_outage() -> None:
    """Each kind of trouble has its own retries: four 429s, three outages, and then the reply."""

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return Provider(429) if nth <= 4 else Provider(503) if nth <= 7 else right(model, prompt, nth)

    town = Town(script)
    (outcome,) = await town.ask(1)
    assert isinstance(outcome, Reply)
    assert outcome.attempts == 8


# --- concurrency ----------------------------------------------------------------------------------


@simulated
async def test_what_is_refused_is_asked_again_by_fewer_at_once() -> None:
    """A provider that takes four at once gets its four, soon and without a question lost."""
    town: Town

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return Provider(429) if town.in_flight >= 4 else right(model, prompt, nth)

    town = Town(script, concurrency=64, retries=10)
    outcomes = await town.ask(400)
    assert messages(outcomes) == {"reply": 400}
    assert town.peak == 64
    (throttled,) = town.counts.progress().throttled
    assert (throttled.target, throttled.most) == ("openai/one", 64)
    assert throttled.lowest <= 4
    assert throttled.halved >= 4
    assert town.asked.total() < 700


def test_more_at_once_than_a_provider_takes_costs_little_time() -> None:
    """Of 64 at once it takes 8: 720 questions need no more than 1.2 times as long as with 8 at once."""

    async def seconds(concurrency: int) -> float:
        town = Town(right, takes_s=lambda prompt, nth: 0.05, most=8, concurrency=concurrency)
        assert messages(await town.ask(720)) == {"reply": 720}
        return town.now

    assert in_no_time(seconds(8)) == pytest.approx(4.5, abs=0.2)
    assert in_no_time(seconds(64)) < 1.2 * in_no_time(seconds(8))


@simulated
async def test_concurrency_is_the_upper_bound_of_all_models() -> None:
    """A throttled model leaves its places to the others."""
    town = Town(right, models=(ONE, OTHER), concurrency=8)
    await asyncio.gather(town.ask(40), town.ask(40, OTHER, first=100))
    assert town.peak == 8


@simulated
async def test_who_waits_for_one_model_does_not_keep_another_from_being_asked() -> None:
    """Sixteen questions wait a minute; the other model's are through long before."""

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return Provider(429, retry_after_s=60) if model is ONE and nth == 1 else right(model, prompt, nth)

    town = Town(script, models=(ONE, OTHER))
    throttled = asyncio.create_task(town.ask(16))
    await asyncio.sleep(2)
    outcomes = await town.ask(64, OTHER, first=100)
    assert messages(outcomes) == {"reply": 64}
    assert town.now < 10
    assert messages(await throttled) == {"reply": 16}


# --- so much a minute -----------------------------------------------------------------------------


@simulated
async def test_requests_per_minute_hold_for_all_models_and_retries() -> None:
    """Thirty a minute are one every two seconds, whoever they are for."""
    town = Town(
        lambda model, prompt, nth: Provider(503) if nth == 1 else right(model, prompt, nth),
        models=(ONE, OTHER),
        requests_per_minute=30,
    )
    await asyncio.gather(town.ask(10), town.ask(10, OTHER, first=100))
    assert town.times == [2.0 * number for number in range(40)]


@simulated
async def test_tokens_per_minute_are_estimated_and_corrected() -> None:
    """The first two estimates are 1,001 tokens each, and every reply has a thousand: ten a minute."""
    town = Town(right, tokens_per_minute=10_000)
    await town.ask(30)
    assert town.times[-1] == pytest.approx(29 * 6, rel=0.1)


@simulated
async def test_a_run_that_ends_does_not_wait_for_its_turn() -> None:
    """When a run ends, questions that wait for their turn fail at once, and say that they were not asked."""
    town = Town(right, requests_per_minute=1)
    asking = asyncio.create_task(town.ask(10))
    await asyncio.sleep(1.5)
    assert town.counts.progress().held == 9
    town.requester.halt()
    assert messages(await asking) == {"reply": 1, "the run ended before this question was asked": 9}
    assert town.now == pytest.approx(1.5)


@simulated
async def test_a_run_that_has_ended_asks_nobody() -> None:
    """A run that has ended asks nobody, not even a judge that was never asked before."""
    town = Town(right, models=(ONE, JUDGE))
    town.requester.halt()
    outcomes = [await town.requester.request(model, "q") for model in (ONE, JUDGE)]
    assert messages(outcomes) == {"the run ended before this question was asked": 2}
    assert not town.asked


# --- outages --------------------------------------------------------------------------------------


@simulated
async def test_a_server_that_refuses_every_connection_stops_the_run_in_seconds() -> None:
    """Whatever number of questions is in flight; one that has replied before gets a minute."""

    def refuse(model: Model, prompt: str, nth: int) -> Exception:
        return ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed")

    def refuse_later(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return right(model, prompt, nth) if prompt == "q0" else refuse(model, prompt, nth)

    for script, concurrency, at_most in ((refuse, 1, 20), (refuse, 16, 15), (refuse_later, 16, 70)):
        town = Town(script, takes_s=lambda prompt, nth: 0.0, concurrency=concurrency)
        await town.ask(200)
        assert town.stopped_at is not None
        assert at_most / 4 <= town.stopped_at <= at_most


@simulated
async def test_a_provider_that_is_down_stops_the_run_in_minutes() -> None:
    """A provider that is down stops the run with its last reason, after few requests."""
    town = Town(down)
    outcomes = await town.ask(1000)
    assert town.stopped_at == pytest.approx(61, abs=5)
    assert town.now < 120
    assert town.asked.total() < 80
    ours = [outcome for outcome in outcomes if isinstance(outcome, Failure) and outcome.stops_run]
    assert len(outcomes) == 1000
    assert len(ours) > 980
    assert {outcome.message for outcome in ours} == {ours[0].message}
    pattern = "openai/one is down: 503 Provider: scripted (* failures in 6? s, and no reply)"
    assert fnmatchcase(ours[0].message, pattern), ours[0].message


@pytest.mark.parametrize("lasts_s", [0.5, 5, 50])
@pytest.mark.parametrize("concurrency", [16, 1024])
def test_an_outage_of_less_than_a_minute_costs_no_question(lasts_s: float, concurrency: int) -> None:
    """All connections break at once, and so do those that come too early."""

    async def story() -> None:
        town: Town

        def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
            return ConnectionResetError("gone") if 3 < town.now < 3 + lasts_s else right(model, prompt, nth)

        town = Town(script, concurrency=concurrency)
        outcomes = await town.ask(2 * concurrency)
        assert messages(outcomes) == {"reply": 2 * concurrency}

    in_no_time(story())


@simulated
async def test_a_slow_model_that_often_fails_is_not_down() -> None:
    """Of many requests a tenth fails at once, and the others take five minutes."""
    town: Town

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return Provider(500) if town.takes_s(prompt, nth) == 1 else right(model, prompt, nth)

    town = Town(
        script, takes_s=lambda prompt, nth: 1 if int(prompt[1:]) % 10 == 0 and nth < 20 else 300, concurrency=500
    )
    outcomes = await town.ask(500)
    assert set(messages(outcomes)) == {"reply", "openai/one: 500 Provider: scripted (4 attempts)"}
    assert messages(outcomes)["reply"] == 450


@simulated
async def test_who_asks_for_patience_is_not_down() -> None:
    """Hundreds of 429s in a row, each with its wish, and then a reply."""
    town: Town

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return Provider(429, retry_after_s=5) if town.now < 600 else right(model, prompt, nth)

    town = Town(script, retries=100)
    outcomes = await town.ask(16)
    assert messages(outcomes) == {"reply": 16}
    assert town.asked.total() > 200


@simulated
async def test_who_asks_for_patience_for_ever_is_down() -> None:
    """Questions that are given up are failures, whatever for."""
    town = Town(lambda *asked: Provider(429, retry_after_s=20))
    outcomes = await town.ask(1000)
    assert town.now < 600
    assert any("is down: " in message and "429" in message for message in messages(outcomes))


@simulated
async def test_one_model_that_is_down_leaves_the_others_alone() -> None:
    """Its own questions are answered at once, also those that wait; the run stops when nobody is left."""
    dead = {"openai/one"}

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return Provider(503) if model.target in dead else right(model, prompt, nth)

    town = Town(script, models=(ONE, OTHER, SAME, JUDGE))
    one, other = await asyncio.gather(town.ask(200), town.ask(2000, OTHER, first=1000))
    assert messages(other) == {"reply": 2000}
    assert max(Counter(isinstance(outcome, Failure) and outcome.stops_run for outcome in one)) is False
    same = await town.ask(10, SAME, first=5000)
    assert town.asked["q5000"] == 0
    assert all(message.startswith("openai/one is down: ") for message in messages(same))
    dead.add("openai/other")
    rest = await town.ask(200, OTHER, first=6000)
    assert any(isinstance(outcome, Failure) and outcome.stops_run for outcome in rest)
