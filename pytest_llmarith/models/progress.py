"""The running counts of a broker."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count

from pytest_llmarith.values import Failure, Model, Progress, Reply, Throttled

_MOST_REASONS = 50
_OTHERS = "other reasons"


class Counts:
    """The fields of `values.Progress`, while they grow."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._now = Progress()
        self._pauses: dict[int, tuple[str, float]] = {}
        self._numbers = count()
        self._retries: dict[str, int] = {}
        self._throttled: dict[str, Throttled] = {}

    def add(self, **more: float) -> None:
        """Add to fields of `Progress` by name."""
        self._now = replace(self._now, **{name: getattr(self._now, name) + step for name, step in more.items()})

    def set_stored(self, kept: int, unsaved: int) -> None:
        """How many replies of this run the store took, and how many it did not."""
        self._now = replace(self._now, kept=kept, unsaved=unsaved)

    @contextmanager
    def during(self, **more: float) -> Iterator[None]:
        """Add to fields, and take it back at the end."""
        self.add(**more)
        try:
            yield
        finally:
            self.add(**{name: -step for name, step in more.items()})

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
        """A question is tried again."""
        known = reason in self._retries or len(self._retries) < _MOST_REASONS
        counted = reason if known else _OTHERS
        self._retries[counted] = self._retries.get(counted, 0) + 1

    def throttled(self, throttled: Throttled) -> None:
        self._throttled[throttled.target] = throttled

    def settled(self, model: Model, outcome: Reply | Failure) -> None:
        """A question has ended."""
        if isinstance(outcome, Failure):
            self.add(failed=not model.judge)
        elif model.judge:
            self.add(judged=1)
        else:
            self.add(**{"stored" if outcome.stored else "answered": 1})
        if isinstance(outcome, Reply) and outcome.stored:
            self.add(stored_usd=outcome.cost_usd or 0.0)

    def paid(self, reply: Reply) -> None:
        """A reply has arrived, whether or not a test still waits for it."""
        self.add(cost_usd=reply.cost_usd or 0.0, unpriced=reply.cost_usd is None)

    def progress(self) -> Progress:
        pauses = list(self._pauses.values())
        return replace(
            self._now,
            retrying=len(pauses),
            waiting_for=dict(Counter(reason for reason, _ in pauses).most_common()),
            next_try_s=max(0.0, min(due for _, due in pauses) - self._clock()) if pauses else None,
            retries=dict(self._retries),
            throttled=tuple(self._throttled.values()),
        )
