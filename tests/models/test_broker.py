"""The broker on a scripted client: no network, no clock."""

from __future__ import annotations

import gc
import resource
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.keeping.store import Store
from pytest_llmarith.models.patience import outage
from pytest_llmarith.models.patience.failures import UnknownModel, UnusableResponse
from pytest_llmarith.models.request import key_of
from pytest_llmarith.values import EMBEDDED_PROVIDER, Failure, Model, Progress, Question, Reply, Retry, StoreMode
from tests.llm_server import Gate
from tests.models.scripted import MODEL, Inbox, ScriptedClient, questions, reply_to, until

Brokers = Callable[..., Broker]


class Provider(Exception):
    """An error as litellm raises it."""

    def __init__(self, status_code: int, message: str = "scripted") -> None:
        super().__init__(message)
        self.status_code = status_code


def put(path: Path, question: Question, reply: Reply) -> None:
    store = Store(path)
    store.put(key_of(MODEL, question), reply)
    store.close()


def stored(path: Path) -> dict[str, Reply]:
    store = Store(path)
    found = {
        question.prompt: reply
        for question in questions(50)
        if (reply := store.get(key_of(MODEL, question))) is not None
    }
    store.close()
    return found


# --- asking --------------------------------------------------------------------------------------------------------


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
    for lane in "abc":
        broker.ask(Question("m", "q1", 1), inbox, lane)
    client.wait_for_requests(1)
    gate.open()
    assert inbox.wait_for(3) == [reply_to("q1")] * 3
    assert client.asked["q1"] == 1


def test_two_names_of_one_model_share_their_replies(brokers: Brokers) -> None:
    """The name is ours; target and parameters make the request. This holds without a store."""
    client = ScriptedClient()
    broker = brokers(client, {"a": Model("a", "openai/x"), "b": Model("b", "openai/x")}, store_mode=StoreMode.OFF)
    broker.announce([*questions(3, model="a"), *questions(3, model="b")])
    for question in [*questions(3, model="a"), *questions(3, model="b")]:
        assert isinstance(broker.ask_and_wait(question), Reply)
    assert client.asked.total() == 3


def test_two_trials_of_one_prompt_are_two_questions(brokers: Brokers) -> None:
    """A model that is asked ten times has ten chances to differ."""
    client = ScriptedClient()
    broker = brokers(client)
    for trial in range(2):
        broker.ask_and_wait(Question("m", "same", trial))
    assert client.asked["same"] == 2


def test_a_model_that_nobody_named_is_a_failure(brokers: Brokers) -> None:
    """A worker with other options than the controller must hear of it."""
    outcome = brokers(ScriptedClient()).ask_and_wait(Question("other", "q", 0))
    assert outcome == Failure("there is no model named 'other' in this run")


def test_who_raises_on_delivery_does_not_close_the_desk(brokers: Brokers) -> None:
    """Where one asker raises on delivery, the others go on getting replies."""
    broker = brokers(ScriptedClient())

    def clumsy(outcome: Reply | Failure) -> None:
        raise RuntimeError("dropped it")

    broker.ask(Question("m", "q1", 1), clumsy)
    assert broker.ask_and_wait(Question("m", "q2", 2)) == reply_to("q2")


def test_a_mistake_of_ours_leaves_nobody_waiting(brokers: Brokers) -> None:
    """Parameters that are no JSON have no key; whoever asks is told."""
    broker = brokers(ScriptedClient(), {"m": Model("m", "openai/x", {"stop": object()})})
    broker.announce(questions(1))
    outcome = broker.ask_and_wait(Question("m", "q", 0))
    assert outcome == Failure("m: TypeError: Object of type object is not JSON serializable")


def test_waiting_calls_back_about_once_a_second(brokers: Brokers) -> None:
    """The terminal shows progress while an item waits."""
    gate = Gate()
    broker = brokers(ScriptedClient(gate=gate))
    assert broker.ask_and_wait(Question("m", "q1", 1), idle=gate.open) == reply_to("q1")


# --- the store -----------------------------------------------------------------------------------------------------


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


def test_a_header_that_an_old_store_tells_is_told_no_further(brokers: Brokers, tmp_path: Path) -> None:
    """It may be a key under any name. The store is left as it is."""
    told = {"model": "openai/some", "params": {"extra_headers": {"X-Proxy": "hunter2"}, "tools": [{"token": "b"}]}}
    question, path = Question("m", "q0", 0), tmp_path / "store" / "store.sqlite"
    put(path, question, replace(reply_to("q0"), sent=told))
    outcome = brokers(ScriptedClient()).ask_and_wait(question)
    assert isinstance(outcome, Reply)
    assert outcome.stored
    assert outcome.sent == {**told, "params": {"extra_headers": {"X-Proxy": "[hidden]"}, "tools": [{}]}}
    assert stored(path)["q0"].sent == told


