"""A question's way to its model, on one loop: attempts within limits, trying again. It knows no schedule."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from pytest_llmarith.models.patience import failures
from pytest_llmarith.models.patience.failures import Diagnosis, Remedy
from pytest_llmarith.models.patience.retrying import GivenUp, PauseLength, Persistence
from pytest_llmarith.models.patience.route import Attempt, Route, SharedLimits
from pytest_llmarith.models.tally import Tally
from pytest_llmarith.values import AskingLimits, Failure, Model, Reply


class Sender(Protocol):
    """The client, as far as it is needed here."""

    def prepare(self) -> None: ...
    async def complete(self, model: Model, prompt: str, timeout_s: float) -> Reply: ...
    async def close(self) -> None: ...


class Budget(Protocol):
    """What a request may cost: room for it is reserved before it sets out, and released after it."""

    async def reserve(self, model: Model, prompt: str) -> Any: ...
    def pay(self, reservation: Any, reply: Reply) -> None: ...
    def fail(self, reservation: Any, error: BaseException) -> None: ...
    def release(self, reservation: Any) -> None: ...


class Requester:
    """Brings questions to their models, and comes back with a reply or with the reason why there is none.

    Models of one target at one address share a route. `on_room` is called when a question begins to wait for its next
    attempt: another one may go meanwhile, to another model.
    """

    def __init__(
        self,
        client: Sender,
        models: Iterable[Model],
        limits: AskingLimits,
        pause_s: PauseLength | None,
        tally: Tally,
        budget: Budget,
        on_room: Callable[[], None],
    ) -> None:
        self._client = client
        self._budget = budget
        self._limits = limits
        self._pause_s = pause_s
        self._tally = tally
        self._on_room = on_room
        self._shared = SharedLimits(limits)
        self._routes: dict[tuple[str, str | None], Route] = {}
        routes = [(model, self._route(model)) for model in models]
        self._measured = {route for model, route in routes if not model.judge}
        self._busy = 0

    # --- how many questions there is room for -------------------------------------------------------------------------

    def has_room(self, model: Model) -> bool:
        """Whether another question may be brought to this model now. Where nobody is, nothing takes room."""
        route = self._route(model)
        return route.closed or (route.questions < route.throttle.places and self._busy < self._limits.concurrency)

    def begin(self, model: Model) -> None:
        """A question is on its way, until `end`."""
        self._busy += 1
        self._route(model).questions += 1

    def end(self, model: Model) -> None:
        self._busy -= 1
        self._route(model).questions -= 1

    def halt(self) -> None:
        """Begin no further attempt; what is in flight may still arrive."""
        for route in self._shared.routes:
            route.close()

    # --- asking -------------------------------------------------------------------------------------------------------

    async def request(self, model: Model, prompt: str) -> Reply | Failure:
        """Ask until there is a reply, or no hope."""
        asking = _Asking(
            self._client, self._route(model), model, prompt, self._limits.timeout_s, self._tally, self._budget
        )

        async def pause(seconds: float, diagnosis: Diagnosis) -> None:
            with self._standing_aside():
                await asking.pause(seconds, diagnosis)

        persistence = Persistence(asking.attempt, pause, asking.elapsed_s, self._limits, self._pause_s)
        outcome = await persistence.outcome()
        return self._failure(outcome, asking.route) if isinstance(outcome, GivenUp) else outcome

    def _route(self, model: Model) -> Route:
        address = model.target, model.api_base
        if address not in self._routes:
            self._routes[address] = Route(model.target, self._shared)
        return self._routes[address]

    @contextmanager
    def _standing_aside(self) -> Iterator[None]:
        self._busy -= 1
        self._on_room()
        try:
            yield
        finally:
            self._busy += 1

    def _failure(self, given_up: GivenUp, route: Route) -> Failure:
        """Where nobody is there, that is the reason. It stops the run where no model is left that is measured."""
        diagnosis, attempts, retries = given_up.diagnosis, given_up.attempts, given_up.retries
        if diagnosis is not None:
            route.given_up(diagnosis, attempts)
        remedy = diagnosis and diagnosis.remedy
        if route.down is not None and remedy in (None, Remedy.TRY_AGAIN):
            nobody = all(measured.down for measured in self._measured)
            return Failure(route.down, attempts, stops_run=nobody, retries=retries)
        no_key = diagnosis is not None and diagnosis.no_key
        return Failure(given_up.message, attempts, stops_run=remedy is Remedy.STOP_RUN, retries=retries, no_key=no_key)


class _Asking:
    """One question's attempts."""

    def __init__(
        self,
        client: Sender,
        route: Route,
        model: Model,
        prompt: str,
        timeout_s: float,
        tally: Tally,
        budget: Budget,
    ) -> None:
        self.route = route
        self._client = client
        self._model = model
        self._prompt = prompt
        self._timeout_s = timeout_s
        self._tally = tally
        self._budget = budget
        self._clock = asyncio.get_running_loop().time
        self._first_at: float | None = None
        self._symptom: str | None = None

    def elapsed_s(self) -> float:
        """Since the first attempt set out."""
        return 0.0 if self._first_at is None else self._clock() - self._first_at

    async def attempt(self) -> Reply | Diagnosis:
        """One request, as soon as a cap has room for it and it may set out."""
        with self._tally.holding():
            reservation = await self._budget.reserve(self._model, self._prompt)
        try:
            return await self._set_out(reservation)
        finally:
            self._budget.release(reservation)

    async def _set_out(self, reservation: Any) -> Reply | Diagnosis:
        with self._tally.holding():
            attempt = await self.route.set_out(self._model, self._prompt)
        self._first_at = self._clock() if self._first_at is None else self._first_at
        if self._symptom is not None:
            self._tally.retried(self._symptom)
        try:
            return await self._sent(attempt, reservation)
        finally:
            self.route.arrive(attempt)

    async def pause(self, seconds: float, diagnosis: Diagnosis) -> None:
        """Wait for the next attempt."""
        with self._tally.pausing(diagnosis.symptom, seconds):
            await self.route.pause(seconds)
        self._symptom = diagnosis.symptom

    async def _sent(self, attempt: Attempt, reservation: Any) -> Reply | Diagnosis:
        try:
            reply = await self._send(reservation)
        except Exception as error:
            diagnosis = failures.diagnose(error, self._model, self._timeout_s)
            if self.route.failed(attempt, diagnosis):
                self._tally.halved(self.route.target, self.route.throttle)
            return diagnosis
        self.route.replied(attempt, reply)
        return reply

    async def _send(self, reservation: Any) -> Reply:
        self._client.prepare()
        with self._tally.sending():
            async with asyncio.timeout(self._timeout_s):
                try:
                    reply = await self._client.complete(self._model, self._prompt, self._timeout_s)
                except BaseException as error:  # a timeout comes as a cancellation
                    self._budget.fail(reservation, error)
                    raise
        self._budget.pay(reservation, reply)
        return reply
