"""The broker's process: real litellm in a process of its own, asked as a controller and its workers do."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.process import BrokerProcess
from pytest_llmarith.models.protocol import Setup, WorkerConnection
from pytest_llmarith.values import AskingLimits, Failure, Model, Price, Question, Reply, StoreMode
from tests.llm_server import PATIENCE_S, Answer, Gate, LlmServer
from tests.models.scripted import MODEL, stored, until

Start = Callable[..., BrokerProcess]
ONE = Question("m", "q0", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "store.sqlite"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-tests")
    with LlmServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield server


@pytest.fixture
def start(tmp_path: Path, path: Path) -> Iterator[Start]:
    """Starts brokers, which are closed after the test; what they say is in `said`."""
    made: list[BrokerProcess] = []

    def start(
        *models: Model, said: list[str] | None = None, mode: StoreMode = StoreMode.ON, **limits: Any
    ) -> BrokerProcess:
        told: list[str] = [] if said is None else said
        setup = Setup(models or (MODEL,), AskingLimits(**limits), path, mode, tmp_path / ".env", tmp_path)
        made.append(BrokerProcess(setup, told.append))
        return made[-1]

    yield start
    for broker in made:
        broker.close()


def test_a_question_gets_its_reply_from_the_model_and_then_from_the_store(
    start: Start, server: LlmServer, path: Path
) -> None:
    """A plan says before what would be asked and what it may cost; prices and caps cross unchanged."""
    for run in range(2):
        broker = start(max_cost_usd=5.0, price=Price(1.0, 4.0))
        plan = broker.plan([ONE, Question("m", "q1", 1)])
        assert (plan.error, len(plan.stored), len(plan.to_ask)) == (None, 2 * run, 2 - 2 * run)
        assert bool(plan.unbounded) == (run == 0)  # no length of a reply is known
        broker = start()
        assert broker.plan([ONE, Question("m", "q1", 1)]).error is None
        broker.announce()
        outcome = broker.ask_and_wait(ONE)
        assert isinstance(outcome, Reply)
        assert (outcome.text, outcome.stored, outcome.prompt_tokens) == ("42", run == 1, 7)
        until(lambda broker=broker: broker.progress().answered + broker.progress().stored >= 1)  # type: ignore[misc]
        broker.close(30)
        assert broker.progress().kept == 2 - 2 * run
    assert len(server.requests) == 2


def test_what_stops_the_run_is_known_before_the_question_is_answered(start: Start, server: LlmServer) -> None:
    """A refused key, with no key in the message."""
    server._answer = lambda call: Answer(status=401, error={"message": "sk-of-the-tests is refused"})
    broker = start()
    outcome = broker.ask_and_wait(ONE)
    assert broker.stopped == outcome
    assert isinstance(outcome, Failure)
    assert (outcome.stops_run, outcome.no_key, "sk-of" in outcome.message) == (True, True, False)


def test_keys_are_taken_from_dotenv_by_the_process_alone(
    start: Start, server: LlmServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be taken is said."""
    monkeypatch.delenv("OPENAI_API_KEY")
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-in-dotenv\n")
    assert isinstance(start().ask_and_wait(ONE), Reply)
    assert [call.headers["Authorization"] for call in server.requests] == ["Bearer sk-in-dotenv"]
    assert "OPENAI_API_KEY" not in os.environ
    (tmp_path / ".env").write_bytes(b"A=\xff")
    said: list[str] = []
    start(Model("m", "llmarith/exact"), said=said).ask_and_wait(ONE)
    assert said == ["no key is taken from .env, which is no UTF-8 text"]


def test_a_process_that_dies_answers_every_question_in_one_line(start: Start, server: LlmServer) -> None:
    """Also those of workers, and those that come later; the run stops."""
    server._answer = lambda call: Answer(gate=Gate())
    broker, channel = start(), Channel()
    broker.attach("gw0", channel)
    broker.ask_for("gw0", 7, ("m", "q1", 1, 0, None, 0))
    server.wait_for_requests(1)
    broker._process.kill()
    kind, number, text = channel.sent.get(timeout=PATIENCE_S)
    assert (kind, number) == ("failure", 7)
    assert "the broker's process ended with status -9" in text
    outcome = broker.ask_and_wait(ONE)
    assert broker.stopped == outcome == Failure("the broker's process ended with status -9: it said nothing", 0, True)
    assert broker.plan([ONE]).error == outcome.message


def test_a_process_that_cannot_begin_says_its_last_line(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message holds no traceback and no key."""
    (tmp_path / "sqlite3.py").write_text("raise RuntimeError('no sqlite3, Bearer sk-123456')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    outcome = start().ask_and_wait(ONE)
    assert isinstance(outcome, Failure)
    assert outcome.message == ("the broker's process ended with status 1: RuntimeError: no sqlite3, Bearer [hidden]")


class Channel:
    """One end of a connection; what is sent here arrives there."""

    def __init__(self) -> None:
        self.sent: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.hear: Callable[[Any], object] = self.sent.put

    def send(self, item: object) -> None:
        self.hear(item)

    def setcallback(self, callback: Callable[[Any], object], endmarker: object = None) -> None:
        self.callback = callback

    def close(self) -> None: ...


def test_a_worker_is_answered_through_the_controller(start: Start, server: LlmServer) -> None:
    """By the same broker; a worker whose controller is gone hears of it at once."""
    broker, ours, theirs = start(), Channel(), Channel()
    connection = WorkerConnection(theirs)
    theirs.hear = lambda message: broker.ask_for("gw0", *message[1:])
    ours.hear = lambda message: theirs.callback(message)
    broker.attach("gw0", ours)
    assert isinstance(connection.ask_and_wait(ONE), Reply)
    assert isinstance(broker.ask_and_wait(ONE), Reply)
    assert len(server.requests) == 1
    broker.detach("gw0")
    theirs.callback(None)
    assert connection.ask_and_wait(ONE) == Failure("the controller is gone, and with it the connection to the model")


CONTROLLER = """
import sys
from pathlib import Path
from pytest_llmarith.models.process import BrokerProcess
from pytest_llmarith.models.protocol import Setup
from pytest_llmarith.values import AskingLimits, Model, Question, StoreMode

folder = Path(sys.argv[1])
model = Model("m", "openai/some")
setup = Setup((model,), AskingLimits(), folder / "store" / "store.sqlite", StoreMode.ON, folder / ".env", folder)
BrokerProcess(setup, print).ask_and_wait(Question("m", "q0", 0))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_what_was_paid_for_reaches_the_store_though_the_controller_is_killed(
    server: LlmServer, tmp_path: Path, path: Path, number: signal.Signals
) -> None:
    """A reply that arrives after that is stored; the same holds for a Ctrl-C, which reaches the whole process group."""
    gate = Gate()
    server._answer = lambda call: Answer("42", gate=gate)
    command = [sys.executable, "-c", CONTROLLER, str(tmp_path)]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL) as controller:
        server.wait_for_requests(1)
        os.killpg(controller.pid, number)
        controller.wait(PATIENCE_S)
    gate.open()
    until(lambda: path.exists() and "q0" in stored(path))
