"""The broker asks, and ends, on a scripted client: no network, no clock."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from pytest_llmarith.values import Failure, Model, Question, Reply, StoreMode
from tests.llm_server import Gate
from tests.models.scripted import Inbox, RunningBroker, ScriptedClient, questions, reply_to, stored

Brokers = Callable[..., RunningBroker]


def test_a_question_gets_its_reply(brokers: Brokers) -> None:
    """A question gets its reply, also where nobody announced it."""
    broker = brokers(ScriptedClient())
    assert broker.ask_and_wait(Question("m", "q1", 1)) == reply_to("q1")


def test_announced_questions_are_asked_once_and_before_anybody_asks(brokers: Brokers) -> None:
    """The hint fills idle places, and the reply is kept for whoever asks."""
    client = ScriptedClient()
    broker = brokers(client)
    broker.announce(questions(5))
    client.wait_for_requests(5)
    assert [broker.ask_and_wait(question) for question in questions(5)] == [reply_to(f"q{n}") for n in range(5)]
    assert client.order == [f"q{n}" for n in range(5)]


def test_as_many_requests_are_in_flight_as_are_allowed(brokers: Brokers) -> None:
    """Concurrency is the broker's, however many wait."""
    gate = Gate()
    client = ScriptedClient(gate=gate)
    broker = brokers(client, concurrency=3)
    inbox = Inbox()
    for question in questions(10):
        broker.ask(question, inbox)
    client.wait_for_requests(3)
    gate.open()
    inbox.wait_for(10)
    assert client.peak == 3


def test_the_window_bounds_what_is_asked_ahead(brokers: Brokers) -> None:
    """Whoever stops early has paid for no more than the window."""
    client = ScriptedClient()
    broker = brokers(client, window=4, concurrency=2)
    broker.announce(questions(50))
    client.wait_for_requests(4)
    broker.ask_and_wait(Question("m", "elsewhere", 0))
    assert sorted(client.order) == sorted(["q0", "q1", "q2", "q3", "elsewhere"])


def test_one_question_asked_by_many_at_once_is_one_request(brokers: Brokers) -> None:
    """A question that several ask while it is in flight is one request, and all get its reply."""
    gate = Gate()
    client = ScriptedClient(gate=gate)
    broker = brokers(client, store_mode=StoreMode.OFF)
    inbox = Inbox()
    for worker in "abc":
        broker.ask(Question("m", "q1", 1), inbox, worker)
    client.wait_for_requests(1)
    gate.open()
    assert inbox.wait_for(3) == [reply_to("q1")] * 3
    assert client.asked["q1"] == 1


def test_two_names_of_one_model_share_their_replies(brokers: Brokers) -> None:
    """The name is ours; target and parameters make the request. This holds without a store."""
    client = ScriptedClient()
    broker = brokers(client, [Model("a", "openai/x"), Model("b", "openai/x")], store_mode=StoreMode.OFF)
    broker.announce([*questions(3, model="a"), *questions(3, model="b")])
    for question in [*questions(3, model="a"), *questions(3, model="b")]:
        assert isinstance(broker.ask_and_wait(question), Reply)
    assert client.asked.total() == 3


def test_a_model_that_nobody_named_is_a_failure(brokers: Brokers) -> None:
    """A worker with other options than the controller must hear of it."""
    outcome = brokers(ScriptedClient()).ask_and_wait(Question("other", "q", 0))
    assert outcome == Failure("there is no model named 'other' in this run")


def test_closing_lets_what_is_in_flight_arrive(brokers: Brokers, tmp_path: Path) -> None:
    """Who waits for it gets it, who waits for anything else is told, and nothing new is asked."""
    gate = Gate()
    client = ScriptedClient(gate=gate)
    broker = brokers(client, concurrency=1)
    flying, waiting = Inbox(), Inbox()
    broker.ask(Question("m", "q0", 0), flying)
    broker.ask(Question("m", "q1", 1), waiting)
    client.wait_for_requests(1)
    closing = threading.Thread(target=broker.close, args=(30,))
    closing.start()
    assert waiting.wait_for(1) == [Failure("the run ended before this question was asked")]
    gate.open()
    closing.join(30)
    assert flying.got == [reply_to("q0")]
    assert client.order == ["q0"]
    assert list(stored(tmp_path / "store" / "store.sqlite")) == ["q0"]


def test_a_second_close_cuts_the_draining_short(brokers: Brokers) -> None:
    """Closing again without patience, as a second Ctrl-C does, ends the waiting for what is in flight."""
    client = ScriptedClient(gate=Gate())
    broker = brokers(client)
    inbox = Inbox()
    broker.ask(Question("m", "q0", 0), inbox)
    client.wait_for_requests(1)
    closing = threading.Thread(target=broker.close, args=(3600,))
    closing.start()
    broker.close(0)
    closing.join(30)
    assert not closing.is_alive()
    assert inbox.got == [Failure("the run ended before the reply arrived")]
    assert client.closed == 1


def test_a_dead_worker_is_forgotten_and_its_reply_still_reaches_the_store(brokers: Brokers, tmp_path: Path) -> None:
    """A reply that was paid for is kept, though it is delivered to nobody."""
    gate = Gate()
    client = ScriptedClient(gate=gate)
    broker = brokers(client)
    inbox = Inbox()
    broker.ask(Question("m", "q0", 0), inbox, "gw0")
    client.wait_for_requests(1)
    broker.forget("gw0")
    gate.open()
    broker.close(30)
    assert inbox.got == []
    assert list(stored(tmp_path / "store" / "store.sqlite")) == ["q0"]
