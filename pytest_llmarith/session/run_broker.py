"""Starts, uses and closes the broker of a run, in the controller or the only process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_llmarith.session.forecast import Forecast, models_asked_later
from pytest_llmarith.session.recorder import Recorder
from pytest_llmarith.session.selection import PlannedQuestion
from pytest_llmarith.session.terminal import Terminal
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks.oeis import OeisProblem
from pytest_llmarith.types import Failure, Progress, Question, Reply, StoreMode

if TYPE_CHECKING:
    from pytest_llmarith.models.process import BrokerProcess

# How long a run that ends early waits for the requests that are in flight.
DRAIN_S = 30.0


class RunBroker:
    """The broker of a run: forecast, announcement, questions of this process, and the end."""

    def __init__(self, config: pytest.Config, settings: Settings, terminal: Terminal, recorder: Recorder) -> None:
        self._config = config
        self._settings = settings
        self._terminal = terminal
        self._recorder = recorder
        self._process: BrokerProcess | None = None
        self._ended = False
        # The running programs by worker; "" is this process.
        self._running: dict[str, str] = {}

    def process(self) -> BrokerProcess:
        """The broker's process, started on first use."""
        if self._process is None:
            self._process = start_broker(self._config, self._settings, self._terminal)
        return self._process

    def prepare(self) -> None:
        """Start the broker and its imports while pytest collects, unless there is a store that may hold all replies."""
        reads = self._settings.store_mode in (StoreMode.ON, StoreMode.ONLY)
        if self._process is not None or (reads and self._settings.store_path.exists()):
            return
        if self._asks_language_models and self._settings.store_mode is not StoreMode.ONLY:
            self.process().prepare()
        else:
            self.process()

    def begin(self, asked: Sequence[PlannedQuestion]) -> None:
        """Print the forecast, check the budget, then announce the questions. Runs on the main thread.

        Raises pytest.UsageError before the first request.
        """
        from pytest_llmarith.session.programs import lines_about_programs

        self._recorder.expect(asked)
        verbose = self._config.getoption("verbose")
        sets = list(dict.fromkeys(one.problem["set"] for one in asked if one.task == OeisProblem.task))
        if sets and verbose >= 0:
            self._terminal.say(*lines_about_programs(self._config, self._settings, sets, verbose > 0))
        later = [model.name for model in models_asked_later(asked, self._settings)]
        plan = self.process().plan([one.question for one in asked], later)
        if plan.error is None:  # else the first item reports the error
            forecast = Forecast(self._settings, asked, plan)
            if verbose > -2:
                self._terminal.say(*forecast.lines(verbose > 0))
            forecast.refuse()
        self.process().announce()

    def ask_and_wait(self, question: Question) -> Reply | Failure:
        return self.process().ask_and_wait(question, idle=self.show_progress)

    def report_program(self, what: str | None) -> None:
        """Note which program this process runs."""
        self.note_running("", what)
        self.show_progress()

    def note_running(self, worker: str, what: str | None) -> None:
        """Note which program a worker runs; None when it has ended. Thread-safe."""
        others = {name: text for name, text in self._running.items() if name != worker}
        self._running = others | ({worker: what} if what else {})

    def show_progress(self) -> None:
        """Write a progress line if one is due."""
        if self._process is not None:
            running = list(self._running.values())
            self._terminal.progress(self.progress, running, len(self._recorder.records), self._recorder.questions())

    def progress(self) -> Progress:
        return self._process.progress() if self._process else Progress()

    @property
    def stopped(self) -> Failure | None:
        """Why the run must end, or None."""
        return self._process.stopped if self._process else None

    def stop(self, message: str) -> None:
        """Stop asking: all waiting questions fail with the message."""
        self.process().stop(message)

    def end(self) -> None:
        """Close the broker after waiting for requests in flight; a second Ctrl-C ends the wait."""
        if self._process is None:
            return
        if self._ended:
            self._process.close(0)
            return
        self._ended = True
        drain_s = self._drain_s()
        try:
            if drain_s and (waiting := self._process.progress().in_flight):
                requests = f"{waiting} request{'s' * (waiting > 1)} in flight"
                self._terminal.say(f"waiting up to {drain_s:g} s for {requests} (Ctrl-C stops waiting)")
            self._process.close(drain_s)
        except KeyboardInterrupt:  # the summary needs the final counts
            self._process.close(0)
            raise

    def _drain_s(self) -> float:
        return DRAIN_S if self._asks_language_models else 0.0

    @property
    def _asks_language_models(self) -> bool:
        asked = [*self._settings.models, *filter(None, [self._settings.oeis.judge])]
        return not all(model.simulated for model in asked)


def start_broker(
    config: pytest.Config, settings: Settings, terminal: Terminal, *, read_only: bool = False
) -> BrokerProcess:
    """Start the broker of a run; with `read_only`, no store is created."""
    from pytest_llmarith.models.process import BrokerProcess, Setup

    has_store = settings.store_mode is not StoreMode.OFF and (settings.store_path.exists() or not read_only)
    setup = Setup(
        models=(*settings.models, *filter(None, [settings.oeis.judge])),
        limits=settings.request_limits,
        store_path=settings.store_path.absolute() if has_store else None,
        store_mode=settings.store_mode,
        dotenv_path=config.rootpath / ".env",
        oeis_cache=settings.oeis.cache.absolute(),
    )
    return BrokerProcess(setup, terminal.say)
