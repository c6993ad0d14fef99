"""Questions and replies over an execnet channel. One end serves a worker from the broker, the other end is the
worker's line to it. It knows neither pytest nor xdist, and importing it costs nothing slow.

Only builtins cross a channel. What is said, worker first:

    ("announce", [(question, label), ...])    several times, and at last ("announced",)
    ("ask", number, question)                 ("reply", number, json) or ("failure", number, json)
    ("tell", kind, what)

A question is the tuple of its fields: (model, prompt, trial, repeat, system_prompt, before). The fields of replies
and failures cross as JSON: a reply may hold anything, and half a surrogate pair would not cross.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, astuple
from itertools import count, islice
from typing import Any, Protocol

from pytest_llmarith.values import Failure, Question, Reply, Retry

_CHUNK = 300
# A wait is cut into steps, so that Ctrl-C gets through on every system.
_STEP_S = 0.5

QuestionFields = tuple[str, str, int, int, str | None, int]
Announcement = tuple[QuestionFields, Any]


class Channel(Protocol):
    """execnet's channel, as far as it is needed here."""

    def send(self, item: object) -> None: ...
    def setcallback(self, callback: Callable[[Any], Any], endmarker: object = ...) -> None: ...
    def close(self) -> None: ...


class AsksAnswers(Protocol):
    """The broker, as far as it is needed here."""

    def ask(self, question: Question, deliver: Callable[[Reply | Failure], None], lane: str = "") -> None: ...
    def forget(self, lane: str) -> None: ...


class Listener(Protocol):
    """Whoever wants to know what a worker says besides its questions; called on a thread of the lane's own."""

    def announced(self, announcements: list[tuple[Question, Any]]) -> None:
        """These questions are going to be asked; each has a label of builtins."""

    def announced_all(self) -> None:
        """There are no others."""

    def told(self, kind: str, what: Any) -> None:
        """A word of the worker's that the broker need not understand."""

    def ended(self) -> None:
        """The worker's end of the channel is gone; called once."""


class Clerk:
    """Answers a worker's questions until its end of the channel is gone, on a thread of its own.

    execnet's receiver thread must not be held up, and an exception there closes the channel for good: it only puts
    messages into a queue. Nor must the broker's thread wait for a slow worker to take a reply.
    """

    def __init__(self, channel: Channel, broker: AsksAnswers, lane: str, listener: Listener) -> None:
        self._channel = channel
        self._broker = broker
        self._lane = lane
        self._listener = listener
        self._pending: queue.SimpleQueue[tuple[Callable[..., None], tuple[Any, ...]] | None] = queue.SimpleQueue()

    def begin(self) -> None:
        threading.Thread(target=self._work, name=f"llmarith-lane-{self._lane}", daemon=True).start()
        self._channel.setcallback(self._on_message, endmarker=None)

    def _on_message(self, message: Any) -> None:
        self._pending.put(None if message is None else (self._hear, (message,)))

    def _work(self) -> None:
        while (piece := self._pending.get()) is not None:
            act, arguments = piece
            try:
                act(*arguments)
            except Exception:  # the other end speaks another language, or is gone: it is told, and hears no more
                self._hang_up()
        self._broker.forget(self._lane)
        self._listener.ended()

    def _hear(self, message: tuple[Any, ...]) -> None:
        kind, *said = message
        if kind == "announce":
            self._announced(*said)
        elif kind == "announced":
            self._listener.announced_all()
        elif kind == "tell":
            self._listener.told(*said)
        else:
            number, fields = said
            self._broker.ask(Question(*fields), lambda outcome: self._answer(number, outcome), self._lane)

    def _announced(self, announcements: list[Announcement]) -> None:
        self._listener.announced([(Question(*fields), label) for fields, label in announcements])

    def _answer(self, number: int, outcome: Reply | Failure) -> None:
        """Called on the broker's thread."""
        kind = "reply" if isinstance(outcome, Reply) else "failure"
        self._pending.put((self._channel.send, ((kind, number, json.dumps(asdict(outcome))),)))

    def _hang_up(self) -> None:
        try:
            self._channel.close()
        except OSError:  # the connection below it is gone as well
            self._pending.put(None)


class RemoteBroker:
    """A worker's line to the broker in the controller."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._numbers = count()
        self._waiting: dict[int, queue.SimpleQueue[Reply | Failure]] = {}
        self._ended = False
        channel.setcallback(self._on_message, endmarker=None)

    def announce(self, announcements: Iterable[Announcement]) -> None:
        """Tell what is going to be asked: question fields, and a label of builtins for the controller."""
        for chunk in _chunks(announcements):
            if not self._send(("announce", chunk)):
                return
        self._send(("announced",))

    def tell(self, kind: str, what: Any) -> None:
        """Tell the controller's listener something, as builtins."""
        self._send(("tell", kind, what))

    def ask_and_wait(self, question: Question) -> Reply | Failure:
        """Wait for the reply, or for the end of the controller."""
        number, answer = next(self._numbers), queue.SimpleQueue[Reply | Failure]()
        with self._lock:
            if self._ended:
                return _gone()
            self._waiting[number] = answer
        if not self._send(("ask", number, astuple(question))):
            self._on_message(None)
        while True:
            try:
                return answer.get(timeout=_STEP_S)
            except queue.Empty:
                continue

    def _send(self, message: tuple[Any, ...]) -> bool:
        try:
            self._channel.send(message)
        except OSError:  # execnet's word for a channel whose other end is gone
            return False
        return True

    def _on_message(self, message: tuple[str, int, str] | None) -> None:
        """Runs on execnet's receiver thread: it must neither raise nor wait."""
        if message is None:
            self._end()
            return
        kind, number, written = message
        with self._lock:
            answer = self._waiting.pop(number, None)
        if answer is not None:
            answer.put(_outcome(kind, written))

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            answer.put(_gone())


def _outcome(kind: str, written: str) -> Reply | Failure:
    try:
        fields = json.loads(written)
        fields["retries"] = tuple(Retry(**retry) for retry in fields["retries"])
        return Reply(**fields) if kind == "reply" else Failure(**fields)
    except (KeyError, TypeError, ValueError):
        return Failure("the controller's reply was not understood: does this worker run the same pytest-llmarith?")


def _gone() -> Failure:
    return Failure("the controller is gone, and with it the line to the model")


def _chunks(announcements: Iterable[Announcement]) -> Iterator[list[Announcement]]:
    iterator = iter(announcements)
    while chunk := list(islice(iterator, _CHUNK)):
        yield chunk