def test_nothing_slow_is_imported_where_the_store_has_it_all(brokers: Brokers, tmp_path: Path) -> None:
    """Where the store has every reply, the client is never made ready, so that litellm stays unloaded."""
    put(tmp_path / "store" / "store.sqlite", Question("m", "q0", 0), reply_to("q0"))
    client = ScriptedClient()
    brokers(client).ask_and_wait(Question("m", "q0", 0))
    assert client.prepared == 0


def test_failures_and_simulated_replies_are_not_stored(brokers: Brokers, tmp_path: Path) -> None:
    """An outage says nothing, and a simulated reply costs nothing."""
    client = ScriptedClient(lambda prompt, nth: Provider(400) if prompt == "q0" else reply_to(prompt))
    broker = brokers(client, {"m": MODEL, "s": Model("s", f"{EMBEDDED_PROVIDER}/exact")})
    assert isinstance(broker.ask_and_wait(Question("m", "q0", 0)), Failure)
    assert isinstance(broker.ask_and_wait(Question("s", "q1", 1)), Reply)
    broker.close(0)
    store = Store(tmp_path / "store" / "store.sqlite")
    assert store.count() == 0
    store.close()


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


def test_off_neither_reads_nor_writes(brokers: Brokers, tmp_path: Path) -> None:
    """With --llm-store=off not even the folder of the store appears."""
    broker = brokers(ScriptedClient(), store_mode=StoreMode.OFF)
    broker.announce(questions(1))
    broker.ask_and_wait(Question("m", "q0", 0))
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("mode", [StoreMode.OFF, StoreMode.REFRESH, StoreMode.ON])
def test_what_nobody_announced_is_asked_once_as_well(brokers: Brokers, mode: StoreMode) -> None:
    """Two searches that come to the same words are one request, in every mode; so is what they ask a judge."""
    client = ScriptedClient()
    judge = Model("judge", "openai/judge", judge=True)
    broker = brokers(client, {"m": MODEL, "judge": judge}, store_mode=mode)
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
    models = {"m": MODEL, "s": Model("s", f"{EMBEDDED_PROVIDER}/exact")}
    broker = brokers(client, models, store_mode=StoreMode.ONLY)
    broker.announce(questions(3))
    outcomes = [broker.ask_and_wait(question) for question in [*questions(2), Question("s", "q9", 9)]]
    assert isinstance(outcomes[0], Reply)
    assert outcomes[1:] == [Failure("no stored reply, and --llm-store=only asks no model"), reply_to("q9")]
    assert client.order == ["q9"]


def test_asking_again_is_counted_once_per_question(brokers: Brokers, tmp_path: Path) -> None:
    """`--llm-again=empty` asks a stored empty reply anew, once, even if the new one is empty too."""
    path = tmp_path / "store" / "store.sqlite"
    put(path, Question("m", "q0", 0), Reply(""))
    put(path, Question("m", "q1", 1), Reply("kept"))
    client = ScriptedClient(lambda prompt, nth: Reply("", cost_usd=0.1))
    broker = brokers(client, ask_again=lambda reply: not reply.text)
    broker.announce(questions(2))
    outcomes = [broker.ask_and_wait(question) for question in [*questions(2), *questions(1)]]
    assert [isinstance(outcome, Reply) and outcome.text for outcome in outcomes] == ["", "kept", ""]
    assert client.order == ["q0"]
    assert (broker.progress().again, broker.progress().announced_stored) == (1, 1)


def test_a_store_that_cannot_be_opened_stops_the_run_before_anything_is_paid(brokers: Brokers, tmp_path: Path) -> None:
    """One message stops the run, and no request is made."""
    (tmp_path / "file").write_text("in the way")
    client = ScriptedClient()
    broker = brokers(client, store_path=tmp_path / "file" / "store.sqlite")
    outcome = broker.ask_and_wait(Question("m", "q0", 0))
    assert isinstance(outcome, Failure)
    assert outcome.message.startswith(f"store {tmp_path / 'file' / 'store.sqlite'}: ")
    assert outcome.stops_run
    assert broker.stopped == outcome
    assert client.order == []


