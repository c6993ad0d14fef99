"""The broker's life within a run: made ready before the first item, closed after the last one.

It lives in the controller or the only process, and is the only one that makes a broker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith.reports.keys import Key
from pytest_llmarith.session.forecast import Asked, Forecast, asked_by, asked_later
from pytest_llmarith.session.selection import selected
from pytest_llmarith.settings import Settings
from pytest_llmarith.values import Failure, Progress, Question, Reply, StoreMode

if TYPE_CHECKING:
    from pytest_llmarith.models.broker import Broker

# How long a run that ends early waits for the requests that are in flight.
DRAIN_S = 30.0


class Conductor:
    """Owns the broker of a run, tells it what was selected, and ends the run when the broker has to stop."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._broker: Broker | None = None
        self._ended = False
        self.idle: Callable[[], None] = lambda: None
        self.say: Callable[[str], None] = lambda line: None
        # Called with how many items of each model, task and condition were selected.
        self.on_selected: Callable[[Counter[Key]], None] = lambda selected: None
        # Called with the tasks that were selected, before anything is asked; raises pytest.UsageError.
        self.check_tasks: Callable[[Iterable[str]], None] = lambda tasks: None
        self.before_asking: Callable[[], None] = lambda: None
        # The programs that are being run, by worker; the only process has no name.
        self.running: dict[str, str] = {}

    def broker(self) -> Broker:
        """The broker, made at first need: what it imports is slow.

        No property: older pytests look at every attribute of a plugin when it is registered.
        """
        if self._broker is None:
            from pytest_llmarith.session.making import make_broker

            self._broker = make_broker(self._settings, bring_keys=self._bring_keys)
        return self._broker

    def ask_and_wait(self, question: Question) -> Reply | Failure:
        return self.broker().ask_and_wait(question, idle=self.idle)

    def runs(self, what: str | None) -> None:
        """Note which program this process is running."""
        self.note_running("", what)
        self.idle()

    def note_running(self, lane: str, what: str | None) -> None:
        """Note which program a worker is running; None where it has ended."""
        self.running = {
            **{name: text for name, text in self.running.items() if name != lane},
            **({lane: what} if what else {}),
        }

    def progress(self) -> Progress:
        return self._broker.progress() if self._broker else Progress()

    def stopped(self) -> Failure | None:
        return self._broker.stopped if self._broker else None

    def stop(self, message: str) -> None:
        """End the run, since nothing more could be written down: whoever waits is answered."""
        self.broker().stop(message)

    # --- hooks ----------------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Any:
        with _interrupted_in_words(session):
            try:
                if not _only_looks(session.config):
                    self._begin(session)
                return (yield)
            finally:
                self._end()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """End the run once the broker has stopped; whoever waited was answered before."""
        if self.stopped() is not None:
            _stop_run(self._config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Before xdist starts its workers, which ask as soon as they have collected."""
        self._config.stash[_SESSION] = session
        if self.has_workers():
            self.before_asking()

    def pytest_unconfigure(self) -> None:
        self._end()

    # --- deeds ----------------------------------------------------------------------------------------------------

    def begin_asking(self, asked: Sequence[Asked]) -> None:
        """Say what is going to be asked, refuse what nobody could bound, then let it be asked. On the main thread."""
        from pytest_llmarith.models.store import StoreError

        self.check_tasks(one.task for one in asked)
        questions = [one.question for one in asked]
        speaks = self._config.getoption("verbose") > -2
        if speaks and (sets := dict.fromkeys(one.oeis_set for one in asked if one.oeis_set)):
            from pytest_llmarith.session.programs import lines_about_programs

            for line in lines_about_programs(self._config, self._settings, [*sets]):
                self.say(line)
        with suppress(StoreError):  # then nothing is asked: the first question is going to hear of it
            ahead = self.broker().look_ahead(questions)
            if ahead.to_ask or asked_later(asked, self._settings, self.broker()):  # a replay needs nothing slow
                self.broker().prepare()
            forecast = Forecast(self._settings, self.broker(), asked, ahead)
            for line in forecast.lines() if speaks else ():
                self.say(line)
            forecast.refuse_unbounded()
            forecast.refuse_too_small()
            self.broker().count(ahead.spent)
        self.broker().announce(questions)

    def _begin(self, session: pytest.Session) -> None:
        if self.has_workers():
            # The workers are collecting meanwhile; litellm must be imported on the main thread.
            if not self._may_replay():
                self.broker().prepare()
            return
        mine = list(selected(session.items))
        asked = asked_by(mine, self._settings)
        if asked and not _is_interrupted(session):  # somebody's own `model` fixture is not ours to count
            self.on_selected(Counter(one.key for one in asked))
            self.before_asking()
            self.begin_asking(asked)

    def _may_replay(self) -> bool:
        """Whether all replies may be stored: then it is told when the workers have."""
        reads = self._settings.store_mode in (StoreMode.ON, StoreMode.ONLY)
        return reads and self._settings.store_path.exists()

    def _bring_keys(self) -> None:
        """The broker calls it before anything is asked, on its own thread where a test asks what nobody foresaw."""
        from pytest_llmarith.session.making import load_keys

        if trouble := load_keys(self._config.rootpath / ".env"):
            self.say(trouble)

    def has_workers(self) -> bool:
        """Whether this is a controller of pytest-xdist that distributes the items."""
        return self._config.pluginmanager.hasplugin("dsession")

    def _worth_waiting_s(self) -> float:
        """Without a key nothing is going to come; another model's may be right."""
        stopped = self.stopped()
        targets = {model.target for model in self._settings.models}
        return 0.0 if stopped is not None and stopped.no_key and len(targets) == 1 else DRAIN_S

    def _asks_others(self) -> bool:
        judge = self._settings.oeis.judge
        return not all(model.simulated for model in (*self._settings.models, *([judge] if judge else [])))

    def _end(self) -> None:
        if self._broker is None:
            return
        if self._ended:  # a second Ctrl-C has cut the waiting short
            self._broker.close(0)
            return
        self._ended = True
        try:
            self._drain(self._broker)
        except KeyboardInterrupt:  # the end tells what was kept and what was given up, so all has to be over by then
            self._broker.close(0)
            raise

    def _drain(self, broker: Broker) -> None:
        """Wait for what is in flight; whoever reads that may press Ctrl-C before the waiting has begun.

        An embedded model is nobody to wait for.
        """
        drain_s = self._worth_waiting_s()
        if drain_s and self._asks_others() and (waiting := broker.progress().in_flight):
            requests = f"{waiting} request{'s' * (waiting > 1)} in flight"
            self.say(f"waiting up to {drain_s:g} s for {requests} (Ctrl-C leaves now)")
        broker.close(drain_s)


_SESSION = pytest.StashKey[pytest.Session]()


def _only_looks(config: pytest.Config) -> bool:
    """Whether no test is going to run."""
    return any(config.getoption(option, False) for option in ("collectonly", "setuponly", "setupplan"))


def _is_interrupted(session: pytest.Session) -> bool:
    """Whether pytest is going to run nothing, because something could not be collected."""
    return bool(session.testsfailed) and not session.config.option.continue_on_collection_errors


@contextmanager
def _interrupted_in_words(session: pytest.Session) -> Iterator[None]:
    """What pytest shows of a bare Ctrl-C, a file and a line of where somebody waited, looks like a crash."""
    try:
        yield
    except KeyboardInterrupt as error:
        if type(error) is not KeyboardInterrupt or session.config.option.fulltrace:
            raise
        raise session.Interrupted("Ctrl-C") from None


def _stop_run(config: pytest.Config) -> None:
    # Only the object that runs the loop looks at its `shouldstop`: xdist's in a controller, else the session.
    loop = config.pluginmanager.getplugin("dsession") or config.stash[_SESSION]
    loop.shouldstop = loop.shouldstop or "llmarith stopped the run, for the reason above"
