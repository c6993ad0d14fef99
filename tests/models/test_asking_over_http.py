"""Broker, store, the real litellm and a real HTTP server together."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_llmarith.models.client import Client
from pytest_llmarith.values import Model, Reply
from tests.llm_server import Answer, Gate, LlmServer, usage
from tests.models.scripted import RunningBroker, questions, until

Brokers = Callable[..., RunningBroker]
pytestmark = pytest.mark.filterwarnings("ignore")  # as in the broker's process


def model(server: LlmServer) -> list[Model]:
    return [Model("m", "openai/gpt-4o", {"api_key": "sk-test"}, server.base_url)]


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
        models = [Model("m", target, {"api_key": "sk-test", "max_tokens": 20_000}, server.base_url)]
        broker = brokers(Client(), models, max_tokens=31_000)
        outcomes = [broker.ask_and_wait(question) for question in questions(3)]
        price = broker.plan(questions(4)).terms["m"].price
        broker.close(30)
    replies = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
    assert [reply.completion_tokens for reply in replies] == [10_005] * 2
    assert price is not None
    assert [reply.cost_usd for reply in replies] == [pytest.approx(price.of(100, 10_005))] * 2


def test_reasoning_in_the_total_alone_counts_in_the_pace(brokers: Brokers) -> None:
    """What it took is known when the reply is here; the next request waits for as long as that takes."""
    with LlmServer(lambda call: Answer("42", usage=HIDDEN)) as server:
        models = [Model("m", "openai/gpt-4o", {"api_key": "sk-test", "max_tokens": 1}, server.base_url)]
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
