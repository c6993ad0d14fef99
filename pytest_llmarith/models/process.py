"""The broker's process for the controller of a run, and the connections of workers to
it.

litellm is imported in that process, so that it changes nothing in the user's pytest.
The process is outside the terminal's process group, so Ctrl-C does not reach it. It
ends when its standard input closes; if the controller is killed, it first stores the
replies to the requests in flight.

Messages are tuples of builtins through pytest-xdist's channel between worker and
controller, lines of JSON to the broker's process, and lines of words with JSON at their
end from it.

    worker -> controller            controller -> broker's process
    ("ask", number, question)       ("ask", number, worker, question)
    ("announce", [JSON, ...])       ("plan", number, questions, models asked more later)
    ("announced",)                  ("progress", number) ("serve", number, names)
    ("installed", what, version)    ("write", number, {name: path})
                                    ("announce",) ("prepare",)
                                    ("fetched", [(worker, number), ...])
                                    ("forget", worker) ("stop", message)
                                    ("close", seconds to wait for what is in flight)

    controller -> worker            broker's process -> controller
    (number, kind, JSON)            answer NUMBER KIND JSON, ready NUMBER KIND JSON
                                    stopped JSON, closed JSON

The controller is the worker "". A question is the dict of its fields. Values are sent
as JSON text with a key of `KINDS`, because a reply may contain lone surrogates, which
the channel cannot transport.

Replies to planned questions come unasked (`ready`, with the number in the plan), so
that a test finds most of them here; the broker learns which were `fetched`.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from pytest_llmarith.models import redact
from pytest_llmarith.models.asking import Plan, Transport
from pytest_llmarith.records import Reply
from pytest_llmarith.types import (
    Failure,
    Model,
    Progress,
    Question,
    RequestLimits,
    StoreMode,
)

_CHUNK = 300  # announced questions per message
_FETCHED = 16  # replies that were fetched, per message
# Waits are split into steps, so that Ctrl-C interrupts them on every system.
_STEP_S = 0.2
_IDLE_S = 1.0
_KILL_AFTER_S = 10.0  # after the time for requests in flight
_ENDED = Failure("the run has ended")
KINDS: Mapping[str, type] = {
    "reply": Reply,
    "failure": Failure,
    "plan": Plan,
    "progress": Progress,
}

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setup:
    """The configuration of the broker's process.

    It gets keys only from the environment and `dotenv_path`.

    `store_path` is None if no store is used. Without `asks`, nothing is asked, and no
    key is needed. `python_path` are the folders from which functions are imported.
    """

    models: tuple[Model, ...]
    limits: RequestLimits
    store_path: Path | None
    store_mode: StoreMode
    dotenv_path: Path
    transport: Transport = Transport.DIRECT
    asks: bool = True
    python_path: tuple[str, ...] = ()


def encoded(value: Any) -> str:
    """A value of `KINDS`, a setup, or a planned question, as JSON in one line."""
    try:
        return msgspec.json.encode(value, enc_hook=str).decode()  # 8 times as fast
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(msgspec.to_builtins(value, enc_hook=str))


def decoded(text: str | bytes, kind: type[T]) -> T:
    """Decode a value. Raises ValueError."""
    with suppress(msgspec.DecodeError):  # half of a surrogate pair
        return msgspec.json.decode(
            text, type=kind, dec_hook=lambda hooked, value: hooked(value)
        )
    return msgspec.convert(
        json.loads(text),
        kind,
        str_keys=True,
        dec_hook=lambda hooked, value: hooked(value),
    )


class Calls:
    """The pending calls of one process. `send` takes kind, number, *arguments."""

    def __init__(self, send: Callable[..., None]) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._numbers = count()
        self._pending: dict[int, Callable[[str, str], None]] = {}
        self._ended: Failure | None = None

    def begin(
        self, deliver: Callable[[str, str], None], kind: str, *arguments: Any
    ) -> None:
        """Send a message.

        `deliver` gets the kind and the JSON of its answer, or of a failure.
        """
        with self._lock:
            number, ended = next(self._numbers), self._ended
            if ended is None:
                self._pending[number] = deliver
        if ended is None:
            self._send(kind, number, *arguments)
        else:
            deliver("failure", encoded(ended))

    def call(
        self, kind: str, *arguments: Any, idle: Callable[[], None] | None = None
    ) -> Any:
        """Send a message and wait for its answer; `idle` is called about once a second
        meanwhile.
        """
        answers = queue.SimpleQueue[tuple[str, str]]()
        self.begin(lambda *answer: answers.put(answer), kind, *arguments)
        idle_at = time.monotonic() + _IDLE_S
        while True:
            try:
                answered, text = answers.get(timeout=_STEP_S)
            except queue.Empty:
                if idle is not None and time.monotonic() >= idle_at:
                    idle()
                    idle_at = time.monotonic() + _IDLE_S
            else:
                return decoded(text, KINDS[answered])

    def received(self, number: int, kind: str, text: str) -> None:
        """Deliver an answer. It neither raises nor blocks."""
        with self._lock:
            deliver = self._pending.pop(number, None)
        if deliver is not None:
            deliver(kind, text)

    def end(self, failure: Failure) -> None:
        """Answer all pending and later calls with this failure."""
        with self._lock:
            self._ended = failure
            pending, self._pending = self._pending, {}
        for deliver in pending.values():
            deliver("failure", encoded(failure))


class Channel(Protocol):
    """The used part of execnet's channel."""

    def send(self, item: object) -> None: ...
    def setcallback(
        self, callback: Callable[[Any], Any], endmarker: object = ...
    ) -> None: ...
    def close(self) -> None: ...


