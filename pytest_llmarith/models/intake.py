"""Announced questions on their way to the schedule, a few at a time: nobody at the desk waits for them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from pytest_llmarith.models.schedule import Schedule
from pytest_llmarith.models.store import RunStore, StoreError, keyed_questions
from pytest_llmarith.models.tally import Tally
from pytest_llmarith.values import Model, Question

_LOG = logging.getLogger(__name__)
_CHUNK = 200  # questions per turn of the loop: a few milliseconds


class Intake:
    """Schedules what is announced and has no stored reply. What goes wrong here, whoever asks will hear of."""

    def __init__(
        self,
        models: Mapping[str, Model],
        may_ask: Callable[[Model], bool],
        store: RunStore,
        schedule: Schedule,
        tally: Tally,
    ) -> None:
        self._models = models
        self._may_ask = may_ask
        self._store = store
        self._schedule = schedule
        self._tally = tally
        self._announced: asyncio.Queue[Iterable[Question]] = asyncio.Queue()

    def announce(self, questions: Iterable[Question]) -> None:
        self._announced.put_nowait(questions)

    async def run(self, store_failed: Callable[[StoreError], object], pump: Callable[[], None]) -> None:
        """Goes on until it is cancelled; `pump` is called whenever there is something new to ask."""
        while True:
            questions = iter(await self._announced.get())
            while chunk := list(islice(questions, _CHUNK)):
                try:
                    self._take_in(chunk)
                except StoreError as error:
                    store_failed(error)
                except Exception:  # announcing is a hint
                    _LOG.debug("announced questions were not understood", exc_info=True)
                pump()
                await asyncio.sleep(0)

    def _take_in(self, chunk: list[Question]) -> None:
        self._tally.announced += len(chunk)
        keyed = keyed_questions(self._models, chunk)
        stored = self._store.fetch([key for key, model, _ in keyed if not model.simulated])
        self._tally.announced_stored += sum(key in stored for key, _, _ in keyed)
        for key, model, question in keyed:
            if key not in stored and self._may_ask(model):
                self._schedule.announce(key, question)
