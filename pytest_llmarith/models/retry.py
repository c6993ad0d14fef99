"""Asks one question: requests within the limits and the budget, retries, and their
counts.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from msgspec import structs

from pytest_llmarith.models.budget import Amount, Budget, OverBudget
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.limits import Attempt, Closed, Endpoint, SharedLimits
from pytest_llmarith.models.provider_errors import Action, Diagnosis, diagnose
from pytest_llmarith.records import Reply
from pytest_llmarith.types import (
    NEVER_ASKED,
    Failure,
    Model,
    Progress,
    Prompt,
    RequestLimits,
    Retry,
    Throttled,
)

FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 60.0
# A 429 is retried this many times as often as an outage: rate limits are per minute,
# and it may take several minutes until a question gets through.
RETRIES_FOR_429 = 4
RETRY_TIME_S = 900.0  # no retry begins later than this after the first request


class Counts:
    """The counts behind `Progress`:

    `numbers` by its fields, `retries` by reason, `throttled` by target.
    """

    def __init__(self) -> None:
        self.numbers: Counter[str] = Counter()
        self.retries: Counter[str] = Counter()
        self.throttled: dict[str, Throttled] = {}
        self._clock = asyncio.get_running_loop().time
        self._cost_usd = self._stored_usd = self._lost_usd = 0.0
        self._pauses: list[tuple[str, float]] = []  # reason and end of each pause

    @contextmanager
    def during(self, name: str) -> Iterator[None]:
        """Increase a number within the context."""
        self.numbers[name] += 1
        try:
            yield
        finally:
            self.numbers[name] -= 1

    @contextmanager
    def pausing(self, reason: str, seconds: float) -> Iterator[None]:
        """Count a question that waits for a retry."""
        pause = reason, self._clock() + seconds
        self._pauses.append(pause)
        try:
            yield
        finally:
            self._pauses.remove(pause)

    def settled(self, model: Model, outcome: Reply | Failure) -> None:
        """Count the outcome of a question."""
        if isinstance(outcome, Failure):
            self.numbers["failed"] += not model.judge
            return
        self.numbers[
            "judged" if model.judge else "stored" if outcome.stored else "answered"
        ] += 1
        if outcome.stored:
            self._stored_usd += outcome.cost_usd or 0.0

    def paid(self, reply: Reply) -> None:
        """Count the cost of a reply, even if no test waits for it any more."""
        self.numbers["unpriced"] += reply.cost_usd is None
        self._cost_usd += reply.cost_usd or 0.0

    def lost(self, most_usd: float) -> None:
        """Count a request without a reply that may have been billed for at most this
        much.
        """
        self.numbers["lost"] += 1
        self._lost_usd += most_usd

    def progress(self, kept: int, unsaved: int) -> Progress:
        """The counts so far, with how many replies of this run are in the store, and
        how many are not.
        """
        pauses = self._pauses
        return Progress(
            **self.numbers,
            kept=kept,
            unsaved=unsaved,
            cost_usd=self._cost_usd,
            stored_usd=self._stored_usd,
            lost_usd=self._lost_usd,
            retrying=len(pauses),
            waiting_for=dict(Counter(reason for reason, _ in pauses).most_common()),
            next_try_s=max(0.0, min(due for _, due in pauses) - self._clock())
            if pauses
            else None,
            retries=dict(self.retries),
            throttled=tuple(self.throttled.values()),
        )


class Requester:
    """Sends the requests of a question until there is a reply or a failure.

    `on_capacity` is called when a question begins to wait for a retry, as another one
    may be asked meanwhile.
    """

    def __init__(
        self,
        client: Client,
        models: Iterable[Model],
        limits: RequestLimits,
        counts: Counts,
        budget: Budget,
        on_capacity: Callable[[], None],
    ) -> None:
        self._client = client
        self._limits = limits
        self._counts = counts
        self._budget = budget
        self._on_capacity = on_capacity
        self._shared = SharedLimits(limits)
        self._endpoints: dict[tuple[str, str | None], Endpoint] = {}
        endpoints = [(model, self._endpoint(model)) for model in models]
        self._measured = [endpoint for model, endpoint in endpoints if not model.judge]
        self._busy = 0

    def is_full(self) -> bool:
        """Whether no model has capacity."""
        is_any_closed = any(endpoint.closed for endpoint in self._shared.endpoints)
        return self._busy >= self._limits.concurrency and not is_any_closed

    def has_capacity(self, model: Model) -> bool:
        """Whether another question to this model may start now."""
        endpoint = self._endpoint(model)
        return endpoint.closed or (
            endpoint.has_capacity() and self._busy < self._limits.concurrency
        )

    def enter(self, model: Model) -> None:
        """Count a question to this model as in progress, until `leave`."""
        self._busy += 1
        self._endpoint(model).questions += 1

    def leave(self, model: Model) -> None:
        self._busy -= 1
        self._endpoint(model).questions -= 1

    def halt(self) -> None:
        """Send no more requests; those in flight may still finish."""
        self._budget.halt()
        for endpoint in self._shared.endpoints:
            endpoint.close()

    async def request(self, model: Model, prompt: Prompt) -> Reply | Failure:
        """Send requests until there is a reply, or no further retry is allowed."""
        endpoint = self._endpoint(model)
        clock = asyncio.get_running_loop().time
        attempts = throttled = 0
        first_at = pause = 0.0
        retries: list[Retry] = []
        last: Diagnosis | None = None

        def failure(message: str) -> Failure:
            return self._failure(
                endpoint, last, Failure(message, attempts, retries=tuple(retries))
            )

        while True:
            try:
                if last is not None:
                    await self._pause(endpoint, last, pause)
                most, attempt = await self._begin(endpoint, model, prompt)
            except Closed:
                return failure(
                    _message(last, attempts) if last else NEVER_ASKED.message
                )
            except OverBudget as refusal:
                return Failure(str(refusal), attempts, retries=tuple(retries))
            if last is None:
                first_at = clock()
            else:
                self._counts.retries[last.summary] += 1
                retries.append(Retry(last.message, round(pause, 3)))
            try:
                outcome = await self._send(endpoint, attempt, model, prompt, most)
            finally:
                endpoint.end(attempt)
                self._budget.release(most)
            attempts += 1
            if isinstance(outcome, Reply):
                return structs.replace(
                    outcome, attempts=attempts, retries=tuple(retries)
                )
            last = outcome
            throttled += last.throttled
            allowed = self._limits.retries * (RETRIES_FOR_429 if last.throttled else 1)
            used = throttled if last.throttled else attempts - throttled
            if (
                last.action is not Action.RETRY
                or used > allowed
                or not self._limits.retries
            ):
                return failure(_message(last, attempts))
            in_burst = last.throttled and endpoint.was_in_burst(attempt)
            pause = (
                0.0
                if in_burst and last.retry_after_s is None
                else self._pause_length(last, attempts)
            )
            if clock() - first_at + pause > RETRY_TIME_S:
                return failure(_message(last, attempts, too_long=True))

    # --- one attempt ------------------------------------------------------------------

    async def _begin(
        self, endpoint: Endpoint, model: Model, prompt: Prompt
    ) -> tuple[Amount, Attempt]:
        """Wait until the budget and the limits admit a request.

        Raises Closed or OverBudget.
        """
        with self._counts.during("held"):
            most = await self._budget.reserve(model, prompt)
            if most is None:
                raise Closed
            try:
                return most, await endpoint.begin()
            except BaseException:
                self._budget.release(most)
                raise

    async def _send(
        self,
        endpoint: Endpoint,
        attempt: Attempt,
        model: Model,
        prompt: Prompt,
        most: Amount,
    ) -> Reply | Diagnosis:
        timeout_s = self._limits.timeout_s
        self._counts.numbers["requests"] += 1
        try:
            with self._counts.during("in_flight"):
                async with asyncio.timeout(timeout_s):
                    reply = await self._client.complete(model, prompt, timeout_s)
        except BaseException as error:
            if (most_usd := self._budget.fail(model, prompt, error)) is not None:
                self._counts.lost(most_usd)
            if not isinstance(
                error, Exception
            ):  # such as CancelledError at the end of the run
                raise
            diagnosis = diagnose(
                error, model, timeout_s, has_replied=endpoint.has_replied
            )
            if (throttled := endpoint.failed(attempt, diagnosis)) is not None:
                self._counts.throttled[model.target] = throttled
            return diagnosis
        self._budget.pay(model, most, reply)
        endpoint.replied(attempt)
        return reply

    # --- between attempts -------------------------------------------------------------

    async def _pause(self, endpoint: Endpoint, last: Diagnosis, seconds: float) -> None:
        self._busy -= 1
        self._on_capacity()
        try:
            with self._counts.pausing(last.summary, seconds):
                await endpoint.pause(seconds)
        finally:
            self._busy += 1

    def _pause_length(self, last: Diagnosis, attempts: int) -> float:
        """The wait that the provider asks for, else exponential backoff with full
        jitter.

        After `retries` attempts, the longer of both counts, as the provider has asked
        for too little.
        """
        asked = last.retry_after_s
        if asked is not None and attempts <= self._limits.retries:
            return asked
        return max(asked or 0.0, backoff_s(attempts))

    def _failure(
        self, endpoint: Endpoint, last: Diagnosis | None, failure: Failure
    ) -> Failure:
        """The failure, or that the provider is down.

        The run stops if all models under test are down.
        """
        if last is not None:
            endpoint.gave_up(last, failure.attempts)
        if endpoint.down is not None and (last is None or last.action is Action.RETRY):
            all_down = all(measured.down for measured in self._measured)
            return replace(failure, message=endpoint.down, stops_run=all_down)
        return replace(
            failure, stops_run=last is not None and last.action is Action.STOP_RUN
        )

    def _endpoint(self, model: Model) -> Endpoint:
        address = model.target, model.api_base
        if address not in self._endpoints:
            most = (
                self._shared.most
                if model.file is None
                else min(self._shared.most, model.file.slots)
            )
            self._endpoints[address] = Endpoint(model.target, self._shared, most)
        return self._endpoints[address]


def backoff_s(attempts: int) -> float:
    """A random pause after a number of attempts, which grows exponentially with it."""
    return random.uniform(
        0, min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** min(attempts - 1, 10))
    )


def _message(last: Diagnosis, attempts: int, *, too_long: bool = False) -> str:
    """The last error, the number of attempts, and why there is no further retry."""
    notes = [f"{attempts} attempts"] if attempts > 1 else []
    if too_long and last.retry_after_s is not None:
        notes.append(f"the provider asks to wait {last.retry_after_s:,.0f} s")
    if too_long:
        notes.append(f"retries end after {RETRY_TIME_S:g} s")
    return f"{last.message} ({', '.join(notes)})" if notes else last.message
