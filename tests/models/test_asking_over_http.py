"""The whole room at once: broker, store, the real litellm and a real HTTP server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.values import Failure, Model, Reply
from tests.llm_server import Answer, Gate, LlmServer, usage
from tests.models.scripted import questions, until

Brokers = Callable[..., Broker]


@pytest.fixture(scope="module", autouse=True)
def _prepared() -> None:
    Client().prepare()


def model(server: LlmServer) -> dict[str, Model]:
    return {"m": Model("m", "openai/gpt-4o", {"api_key": "sk-test"}, server.base_url)}


def test_every_question_is_one_request_and_its_cost_is_known(brokers: Brokers) -> None:
    """Forty announced questions are forty requests, whose replies and costs arrive."""
    with LlmServer(lambda call: Answer(call.prompt, usage=usage(1000, 0))) as server:
        broker = brokers(Client(), model(server), concurrency=8)
        broker.announce(questions(40))
        outcomes = [broker.ask_and_wait(question) for question in questions(40)]
        broker.close(30)
    assert [outcome.text for outcome in outcomes if isinstance(outcome, Reply)] == [f"q{n}" for n in range(40)]
    assert len(server.requests) == 40
    assert broker.progress().cost_usd == pytest.approx(40 * 0.0025)
    assert broker.progress().unpriced == 0


def test_a_reply_that_counts_four_hundred_digits_of_tokens_is_kept_and_hurts_no_other(brokers: Brokers) -> None:
    """Absurd usage changes neither the pace nor the estimates of what comes after it."""
    with LlmServer(lambda call: Answer("42", usage=usage(7, 10**400 if call.prompt == "q0" else 3))) as server:
        broker = brokers(Client(), model(server), tokens_per_minute=10_000_000, max_cost_usd=50.0)
        outcomes = [broker.ask_and_wait(question) for question in questions(3)]
        broker.close(30)
    assert [outcome.text for outcome in outcomes if isinstance(outcome, Reply)] == ["42"] * 3


HIDDEN = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 10_105}


@pytest.mark.parametrize("counts", [HIDDEN, HIDDEN | {"completion_tokens_details": {"reasoning_tokens": 10_000}}])
@pytest.mark.parametrize("target", ["openai/gpt-4o", "xai/grok-4.3"])
def test_reasoning_that_stands_in_the_total_alone_is_counted_and_paid(
    brokers: Brokers, counts: dict[str, object], target: str
) -> None:
    """Some servers count it beside the completion; the price follows, and so does a cap."""
    with LlmServer(lambda call: Answer("42", usage=counts)) as server:
        models = {"m": Model("m", target, {"api_key": "sk-test", "max_tokens": 20_000}, server.base_url)}
        broker = brokers(Client(), models, max_tokens=31_000)
        outcomes = [broker.ask_and_wait(question) for question in questions(3)]
        price = broker.terms(models["m"]).price
        broker.close(30)
    replies = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
    assert [reply.completion_tokens for reply in replies] == [10_005] * 2
    assert price is not None
    assert [reply.cost_usd for reply in replies] == [pytest.approx(price.of(100, 10_005))] * 2


def test_reasoning_in_the_total_alone_counts_in_the_pace(brokers: Brokers) -> None:
    """What it took is known when the reply is here; the next request waits for as long as that takes."""
    with LlmServer(lambda call: Answer("42", usage=HIDDEN)) as server:
        models = {"m": Model("m", "openai/gpt-4o", {"api_key": "sk-test", "max_tokens": 1}, server.base_url)}
        broker = brokers(Client(), models, tokens_per_minute=30_000, concurrency=1)
        broker.ask_and_wait(questions(1)[0])
        broker.announce(questions(2))
        broker.ask(questions(2)[1], lambda outcome: None)
        until(lambda: broker.progress().held == 1)
        assert len(server.requests) == 1
        broker.close(0)


def test_a_server_sees_as_many_requests_at_once_as_are_allowed(brokers: Brokers) -> None:
    """As many requests as allowed are in flight, though items wait one after the other."""
    gate = Gate()
    with LlmServer(lambda call: Answer(gate=gate)) as server:
        broker = brokers(Client(), model(server), concurrency=64)
        broker.announce(questions(200))
        server.wait_for_in_flight(64)
        gate.open()
        for question in questions(200):
            assert isinstance(broker.ask_and_wait(question), Reply)
        broker.close(30)
    assert server.peak_in_flight == 64


def test_a_throttled_question_waits_as_long_as_the_provider_says(brokers: Brokers) -> None:
    """A 429 is waited out as its Retry-After says, and the reply counts its attempts."""
    waits: list[float | None] = []

    def note(attempt: int, retry_after_s: float | None) -> float:
        waits.append(retry_after_s)
        return 0.0

    def answer(call: object) -> Answer:
        return Answer(status=429, headers={"Retry-After": "7"}) if len(server.requests) < 3 else Answer("42")

    with LlmServer(answer) as server:
        outcome = brokers(Client(), model(server), pause_s=note).ask_and_wait(questions(1)[0])
    assert isinstance(outcome, Reply)
    assert (outcome.text, outcome.attempts, waits) == ("42", 3, [7.0, 7.0])


def test_a_server_that_takes_four_at_once_gets_no_more_for_long(brokers: Brokers) -> None:
    """It refuses all others, which are asked again, fewer at once, and answered in the end."""

    def answer(call: object) -> Answer:
        return Answer("42", delay_s=0.02) if server.in_flight <= 4 else Answer(status=429, headers={"Retry-After": "0"})

    with LlmServer(answer) as server:
        broker = brokers(Client(), model(server), concurrency=32, retries=100)
        broker.announce(questions(100))
        outcomes = [broker.ask_and_wait(question) for question in questions(100)]
        broker.close(30)
    assert all(isinstance(outcome, Reply) for outcome in outcomes)
    progress = broker.progress()
    (throttled,) = progress.throttled
    assert (throttled.target, throttled.most) == ("openai/gpt-4o", 32)
    assert 1 <= throttled.lowest <= 16
    assert progress.retries == {"429 from openai/gpt-4o": len(server.requests) - 100}


def test_a_refused_key_stops_the_run_after_few_requests(brokers: Brokers) -> None:
    """A refused key stops the run, and only what was in flight by then was asked."""
    with LlmServer(lambda call: Answer(status=401, error={"message": "no such key"})) as server:
        broker = brokers(Client(), model(server), concurrency=4)
        broker.announce(questions(100))
        outcomes = [broker.ask_and_wait(question) for question in questions(100)]
        broker.close(30)
    assert all(isinstance(outcome, Failure) and outcome.stops_run for outcome in outcomes)
    assert len(server.requests) <= 4
    assert broker.stopped is not None
    reason = "openai/gpt-4o: 401 AuthenticationError: no such key; check OPENAI_API_KEY in the environment or in .env"
    assert broker.stopped.message == reason


STRICT = """
import asyncio, sys, threading
from pathlib import Path
from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.values import AskingLimits, Model, Question, Reply

