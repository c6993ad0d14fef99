"""Both ends of a worker's line, over a channel in memory and over execnet's own."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import astuple
from typing import Any

import execnet
import pytest

from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.channel import Clerk, RemoteBroker
from pytest_llmarith.values import Failure, Question, Reply
from tests.models.scripted import Inbox, ScriptedClient, reply_to, until

GONE = Failure("the controller is gone, and with it the line to the model")


class Pipe:
    """One end of a channel in memory. As with execnet, a callback that raises closes it for good."""

    def __init__(self) -> None:
        self.other: Pipe
        self.inbox: queue.SimpleQueue[tuple[Any]] = queue.SimpleQueue()
        self.closed = False
        self.raised: list[BaseException] = []
        self.sent: list[Any] = []

    def send(self, item: object) -> None:
        if self.closed or self.other.closed:
            raise OSError("cannot send to a closed channel")
        self.sent.append(item)
        self.other.inbox.put((execnet.loads(execnet.dumps(item)),))

    def setcallback(self, callback: Callable[[Any], Any], endmarker: object = None) -> None:
        threading.Thread(target=self._receive, args=(callback, endmarker), daemon=True).start()

    def close(self) -> None:
        for end in (self, self.other):
            if not end.closed:
                end.closed = True
                end.inbox.put((None,))

    def _receive(self, callback: Callable[[Any], Any], endmarker: object) -> None:
        while (item := self.inbox.get()[0]) is not None:
            try:
                callback(item)
            except BaseException as error:
                self.raised.append(error)
                self.close()
        callback(endmarker)


class FakeBroker:
    """Remembers what it is told; a test delivers."""

    def __init__(self) -> None:
        self.asked: queue.SimpleQueue[tuple[Question, Callable[[Reply | Failure], None], str]] = queue.SimpleQueue()
        self.forgotten: list[str] = []

    def ask(self, question: Question, deliver: Callable[[Reply | Failure], None], lane: str = "") -> None:
        self.asked.put((question, deliver, lane))

    def forget(self, lane: str) -> None:
        self.forgotten.append(lane)


class Heard:
    """Remembers what a lane says besides its questions."""

    def __init__(self) -> None:
        self.announcements: list[list[tuple[Question, Any]]] = []
        self.announced_after: int | None = None
        self.messages: list[tuple[str, Any]] = []
        self.over = threading.Event()

    @property
    def labels(self) -> list[Any]:
        return [label for chunk in self.announcements for _, label in chunk]

    def announced(self, announcements: list[tuple[Question, Any]]) -> None:
        self.announcements.append(announcements)

    def announced_all(self) -> None:
        self.announced_after = len(self.labels)

    def told(self, kind: str, what: Any) -> None:
        self.messages.append((kind, what))

    def ended(self) -> None:
        self.over.set()


class Line:
    """A controller's and a worker's end, connected."""

    def __init__(self, broker: Any) -> None:
        self.here, self.there = Pipe(), Pipe()
        self.here.other, self.there.other = self.there, self.here
        self.heard = Heard()
        Clerk(self.here, broker, "gw0", self.heard).begin()
        self.worker = RemoteBroker(self.there)


@pytest.fixture
def broker() -> FakeBroker:
    return FakeBroker()


@pytest.fixture
def line(broker: FakeBroker) -> Iterator[Line]:
    line = Line(broker)
    yield line
    line.here.close()
    assert line.heard.over.wait(30)
    assert (line.here.raised, line.there.raised) == ([], [])


def asking(line: Line, question: Question) -> tuple[threading.Thread, Inbox]:
    inbox = Inbox()
    thread = threading.Thread(target=lambda: inbox(line.worker.ask_and_wait(question)))
    thread.start()
    return thread, inbox


@pytest.mark.parametrize("outcome", [reply_to("q"), Reply(""), Failure("down (4 attempts)", 4, stops_run=True)])
def test_an_outcome_arrives_as_it_was_sent(line: Line, broker: FakeBroker, outcome: Reply | Failure) -> None:
    """Question and outcome cross the channel as builtins and come out whole."""
    _, inbox = asking(line, Question("m", "1 + 1", 3))
    question, deliver, lane = broker.asked.get(timeout=30)
    assert (question, lane) == (Question("m", "1 + 1", 3), "gw0")
    deliver(outcome)
    assert inbox.wait_for(1) == [outcome]


def test_replies_find_their_askers_in_any_order(line: Line, broker: FakeBroker) -> None:
    """Replies reach the thread that asked, in whatever order they arrive."""
    inboxes = {}
    for number in range(3):
        _, inboxes[f"q{number}"] = asking(line, Question("m", f"q{number}", number))
    for question, deliver, _ in reversed([broker.asked.get(timeout=30) for _ in range(3)]):
        deliver(reply_to(question.prompt))
    assert all(inbox.wait_for(1) == [reply_to(prompt)] for prompt, inbox in inboxes.items())


def test_messages_reach_the_listener(line: Line) -> None:
    """What a worker tells besides its questions goes to whoever listens, not to the broker."""
    line.worker.tell("runs", "A000045")
    until(lambda: line.heard.messages == [("runs", "A000045")])


def test_announcements_travel_in_chunks_and_in_order(line: Line) -> None:
    """Announcements reach whoever listens in order and in chunks, and their end is told."""
    line.worker.announce((astuple(Question("m", f"q{number}", number)), ("node", number)) for number in range(1000))
    until(lambda: line.heard.announced_after is not None)
    assert line.heard.announced_after == 1000
    assert line.heard.labels == [("node", number) for number in range(1000)]
    assert [question.trial for chunk in line.heard.announcements for question, _ in chunk] == [*range(1000)]
    assert 2 <= len(line.heard.announcements) <= 10


def test_a_controller_that_goes_answers_everybody_who_waits(line: Line, broker: FakeBroker) -> None:
    """When the controller goes, who waits for a reply and who asks later are both told that it is gone."""
    _, inbox = asking(line, Question("m", "q", 0))
    broker.asked.get(timeout=30)
    line.here.close()
    assert inbox.wait_for(1) == [GONE]
    assert line.worker.ask_and_wait(Question("m", "q", 1)) == GONE
    line.worker.announce([(astuple(Question("m", "q", 0)), None)])


def test_a_worker_that_goes_is_forgotten(line: Line, broker: FakeBroker) -> None:
    """The broker forgets a worker that goes, and delivering its reply then harms nobody."""
    asking(line, Question("m", "q", 0))
    _, deliver, _ = broker.asked.get(timeout=30)
    line.there.close()
    assert line.heard.over.wait(30)
    assert broker.forgotten == ["gw0"]
    deliver(reply_to("q"))


def test_a_worker_that_speaks_another_language_is_hung_up_on(line: Line, broker: FakeBroker) -> None:
    """Another version on another host must not wait for ever for an answer."""
    _, inbox = asking(line, Question("m", "q", 0))
    broker.asked.get(timeout=30)
    line.there.send(("ask", 1, ("too", "few")))
    assert inbox.wait_for(1) == [GONE]
    assert line.heard.over.wait(30)


def test_a_reply_that_is_not_understood_is_a_failure(line: Line, broker: FakeBroker) -> None:
    """A controller of another version sends other fields."""
    _, inbox = asking(line, Question("m", "q", 0))
    broker.asked.get(timeout=30)
    line.here.send(("reply", 0, {"words": "42"}))
    message = "the controller's reply was not understood: does this worker run the same pytest-llmarith?"
    assert inbox.wait_for(1) == [Failure(message)]


def test_a_worker_that_does_not_listen_does_not_hold_up_the_broker(broker: FakeBroker) -> None:
    """Delivering to a worker that does not listen returns at once."""
    line, stuck = Line(broker), threading.Event()

    def send_later(item: object) -> None:
        stuck.wait()

    line.here.send = send_later  # type: ignore[method-assign]
    asking(line, Question("m", "q", 0))
    _, deliver, _ = broker.asked.get(timeout=30)
    deliver(reply_to("q"))  # returns
    stuck.set()
    line.here.close()
    assert line.heard.over.wait(30)


WORKER = """
from dataclasses import astuple
from pytest_llmarith.models.channel import RemoteBroker
from pytest_llmarith.values import Question
broker = RemoteBroker(channel.receive())
broker.announce([(astuple(Question("m", f"q{n}", n)), ("label", n)) for n in range(5)])
outcomes = [broker.ask_and_wait(Question("m", f"q{n}", n)) for n in range(6)]
channel.send([outcome.text for outcome in outcomes])
"""


def test_a_real_worker_is_served_by_a_real_broker(brokers: Callable[..., Broker]) -> None:
    """Over execnet, as pytest-xdist does it; every question is one request."""
    client, heard = ScriptedClient(), Heard()
    broker = brokers(client)
    group = execnet.Group()
    try:
        gateway = group.makegateway(f"popen//python={sys.executable}")
        line = gateway.newchannel()
        Clerk(line, broker, "gw0", heard).begin()
        worker = gateway.remote_exec(WORKER)
        worker.send(line)
        assert worker.receive(30) == [f"reply to q{n}" for n in range(6)]
    finally:
        group.terminate(1)
    assert heard.over.wait(30)
    assert client.asked.total() == 6
    assert heard.labels == [("label", n) for n in range(5)]


CONTROLLER = """
import sys, threading, execnet
from pytest_llmarith.models.channel import Clerk

