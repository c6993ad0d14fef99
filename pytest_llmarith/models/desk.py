"""The asking itself, on one loop. Nothing here is thread safe; the broker is its only visitor.

It brings together what is announced (intake), what goes next (schedule), and where replies come from (source).
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from pytest_llmarith.models import scrubbing
from pytest_llmarith.models.intake import Intake
from pytest_llmarith.models.patience.requesting import Requester, Sender
from pytest_llmarith.models.patience.retrying import PauseLength
from pytest_llmarith.models.request import asked_model
from pytest_llmarith.models.schedule import Entry, Schedule, Waiter
from pytest_llmarith.models.source import Source
from pytest_llmarith.models.spending.budget import Budget
from pytest_llmarith.models.spending.prices import Prices
from pytest_llmarith.models.spending.stored_costs import StoredCost
from pytest_llmarith.models.store import RunStore, StoreError, key_of
from pytest_llmarith.models.tally import Tally
from pytest_llmarith.values import AskingLimits, Failure, Model, Question, Reply, StoreMode
from pytest_llmarith.values.asking import NEVER_ASKED, RUN_STOPPED

_LOG = logging.getLogger(__name__)

_TOO_LATE = Failure("the run ended before the reply arrived")

Deliver = Callable[[Reply | Failure], None]


@dataclass(frozen=True, slots=True)
class Rules:
    """How a run asks."""

    limits: AskingLimits
    window: int
    store_mode: StoreMode
    pause_s: PauseLength | None

    def may_ask(self, model: Model) -> bool:
        """Whether requests may go to this model at all."""
        return model.simulated or self.store_mode is not StoreMode.ONLY


class Desk:
    """Takes questions, and answers every one of them exactly once."""

    def __init__(
        self,
        client: Sender,
        models: Mapping[str, Model],
        store: RunStore,
        tally: Tally,
        rules: Rules,
        prices: Prices,
    ) -> None:
        self.stopped: Failure | None = None
        self._client = client
        self._models = models
        self._store = store
        self._tally = tally
        self._rules = rules
        self._budget = Budget(rules.limits, prices, tally.lose)
        self._requester = Requester(
            client, models.values(), rules.limits, rules.pause_s, tally, self._budget, self._pump
        )
        self._schedule = Schedule(rules.window)
        self._serving: set[asyncio.Task[None]] = set()
        self._closed: Failure | None = None
        self._store_failure: Failure | None = None
        self._source = Source(store, self._requester, self._budget, prices, tally, self._store_failed)
        self._intake = Intake(models, rules.may_ask, store, self._schedule, tally)
        self._ending = asyncio.Event()
        self._cut = asyncio.Event()

    # --- visits -----------------------------------------------------------------------------------------------------

    def count(self, spent: Iterable[StoredCost]) -> None:
        self._budget.count(spent)

    def announce(self, questions: Iterable[Question]) -> None:
        self._intake.announce(questions)

    def ask(self, question: Question, deliver: Deliver, lane: str) -> None:
        try:
            outcome = self._ask(question, Waiter(lane, deliver))
        except Exception as error:  # a mistake of ours must not leave anybody waiting
            outcome = _mishap(question.model, error)
        if outcome is not None:
            _hand_over(deliver, outcome)
        self._stop_after_store_failure()
        self._pump()

    def forget(self, lane: str) -> None:
        self._schedule.forget(lane)
        self._pump()

    def stop(self, failure: Failure) -> None:
        """Answer everybody; what is in flight may still arrive, for the store."""
        if self.stopped is None:
            self.stopped = failure
            self._close(Failure(f"{RUN_STOPPED}{failure.message}", stops_run=True), spare_in_flight=False)

    def end(self, drain_s: float) -> None:
        """Ask nothing more. What is in flight has so long to arrive; a later call may cut that short."""
        self._close(NEVER_ASKED, spare_in_flight=True)
        self._ending.set()
        asyncio.get_running_loop().call_later(drain_s, self._cut.set)

    async def run(self) -> None:
        """The desk is open until `end`, and leaves nothing behind."""
        taking_in = asyncio.create_task(self._intake.run(self._store_failed, self._pump))
        await self._ending.wait()
        taking_in.cancel()
        await self._drain()
        await asyncio.gather(taking_in, return_exceptions=True)
        self.stopped = self.stopped or self._store_failure
        await self._store.close()
        self._tally.unsaved, self._tally.kept = len(self._store.unwritten), len(self._store.written)
        with suppress(Exception):
            await self._client.close()

    # --- asked questions --------------------------------------------------------------------------------------------

    def _ask(self, question: Question, waiter: Waiter) -> Reply | Failure | None:
        """The answer, where there is one at once; else it is on its way to the waiter."""
        model = asked_model(self._models, question)
        if model is None:
            return Failure(f"there is no model named {question.model!r} in this run")
        key = key_of(model, question)
        if (outcome := self._schedule.take(key, waiter.lane)) is not None:
            return outcome
        if self._closed is not None:
            self._tally.failed += 1
            return self._closed
        if key not in self._schedule and (outcome := self._answer_without_asking(key, model, question)) is not None:
            self._tally.settled(model, outcome)
            return outcome
        self._schedule.wait(key, question, waiter)
        return None

    def _answer_without_asking(self, key: str, model: Model, question: Question) -> Reply | Failure | None:
        """A stored reply takes no place among the requests."""
        outcome = self._source.stored(key, model, question.prompt)
        if outcome is None and not self._rules.may_ask(model):
            return Failure("no stored reply, and --llm-store=only asks no model")
        return outcome

    # --- requests ---------------------------------------------------------------------------------------------------

    def _pump(self) -> None:
        """Fill the free places."""
        if self._store_failure is not None:
            return
        while (entry := self._schedule.next(self._has_room)) is not None:
            model = self._model_of(entry.question)
            self._requester.begin(model)
            task = asyncio.create_task(self._serve(entry))
            self._serving.add(task)
            task.add_done_callback(partial(self._served, model))

    def _has_room(self, question: Question) -> bool:
        return self._requester.has_room(self._model_of(question))

    def _model_of(self, question: Question) -> Model:
        model = asked_model(self._models, question)
        assert model is not None  # only what is known was scheduled
        return model

    def _served(self, model: Model, task: asyncio.Task[None]) -> None:
        self._serving.discard(task)
        self._requester.end(model)
        self._stop_after_store_failure()
        self._pump()

    async def _serve(self, entry: Entry) -> None:
        model = self._model_of(entry.question)
        try:
            announced = entry.due > 0
            outcome = await self._source.obtain(entry.key, model, entry.question.prompt, announced=announced)
        except asyncio.CancelledError:
            outcome = _TOO_LATE
        except Exception as error:  # a mistake of ours must not leave anybody waiting
            outcome = _mishap(model.target, error)
        never_asked = outcome == NEVER_ASKED
        if never_asked:
            outcome = self._closed or NEVER_ASKED
        waiters = self._schedule.arrived(entry, outcome)
        if waiters or not never_asked:
            self._tally.settled(model, outcome)
        for waiter in waiters:
            _hand_over(waiter.deliver, outcome)
        if isinstance(outcome, Failure) and outcome.stops_run and self._store_failure is None:
            self.stop(outcome)

    # --- a store that fails -----------------------------------------------------------------------------------------

    def _store_failed(self, error: StoreError) -> Failure:
        """Begin no further request; what is in flight arrives before the run stops."""
        if self._store_failure is None:
            self._store_failure = Failure(str(error), stops_run=True)
            self._source.halt()
            self._stop_after_store_failure()
        return self._store_failure

    def _stop_after_store_failure(self) -> None:
        """Stop the run, but first let the items fetch what is only in memory; all other questions fail meanwhile."""
        if self._store_failure is None or self._serving:
            return
        if any(key in self._schedule for key in self._store.unwritten):
            self._close(Failure(f"{RUN_STOPPED}{self._store_failure.message}", stops_run=True), spare_in_flight=True)
        else:
            self.stop(self._store_failure)

    # --- the end ----------------------------------------------------------------------------------------------------

    def _close(self, failure: Failure, *, spare_in_flight: bool) -> None:
        self._closed = self._closed or failure
        self._source.halt()
        self._answer_in_vain(self._closed, spare_in_flight=spare_in_flight)

    def _answer_in_vain(self, failure: Failure, *, spare_in_flight: bool) -> None:
        for waiter in self._schedule.abandon(spare_in_flight=spare_in_flight):
            self._tally.failed += 1
            _hand_over(waiter.deliver, failure)

    async def _drain(self) -> None:
        cut = asyncio.create_task(self._cut.wait())
        while self._serving and not cut.done():
            await asyncio.wait({cut, *self._serving}, return_when=asyncio.FIRST_COMPLETED)
        for task in (cut, *self._serving):
            task.cancel()
        await asyncio.gather(cut, *self._serving, return_exceptions=True)
        # A task that was cancelled before its first step has answered nobody.
        self._answer_in_vain(_TOO_LATE, spare_in_flight=False)


def _mishap(name: str, error: Exception) -> Failure:
    _LOG.debug("a question failed", exc_info=True)
    return Failure(scrubbing.one_line(f"{name}: {type(error).__name__}: {error}", os.environ))


def _hand_over(deliver: Deliver, outcome: Reply | Failure) -> None:
    """Whatever a visitor does with the reply, the desk stays open."""
    try:
        deliver(outcome)
    except Exception:
        _LOG.debug("a reply was not taken", exc_info=True)
