"""The one broker of a run, for any thread to visit. The asking happens at its desk, on a thread of its own.

It does not know problems, grades or pytest.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Protocol

from pytest_llmarith.models.ahead import Ahead, look_ahead
from pytest_llmarith.models.desk import Deliver, Desk, Rules
from pytest_llmarith.models.patience.requesting import Sender
from pytest_llmarith.models.patience.retrying import PauseLength
from pytest_llmarith.models.request import asked_model
from pytest_llmarith.models.spending.budget import Budget
from pytest_llmarith.models.spending.caps import unbounded
from pytest_llmarith.models.spending.prices import Catalogue, Prices
from pytest_llmarith.models.spending.stored_costs import StoredCost
from pytest_llmarith.models.store import RunStore
from pytest_llmarith.models.tally import Tally
from pytest_llmarith.values import AskingLimits, Failure, Fit, Model, Progress, Question, Reply, StoreMode, Terms

# A wait is cut into steps, so that Ctrl-C gets through on every system.
_STEP_S = 0.2
_IDLE_S = 1.0
_SMALLEST_WINDOW = 128


class Provider(Sender, Catalogue, Protocol):
    """The client."""


class Broker:
    """Asks models, once per question, for everybody in a run. Thread and store begin with the first question."""

    def __init__(
        self,
        client: Provider,
        models: Mapping[str, Model],
        store_path: Path | None,
        *,
        limits: AskingLimits = AskingLimits(),  # noqa: B008  # it is frozen
        store_mode: StoreMode = StoreMode.ON,
        window: int | None = None,
        pause_s: PauseLength | None = None,
    ) -> None:
        self._client = client
        self._models = dict(models)
        self._open_store = partial(RunStore, store_path, store_mode)
        self._rules = Rules(
            limits=limits,
            window=window or max(_SMALLEST_WINDOW, 4 * limits.concurrency),
            store_mode=store_mode,
            pause_s=pause_s,
        )
        self._prices = Prices(client, limits.price)
        self._tally = Tally()
        self._gate = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._desk: Desk | None = None
        self._ended = False

    @property
    def stopped(self) -> Failure | None:
        """Why the run must end, once it must."""
        return None if self._desk is None else self._desk.stopped

    def may_ask(self, model: Model) -> bool:
        """Whether requests may go to this model at all."""
        return self._rules.may_ask(model)

    def look_ahead(self, questions: Iterable[Question]) -> Ahead:
        """What would become of these, as far as can be told before the asking begins. Raises StoreError."""
        store = self._open_store()
        try:
            return look_ahead(questions, self._models, store, self._prices, self._rules.may_ask)
        finally:
            store.close_reader()

    def fits(self, ahead: Ahead) -> list[Fit]:
        """How many of the requests that lie ahead fit at once into what the caps leave, for each cap."""
        budget = Budget(self._rules.limits, self._prices)
        budget.count(ahead.spent)
        asked = ((asked_model(self._models, question), question.prompt) for question in ahead.to_ask)
        return budget.fits((model, prompt) for model, prompt in asked if model is not None)

    def unbounded(self, model: Model) -> str | None:
        """Why a cap cannot be kept for a model; None if it can. Call it on the main thread, as `terms`."""
        return unbounded(self._rules.limits, model, self.terms(model)) if self._rules.limits.is_capped else None

    def count(self, spent: Sequence[StoredCost]) -> None:
        """Let the caps count what stored replies have cost, before anything is asked."""
        if spent and self._rules.limits.is_capped:
            self._visit(lambda desk: desk.count(spent))

    def terms(self, model: Model) -> Terms:
        """What is known of a model before it is asked. Call it on the main thread: it may have to import much."""
        return self._prices.terms(model)

    def prepare(self) -> None:
        """Import what is slow to import. Call it on the main thread, before the first question."""
        self._client.prepare()

    def announce(self, questions: Iterable[Question]) -> None:
        """These are going to be asked: a hint that fills idle places, in this order."""
        announced = list(questions)
        self._visit(lambda desk: desk.announce(announced))

    def ask(self, question: Question, deliver: Deliver, lane: str = "") -> None:
        """`deliver` is called exactly once, on the broker's thread; after the end at once, on the caller's."""
        if not self._visit(lambda desk: desk.ask(question, deliver, lane)):
            deliver(Failure("the run has ended"))

    def ask_and_wait(
        self, question: Question, lane: str = "", *, idle: Callable[[], None] | None = None
    ) -> Reply | Failure:
        """Wait for the reply; `idle` is called about once a second meanwhile."""
        replies: queue.SimpleQueue[Reply | Failure] = queue.SimpleQueue()
        self.ask(question, replies.put, lane)
        meanwhile = _Meanwhile(idle)
        while True:
            try:
                return replies.get(timeout=_STEP_S)
            except queue.Empty:
                meanwhile.tick()

    def forget(self, lane: str) -> None:
        """An asker is gone: nobody waits for its replies, which still reach the store."""
        if self._thread is not None:
            self._visit(lambda desk: desk.forget(lane))

    def stop(self, message: str) -> None:
        """End the asking: everybody who waits or asks later is told why."""
        self._visit(lambda desk: desk.stop(Failure(message, stops_run=True)))

    def progress(self) -> Progress:
        return self._tally.progress()

    def close(self, drain_s: float = 0.0, *, idle: Callable[[], None] | None = None) -> None:
        """Ask nothing more, give what is in flight so long to arrive in the store, and leave nothing behind.

        May be called again, after Ctrl-C or from another thread, to cut the draining short.
        """
        with self._gate:
            if self._thread is None:
                self._ended = True
                return
        self._visit(lambda desk: desk.end(drain_s))
        meanwhile = _Meanwhile(idle)
        while self._thread.is_alive():
            self._thread.join(_STEP_S)
            meanwhile.tick()

    # --- the thread -------------------------------------------------------------------------------------------------

    def _visit(self, deed: Callable[[Desk], None]) -> bool:
        """Do something at the desk, on its loop; False where it is closed for good."""
        with self._gate:
            if self._ended:
                return False
            loop, desk = self._open()
            loop.call_soon_threadsafe(partial(deed, desk))
            return True

    def _open(self) -> tuple[asyncio.AbstractEventLoop, Desk]:
        if self._loop is None or self._desk is None:
            opened: Future[tuple[asyncio.AbstractEventLoop, Desk]] = Future()
            thread = threading.Thread(target=self._run, args=(opened,), name="llmarith-broker", daemon=True)
            thread.start()
            self._loop, self._desk = opened.result()
            self._thread = thread
        return self._loop, self._desk

    def _run(self, opened: Future[tuple[asyncio.AbstractEventLoop, Desk]]) -> None:
        """What goes wrong before the desk is open, such as too many open files, is told to whoever wanted it."""

        async def open_desk() -> None:
            desk = Desk(self._client, self._models, self._open_store(), self._tally, self._rules, self._prices)
            opened.set_result((asyncio.get_running_loop(), desk))
            try:
                await desk.run()
            finally:
                with self._gate:
                    self._ended = True
            await asyncio.sleep(0)  # whoever came in before the door closed is answered

        try:
            with asyncio.Runner() as runner:
                runner.get_loop()  # fails before there is anything to run
                runner.run(open_desk())
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)


class _Meanwhile:
    """Calls somebody about once a second while somebody else waits."""

    def __init__(self, idle: Callable[[], None] | None) -> None:
        self._idle = idle
        self._at = time.monotonic() + _IDLE_S

    def tick(self) -> None:
        if self._idle is not None and time.monotonic() >= self._at:
            self._idle()
            self._at = time.monotonic() + _IDLE_S
