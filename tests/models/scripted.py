"""A client that replies as a test says, what asks it, what waits for the replies, and what is in the store then."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from pytest_llmarith.models.store import Store, key_of
from pytest_llmarith.values import Failure, Model, Price, Question, Reply, Terms
from tests.llm_server import PATIENCE_S, Gate

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
