"""Retries, rate limits and outages on a clock that moves on by itself: when each
request is sent.
"""

from __future__ import annotations

import asyncio
import errno
from collections import Counter
from collections.abc import Callable
from fnmatch import fnmatchcase

import pytest

from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.limits import CircuitBreaker
from pytest_llmarith.models.provider_errors import Redirected, UnusableResponse
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Failure, Model, Retry, Servers
from tests.models.scripted import (
    JUDGE,
    MODEL,
    OTHER,
    Outcomes,
    Provider,
    Scripted,
    ask,
    broker_of,
    counted,
    in_no_time,
    questions,
)

Script = Callable[[Model, str, int], Reply | Exception]
SAME = Model("same", MODEL.target)


def right(model: Model, prompt: str, nth: int) -> Reply:
    return Reply("42", prompt_tokens=100, completion_tokens=900)


def failing(*errors: Exception) -> Script:
    """These errors, one after another, and then the right reply."""
    return lambda model, prompt, nth: (
        errors[nth - 1] if nth <= len(errors) else right(model, prompt, nth)
    )


def always(status: int, retry_after_s: float | None = None) -> Script:
    return lambda model, prompt, nth: Provider(status, retry_after_s=retry_after_s)


# --- retries --------------------------------------------------------------------------


@in_no_time
async def test_retry_after_is_waited_for_to_the_second() -> None:
    client = Scripted(
        failing(Provider(429, retry_after_s=12), Provider(503, retry_after_s=12))
    )
    broker = broker_of(client)
    outcome = await broker.ask(questions(1)[0])
    assert isinstance(outcome, Reply)
    reasons = (
        "openai/some: 429 Too Many Requests: scripted",
        "openai/some: 503 Service Unavailable: scripted",
    )
    assert outcome.attempts == 3
    assert outcome.retries == tuple(Retry(reason, 12.0) for reason in reasons)
    assert client.times == [0, 13, 26]
    assert broker.progress().retries == {
        "429 from openai/some": 1,
        "503 from openai/some": 1,
    }


@pytest.mark.parametrize(
    ("script", "retries", "requests", "message"),
    [
        (failing(UnusableResponse("garbage"), Provider(500)), 3, 3, None),
        (
            always(503),
            2,
            3,
            "openai/some: 503 Service Unavailable: scripted (3 attempts)",
        ),
        (
            always(429),
            2,
            9,
            "openai/some: 429 Too Many Requests: scripted (9 attempts)",
        ),
        (always(429), 0, 1, "openai/some: 429 Too Many Requests: scripted"),
        (failing(*[Provider(429)] * 4, *[Provider(503)] * 3), 3, 8, None),
        (
            always(401),
            3,
            1,
            "openai/some: 401 Unauthorized: scripted; check OPENAI_API_KEY in *",
        ),
        (always(400), 3, 1, "openai/some: 400 Bad Request: scripted"),
        (
            always(429, 3600),
            3,
            1,
            "*scripted (the provider asks to wait 3,600 s, retries end after 900 s)",
        ),
    ],
    ids=[
        *("passing", "outage", "429", "no retries", "429s and outages", "401", "400"),
        "asks for too much",
    ],
)
@in_no_time
async def test_how_often_a_request_is_tried(
    script: Script, retries: int, requests: int, message: str | None
) -> None:
    client = Scripted(script)
    outcome = await broker_of(client, retries=retries).ask(questions(1)[0])
    assert client.asked.total() == requests
    assert isinstance(outcome, Reply) is (message is None)
    assert isinstance(outcome, Reply) or fnmatchcase(outcome.message, message or ""), (
        outcome
    )


@in_no_time
async def test_the_time_for_retries_begins_with_the_first_request() -> None:
    """Questions wait half an hour for their turn: one a minute, whichever model or
    attempt a request is for.
    """
    client = Scripted(failing(Provider(503)))
    broker = broker_of(client, [MODEL, OTHER], requests_per_minute=1)
    asked = [*questions(15), *questions(15, first=100, model="other")]
    assert counted(await ask(broker, asked)) == {"reply": 30}
    assert client.times == [60.0 * number for number in range(60)]


@pytest.mark.parametrize(
    "hint_s", [None, 0.2, "until then"], ids=["no hint", "too short", "exact"]
)
@in_no_time
async def test_a_limit_per_minute_costs_no_question(hint_s: float | str | None) -> None:
    """It is waited out, whether the provider says nothing of how long that takes, too
    little, or the truth.
    """
    minute = Counter[int]()

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        minutes, seconds = divmod(client.now, 60)
        minute[int(minutes)] += 1
        if minute[int(minutes)] <= 20:
            return right(model, prompt, nth)
        return Provider(
            429, retry_after_s=60 - seconds if isinstance(hint_s, str) else hint_s
        )

    client = Scripted(script)
    assert counted(await ask(broker_of(client), questions(180))) == {"reply": 180}


