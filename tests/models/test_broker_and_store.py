"""The broker and its store: a paid reply is kept before anybody sees it, and is not paid again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.store import Store, StoreError
from pytest_llmarith.values import EMBEDDED_PROVIDER, Failure, Model, Question, Reply, StoreMode
from tests.llm_server import Gate
from tests.models.scripted import (
    MODEL,
    Inbox,
    Provider,
    RunningBroker,
    ScriptedClient,
    put,
    questions,
    reply_to,
    stored,
    until,
)

Brokers = Callable[..., RunningBroker]


def test_a_reply_is_on_disk_before_it_is_delivered(brokers: Brokers, tmp_path: Path) -> None:
    """Nobody can lose what was paid for by dying after it."""
    on_disk: list[bool] = []
    done = threading.Event()
    broker = brokers(ScriptedClient())

    def look(outcome: Reply | Failure) -> None:
        on_disk.append("q1" in stored(tmp_path / "store" / "store.sqlite"))
        done.set()

    broker.ask(Question("m", "q1", 1), look)
    assert done.wait(30)
    assert on_disk == [True]


def test_stored_replies_are_reused_and_not_asked(brokers: Brokers) -> None:
    """Resume is the same command again; a stored reply keeps its cost and says that it is stored."""
    first, second = ScriptedClient(), ScriptedClient()
    broker = brokers(first)
    for question in questions(3):
        broker.ask_and_wait(question)
    broker.close(0)
    broker = brokers(second)
    broker.announce(questions(4))
    outcomes = [broker.ask_and_wait(question) for question in questions(4)]
    assert second.order == ["q3"]
    assert [isinstance(outcome, Reply) and outcome.stored for outcome in outcomes] == [True, True, True, False]
    assert isinstance(outcomes[0], Reply)
    assert outcomes[0].cost_usd == 0.5
    progress = broker.progress()
    assert (progress.announced, progress.announced_stored, progress.stored, progress.answered) == (4, 3, 3, 1)
    assert progress.cost_usd == 0.5  # what this run has paid


def test_nothing_slow_is_imported_where_the_store_has_it_all(brokers: Brokers, tmp_path: Path) -> None:
    """Where the store has every reply, the client is never made ready, so that litellm stays unloaded."""
    put(tmp_path / "store" / "store.sqlite", Question("m", "q0", 0), reply_to("q0"))
    client = ScriptedClient()
    brokers(client).ask_and_wait(Question("m", "q0", 0))
    assert client.prepared == 0


def test_failures_and_simulated_replies_are_not_stored(brokers: Brokers, tmp_path: Path) -> None:
    """An outage says nothing, and a simulated reply costs nothing."""
    client = ScriptedClient(lambda prompt, nth: Provider(400) if prompt == "q0" else reply_to(prompt))
    broker = brokers(client, [MODEL, Model("s", f"{EMBEDDED_PROVIDER}/exact")])
    assert isinstance(broker.ask_and_wait(Question("m", "q0", 0)), Failure)
    assert isinstance(broker.ask_and_wait(Question("s", "q1", 1)), Reply)
    broker.close(0)
    assert stored(tmp_path / "store" / "store.sqlite") == {}


def test_refresh_asks_anew_and_overwrites(brokers: Brokers, tmp_path: Path) -> None:
    """The old reply goes; what this run wrote is used within the run."""
    path = tmp_path / "store" / "store.sqlite"
    put(path, Question("m", "q0", 0), Reply("old"))
    client = ScriptedClient()
    broker = brokers(client, store_mode=StoreMode.REFRESH)
    broker.announce(questions(1))
    outcomes = [broker.ask_and_wait(Question("m", "q0", 0)) for _ in range(2)]
    assert outcomes == [reply_to("q0")] * 2
    assert client.asked["q0"] == 1
    broker.close(0)
    assert stored(path)["q0"].text == "reply to q0"


@pytest.mark.parametrize("mode", [StoreMode.OFF, StoreMode.REFRESH, StoreMode.ON])
def test_what_nobody_announced_is_asked_once_as_well(brokers: Brokers, mode: StoreMode) -> None:
    """Two searches that come to the same words are one request, in every mode; so is what they ask a judge."""
    client = ScriptedClient()
    judge = Model("judge", "openai/judge", judge=True)
    broker = brokers(client, [MODEL, judge], store_mode=mode)
    for question in questions(3) + questions(3, first=3, model="judge"):
        for _ in range(2):
            outcome = broker.ask_and_wait(question)
            assert isinstance(outcome, Reply)
            assert not outcome.stored
    assert set(client.asked.values()) == {1}
    assert (broker.progress().cost_usd, broker.progress().judged) == (3.0, 6)


def test_only_never_asks_a_real_model(brokers: Brokers, tmp_path: Path) -> None:
    """What is missing is a failure that says so; simulated models still answer."""
    put(tmp_path / "store" / "store.sqlite", Question("m", "q0", 0), reply_to("q0"))
    client = ScriptedClient()
    models = [MODEL, Model("s", f"{EMBEDDED_PROVIDER}/exact")]
    broker = brokers(client, models, store_mode=StoreMode.ONLY)
    broker.announce(questions(3))
    outcomes = [broker.ask_and_wait(question) for question in [*questions(2), Question("s", "q9", 9)]]
    assert isinstance(outcomes[0], Reply)
    assert outcomes[1:] == [Failure("no stored reply, and --llm-store=only asks no model"), reply_to("q9")]
    assert client.order == ["q9"]


def test_a_reply_that_the_store_did_not_take_can_still_be_fetched(
    brokers: Brokers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing more is asked, and the run stops only when the items have every reply that is nowhere but in memory."""

    def full(self: Store, replies: Any, *, overwrite: bool) -> None:
        raise StoreError("store s: the disk is full")

    monkeypatch.setattr(Store, "put", full)
    client, inbox = ScriptedClient(gate=(gate := Gate())), Inbox()
    broker = brokers(client, concurrency=2)
    first, ahead, never_asked = questions(3)
    broker.announce([first, ahead, never_asked])
    broker.ask(first, inbox)
    client.wait_for_requests(2)
    gate.open()
    assert inbox.wait_for(1) == [reply_to("q0")]
    until(lambda: broker.progress().unsaved == 2)
    assert broker.ask_and_wait(never_asked) == Failure("run stopped: store s: the disk is full", stops_run=True)
    assert broker.stopped is None
    assert broker.ask_and_wait(ahead) == reply_to("q1")
    until(lambda: broker.stopped == Failure("store s: the disk is full", stops_run=True))
    assert sorted(client.order) == ["q0", "q1"]
