"""Two runs on one store: nobody pays for what the other is asking, and nobody waits for who is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.request import key_of
from pytest_llmarith.values import EMBEDDED_PROVIDER, Failure, Model, Question, Reply, StoreMode
from tests.llm_server import Gate
from tests.models.other_run import OtherRun
from tests.models.scripted import MODEL, Inbox, ScriptedClient, questions, reply_to, until

Brokers = Callable[..., Broker]
SHARED = Question("m", "q0", 0)
KEY = key_of(MODEL, SHARED)
OF_THE_OTHER = Reply("reply of the other run", cost_usd=0.25, stored=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "store.sqlite"


@pytest.fixture
def other(path: Path) -> Iterator[OtherRun]:
    """Another run, which is asking the shared question."""
    with OtherRun(path) as run:
        assert run.does("take", KEY) == "True"
        yield run


def waiting(brokers: Brokers, client: ScriptedClient, inbox: Inbox) -> Broker:
    """A run that waits for the other one."""
    broker = brokers(client)
    broker.ask(SHARED, inbox)
    until(lambda: broker.progress().elsewhere == 1)
    return broker


def test_what_another_run_is_asking_comes_from_the_store(brokers: Brokers, other: OtherRun) -> None:
    """A question that another run is asking is paid for once, and counts as stored here."""
    client, inbox = ScriptedClient(), Inbox()
    broker = waiting(brokers, client, inbox)
    other.does("put", KEY)
    other.does("release", KEY)
    assert inbox.wait_for(1) == [OF_THE_OTHER]
    assert client.order == []
    progress = broker.progress()
    assert (progress.elsewhere, progress.stored, progress.answered, progress.requests) == (0, 1, 0, 0)


@pytest.mark.parametrize("end", ["release", "kill"])
def test_what_the_other_run_did_not_get_is_asked_here(brokers: Brokers, other: OtherRun, end: str) -> None:
    """Its request failed, or it was killed with -9 while it was waiting."""
    client, inbox = ScriptedClient(), Inbox()
    waiting(brokers, client, inbox)
    if end == "kill":
        other.kill()
    else:
        other.does("release", KEY)
    assert inbox.wait_for(1) == [reply_to("q0")]
    assert client.order == ["q0"]


def test_who_waits_for_another_run_goes_on_with_other_questions(brokers: Brokers, other: OtherRun) -> None:
    """While one question waits for another run, the others are asked."""
    client, inbox = ScriptedClient(), Inbox()
    broker = waiting(brokers, client, inbox)
    assert [broker.ask_and_wait(question) for question in questions(3, first=1)] == [
        reply_to(f"q{number}") for number in (1, 2, 3)
    ]
    assert inbox.got == []


def test_the_end_of_a_run_ends_its_waiting(brokers: Brokers, other: OtherRun) -> None:
    """A run that ends stops waiting for another one at once, however long that goes on."""
    client, inbox = ScriptedClient(), Inbox()
    broker = waiting(brokers, client, inbox)
    broker.close(3600)
    assert inbox.got == [Failure("the run ended before this question was asked")]
    assert client.order == []


def test_a_stop_ends_the_waiting_too(brokers: Brokers, other: OtherRun) -> None:
    """A run that is stopped waits for other runs no longer, and asks nothing afterwards."""
    client, inbox = ScriptedClient(), Inbox()
    broker = waiting(brokers, client, inbox)
    broker.stop("enough")
    assert inbox.wait_for(1) == [Failure("run stopped: enough", stops_run=True)]
    until(lambda: broker.progress().elsewhere == 0)
    broker.close(0)
    assert client.order == []
    assert broker.progress().failed == 1


def test_a_run_claims_what_it_has_in_flight_and_no_longer(brokers: Brokers, path: Path) -> None:
    """The other side of the waiting; a claim ends when the reply is on disk."""
    gate = Gate()
    client, inbox = ScriptedClient(gate=gate), Inbox()
    with OtherRun(path) as other:
        broker = brokers(client)
        broker.ask(SHARED, inbox)
        client.wait_for_requests(1)
        assert other.does("take", KEY) == "False"
        gate.open()
        inbox.wait_for(1)
        until(lambda: other.does("take", KEY) == "True")


@pytest.mark.parametrize(
    ("mode", "model"),
    [(StoreMode.REFRESH, MODEL), (StoreMode.OFF, MODEL), (StoreMode.ON, Model("m", f"{EMBEDDED_PROVIDER}/exact"))],
    ids=["refresh", "off", "simulated"],
)
def test_who_does_not_want_the_others_reply_does_not_wait_for_it(
    brokers: Brokers, path: Path, mode: StoreMode, model: Model
) -> None:
    """`refresh` wants a reply of its own; without a store, and where replies are free, there is nothing to share."""
    client = ScriptedClient()
    with OtherRun(path) as other:
        assert other.does("take", key_of(model, SHARED)) == "True"
        assert brokers(client, {"m": model}, store_mode=mode).ask_and_wait(SHARED) == reply_to("q0")
    assert client.order == ["q0"]


def test_two_runs_that_want_each_others_questions_both_end(brokers: Brokers, tmp_path: Path, path: Path) -> None:
    """Who waits holds nothing: each asks what it has claimed, and takes the rest from the store."""
    gate = Gate()
    client, mine, shared = ScriptedClient(gate=gate), Inbox(), Inbox()
    with OtherRun(path) as other:
        assert other.does("take", KEY) == "True"
        broker = brokers(client)
        own = Question("m", "q1", 1)
        broker.ask(own, mine)
        broker.ask(SHARED, shared)
        client.wait_for_requests(1)
        until(lambda: broker.progress().elsewhere == 1)
        assert other.does("take", key_of(MODEL, own)) == "False"
        gate.open()
        mine.wait_for(1)
        until(lambda: other.does("take", key_of(MODEL, own)) == "True")
        other.does("put", KEY)
        other.does("release", KEY)
        assert shared.wait_for(1) == [OF_THE_OTHER]
    assert client.order == ["q1"]