@in_no_time
async def test_a_redirect_after_replies_costs_only_its_question() -> None:
    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return Redirected("redirected") if prompt == "q1" else right(model, prompt, nth)

    client = Scripted(script)
    broker = broker_of(client, concurrency=1)
    outcomes = await ask(broker, questions(3))
    assert counted(outcomes) == {"reply": 2, "openai/some: redirected": 1}
    assert (client.asked.total(), broker.stopped) == (3, None)
    client = Scripted(script)
    broker = broker_of(client, concurrency=1)
    await ask(broker, questions(3, first=1))
    assert (client.asked.total(), broker.stopped is not None) == (1, True)


# --- concurrency ----------------------------------------------------------------------


@in_no_time
async def test_concurrency_falls_to_what_the_provider_takes() -> None:
    """Of 64 at once it takes 8: 720 questions need no more than 1.2 times as long as
    with 8 at once.
    """

    async def run(concurrency: int) -> tuple[float, Broker]:
        client = Scripted(right, takes_s=lambda prompt: 0.5, most=8)
        broker = broker_of(client, concurrency=concurrency)
        assert counted(await ask(broker, questions(720))) == {"reply": 720}
        return client.now, broker

    alone, _ = await run(8)
    seconds, broker = await run(64)
    assert alone == pytest.approx(45, abs=0.2)
    assert seconds < 1.2 * alone
    (throttled,) = broker.progress().throttled
    assert throttled.target == "openai/some"
    assert throttled.most == 64
    assert throttled.lowest <= 8


@in_no_time
async def test_a_fixed_concurrency_is_never_lowered() -> None:
    client = Scripted(right, takes_s=lambda prompt: 0.05, most=8)
    broker = broker_of(client, concurrency=16, fixed=True)
    assert counted(await ask(broker, questions(100))) == {"reply": 100}
    assert client.asked.total() > 100
    assert broker.progress().throttled == ()


@in_no_time
async def test_what_is_refused_in_a_burst_is_sent_again_at_once() -> None:
    """Few refusals show that there are too many at a time; the others say the same."""
    client = Scripted(failing(Provider(429)))
    broker = broker_of(client, concurrency=8)
    assert counted(await ask(broker, questions(8))) == {"reply": 8}
    assert client.times[:8] == [0] * 8
    assert client.times[8:12] == [1] * 4


@in_no_time
async def test_a_throttled_model_does_not_hold_up_another() -> None:
    """Sixteen questions wait a minute; the other model's are answered long before."""

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return (
            Provider(429, retry_after_s=60)
            if model == MODEL and nth == 1
            else right(model, prompt, nth)
        )

    client = Scripted(script)
    broker = broker_of(client, [MODEL, OTHER])
    throttled = asyncio.create_task(ask(broker, questions(16)))
    await asyncio.sleep(2)
    assert counted(await ask(broker, questions(64, first=100, model="other"))) == {
        "reply": 64
    }
    assert client.now < 10
    assert counted(await throttled) == {"reply": 16}


@in_no_time
async def test_a_run_that_ends_does_not_wait_for_its_turn() -> None:
    client = Scripted(right)
    broker = broker_of(client, requests_per_minute=1)
    asking = asyncio.create_task(ask(broker, questions(10)))
    await asyncio.sleep(1.5)
    assert broker.progress().held == 9
    await broker.close()
    assert counted(await asking) == {
        "reply": 1,
        "the run ended before this question was asked": 9,
    }
    assert client.now == pytest.approx(1.5)


# --- outages --------------------------------------------------------------------------


async def stopped_at(
    client: Scripted, broker: Broker, count: int
) -> tuple[float | None, Outcomes]:
    """When the run stopped, and what came of its questions."""
    asking = asyncio.create_task(ask(broker, questions(count)))
    at = None
    while not asking.done():
        await asyncio.sleep(0.25)
        at = client.now if at is None and broker.stopped else at
    return at, asking.result()


@in_no_time
async def test_a_provider_that_is_down_stops_the_run_after_a_minute() -> None:
    client = Scripted(always(503))
    broker = broker_of(client)
    at, outcomes = await stopped_at(client, broker, 1000)
    assert at == pytest.approx(61, abs=5)
    assert client.asked.total() < 80
    assert broker.stopped is not None
    pattern = "openai/some is down: 503 Service Unavailable: scripted (* failures in 6? s without a reply)"
    assert fnmatchcase(broker.stopped.message, pattern), broker.stopped
    assert counted(outcomes)[f"run stopped: {broker.stopped.message}"] > 980


@pytest.mark.parametrize(
    ("replies", "concurrency", "at_most"), [(0, 1, 20), (0, 16, 15), (1, 16, 75)]
)
@in_no_time
async def test_a_server_that_refuses_connections_stops_the_run_in_seconds(
    replies: int, concurrency: int, at_most: float
) -> None:
    """One that has replied before may be about to start again, and gets a minute."""

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        if prompt == "q0" and replies:
            return right(model, prompt, nth)
        return ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed")

    client = Scripted(script, takes_s=lambda prompt: 0.0)
    at, _ = await stopped_at(client, broker_of(client, concurrency=concurrency), 200)
    assert at is not None
    assert at_most / 4 <= at <= at_most


