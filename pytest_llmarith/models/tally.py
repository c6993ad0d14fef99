"""Room: the running counts of a broker. One thread counts, any thread takes a snapshot."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields

from pytest_llmarith.values import Failure, Model, Progress, Reply


class Tally:
    """The fields of `values.Progress`, while they grow."""

    def __init__(self) -> None:
        self.announced = 0
        self.announced_stored = 0
        self.requests = 0
        self.answered = 0
        self.stored = 0
        self.again = 0
        self.failed = 0
        self.in_flight = 0
        self.retrying = 0
        self.cost_usd = 0.0
        self.unpriced = 0
        self.judged = 0

    @contextmanager
    def sending(self) -> Iterator[None]:
        self.requests += 1
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1

    @contextmanager
    def pausing(self) -> Iterator[None]:
        self.retrying += 1
        try:
            yield
        finally:
            self.retrying -= 1

    def settled(self, model: Model, outcome: Reply | Failure) -> None:
        """A question has ended. A simulated reply has no price, so its price is not unknown."""
        if isinstance(outcome, Failure):
            self.failed += not model.judge
            return
        if model.judge:
            self.judged += 1
        elif outcome.stored:
            self.stored += 1
        else:
            self.answered += 1
        if not outcome.stored:
            self.cost_usd += outcome.cost_usd or 0.0
            self.unpriced += outcome.cost_usd is None and not model.simulated

    def progress(self) -> Progress:
        return Progress(**{field.name: getattr(self, field.name) for field in fields(Progress)})
