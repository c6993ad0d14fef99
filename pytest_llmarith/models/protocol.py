"""What workers, the controller and the broker's process say to each other.

Messages are tuples of builtins. Between a worker and the controller they cross pytest-xdist's channel, between the
controller and the broker's process they are lines of JSON. The controller passes questions and replies on.

    worker -> controller                  controller -> broker's process
    ("ask", number, question)             ("ask", worker, number, question)
    ("announce", [(question, label), ...]) ("plan", call, questions, models that may be asked others later)
    ("announced",)                        ("announce",)  the planned questions
    ("tell", kind, what)                  ("prepare",) ("forget", worker) ("stop", message) ("progress", call)
                                          ("close", seconds to wait for what is in flight)

    controller -> worker                  broker's process -> controller
    ("reply", number, JSON)               ("reply", worker, number, JSON)
    ("failure", number, JSON)             ("failure", worker, number, JSON)
                                          ("answer", call, result) ("stopped", JSON) ("say", line)

A question is the tuple of its fields: (model, prompt, trial, repeat, system_prompt, before). The controller itself is
the worker "". Replies cross as JSON text: half a surrogate pair would not cross the channel.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, astuple, dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any, Protocol, Self

from pytest_llmarith.values import (
    AskingLimits,
    Failure,
    Fit,
    Model,
    Plan,
    Price,
    Progress,
    Question,
    Reply,
    Retry,
    StoreMode,
    Terms,
    Throttled,
)

_CHUNK = 300  # announced questions in a message
_STEP_S = 0.2  # a wait is cut into steps, so that Ctrl-C gets through on every system
_IDLE_S = 1.0

QuestionFields = tuple[str, str, int, int, str | None, int]
Announcement = tuple[QuestionFields, Any]


@dataclass(frozen=True, slots=True)
class Setup:
    """What the broker's process needs to know; keys reach it through the environment and `dotenv_path` only.

    `store_path` is None if no store is used, `oeis_cache` is where the fake models find sequences.
    """

    models: tuple[Model, ...]
    limits: AskingLimits
    store_path: Path | None
    store_mode: StoreMode
    dotenv_path: Path
    oeis_cache: Path

    def to_json(self) -> str:
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        given = json.loads(text)
        price = given["limits"].pop("price")
        return cls(
            tuple(Model(**model) for model in given["models"]),
            AskingLimits(**given["limits"], price=price and Price(**price)),
            given["store_path"] and Path(given["store_path"]),
            StoreMode(given["store_mode"]),
            Path(given["dotenv_path"]),
            Path(given["oeis_cache"]),
        )


def outcome_message(outcome: Reply | Failure) -> tuple[str, str]:
    """A reply or a failure as the kind of its message and its JSON text."""
    return "reply" if isinstance(outcome, Reply) else "failure", json.dumps(asdict(outcome))


def outcome_of(kind: str, text: str) -> Reply | Failure:
    """A reply or a failure from its message."""
    return Reply(**_fields(text)) if kind == "reply" else failure_of(text)


def failure_of(text: str) -> Failure:
    return Failure(**_fields(text))


def _fields(text: str) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(text)
    return {**fields, "retries": tuple(Retry(**retry) for retry in fields["retries"])}


def plan_of(fields: Mapping[str, Any]) -> Plan:
    """A plan from its JSON object, as `asdict` makes it."""
    terms = {
        name: Terms(known["price"] and Price(**known["price"]), known["most_tokens"], known["reasons"])
        for name, known in fields["terms"].items()
    }
    stored = {int(index): tokens for index, tokens in fields["stored"].items()}
    fits = tuple(Fit(*fit) for fit in fields["fits"])
    return Plan(**{**fields, "stored": stored, "to_ask": tuple(fields["to_ask"]), "terms": terms, "fits": fits})


def progress_of(fields: Mapping[str, Any]) -> Progress:
    """A progress from its JSON object, as `asdict` makes it."""
    return Progress(**{**fields, "throttled": tuple(Throttled(**one) for one in fields["throttled"])})


class Questions:
    """The questions of one process that wait for a reply; `send` takes ("ask", number, question)."""

    def __init__(self, send: Callable[[tuple[Any, ...]], None]) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._numbers = count()
        self._waiting: dict[int, queue.SimpleQueue[Reply | Failure]] = {}
        self._ended: Failure | None = None

    def ask_and_wait(self, question: Question, idle: Callable[[], None] | None = None) -> Reply | Failure:
        """Wait for the reply; `idle` is called about once a second meanwhile."""
        number, reply = next(self._numbers), queue.SimpleQueue[Reply | Failure]()
        with self._lock:
            if self._ended is not None:
                return self._ended
            self._waiting[number] = reply
        self._send(("ask", number, astuple(question)))
        idle_at = time.monotonic() + _IDLE_S
        while True:
            try:
                return reply.get(timeout=_STEP_S)
            except queue.Empty:
                if idle is not None and time.monotonic() >= idle_at:
                    idle()
                    idle_at = time.monotonic() + _IDLE_S

    def received(self, kind: str, number: int, text: str) -> None:
        """A reply or a failure has come; it neither raises nor waits."""
        with self._lock:
            reply = self._waiting.pop(number, None)
        if reply is not None:
            try:
                reply.put(outcome_of(kind, text))
            except (KeyError, TypeError, ValueError):
                reply.put(Failure("a reply of the broker was not understood: is pytest-llmarith the same everywhere?"))

    def end(self, failure: Failure) -> None:
        """Answer every question that waits or comes later."""
        with self._lock:
            self._ended = failure
            waiting, self._waiting = self._waiting, {}
        for reply in waiting.values():
            reply.put(failure)


class Channel(Protocol):
    """execnet's channel, as far as it is used."""

    def send(self, item: object) -> None: ...
    def setcallback(self, callback: Callable[[Any], Any], endmarker: object = ...) -> None: ...
    def close(self) -> None: ...


class WorkerConnection:
    """A worker's connection to the controller, and through it to the broker."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._questions = Questions(self._send)
        self.ask_and_wait = self._questions.ask_and_wait
        channel.setcallback(self._on_message, endmarker=None)

    def announce(self, announcements: Iterable[Announcement]) -> None:
        """Tell what is going to be asked: question fields, and a label of builtins for the controller."""
        remaining = iter(announcements)
        while chunk := list(islice(remaining, _CHUNK)):
            self._send(("announce", chunk))
        self._send(("announced",))

    def tell(self, kind: str, what: Any) -> None:
        """Tell the controller something else, as builtins."""
        self._send(("tell", kind, what))

    def _send(self, message: tuple[Any, ...]) -> None:
        try:
            self._channel.send(message)
        except OSError:  # execnet's word for a channel whose other end is gone
            self._on_message(None)

    def _on_message(self, message: tuple[str, int, str] | None) -> None:
        """Runs on execnet's receiver thread."""
        if message is None:
            self._questions.end(Failure("the controller is gone, and with it the connection to the model"))
        else:
            self._questions.received(*message)