questions = [Question("m", f"q{n}", n) for n in range(50)]
models = {"m": Model("m", "openai/some", {"api_key": "sk-test"}, sys.argv[1])}
for run in range(2):
    limits = AskingLimits(concurrency=8)
    broker = Broker(Client(), models, Path(sys.argv[2]), limits=limits, pause_s=lambda attempt, wish: 0.0)
    if "unprepared" not in sys.argv:
        broker.prepare()
    broker.announce(questions)
    outcomes = [broker.ask_and_wait(question) for question in questions]
    assert all(isinstance(outcome, Reply) for outcome in outcomes), outcomes
    assert all(outcome.stored == (run == 1) for outcome in outcomes)
    broker.announce([Question("m", f"late{n}", n) for n in range(50)])
    broker.close(0)
assert threading.active_count() == len([t for t in threading.enumerate() if not t.name.startswith("llmarith")])
"""


@pytest.mark.parametrize("prepared", ["prepared", "unprepared"])
def test_a_run_prints_nothing_warns_of_nothing_and_leaves_nothing(tmp_path: Path, prepared: str) -> None:
    """Every warning is an error, and the run is closed in the middle of its requests."""
    with LlmServer(lambda call: Answer(status=503 if call.nth == 1 else 200)) as server:
        store = str(tmp_path / "store" / "store.sqlite")
        command = [sys.executable, "-X", "dev", "-W", "error", "-c", STRICT, server.base_url, store, prepared]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
    quiet = "\n".join(line for line in process.stderr.splitlines() if not line.startswith("Executing <"))
    assert (process.returncode, process.stdout, quiet) == (0, "", "")
