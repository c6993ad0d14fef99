"""Asks one question: requests within the limits and the budget, and retries.

It also has the counts of them.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from msgspec import structs

from pytest_llmarith.models.asking import NEVER_ASKED
from pytest_llmarith.models.budget import Amount, Budget, OverBudget
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.limits import (
    Attempt,
    Closed,
    Endpoint,
    ServerLimits,
    SharedLimits,
)
from pytest_llmarith.models.provider_errors import Action, Diagnosis, diagnose
from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.records import Reply
from pytest_llmarith.types import (
    Failure,
    FailureCode,
    Model,
    Progress,
    Prompt,
    RequestLimits,
    Retry,
    Servers,
    Throttled,
)

FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 60.0
# A 429 is retried this many times as often as an outage: rate limits are per minute,
# and it may take several minutes until a question gets through.
RETRIES_FOR_429 = 4
RETRY_TIME_S = 900.0  # no retry begins later than this after the first request


class RequestCounts:
    """The counts behind `Progress`.

    `numbers` are by its fields, `retries` by reason, `throttled` by target.
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

    def settled(
        self, model: Model, outcome: Reply | Failure, *, has_failed: bool = False
    ) -> None:
        """Count the outcome of a question, in place of a failure before."""
        if has_failed and not model.grades:
            self.numbers["failed"] -= 1
        if isinstance(outcome, Failure):
            if not model.grades:
                self.numbers["failed"] += 1
            return
        if outcome.stored:
            self._stored_usd += outcome.cost_usd or 0.0
        if model.grades:
            self.numbers["by_graders"] += 1
        elif outcome.stored:
            self.numbers["stored"] += 1
        else:
            self.numbers["answered"] += 1

    def paid(self, reply: Reply) -> None:
        """Count the cost of a reply, even if no test waits for it any more."""
        if reply.cost_usd is None:
            self.numbers["unpriced"] += 1
        else:
            self._cost_usd += reply.cost_usd

    def lost(self, most_usd: float) -> None:
        """Count a request without a reply that may have been billed, for so much."""
        self.numbers["lost"] += 1
        self._lost_usd += most_usd

    def progress(self, kept: int, unsaved: int) -> Progress:
        """The counts so far.

        `kept` replies of this run are in the store, `unsaved` ones are not.
        """
        next_try_s = None
        if self._pauses:
            first_due = min(due for _, due in self._pauses)
            next_try_s = max(0.0, first_due - self._clock())
        reasons = Counter(reason for reason, _ in self._pauses)
        return Progress(
            **self.numbers,
            kept=kept,
            unsaved=unsaved,
            cost_usd=self._cost_usd,
            stored_usd=self._stored_usd,
            lost_usd=self._lost_usd,
            retrying=len(self._pauses),
            waiting_for=dict(reasons.most_common()),
            next_try_s=next_try_s,
            incomplete=False,
            retries=dict(self.retries),
            throttled=tuple(self.throttled.values()),
        )


