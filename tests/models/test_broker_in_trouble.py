"""The broker on a client that fails: what is tried again, what stops the run, and who hears of it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from pytest_llmarith.models import limits
from pytest_llmarith.models.provider_errors import UnusableResponse
from pytest_llmarith.values import Failure, Model, Progress, Question, Reply, Retry
from tests.llm_server import Gate
from tests.models.scripted import (
    MODEL,
    Inbox,
    Provider,
    RunningBroker,
    ScriptedClient,
    questions,
    reply_to,
    until,
)

Brokers = Callable[..., RunningBroker]


def test_an_outage_is_tried_again_and_counted(brokers: Brokers) -> None:
    """Two bad attempts, then a reply that says it took three."""
    client = ScriptedClient(lambda prompt, nth: reply_to(prompt) if nth == 3 else Provider(503))
    broker = brokers(client)
    outcome = broker.ask_and_wait(Question("m", "q0", 0))
    assert isinstance(outcome, Reply)
    assert outcome.attempts == 3
    assert broker.progress().requests == 3


def test_trying_again_ends_and_says_how_often_and_why(brokers: Brokers) -> None:
    """A failure's message says what happened last, and how many attempts were made."""
    client = ScriptedClient(lambda prompt, nth: Provider(503, f"down {nth}"))
    outcome = brokers(client, retries=2).ask_and_wait(Question("m", "q0", 0))
    retries = tuple(Retry(f"openai/some: 503 Provider: down {nth}", 0.0) for nth in (1, 2))
    assert outcome == Failure("openai/some: 503 Provider: down 3 (3 attempts)", attempts=3, retries=retries)


def test_what_is_wrong_with_the_question_alone_is_not_tried_again(brokers: Brokers) -> None:
    """Its message stands as it is, and the run goes on."""
    client = ScriptedClient(lambda prompt, nth: Provider(400, "too long") if prompt == "q0" else reply_to(prompt))
    broker = brokers(client)
    outcome = broker.ask_and_wait(Question("m", "q0", 0))
    assert outcome == Failure("openai/some: 400 Provider: too long", attempts=1)
    assert broker.ask_and_wait(Question("m", "q1", 1)) == reply_to("q1")
    assert broker.progress() == Progress(requests=2, answered=1, failed=1, cost_usd=0.5, kept=1)


def test_a_transport_that_hangs_is_cut_off(brokers: Brokers) -> None:
    """The limit holds even if litellm forgets its own."""
    outcome = brokers(ScriptedClient(gate=Gate()), timeout_s=0.01, retries=0).ask_and_wait(Question("m", "q0", 0))
    assert outcome == Failure("openai/some: no reply within 0.01 s", attempts=1)


def test_a_waiting_question_is_shown_as_retrying(brokers: Brokers) -> None:
    """Whoever looks at the run sees that it waits, and a stop does not wait along."""
    paused = threading.Event()

    def for_ever(attempt: int, retry_after_s: float | None) -> float:
        paused.set()
        return 600.0

    broker = brokers(ScriptedClient(lambda prompt, nth: UnusableResponse("garbage")), pause_s=for_ever)
    inbox = Inbox()
    broker.ask(Question("m", "q0", 0), inbox)
    assert paused.wait(30)
    until(lambda: broker.progress().retrying == 1)
    progress = broker.progress()
    assert (progress.in_flight, progress.waiting_for) == (0, {"unusable response from openai/some": 1})
    assert progress.next_try_s is not None
    assert 0 < progress.next_try_s <= 600
    broker.close(0)
    assert inbox.wait_for(1) == [Failure("openai/some: garbage", attempts=1)]


def test_a_provider_that_is_down_stops_the_run(brokers: Brokers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody is answered, also those who were announced and never asked, and little is asked in vain."""
    monkeypatch.setattr(limits, "LASTING_S", 0.0)
    monkeypatch.setattr(limits, "PROBE_EVERY_S", 0.0)
    client = ScriptedClient(lambda prompt, nth: Provider(503))
    broker = brokers(client, concurrency=4)
    broker.announce(questions(100))
    outcomes = [broker.ask_and_wait(question) for question in questions(200)]
    assert all(isinstance(outcome, Failure) for outcome in outcomes)
    assert broker.stopped is not None
    reason = "openai/some is down: 503 Provider: scripted (20 failures in 0 s, and no reply)"
    assert broker.stopped.message == reason
    assert {outcome.message for outcome in outcomes if isinstance(outcome, Failure)} >= {f"run stopped: {reason}"}
    assert "the run ended before this question was asked" not in str(outcomes)
    assert client.asked.total() < 30


def test_one_model_that_is_down_is_told_and_the_others_go_on(brokers: Brokers, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that is down stops none of the others, which are asked beside it and after it."""
    monkeypatch.setattr(limits, "LASTING_S", 0.0)
    monkeypatch.setattr(limits, "PROBE_EVERY_S", 0.0)
    client = ScriptedClient(lambda prompt, nth: Provider(503) if int(prompt[1:]) < 1000 else reply_to(prompt))
    broker = brokers(client, [MODEL, Model("n", "openai/other")], concurrency=4)
    asked = [*questions(100), *questions(100, first=1000, model="n")]
    broker.announce(asked)
    outcomes = [broker.ask_and_wait(question) for question in asked]
    assert all(isinstance(outcome, Failure) and not outcome.stops_run for outcome in outcomes[:100])
    assert all(isinstance(outcome, Reply) for outcome in outcomes[100:])
    assert broker.stopped is None


def test_a_hopeless_failure_stops_the_run_and_answers_everybody(brokers: Brokers) -> None:
    """The one who asked hears the reason, all others that the run stopped for it, later ones at once."""
    gate = Gate()
    client = ScriptedClient(lambda prompt, nth: Provider(401, "bad key"), gate=gate)
    broker = brokers(client, concurrency=1)
    first, waiting = Inbox(), Inbox()
    broker.ask(Question("m", "q0", 0), first)
    for question in questions(5, first=1):
        broker.ask(question, waiting)
    client.wait_for_requests(1)
    gate.open()
    reason = "openai/some: 401 Provider: bad key; check OPENAI_API_KEY in the environment or in .env"
    assert first.wait_for(1) == [Failure(reason, attempts=1, stops_run=True, no_key=True)]
    stopped = Failure(f"run stopped: {reason}", stops_run=True)
    assert waiting.wait_for(5) == [stopped] * 5
    assert broker.ask_and_wait(Question("m", "q9", 9)) == stopped
    assert broker.stopped == Failure(reason, attempts=1, stops_run=True, no_key=True)
    assert client.order == ["q0"]


def test_what_has_arrived_can_be_fetched_after_a_stop(brokers: Brokers) -> None:
    """It is paid for and graded; only new questions are refused."""
    client = ScriptedClient()
    broker = brokers(client)
    broker.announce(questions(1))
    client.wait_for_requests(1)
    until(lambda: broker.progress().answered == 1)
    broker.stop("enough")
    assert broker.ask_and_wait(Question("m", "q0", 0)) == reply_to("q0")
    assert isinstance(broker.ask_and_wait(Question("m", "q1", 1)), Failure)
