"""How a run ends whose store has failed. It knows neither models nor how they are asked.

Nothing more is asked. What was paid for and is in no store is with those who want it before the run stops.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress

from pytest_llmarith.models.keeping.keeper import Keeper
from pytest_llmarith.models.keeping.store import StoreError
from pytest_llmarith.models.schedule import Schedule
from pytest_llmarith.values import Failure

_LOOK_S = 0.02
_FETCH_S = 120.0  # without anybody fetching a reply: whose items were skipped are not waited for any longer


class StoreFailure:
    """`failure` is set from the moment when the store fails; `stop` is called when the run has to end."""

    def __init__(
        self, keeper: Keeper, schedule: Schedule, in_flight: Collection[object], stop: Callable[[Failure], None]
    ) -> None:
        self.failure: Failure | None = None
        self._keeper = keeper
        self._schedule = schedule
        self._in_flight = in_flight
        self._stop = stop
        self._waiting: asyncio.Task[None] | None = None

    def begin(self, error: StoreError) -> Failure:
        """The store has failed; what it says first is what the run ends with."""
        if self.failure is None:
            self.failure = Failure(str(error), stops_run=True)
            if self._in_flight or self._only_in_memory():
                self._waiting = asyncio.create_task(self._wind_up(self.failure))
            else:
                self._stop(self.failure)
        return self.failure

    async def end(self) -> None:
        """Wait no longer."""
        if self._waiting is not None:
            self._waiting.cancel()
            with suppress(asyncio.CancelledError):
                await self._waiting

    async def _wind_up(self, failure: Failure) -> None:
        """What is in flight arrives; then whoever wants a reply that is only in memory has some time to fetch it."""
        left, idle_s = self._only_in_memory(), 0.0
        while self._in_flight or (left and idle_s < _FETCH_S):
            await asyncio.sleep(_LOOK_S)
            before, left = left, self._only_in_memory()
            idle_s = 0.0 if self._in_flight or left < before else idle_s + _LOOK_S
        self._stop(failure)

    def _only_in_memory(self) -> int:
        """How many replies are in no store, and still to be fetched."""
        return sum(key in self._schedule for key in self._keeper.unsaved())
