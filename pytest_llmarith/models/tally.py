"""The running counts of a broker. One thread counts, any thread takes a snapshot."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from itertools import count
from typing import Any

from pytest_llmarith.models.patience.throttle import Throttle
from pytest_llmarith.values import Failure, Model, Progress, Reply, Throttled

_MOST_REASONS = 50
_OTHERS = "other reasons"


class Tally:
    """The fields of `values.Progress`, while they grow.

    What has several parts is copied by one call that no other thread can come between.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.announced = 0
        self.announced_stored = 0
        self.requests = 0
        self.answered = 0
        self.stored = 0
        self.failed = 0
        self.in_flight = 0
        self.held = 0
        self.unsaved = 0
        self.cost_usd = 0.0
        self.unpriced = 0
        self.judged = 0
        self.kept = 0
        self.stored_usd = 0.0
        self.lost = 0
        self.lost_usd = 0.0
        self._pauses: dict[int, tuple[str, float]] = {}
        self._numbers = count()
        self._retries: dict[str, int] = {}
        self._throttled: dict[str, Throttled] = {}

    @contextmanager
    def sending(self) -> Iterator[None]:
        self.requests += 1
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1

    @contextmanager
    def holding(self) -> Iterator[None]:
        """A request waits for its turn."""
        self.held += 1
        try:
            yield
        finally:
            self.held -= 1

    @contextmanager
    def pausing(self, reason: str, seconds: float) -> Iterator[None]:
        """A question waits for its next attempt."""
        number = next(self._numbers)
        self._pauses[number] = reason, self._clock() + seconds
        try:
            yield
        finally:
            del self._pauses[number]

    def retried(self, reason: str) -> None:
        """It is tried again."""
        known = reason in self._retries or len(self._retries) < _MOST_REASONS
        counted = reason if known else _OTHERS
        self._retries[counted] = self._retries.get(counted, 0) + 1

    def halved(self, target: str, throttle: Throttle) -> None:
        self._throttled[target] = Throttled(target, throttle.halved, throttle.lowest, throttle.most)

    def settled(self, model: Model, outcome: Reply | Failure) -> None:
        """A question has ended."""
        if isinstance(outcome, Failure):
            self.failed += not model.judge
            return
        if model.judge:
            self.judged += 1
        elif outcome.stored:
            self.stored += 1
        else:
            self.answered += 1
        if outcome.stored:
            self.stored_usd += outcome.cost_usd or 0.0

    def paid(self, reply: Reply) -> None:
        """A reply has arrived, whether or not anybody still waits for it."""
        self.cost_usd += reply.cost_usd or 0.0
        self.unpriced += reply.cost_usd is None

    def lose(self, most_usd: float) -> None:
        """A request brought no reply, and may have been billed all the same."""
        self.lost += 1
        self.lost_usd += most_usd

    def progress(self) -> Progress:
        pauses = list(self._pauses.values())
        parts: dict[str, Any] = {
            "retrying": len(pauses),
            "waiting_for": dict(Counter(reason for reason, _ in pauses).most_common()),
            "next_try_s": max(0.0, min(due for _, due in pauses) - self._clock()) if pauses else None,
            "retries": dict(self._retries),
            "throttled": tuple(self._throttled.values()),
        }
        plain = {field.name: getattr(self, field.name) for field in fields(Progress) if field.name not in parts}
        return Progress(**plain, **parts)