@pytest.mark.parametrize(("lasts_s", "concurrency"), [(0.5, 64), (50, 16)])
@in_no_time
async def test_an_outage_of_less_than_a_minute_costs_no_question(
    lasts_s: float, concurrency: int
) -> None:
    """All connections break at once, and so do those that come too early."""

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return (
            ConnectionResetError("gone")
            if 3 < client.now < 3 + lasts_s
            else right(model, prompt, nth)
        )

    client = Scripted(script)
    outcomes = await ask(
        broker_of(client, concurrency=concurrency), questions(3 * concurrency)
    )
    assert counted(outcomes) == {"reply": 3 * concurrency}


@in_no_time
async def test_a_provider_that_answers_429_is_down_only_if_it_never_replies() -> None:
    """Minutes of 429s with a Retry-After are waited out; if questions are given up,
    they count as failures.
    """

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return (
            Provider(429, retry_after_s=15)
            if client.now < 180
            else right(model, prompt, nth)
        )

    client = Scripted(script)
    assert counted(await ask(broker_of(client, retries=100), questions(16))) == {
        "reply": 16
    }
    client = Scripted(always(429, 20))
    at, outcomes = await stopped_at(client, broker_of(client), 1000)
    assert at is not None
    assert at < 600
    assert any(
        "is down: " in message and "429" in message for message in counted(outcomes)
    )


@in_no_time
async def test_a_model_that_is_down_leaves_the_others_alone() -> None:
    """Its questions fail at once, also by another name; the run stops when no model
    under test is left.
    """
    dead = {"openai/some"}

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        return Provider(503) if model.target in dead else right(model, prompt, nth)

    client = Scripted(script)
    broker = broker_of(client, [MODEL, OTHER, SAME, JUDGE])
    some, other = await asyncio.gather(
        ask(broker, questions(200)),
        ask(broker, questions(300, first=1000, model="other")),
    )
    assert counted(other) == {"reply": 300}
    assert broker.stopped is None
    same = await ask(broker, questions(10, first=5000, model="same"))
    assert client.asked["q5000"] == 0
    assert all(
        message.startswith("openai/some is down: ")
        for message in counted([*some[-10:], *same])
    )
    dead.add("openai/other")
    await ask(broker, questions(200, first=6000, model="other"))
    assert broker.stopped is not None
    assert isinstance(broker.stopped, Failure)


def test_what_the_documents_promise_of_the_circuit_breaker() -> None:
    """20 failures in a row that last a minute, a request every 3 seconds meanwhile;
    older requests may still reply.
    """
    now = [500.0]
    for failures, seconds, is_down in (
        (1025, 59, False),
        (19, 60, False),
        (20, 60, True),
    ):
        breaker = CircuitBreaker(lambda: now[0])
        for _ in range(failures - 1):
            breaker.failed()
        assert breaker.wait_s() == (3 if failures > 20 else 0)
        older = breaker.begin()
        now[0] += seconds
        breaker.failed()
        assert breaker.is_down is is_down
        breaker.end(older)
        breaker.replied()
        assert not breaker.is_down
    older = breaker.begin()
    for _ in range(100):
        breaker.failed()
    now[0] += 600
    assert not breaker.is_down
    breaker.end(older)
    assert breaker.is_down


# --- several servers ------------------------------------------------------------------


A, B = "http://a/v1", "http://b/v1"
SERVED = Model("m", "openai/some", api_base="servers", servers=Servers((A, B)))


@pytest.mark.parametrize(
    "error", [Provider(503), ConnectionRefusedError(errno.ECONNREFUSED, "")]
)
@in_no_time
async def test_a_server_that_comes_back(error: Exception) -> None:
    """While it fails, a request is tried every three seconds and its question asked at
    the other one; afterwards it gets its share.
    """
    at: list[tuple[float, str | None]] = []

    def script(model: Model, prompt: str, nth: int) -> Reply | Exception:
        at.append((client.now, model.api_base))
        is_out = model.api_base == B and client.now < 30
        return error if is_out else right(model, prompt, nth)

    client = Scripted(script)
    broker = broker_of(client, [SERVED], concurrency=4)
    outcomes = await ask(broker, questions(300))
    assert counted(outcomes) == {"reply": 300}
    tries = [now for now, address in at if address == B and now < 30]
    assert client.asked.total() == 300 + len(tries)
    assert 2 + 5 <= len(tries) <= 2 + 10
    later = Counter(address for now, address in at if now > 36)
    assert later[B] == pytest.approx(later[A], abs=4)


@in_no_time
async def test_all_servers_are_down() -> None:
    """The run stops after a minute without a reply, and not before."""
    client = Scripted(always(503))
    broker = broker_of(client, [SERVED], concurrency=4)
    outcomes = await ask(broker, questions(100))
    assert "openai/some is down" in str(counted(outcomes))
    assert broker.stopped is not None
    assert 60 <= client.now <= 80
