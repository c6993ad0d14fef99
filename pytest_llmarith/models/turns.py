"""A run's turn to ask a question that other runs want, too. It knows neither what is asked nor how.

A run waits only for questions that it has not in flight itself, and holds no claim while it waits: two runs cannot
wait for each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from pytest_llmarith.models.keeping.keeper import Keeper
from pytest_llmarith.models.tally import Tally

_FIRST_LOOK_S = 0.05
_LOOK_EVERY_S = 0.5


class Turns:
    """Of all runs that share a store, one asks a question at a time."""

    def __init__(self, keeper: Keeper, tally: Tally) -> None:
        self._keeper = keeper
        self._tally = tally
        self._halted = asyncio.Event()

    def halt(self) -> None:
        """Wait no longer: whoever does so now has no turn."""
        self._halted.set()

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[bool]:
        """Nobody else asks this meanwhile; what another run was asking stands in the store by now, or came to nothing.

        False where the run was halted before. Raises StoreError where a reply could not be written down: nothing is
        to be paid for then.
        """
        await self._keeper.ready()
        claimed = self._keeper.claim(key)
        if not claimed and self._keeper.waits_for_others:
            with self._tally.waiting_for_another_run():
                claimed = await self._claimed(key)
            if not claimed:
                yield False
                return
        try:
            yield not self._halted.is_set()
        finally:
            if claimed:
                self._keeper.release(key)

    async def _claimed(self, key: str) -> bool:
        """Another run says nothing when it is done, or dead, so that its claim is looked at from time to time."""
        pause_s = _FIRST_LOOK_S
        while not self._halted.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._halted.wait(), pause_s)
            if self._keeper.claim(key):
                return True
            pause_s = min(2 * pause_s, _LOOK_EVERY_S)
        return False