class Attempts:
    """The attempts of a request: whether there is another, and after which pause."""

    def __init__(self, retries: int) -> None:
        self.made = 0
        self._retries = retries
        self._throttled = self._unheard = 0
        self._first_at = 0.0
        self._is_too_long = False
        self._clock = asyncio.get_running_loop().time

    def begin(self) -> None:
        """Count an attempt."""
        if not self.made:
            self._first_at = self._clock()
        self.made += 1

    def pause_s(
        self, last: Diagnosis, *, in_burst: bool = False, elsewhere: bool = False
    ) -> float | None:
        """The pause before the next attempt; None if there is none.

        `in_burst` says that a 429 is due to requests which were sent together,
        `elsewhere` that another server is there.
        """
        if elsewhere and last.refused:  # by a server that has ended: no attempt
            self._unheard += 1
            return 0.0
        if last.throttled:
            self._throttled += 1
            used, allowed = self._throttled, self._retries * RETRIES_FOR_429
        else:
            used = self.made - self._throttled - self._unheard
            allowed = self._retries
        if last.action is not Action.RETRY or used > allowed:
            return None
        pause_s = 0.0 if elsewhere else self._wait_s(last, in_burst)
        elapsed_s = self._clock() - self._first_at
        self._is_too_long = elapsed_s + pause_s > RETRY_TIME_S
        return None if self._is_too_long else pause_s

    def message(self, last: Diagnosis) -> str:
        """The last error, the number of attempts, and why there is no other."""
        notes = []
        if self.made > 1:
            notes.append(f"{self.made} attempts")
        if self._is_too_long and last.retry_after_s is not None:
            notes.append(f"the provider asks to wait {last.retry_after_s:,.0f} s")
        if self._is_too_long:
            notes.append(f"retries end after {RETRY_TIME_S:g} s")
        if not notes:
            return last.message
        return f"{last.message} ({', '.join(notes)})"

    def _wait_s(self, last: Diagnosis, in_burst: bool) -> float:
        """The wait that the provider asks for, else a random one.

        After `retries` attempts, the longer of both counts, as the provider has asked
        for too little.
        """
        asked_s = last.retry_after_s
        if in_burst and asked_s is None:
            return 0.0
        if asked_s is not None and self.made <= self._retries:
            return asked_s
        # Exponential backoff with full jitter.
        doubled = 2 ** min(self.made - 1, 10)
        backoff_s = random.uniform(0, min(LONGEST_PAUSE_S, FIRST_PAUSE_S * doubled))
        return max(asked_s or 0.0, backoff_s)


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
        counts: RequestCounts,
        budget: Budget,
        on_capacity: Callable[[], None],
    ) -> None:
        self._client = client
        self._limits = limits
        self._counts = counts
        self._budget = budget
        self._on_capacity = on_capacity
        self._shared = SharedLimits(limits)
        self._endpoints: dict[tuple[str, str | None, Servers | None], Endpoint] = {}
        endpoints = [(model, self._endpoint(model)) for model in models]
        self._measured = [endpoint for model, endpoint in endpoints if not model.grades]
        self._busy = 0

    def is_full(self) -> bool:
        """Whether no model has capacity."""
        is_any_closed = any(endpoint.closed for endpoint in self._shared.endpoints)
        return self._busy >= self._limits.concurrency and not is_any_closed

    def has_capacity(self, model: Model) -> bool:
        """Whether another question to this model may start now."""
        endpoint = self._endpoint(model)
        if endpoint.closed:
            return True
        return endpoint.has_capacity() and self._busy < self._limits.concurrency

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
        attempts = Attempts(self._limits.retries)
        retries = []
        last: Diagnosis | None = None
        attempt: Attempt | None = None
        tried = set[ServerLimits]()
        pause_s: float | None = 0.0
        while pause_s is not None:
            try:
                if last is not None:
                    await self._pause(endpoint, last, pause_s)
                most, attempt = await self._admitted(endpoint, model, prompt, tried)
                try:
                    attempts.begin()
                    if last is not None:
                        self._counts.retries[last.summary] += 1
                        retries.append(Retry(last.message, round(pause_s, 3)))
                    outcome = await self._send(endpoint, attempt, model, prompt, most)
                finally:
                    endpoint.end(attempt)
                    self._budget.release(most)
            except Closed:
                break
            except OverBudget as refusal:
                return Failure(
                    str(refusal),
                    attempts.made,
                    retries=tuple(retries),
                    code=FailureCode.BUDGET,
                )
            if isinstance(outcome, Reply):
                return structs.replace(
                    outcome, attempts=attempts.made, retries=tuple(retries)
                )
            last = outcome
            in_burst = last.throttled and endpoint.was_in_burst(attempt)
            tried.add(attempt.server)
            elsewhere = endpoint.has_other(tried)
            if not elsewhere:
                tried.clear()
            pause_s = attempts.pause_s(last, in_burst=in_burst, elsewhere=elsewhere)
        failure = replace(NEVER_ASKED, attempts=attempts.made, retries=tuple(retries))
        if last is not None:
            message = attempts.message(last)
            failure = replace(failure, message=message, code=last.code)
            if attempt is not None:
                endpoint.gave_up(attempt, last, attempts.made)
        return self._failure(endpoint, last, failure)

    # --- one attempt ------------------------------------------------------------------

    async def _admitted(
        self,
        endpoint: Endpoint,
        model: Model,
        prompt: Prompt,
        tried: Container[ServerLimits],
    ) -> tuple[Amount, Attempt]:
        """Wait until the budget and the limits admit a request, which ends at both.

        Raises Closed or OverBudget.
        """
        with self._counts.during("held"):
            most = await self._budget.reserve(model, prompt)
            if most is None:
                raise Closed
            try:
                return most, await endpoint.begin(tried)
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
        asked, served_at = model, None
        if model.servers is not None:
            served_at = attempt.server.address
            asked = replace(model, api_base=served_at)
        self._counts.numbers["requests"] += 1
        try:
            with self._counts.during("in_flight"):
                async with asyncio.timeout(timeout_s):
                    reply = await self._client.complete(asked, prompt, timeout_s)
        except BaseException as error:
            lost_usd = self._budget.fail(model, prompt, error)
            if lost_usd is not None:
                self._counts.lost(lost_usd)
            # Others are such as CancelledError at the end of the run.
            if not isinstance(error, Exception):
                raise
            diagnosis = diagnose(
                error,
                asked,
                timeout_s,
                has_replied=attempt.server.breaker.has_replied,
            )
            throttled = endpoint.failed(attempt, diagnosis)
            if throttled is not None:
                self._counts.throttled[model.target] = throttled
            return diagnosis
        self._budget.pay(model, most, reply)
        endpoint.replied(attempt)
        if served_at is not None:
            sent = sent_of(model, prompt)
            return structs.replace(reply, sent=sent, served_at=served_at)
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

    def _failure(
        self, endpoint: Endpoint, last: Diagnosis | None, failure: Failure
    ) -> Failure:
        """The failure, or that the provider is down.

        The run stops if all models under test are down.
        """
        may_be_down = last is None or last.action is Action.RETRY
        if endpoint.down is not None and may_be_down:
            all_down = all(measured.down for measured in self._measured)
            return replace(
                failure,
                message=endpoint.down,
                stops_run=all_down,
                code=FailureCode.FAILED,
            )
        stops_run = last is not None and last.action is Action.STOP_RUN
        return replace(failure, stops_run=stops_run)

    def _endpoint(self, model: Model) -> Endpoint:
        address = model.target, model.api_base, model.servers
        if address not in self._endpoints:
            most = self._shared.most
            if model.file is not None:
                most = min(most, model.file.slots)
            self._endpoints[address] = Endpoint(
                model.target, self._shared, most, model.servers
            )
        return self._endpoints[address]
