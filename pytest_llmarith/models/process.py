"""The broker's process, as the controller of a run sees it: started, asked, closed.

litellm is imported there, so that nothing of the user's pytest is replaced. It is outside the terminal's process group
(Ctrl-C does not reach it), and ends when its standard input closes: also if the controller is killed, but then not
before the requests in flight are in the store.
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
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import astuple
from itertools import count
from typing import Any

from pytest_llmarith.models import redact
from pytest_llmarith.models.protocol import (
    Channel,
    Questions,
    Setup,
    failure_of,
    outcome_message,
    plan_of,
    progress_of,
)
from pytest_llmarith.values import Failure, Plan, Progress, Question, Reply

_STEP_S = 0.2
_KILL_AFTER_S = 10.0  # after the time for what is in flight
_ENDED = Failure("the run has ended")


class BrokerProcess:
    """Any thread may call it. `say` is called with lines for people."""

    def __init__(self, setup: Setup, say: Callable[[str], None]) -> None:
        self.stopped: Failure | None = None  # why the run must end
        self._say = say
        self._progress = Progress()
        self._has_asked = False
        self._closing = False
        self._ended: Failure | None = None
        self._lock = threading.Lock()
        self._channels: dict[str, Channel] = {}
        self._asked: set[tuple[str, int]] = set()  # by workers
        self._numbers = count()
        self._calls: dict[int, queue.SimpleQueue[Any]] = {}
        self._questions = Questions(lambda message: self._send("ask", "", *message[1:]))
        self._outgoing: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  # `_why_ended` closes it
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pytest_llmarith.models.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            start_new_session=True,
        )
        self._outgoing.put(setup.to_json())
        self._reader = threading.Thread(target=self._read, name="llmarith-broker-reader", daemon=True)
        self._writer = threading.Thread(target=self._write, name="llmarith-broker-writer", daemon=True)
        self._reader.start()
        self._writer.start()

    # --- the run ----------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Let it import what is slow to import; returns at once."""
        self._send("prepare")

    def plan(self, questions: Iterable[Question], later: Sequence[str] = ()) -> Plan:
        """What would become of these questions; `later` names models that may be asked others."""
        answer = self._call("plan", [astuple(question) for question in questions], list(later))
        return Plan(error=(self.stopped or _ENDED).message) if answer is None else plan_of(answer)

    def announce(self) -> None:
        """The planned questions are going to be asked."""
        self._has_asked = True
        self._send("announce")

    def ask_and_wait(self, question: Question, idle: Callable[[], None] | None = None) -> Reply | Failure:
        """Wait for the reply; `idle` is called about once a second meanwhile."""
        self._has_asked = True
        return self._questions.ask_and_wait(question, idle)

    def stop(self, message: str) -> None:
        """End the asking: every test that waits or asks later gets this reason."""
        self.stopped = self.stopped or Failure(message, stops_run=True)
        self._send("stop", message)

    def progress(self) -> Progress:
        """Where the asking stands; after its end, where it stood then."""
        answer = self._call("progress") if self._has_asked and not self._closing else None
        if answer is not None:
            self._progress = progress_of(answer)
        return self._progress

    def close(self, drain_s: float = 0.0) -> None:
        """Ask nothing more, give what is in flight this long to arrive in the store, and end the process.

        May be called again, after Ctrl-C, to cut the waiting short.
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

    # --- workers ----------------------------------------------------------------------------------------------------

    def attach(self, worker: str, channel: Channel) -> None:
        """Replies to the questions of this worker go through this channel."""
        self._channels[worker] = channel

    def ask_for(self, worker: str, number: int, question: Sequence[Any]) -> None:
        """Pass on a worker's question."""
        self._has_asked = True
        with self._lock:
            ended = self._ended
            if ended is None:
                self._asked.add((worker, number))
        if ended is None:
            self._send("ask", worker, number, question)
        else:
            self._send_to_worker(worker, number, *outcome_message(ended))

    def detach(self, worker: str) -> None:
        """A worker is gone."""
        self._channels.pop(worker, None)
        self._send("forget", worker)

    def _send_to_worker(self, worker: str, number: int, kind: str, text: str) -> None:
        try:
            if (channel := self._channels.get(worker)) is not None:
                channel.send((kind, number, text))
        except OSError:  # the worker is gone
            self._channels.pop(worker, None)

    # --- messages ---------------------------------------------------------------------------------------------------

    def _send(self, *message: Any) -> None:
        self._outgoing.put(json.dumps(message))

    def _call(self, kind: str, *arguments: Any) -> Any:
        """The answer to a message; None if the process has ended."""
        number, answer = next(self._numbers), queue.SimpleQueue[Any]()
        with self._lock:
            if self._ended is not None:
                return None
            self._calls[number] = answer
        self._send(kind, number, *arguments)
        while True:
            try:
                return answer.get(timeout=_STEP_S)
            except queue.Empty:
                continue

    def _write(self) -> None:
        """On a thread, as a signal in the main thread could break off a line."""
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as lines:  # the reader finds that the process has ended
            while (line := self._outgoing.get()) is not None:
                lines.write(f"{line}\n".encode())
                lines.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._received(*json.loads(line))
        self._process.wait()
        self._outgoing.put(None)
        self._end(self._why_ended())

    def _received(self, kind: str, *said: Any) -> None:
        if kind in ("reply", "failure"):
            worker, number, text = said
            if worker == "":
                self._questions.received(kind, number, text)
            else:
                self._asked.discard((worker, number))
                self._send_to_worker(worker, number, kind, text)
        elif kind == "answer":
            number, result = said
            self._calls.pop(number).put(result)
        elif kind == "stopped":
            self.stopped = failure_of(said[0])
        elif kind == "closed":
            self._progress = progress_of(said[0])
        else:
            self._say(said[0])

    def _why_ended(self) -> Failure:
        """The last line on its standard error, if it ended before it was told to."""
        with self._stderr as stderr:
            stderr.seek(0)
            printed = stderr.read().decode("utf-8", "replace").strip()
        if self._closing:
            return _ENDED
        last = redact.one_line(printed.splitlines()[-1], os.environ) if printed else "it said nothing"
        why = f"the broker's process ended with status {self._process.returncode}: {last}"
        self.stopped = self.stopped or Failure(why, stops_run=True)
        return Failure(why, stops_run=True)

    def _end(self, failure: Failure) -> None:
        with self._lock:
            self._ended = failure
            calls, self._calls = self._calls, {}
            asked, self._asked = self._asked, set()
        for answer in calls.values():
            answer.put(None)
        self._questions.end(failure)
        for worker, number in asked:
            self._send_to_worker(worker, number, *outcome_message(failure))
