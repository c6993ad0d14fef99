"""The way to one model, on one loop: who may set out when, and who has waited long enough.

It brings together what is in flight (throttle), whether anybody is there (outage) and the pace of the run. It knows no
litellm, no retries and no store.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from pytest_llmarith.models.patience.failures import Diagnosis, Remedy
from pytest_llmarith.models.patience.outage import Outage
from pytest_llmarith.models.patience.pacing import Pace, Usage
from pytest_llmarith.models.patience.retrying import Over
from pytest_llmarith.models.patience.throttle import Throttle
from pytest_llmarith.values import AskingLimits, Model, Reply


class Attempt(NamedTuple):
    """One request that has set out; how it began says what its end means."""

    number: int
    generation: int
    tokens: int


class SharedLimits:
    """What the routes of a run share: its places, its pace, its loop's clock."""

    def __init__(self, limits: AskingLimits) -> None:
        self.clock = asyncio.get_running_loop().time
        self.most = limits.concurrency
        self.in_flight = 0
        self.pace = Pace(limits, self.clock)
        self.routes: list[Route] = []

    def changed(self) -> None:
        """Whoever waits for a place or for the pace looks again."""
        for route in self.routes:
            route.changed.set()


class Route:
    """The way to one model. Attempts set out in the order of their coming."""

    def __init__(self, target: str, shared: SharedLimits) -> None:
        self.target = target
        self.throttle = Throttle(shared.most)
        self.questions = 0
        self.down: str | None = None
        self.changed = asyncio.Event()
        self._shared = shared
        self._outage = Outage(shared.clock)
        self._usage = Usage()
        self._first = asyncio.Lock()
        self._waits: set[asyncio.Timeout] = set()
        self._closed = False
        shared.routes.append(self)

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Nobody waits here any longer. What has set out may still arrive."""
        if not self._closed:
            self._closed = True
            now = asyncio.get_running_loop().time()
            for wait in self._waits:
                wait.reschedule(now)

    async def pause(self, seconds: float) -> None:
        """Raises `Over` where it is not worth it."""
        async with self._unless_closed():
            await asyncio.sleep(seconds)

    async def set_out(self, model: Model, prompt: str) -> Attempt:
        """Take a place among the requests, until `arrive`, as soon as it is this one's turn. Raises `Over`."""
        async with self._unless_closed(), self._first:
            while (seconds := self._wait_s()) > 0:
                await self._change_within(seconds)
        return self._begin(self._usage.expected(model, prompt))

    def arrive(self, attempt: Attempt) -> None:
        self._outage.end(attempt.number)
        self.throttle.end()
        self._shared.in_flight -= 1
        self._shared.changed()

    # --- what became of an attempt ------------------------------------------------------------------------------------

    def replied(self, attempt: Attempt, reply: Reply) -> None:
        self.throttle.replied(attempt.generation)
        self._outage.replied()
        used = self._usage.learn(reply)
        if used is not None:
            self._shared.pace.correct(used - attempt.tokens)

    def failed(self, attempt: Attempt, diagnosis: Diagnosis) -> bool:
        """Whether that has halved the places. Who asks for patience is not down; one question refused says nothing."""
        self._outage.end(attempt.number)
        if diagnosis.throttled:
            return self.throttle.refused(attempt.generation)
        if diagnosis.remedy is Remedy.TRY_AGAIN:
            self._note_failure(diagnosis)
        return False

    def given_up(self, diagnosis: Diagnosis, attempts: int) -> None:
        """A question is not asked again: who asks for patience for ever is as good as down."""
        if diagnosis.throttled:
            self._note_failure(diagnosis, attempts)

    def _note_failure(self, diagnosis: Diagnosis, attempts: int = 1) -> None:
        self._outage.failed(attempts, refused=diagnosis.refused)
        if self._outage.is_down and not self._closed:
            failures, seconds = self._outage.failures, self._outage.lasting_s
            reason = diagnosis.message.removeprefix(f"{self.target}: ")
            self.down = f"{self.target} is down: {reason} ({failures} failures in {seconds:.0f} s, and no reply)"
            self.close()

    # --- who may set out ----------------------------------------------------------------------------------------------

    def _wait_s(self) -> float:
        if self.throttle.in_flight >= self.throttle.places or self._shared.in_flight >= self._shared.most:
            return math.inf
        return max(self._outage.wait_s(), self._shared.pace.wait_s())

    async def _change_within(self, seconds: float) -> None:
        self.changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(None if math.isinf(seconds) else seconds):
                await self.changed.wait()

    def _begin(self, tokens: int) -> Attempt:
        self._shared.pace.take(tokens)
        self._shared.in_flight += 1
        return Attempt(self._outage.begin(), self.throttle.begin(), tokens)

    @asynccontextmanager
    async def _unless_closed(self) -> AsyncIterator[None]:
        if self._closed:
            raise Over
        try:
            async with asyncio.timeout(None) as wait:
                self._waits.add(wait)
                try:
                    yield
                finally:
                    self._waits.discard(wait)
        except TimeoutError:
            raise Over from None
        if self._closed:
            raise Over
