"""The broker of a run, which the controller or the only process starts and closes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_llmarith.session.forecast import Forecast, models_asked_later
from pytest_llmarith.session.recorder import Recorder
from pytest_llmarith.session.selection import Asked
from pytest_llmarith.session.terminal import Terminal
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks.oeis import OeisProblem
from pytest_llmarith.types import Failure, Progress, Question, Reply, StoreMode

if TYPE_CHECKING:
    from pytest_llmarith.models.process import BrokerProcess

# How long a run that ends early waits for the requests that are in flight.
DRAIN_S = 30.0


class Asking:
    """What a run asks its broker: forecast and announcement, questions of this process, the end."""

    def __init__(self, config: pytest.Config, settings: Settings, terminal: Terminal, recorder: Recorder) -> None:
        self._config = config
        self._settings = settings
        self._terminal = terminal
        self._recorder = recorder
        self._broker: BrokerProcess | None = None
        self._ended = False
        # The programs that are being run, by worker; the only process has no name.
        self._running: dict[str, str] = {}

    def broker(self) -> BrokerProcess:
        """The broker, started at first need."""
        if self._broker is None:
            self._broker = start_broker(self._config, self._settings, self._terminal)
        return self._broker

    def prepare(self) -> None:
        """Start the broker while pytest collects, and let it import litellm, unless all replies may be stored."""
        reads = self._settings.store_mode in (StoreMode.ON, StoreMode.ONLY)
        if self._broker is not None or (reads and self._settings.store_path.exists()):
            return
        if self._asks_others and self._settings.store_mode is not StoreMode.ONLY:
            self.broker().prepare()
        else:
            self.broker()

    def begin(self, asked: Sequence[Asked]) -> None:
        """Say what is going to be asked, refuse what cannot be bounded, then announce it. On the main thread.

        Raises pytest.UsageError before anything is asked.
        """
        from pytest_llmarith.session.programs import lines_about_programs

        self._recorder.expect(asked)
        quiet = self._config.getoption("verbose") <= -2
        sets = list(dict.fromkeys(one.problem["set"] for one in asked if one.task == OeisProblem.task))
        if sets and not quiet:
            self._terminal.say(*lines_about_programs(self._config, self._settings, sets))
        later = [model.name for model in models_asked_later(asked, self._settings)]
        plan = self.broker().plan([one.question for one in asked], later)
        if plan.error is None:  # else nothing is asked, and the first item says why
            forecast = Forecast(self._settings, asked, plan)
            if not quiet:
                self._terminal.say(*forecast.lines())
            forecast.refuse()
        self.broker().announce()

    def ask_and_wait(self, question: Question) -> Reply | Failure:
        return self.broker().ask_and_wait(question, idle=self.show_progress)

    def runs(self, what: str | None) -> None:
        """Note which program this process is running."""
        self.note_running("", what)
        self.show_progress()

    def note_running(self, worker: str, what: str | None) -> None:
        """Note which program a worker is running; None when it has ended. Called from several threads."""
        others = {name: text for name, text in self._running.items() if name != worker}
        self._running = others | ({worker: what} if what else {})

    def show_progress(self) -> None:
        """Write a progress line if one is due."""
        if self._broker is not None:
            running = list(self._running.values())
            self._terminal.progress(self.progress, running, len(self._recorder.records), self._recorder.questions())

    def progress(self) -> Progress:
        return self._broker.progress() if self._broker else Progress()

    @property
    def stopped(self) -> Failure | None:
        """Why the run must end, once it must."""
        return self._broker.stopped if self._broker else None

    def stop(self, message: str) -> None:
        """End the asking: everything that waits is answered with the message."""
        self.broker().stop(message)

    def end(self) -> None:
        """Close the broker. Requests in flight are waited for; a second Ctrl-C cuts that short."""
        if self._broker is None:
            return
        if self._ended:
            self._broker.close(0)
            return
        self._ended = True
        drain_s = self._drain_s()
        try:
            if drain_s and (waiting := self._broker.progress().in_flight):
                requests = f"{waiting} request{'s' * (waiting > 1)} in flight"
                self._terminal.say(f"waiting up to {drain_s:g} s for {requests} (Ctrl-C leaves now)")
            self._broker.close(drain_s)
        except KeyboardInterrupt:  # the end says what was kept and what was given up, so all has to be over by then
            self._broker.close(0)
            raise

    def _drain_s(self) -> float:
        """Fake models need not be waited for."""
        return DRAIN_S if self._asks_others else 0.0

    @property
    def _asks_others(self) -> bool:
        asked = [*self._settings.models, *filter(None, [self._settings.oeis.judge])]
        return not all(model.simulated for model in asked)


def start_broker(
    config: pytest.Config, settings: Settings, terminal: Terminal, *, only_looks: bool = False
) -> BrokerProcess:
    """The broker of a run; one that only looks makes no store."""
    from pytest_llmarith.models.process import BrokerProcess, Setup

    has_store = settings.store_mode is not StoreMode.OFF and (settings.store_path.exists() or not only_looks)
    setup = Setup(
        models=(*settings.models, *filter(None, [settings.oeis.judge])),
        limits=settings.asking,
        store_path=settings.store_path.absolute() if has_store else None,
        store_mode=settings.store_mode,
        dotenv_path=config.rootpath / ".env",
        oeis_cache=settings.oeis.cache.absolute(),
    )
    return BrokerProcess(setup, terminal.say)