def test_a_store_that_fails_in_writing_stops_the_run_and_the_paid_reply_is_delivered(
    brokers: Brokers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk must not eat what has arrived, nor let more be paid for."""
    gate = Gate()
    client = ScriptedClient(gate=gate)
    broker = brokers(client, concurrency=2)

    def full(self: Store, replies: Any) -> None:
        from pytest_llmarith.models.keeping.store import StoreError

        raise StoreError("store s: the disk is full")

    monkeypatch.setattr(Store, "put_all", full)
    inbox, late = Inbox(), Inbox()
    for question in questions(2):
        broker.ask(question, inbox)
    for question in questions(3, first=2):
        broker.ask(question, late)
    client.wait_for_requests(2)
    gate.open()
    assert {outcome.text for outcome in inbox.wait_for(2) if isinstance(outcome, Reply)} == {
        "reply to q0",
        "reply to q1",
    }
    late.wait_for(3)
    assert broker.stopped == Failure("store s: the disk is full", stops_run=True)
    assert len(client.order) <= 4


# --- trying again ----------------------------------------------------------------------------------------------------


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
    monkeypatch.setattr(outage, "LASTING_S", 0.0)
    monkeypatch.setattr(outage, "PROBE_EVERY_S", 0.0)
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
    monkeypatch.setattr(outage, "LASTING_S", 0.0)
    monkeypatch.setattr(outage, "PROBE_EVERY_S", 0.0)
    client = ScriptedClient(lambda prompt, nth: Provider(503) if int(prompt[1:]) < 1000 else reply_to(prompt))
    broker = brokers(client, {"m": MODEL, "n": Model("n", "openai/other")}, concurrency=4)
    asked = [*questions(100), *questions(100, first=1000, model="n")]
    broker.announce(asked)
    outcomes = [broker.ask_and_wait(question) for question in asked]
    assert all(isinstance(outcome, Failure) and not outcome.stops_run for outcome in outcomes[:100])
    assert all(isinstance(outcome, Reply) for outcome in outcomes[100:])
    assert broker.stopped is None


# --- stopping ------------------------------------------------------------------------------------------------------


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


def test_others_may_stop_the_run_and_what_is_in_flight_still_reaches_the_store(
    brokers: Brokers, tmp_path: Path
) -> None:
    """A reply that was paid for is never thrown away."""
    gate = Gate()
    client = ScriptedClient(gate=gate)
    broker = brokers(client)
    inbox = Inbox()
    broker.ask(Question("m", "q0", 0), inbox)
    client.wait_for_requests(1)
    broker.stop("the money is spent")
    assert inbox.wait_for(1) == [Failure("run stopped: the money is spent", stops_run=True)]
    gate.open()
    broker.close(30)
    assert list(stored(tmp_path / "store" / "store.sqlite")) == ["q0"]


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


def test_an_unknown_embedded_model_stops_the_run(brokers: Brokers) -> None:
    """An embedded model that does not exist stops the run, as every question would fare the same."""
    broker = brokers(ScriptedClient(lambda prompt, nth: UnknownModel("there is none")))
    broker.ask_and_wait(Question("m", "q0", 0))
    assert broker.stopped is not None


# --- the end ---------------------------------------------------------------------------------------------------------


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


def test_a_closed_broker_answers_at_once(brokers: Brokers) -> None:
    """A closed broker answers that the run has ended, and nobody waits for a thread that is gone."""
    broker = brokers(ScriptedClient())
    broker.ask_and_wait(Question("m", "q0", 0))
    broker.close()
    assert broker.ask_and_wait(Question("m", "q1", 1)) == Failure("the run has ended")


def test_a_broker_that_was_never_asked_has_no_thread(brokers: Brokers) -> None:
    """A broker starts no thread before its first question."""
    before = set(threading.enumerate())
    broker = brokers(ScriptedClient())
    assert (broker.progress(), broker.stopped) == (Progress(), None)
    broker.forget("gw0")
    broker.close()
    assert set(threading.enumerate()) <= before
    assert broker.ask_and_wait(Question("m", "q1", 1)) == Failure("the run has ended")


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


def test_a_hundred_thousand_questions_are_announced_without_blocking(brokers: Brokers) -> None:
    """Whoever asks meanwhile is answered before the last of them is looked at."""
    gate = Gate()
    broker = brokers(ScriptedClient(gate=gate), concurrency=1, store_mode=StoreMode.OFF)
    broker.announce(questions(100_000))
    outcome = broker.ask_and_wait(Question("nobody", "q", 0))
    assert isinstance(outcome, Failure)
    assert broker.progress().announced < 100_000


# asyncio lets go of half a loop, not without a complaint
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_desk_that_cannot_be_opened_keeps_nobody_waiting(brokers: Brokers) -> None:
    """A loop needs files of its own: where no more may be opened, whoever asks hears of it."""
    broker = brokers(ScriptedClient())
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            broker.ask_and_wait(Question("m", "q0", 0))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    gc.collect()