class WorkerConnection:
    """A worker's connection to the controller, and through it to the broker."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._calls = Calls(self.send)
        channel.setcallback(self._received, endmarker=None)

    def ask_and_wait(self, question: Question) -> Reply | Failure:
        answer: Reply | Failure = self._calls.call("ask", msgspec.to_builtins(question))
        return answer

    def announce(self, planned: Iterable[str]) -> None:
        """Announce the planned questions, as JSON that the controller decodes."""
        chunk = []
        for text in planned:
            chunk.append(text)
            if len(chunk) == _CHUNK:
                self.send("announce", chunk)
                chunk = []
        if chunk:
            self.send("announce", chunk)
        self.send("announced")

    def send(self, *message: Any) -> None:
        """Send a message to the controller, as builtins."""
        try:
            self._channel.send(message)
        except OSError:  # execnet raises it if the other end is closed
            self._received(None)

    def _received(self, message: tuple[int, str, str] | None) -> None:
        """Runs on execnet's receiver thread."""
        if message is None:
            self._calls.end(Failure("the connection to the controller was lost"))
        else:
            self._calls.received(*message)


class BrokerProcess:
    """The broker's process. Its methods are thread-safe."""

    def __init__(self, setup: Setup) -> None:
        self.stopped: Failure | None = None  # why the run must end
        self._progress = Progress()
        self._has_asked = False
        self._closing = False
        self._has_closed = False  # and reported its last counts
        self._channels: dict[str, Channel] = {}
        self._planned: Sequence[Question] = ()
        # Number, kind and JSON of what came unasked and is not fetched.
        self._ready: dict[Question, list[tuple[int, str, str]]] = {}
        self._fetched: list[tuple[str, int]] = []
        self._lock = threading.Lock()  # of these
        self._calls = Calls(self._send)
        self._outgoing: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  # `_why_ended` closes it
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pytest_llmarith.models.broker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            start_new_session=True,
        )
        self._outgoing.put(encoded(setup))
        self._reader = threading.Thread(
            target=self._read, name="llmarith-broker-reader", daemon=True
        )
        self._writer = threading.Thread(
            target=self._write, name="llmarith-broker-writer", daemon=True
        )
        self._reader.start()
        self._writer.start()

    # --- the run ----------------------------------------------------------------------

    def prepare(self) -> None:
        """Start its slow imports; returns at once."""
        self._send("prepare")

    def plan(
        self,
        questions: Sequence[Question],
        later: Sequence[str] = (),
        idle: Callable[[], None] | None = None,
    ) -> Plan:
        """Look up these questions in store and budget; `later` names models that may be
        asked further ones, and `idle` is called about once a second meanwhile.
        """
        self._planned = questions
        plan = self._calls.call(
            "plan",
            [msgspec.to_builtins(question) for question in questions],
            list(later),
            idle=idle,
        )
        return plan if isinstance(plan, Plan) else Plan(error=plan.message)

    def write(self, paths: Mapping[str, Path]) -> str | None:
        """Write the planned questions that have to be asked, by the name of their
        model; returns why that fails, or None.
        """
        answer = self._calls.call(
            "write", {name: str(path) for name, path in paths.items()}
        )
        return answer.message if isinstance(answer, Failure) else None

    def serve(self, names: Sequence[str]) -> str | None:
        """Start the servers of these models, which answer from a file; returns why that
        fails, or None.
        """
        answer = self._calls.call("serve", list(names))
        return answer.message if isinstance(answer, Failure) else None

    def announce(self) -> None:
        """Queue the planned questions, to be asked ahead."""
        self._has_asked = True
        self._send("announce")

    def ask_and_wait(
        self, question: Question, idle: Callable[[], None] | None = None
    ) -> Reply | Failure:
        """Wait for the reply; `idle` is called about once a second meanwhile."""
        self._has_asked = True
        asked = msgspec.to_builtins(question)
        if not isinstance(question.prompt, str):  # a test's own list has no hash
            question = msgspec.convert(asked, Question)
        ready = self._take("", question)
        if ready is not None:
            return decoded(ready[1], KINDS[ready[0]])
        answer: Reply | Failure = self._calls.call("ask", "", asked, idle=idle)
        self._drop(question)
        return answer

    def stop(self, message: str) -> None:
        """Stop asking: every test that waits or asks later gets this reason."""
        self.stopped = self.stopped or Failure(message, stops_run=True)
        self._send("stop", message)

    def progress(self) -> Progress:
        """The counts so far; after the end, the final ones."""
        if not self._has_asked:
            return self._progress
        if not self._closing:
            now = self._calls.call("progress")
            if isinstance(now, Progress):
                self._progress = now
        if not self._has_closed and not self._reader.is_alive():
            return replace(self._progress, incomplete=True)
        return self._progress

    def close(self, drain_s: float = 0.0) -> None:
        """Send no more requests, wait this long for those in flight, and end the
        process.

        A second call, after Ctrl-C, ends the waiting.
        """
        self._closing = True
        if self._has_asked:
            self._send("close", drain_s)
        else:
            self._outgoing.put(None)
            self._process.kill()
        kill_at = time.monotonic() + drain_s + _KILL_AFTER_S
        while self._reader.is_alive():
            self._reader.join(_STEP_S)
            if time.monotonic() > kill_at:
                self._process.kill()
        self._writer.join()

    # --- workers ----------------------------------------------------------------------

    def attach(self, worker: str, channel: Channel) -> None:
        """Connect a worker through this channel."""
        self._channels[worker] = channel

    def ask_for(self, worker: str, number: int, question: Mapping[str, Any]) -> None:
        """Answer a question of a worker, or forward it."""
        self._has_asked = True
        asked = msgspec.convert(question, Question)
        ready = self._take(worker, asked)
        if ready is not None:
            self._answer_worker(worker, number, *ready)
            return

        def answer(kind: str, text: str) -> None:
            self._drop(asked)
            self._answer_worker(worker, number, kind, text)

        self._calls.begin(answer, "ask", worker, question)

    def detach(self, worker: str) -> None:
        """Disconnect a worker.

        Replies to its requests in flight still reach the store.
        """
        self._channels.pop(worker, None)
        self._send("forget", worker)

    def _answer_worker(self, worker: str, number: int, kind: str, text: str) -> None:
        channel = self._channels.get(worker)
        if channel is None:
            return
        try:
            channel.send((number, kind, text))
        except OSError:  # the worker is gone
            self._channels.pop(worker, None)

    # --- replies that came unasked ----------------------------------------------------

    def _take(self, worker: str, question: Question) -> tuple[str, str] | None:
        """Fetch kind and JSON of what has come for a question, if it has."""
        with self._lock:
            ready = self._ready.get(question)
            if not ready:
                return None
            number, kind, text = ready.pop()
            if not ready:
                del self._ready[question]
            self._fetched.append((worker, number))
            is_due = len(self._fetched) >= _FETCHED or not self._ready
        if is_due:
            self._send_fetched()
        return kind, text

    def _drop(self, question: Question) -> None:
        """Remove what has come for a question that was answered: both have crossed."""
        with self._lock:
            self._ready.pop(question, None)

    def _send_fetched(self) -> None:
        with self._lock:
            fetched, self._fetched = self._fetched, []
            if fetched:
                self._outgoing.put(json.dumps(("fetched", fetched)))

    # --- messages ---------------------------------------------------------------------

    def _send(self, *message: Any) -> None:
        self._send_fetched()
        self._outgoing.put(json.dumps(message))

    def _write(self) -> None:
        """Runs on a thread, because a signal in the main thread could interrupt a
        line.
        """
        assert self._process.stdin is not None
        # If the process has ended, the reader notices it.
        with suppress(OSError), self._process.stdin as lines:
            for line in iter(self._outgoing.get, None):
                lines.write(f"{line}\n".encode())
                lines.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._received(*line.decode().split(" ", 1))
        self._process.wait()
        self._outgoing.put(None)
        self._calls.end(self._why_ended())

    def _received(self, kind: str, said: str) -> None:
        if kind == "answer":
            number, kind, text = said.split(" ", 2)
            self._calls.received(int(number), kind, text)
        elif kind == "ready":
            number, kind, text = said.split(" ", 2)
            with self._lock:
                ready = self._ready.setdefault(self._planned[int(number)], [])
                ready.append((int(number), kind, text))
        elif kind == "stopped":
            self.stopped = decoded(said, Failure)
        else:
            self._progress = decoded(said, Progress)
            self._has_closed = True

    def _why_ended(self) -> Failure:
        """The reason with the last line of its standard error, if it ended
        unexpectedly.
        """
        with self._stderr as stderr:
            stderr.seek(0)
            printed = stderr.read().decode("utf-8", "replace").strip()
        if self._closing:
            return _ENDED
        last = "the same command goes on"
        if printed:
            last = redact.one_line(printed.splitlines()[-1], os.environ)
        why = Failure(
            f"the process that asks the models ended with status "
            f"{self._process.returncode}: {last}",
            stops_run=True,
        )
        self.stopped = self.stopped or why
        return why