class Silent:
    def ask(self, question, deliver, lane=""): print("asked", flush=True)
    def forget(self, lane): pass
    def ended(self): pass

gateway = execnet.Group().makegateway(f"popen//python={sys.executable}")
line = gateway.newchannel()
Clerk(line, Silent(), "gw0", Silent()).begin()
worker = gateway.remote_exec('''
from pytest_llmarith.models.channel import RemoteBroker
from pytest_llmarith.values import Question
broker = RemoteBroker(channel.receive())
outcome = broker.ask_and_wait(Question("m", "q", 0))
open({path!r}, "w").write(outcome.message)
'''.replace("{path!r}", repr(sys.argv[1])))
worker.send(line)
threading.Event().wait()
"""


def test_a_killed_controller_leaves_no_worker_hanging(tmp_path: Any) -> None:
    """Not even a kill -9 does: the line breaks, and the waiting worker hears of it or ends with it."""
    path = tmp_path / "outcome"
    controller = subprocess.Popen(
        [sys.executable, "-c", CONTROLLER, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert controller.stdout is not None
    assert controller.stdout.readline() == "asked\n"
    controller.kill()
    controller.communicate(timeout=30)  # returns when the worker, which shares stderr, has ended too
    if path.exists():
        assert path.read_text() == GONE.message
