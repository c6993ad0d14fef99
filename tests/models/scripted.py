"""A client that replies as a test says, a broker that runs on a thread, and what is in its store then."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.store import RunStore, Store, key_of
from pytest_llmarith.values import (
    AskingLimits,
    Failure,
    Model,
    Plan,
    Price,
    Progress,
    Question,
    Reply,
    StoreMode,
    Terms,
)
from tests.llm_server import PATIENCE_S, Gate

T = TypeVar("T")
MODEL = Model("m", "openai/some")
Script = Callable[[str, int], Reply | Exception]


class Provider(Exception):
    """An error as litellm raises it."""

    def __init__(self, status_code: int, message: str = "scripted", retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.headers = {} if retry_after_s is None else {"Retry-After": str(retry_after_s)}


class ScriptedClient:
    """Replies as the script says, once its gate is open; counts what it is asked."""

    def __init__(self, script: Script | None = None, gate: Gate | None = None) -> None:
        self._script = script or (lambda prompt, nth: reply_to(prompt))
        self._gate = gate
        self._changed = threading.Condition()
        self.order: list[str] = []
        self.asked: Counter[str] = Counter()
        self.in_flight = 0
        self.peak = 0
        self.prepared = 0
        self.closed = 0

    def prepare(self) -> None:
        self.prepared += 1

    def terms(self, model: Model) -> Terms:
        return Terms(Price(0.0, 1e6), most_tokens=100)

    async def complete(self, model: Model, prompt: str, timeout_s: float) -> Reply:
        self._count(prompt)
        try:
            if self._gate is not None:
                await self._gate.passed()
            outcome = self._script(prompt, self.asked[prompt])
        finally:
            self._count(None)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def close(self) -> None:
        self.closed += 1

    def wait_for_requests(self, count: int) -> None:
        """Return once so many requests have been made in all."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.order) >= count, PATIENCE_S), self.order

    def _count(self, prompt: str | None) -> None:
        with self._changed:
            if prompt is None:
                self.in_flight -= 1
            else:
                self.order.append(prompt)
                self.asked[prompt] += 1
                self.in_flight += 1
                self.peak = max(self.peak, self.in_flight)
            self._changed.notify_all()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """One for all tests: litellm keeps its connections by the loop's id."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop


def on_loop(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns, on an event loop that runs on a thread."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result(PATIENCE_S)


class RunningBroker:
    """A broker on an event loop that runs on a thread, for a test that asks from its own."""

    def __init__(
        self,
        client: Any,
        models: Sequence[Model],
        path: Path | None,
        limits: AskingLimits,
        store_mode: StoreMode = StoreMode.ON,
        **settings: Any,
    ) -> None:
        async def make() -> Broker:
            return Broker(client, models, RunStore(path, store_mode), limits, store_mode, **settings)

        self._closing = False
        self.broker = on_loop(make())

    @property
    def stopped(self) -> Failure | None:
        return self.broker.stopped

    def plan(self, questions: Sequence[Question], later: Sequence[str] = ()) -> Plan:
        return self._do(lambda: self.broker.plan(questions, later))

    def announce(self, questions: Sequence[Question]) -> Plan:
        plan = self.plan(questions)
        self._do(self.broker.announce)
        return plan

    def ask(self, question: Question, deliver: Callable[[Reply | Failure], None], worker: str = "") -> None:
        asking = asyncio.run_coroutine_threadsafe(self.broker.ask(question, worker), _loop())
        asking.add_done_callback(lambda done: deliver(done.result()))

    def ask_and_wait(self, question: Question, worker: str = "") -> Reply | Failure:
        return on_loop(self.broker.ask(question, worker))

    def forget(self, worker: str) -> None:
        self._do(lambda: self.broker.forget(worker))

    def stop(self, message: str) -> None:
        self._do(lambda: self.broker.stop(Failure(message, stops_run=True)))

    def progress(self) -> Progress:
        return self._do(self.broker.progress)

    def close(self, drain_s: float = 0.0) -> None:
        """The second time it only cuts the draining short."""
        if self._closing:
            self._do(self.broker.cut)
        else:
            self._closing = True
            on_loop(self.broker.close(drain_s))

    def _do(self, work: Callable[[], T]) -> T:
        async def do() -> T:
            return work()

        return on_loop(do())


class Inbox:
    """Takes what is delivered, and waits for it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.got: list[Reply | Failure] = []

    def __call__(self, outcome: Reply | Failure) -> None:
        with self._changed:
            self.got.append(outcome)
            self._changed.notify_all()

    def wait_for(self, count: int) -> list[Reply | Failure]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.got) >= count, PATIENCE_S), self.got
        return self.got


def reply_to(prompt: str) -> Reply:
    return Reply(f"reply to {prompt}", finish_reason="stop", cost_usd=0.5, sent={"model": MODEL.target})


def questions(count: int, first: int = 0, model: str = "m") -> list[Question]:
    return [Question(model, f"q{number}", number) for number in range(first, first + count)]


def until(condition: Callable[[], bool]) -> None:
    """Return once a condition holds that nobody announces."""
    give_up_at = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < give_up_at
        time.sleep(0.001)


def put(path: Path, question: Question, reply: Reply) -> None:
    """Lay a reply into a store, as an earlier run would."""
    with closing(Store(path)) as store:
        store.put({key_of(MODEL, question): reply})


def stored(path: Path) -> dict[str, Reply]:
    """The replies that are in a store to the first questions of a test, by prompt."""
    prompts = {key_of(MODEL, question): question.prompt for question in questions(50)}
    with closing(Store(path)) as store:
        return {prompts[key]: reply for key, reply in store.fetch(prompts).items()}
