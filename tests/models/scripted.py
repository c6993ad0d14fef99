"""A client that replies as a test says, a broker on it, and an event loop on which
waiting takes no time.
"""

from __future__ import annotations

import asyncio
import functools
import selectors
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from pytest_llmarith.models.asking import ModelTerms, Plan
from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.error_bodies import Refused
from pytest_llmarith.models.store import RunStore, Store, key_of
from pytest_llmarith.records import Reply, Request
from pytest_llmarith.types import (
    Failure,
    FailureCode,
    Message,
    Model,
    Price,
    Prompt,
    Question,
    RequestLimits,
    StoreMode,
)

MODEL = Model("m", "openai/some")
OTHER = Model("other", "openai/other")
JUDGE = Model("judge", "openai/judge", grades=True)
Outcomes = list[Reply | Failure]


class _Selector(selectors.DefaultSelector):
    """Moves the clock on if nothing is left to do, and waits for threads."""

    now = 1000.0
    threads = 0

    def select(
        self, timeout: float | None = None
    ) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(60 if self.threads and timeout != 0 else 0)
        if not ready and timeout != 0:
            assert timeout is not None, (
                "everything waits, and nothing is going to happen"
            )
            self.now += max(0.0, timeout)
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        self._clock.threads += 1
        done = super().run_in_executor(executor, func, *args)
        done.add_done_callback(
            lambda done: setattr(self._clock, "threads", self._clock.threads - 1)
        )
        return done


def in_no_time(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """An asynchronous test on a clock that moves on by itself."""

    @functools.wraps(test)
    def run(*args: Any, **named: Any) -> None:
        with asyncio.Runner(loop_factory=_Loop) as runner:
            runner.run(test(*args, **named))

    return run


class Provider(Refused):
    """An error of the provider, as the client raises it."""

    def __init__(
        self, status: int, message: str = "scripted", retry_after_s: float | None = None
    ) -> None:
        super().__init__(status, message, retry_after_s=retry_after_s)


def reply_to(prompt: str) -> Reply:
    return Reply(
        f"reply to {prompt}",
        finish_reason="stop",
        cost_usd=0.5,
        sent=Request(MODEL.target, None, [Message("user", prompt)], {}),
    )


class Scripted(Client):
    """Replies to (model, prompt, number of the attempt) after some seconds; more than
    `most` at once get a 429.

    A token of a reply costs a dollar, and a reply has up to 100; prompts cost nothing.
    """

    def __init__(
        self,
        script: Callable[
            [Model, str, int], Reply | Exception
        ] = lambda model, prompt, nth: reply_to(prompt),
        takes_s: Callable[[str], float] = lambda prompt: 1.0,
        most: int = 10**6,
    ) -> None:
        self.script, self.takes_s, self.most = script, takes_s, most
        self._clock = asyncio.get_running_loop().time
        self._began = self._clock()
        self.order: list[str] = []
        self.times: list[float] = []
        self.asked: Counter[str] = Counter()
        self.in_flight = self.peak = self.prepared = 0

    @property
    def now(self) -> float:
        return self._clock() - self._began

    def prepare(self, *models: Model) -> None:
        self.prepared += 1

    def terms(self, model: Model) -> ModelTerms:
        self.prepare()
        return ModelTerms(Price(0.0, 1e6), max_reply_tokens=100)

    def unknown_parameter(self, model: Model) -> str | None:
        return None

    def missing_key(self, model: Model) -> str | None:
        return None

    async def complete(self, model: Model, prompt: Prompt, timeout_s: float) -> Reply:
        assert isinstance(prompt, str)
        self.prepare()
        self.order.append(prompt)
        self.times.append(round(self.now, 6))
        self.asked[prompt] += 1
        nth = self.asked[prompt]
        if self.in_flight >= self.most:
            raise Provider(429)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            await asyncio.sleep(self.takes_s(prompt))
        finally:
            self.in_flight -= 1
        outcome = self.script(model, prompt, nth)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def close(self) -> None: ...


def broker_of(
    client: Client,
    models: Sequence[Model] = (MODEL,),
    path: Path | None = None,
    mode: StoreMode | None = None,
    **limits: Any,
) -> Broker:
    """A broker; without a path and a mode it has no store."""
    mode = mode or (StoreMode.ON if path else StoreMode.OFF)
    return Broker(client, models, RunStore(path, mode), RequestLimits(**limits), mode)


def questions(count: int, first: int = 0, model: str = "m") -> list[Question]:
    return [
        Question(model, f"q{number}", number) for number in range(first, first + count)
    ]


def announce(broker: Broker, asked: Sequence[Question]) -> Plan:
    plan = broker.plan(asked)
    broker.announce()
    return plan


async def ask(broker: Broker, asked: Iterable[Question]) -> Outcomes:
    """The outcomes of questions that are asked at once."""
    return await asyncio.gather(*(broker.ask(question) for question in asked))


def counted(outcomes: Outcomes) -> Counter[str]:
    """How often each message of a failure occurs, and how many replies there are."""
    return Counter(
        "reply"
        if isinstance(outcome, Reply)
        else outcome.code.sentence(outcome.message)
        for outcome in outcomes
    )


def stopped_by(reason: str) -> Failure:
    """What all others hear if the run ends for this reason."""
    return Failure(reason, stops_run=True, code=FailureCode.STOPPED)


def put(
    path: Path, asked: Iterable[Question], reply: Callable[[str], Reply] = reply_to
) -> None:
    """Lay replies into a store, as an earlier run would."""
    with closing(Store(path)) as store:
        store.put(
            {key_of(MODEL, question): reply(str(question.prompt)) for question in asked}
        )


def stored(path: Path) -> dict[str, Reply]:
    """The replies that are in a store to the first questions of a test, by prompt."""
    prompts = {
        key_of(MODEL, question): str(question.prompt) for question in questions(50)
    }
    with closing(Store(path)) as store:
        return {prompts[key]: reply for key, reply in store.fetch(prompts).items()}
