"""The broker's process: real litellm in a process of its own, asked as a controller and
its workers do.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.process import BrokerProcess, Setup, WorkerConnection
from pytest_llmarith.records import Reply
from pytest_llmarith.types import (
    Failure,
    Model,
    Price,
    Question,
    RequestLimits,
    StoreMode,
)
from tests.llm_server import PATIENCE_S, Answer, Gate, LlmServer
from tests.models.scripted import MODEL, stored

Start = Callable[..., BrokerProcess]
ONE, TWO = Question("m", "q0", 0), Question("m", "q1", 1)


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
def start(
    tmp_path: Path, path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Start]:
    """Starts brokers, which are closed after the test."""
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    made: list[BrokerProcess] = []

    def start(*models: Model, **limits: Any) -> BrokerProcess:
        setup = Setup(
            models or (MODEL,),
            RequestLimits(**limits),
            path,
            StoreMode.ON,
            tmp_path / ".env",
        )
        made.append(BrokerProcess(setup))
        return made[-1]

    yield start
    for broker in made:
        broker.close()


def test_a_question_gets_its_reply_from_the_model_and_then_from_the_store(
    start: Start, server: LlmServer, path: Path
) -> None:
    """A plan says before what would be asked; prices and caps cross unchanged, and so
    does half a surrogate pair.
    """
    server._answer = lambda call: Answer("4\ud8002")
    for run in range(2):
        plan = start(max_cost_usd=5.0, price=Price(1.0, 4.0)).plan([ONE, TWO])
        assert plan.error is None
        assert dict(plan.stored) == dict.fromkeys(range(2 * run), 3)
        assert plan.to_ask == (0, 1)[2 * run :]
        assert bool(plan.refused) == (run == 0)  # no length of a reply is known
        broker = start()
        assert broker.plan([ONE, TWO]).error is None
        broker.announce()
        outcomes = [broker.ask_and_wait(question) for question in (ONE, TWO)]
        assert [
            isinstance(one, Reply) and (one.text, one.stored) for one in outcomes
        ] == [("4\ud8002", run == 1)] * 2
        broker.close(30)
        assert broker.progress().kept == 2 - 2 * run
    assert len(server.requests) == 2


def test_keys_are_in_the_process_alone(
    start: Start, server: LlmServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    (tmp_path / ".env").write_text("OPENAI_API_KEY=quoted0in0a0refusal\n")
    server._answer = lambda call: Answer(
        status=401, error={"message": "'quoted0in0a0refusal' is refused"}
    )
    broker = start()
    outcome = broker.ask_and_wait(ONE)
    assert [call.headers["Authorization"] for call in server.requests] == [
        "Bearer quoted0in0a0refusal"
    ]
    assert "OPENAI_API_KEY" not in os.environ
    assert broker.stopped == outcome
    assert isinstance(outcome, Failure)
    assert outcome.stops_run
    assert "'[hidden]' is refused" in outcome.message


class Channel:
    """One end of a connection; what is sent here arrives there."""

    def __init__(self) -> None:
        self.sent: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.hear: Callable[[Any], object] = self.sent.put

    def send(self, item: object) -> None:
        self.hear(item)

    def setcallback(
        self, callback: Callable[[Any], object], endmarker: object = None
    ) -> None:
        self.callback = callback

    def close(self) -> None: ...


def test_each_test_gets_its_reply_and_each_question_is_asked_once(
    start: Start, server: LlmServer
) -> None:
    """In whatever order and process they are fetched, two tests of one question
    included. Those that nobody fetches have not failed.
    """
    server._answer = lambda call: Answer(call.prompt)
    questions = [Question("m", f"q{number}", number) for number in range(40)]
    planned = [*questions, questions[0]]
    for run in range(2):
        broker, channel = start(), Channel()
        broker.attach("gw0", channel)
        assert broker.plan(planned).error is None
        broker.announce()
        for question in [*planned[20:0:-1], planned[0], planned[-1]]:
            outcome = broker.ask_and_wait(question)
            assert isinstance(outcome, Reply)
            assert (outcome.text, outcome.stored) == (question.prompt, run == 1)
        for number in range(21, 30):
            fields = {"model": "m", "prompt": f"q{number}", "trial": number}
            broker.ask_for("gw0", number, fields)
            told, kind, text = channel.sent.get(timeout=PATIENCE_S)
            assert (told, kind) == (number, "reply")
            assert f'"q{number}"' in text
        broker.close(30)
        counted = broker.progress()
        assert counted.failed == 0
        assert counted.stored == (0, 30)[run]
        assert counted.kept == counted.answered == (40, 0)[run]
    assert len(server.requests) == 40


def test_a_worker_whose_controller_is_gone_hears_of_it() -> None:
    channel = Channel()
    connection = WorkerConnection(channel)
    channel.hear = lambda message: channel.callback(None)
    assert connection.ask_and_wait(ONE) == Failure(
        "the connection to the controller was lost"
    )


def test_a_process_that_dies_answers_every_question_in_one_line(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of workers and those that come later, too; the run stops."""
    monkeypatch.undo()  # a real process, with a number to kill
    broker, channel = start(), Channel()
    broker.attach("gw0", channel)
    broker.ask_for("gw0", 7, {"model": "m", "prompt": "q1", "trial": 1})
    broker._process.kill()
    number, kind, text = channel.sent.get(timeout=PATIENCE_S)
    assert (number, kind) == (7, "failure")
    assert "the process that asks the models ended with status -9" in text
    why = Failure(
        "the process that asks the models ended with status -9: the same command goes on",
        stops_run=True,
    )
    assert broker.ask_and_wait(ONE) == broker.stopped == why
    assert broker.plan([ONE]).error == why.message
    broker.close()
    assert broker.progress().incomplete


def test_the_last_line_of_a_process_that_dies_is_shown_without_keys(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    (tmp_path / "sqlite3.py").write_text(
        "raise RuntimeError('no sqlite3, Bearer sk-123456')"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    why = "the process that asks the models ended with status 1: RuntimeError: no sqlite3, Bearer [hidden]"
    assert start().ask_and_wait(ONE) == Failure(why, stops_run=True)


CONTROLLER = """
import sys
from pathlib import Path
from pytest_llmarith.models.process import BrokerProcess
from pytest_llmarith.models.process import Setup
from pytest_llmarith.types import RequestLimits, Model, Question, StoreMode

folder, sys.executable = Path(sys.argv[1]), sys.argv[2]
model = Model("m", "openai/some")
setup = Setup((model,), RequestLimits(), folder / "store" / "store.sqlite", StoreMode.ON, folder / ".env")
BrokerProcess(setup).ask_and_wait(Question("m", "q0", 0))
"""


def test_what_was_paid_for_reaches_the_store_though_the_controller_is_killed(
    server: LlmServer, tmp_path: Path, path: Path, programs: Path
) -> None:
    gate = Gate()
    server._answer = lambda call: Answer("42", gate=gate)
    command = [
        sys.executable,
        "-c",
        CONTROLLER,
        str(tmp_path),
        str(programs / "python"),
    ]
    with subprocess.Popen(
        command, start_new_session=True, stderr=subprocess.DEVNULL
    ) as controller:
        server.wait_for_requests(1)
        os.killpg(controller.pid, signal.SIGKILL)
        controller.wait(PATIENCE_S)
    gate.open()
    give_up_at = time.monotonic() + PATIENCE_S
    while not (path.exists() and "q0" in stored(path)):
        assert time.monotonic() < give_up_at
        time.sleep(0.01)
