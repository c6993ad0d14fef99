"""What a run shows on the terminal: its header, lines while it goes, and its results."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING

import pytest

from pytest_llmarith.reports.figures import dollars
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.live.pace import Pace
from pytest_llmarith.reports.live.progress import Pacer, progress_line
from pytest_llmarith.settings import Manners, Settings
from pytest_llmarith.values import Progress

if TYPE_CHECKING:
    from pytest_llmarith.records import Record, RunSummary

_LOOK_EVERY_S = 1.0
_MOST, _MOST_WITH_ALL = 20, 1000  # lines per outcome


class Terminal:
    """Writes between the letters of pytest's progress line, and in its summary."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._pacer: Pacer | None = None
        self._pace: Pace | None = None

    def say(self, *lines: str) -> None:
        """Write lines now; during a test, standard output is captured."""
        terminal = self._config.pluginmanager.getplugin("terminalreporter")
        capture = self._config.pluginmanager.getplugin("capturemanager")
        if terminal is None or not lines:
            return
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            terminal.ensure_newline()
            if self._config.get_terminal_writer().width_of_current_line:
                terminal.write("\n")  # with workers and with -q, pytest takes an unfinished line for finished
            for line in lines:
                terminal.write_line(f"llmarith: {line}")
            terminal.flush()  # a pipe, such as the log of a CI job, is read while the run goes

    @contextmanager
    def watching(self, progress: Progress, show: Callable[[], None], every_second: bool) -> Iterator[None]:
        """Let progress lines be due from now on; `show` is called every second from a thread if asked for.

        A controller's main thread wakes up only when a report arrives.
        """
        self._pacer, self._pace = Pacer(), Pace(progress, time.monotonic())
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(_LOOK_EVERY_S):
                show()

        thread = threading.Thread(target=watch, name="llmarith-progress", daemon=True)
        if every_second:
            thread.start()
        try:
            yield
        finally:
            ended.set()
            if every_second:
                thread.join()

    def progress(
        self, progress: Callable[[], Progress], running: Sequence[str], graded: int, selected: int | None
    ) -> None:
        """Write a progress line if one is due; `selected` is how many questions there are, if that is known."""
        if self._pacer and self._pace and self._config.getoption("verbose") >= 0 and self._pacer.due():
            now = progress()
            pace = self._pace.words(now, time.monotonic())
            self.say(progress_line(now, selected, running, graded, pace))

    # --- the summary ----------------------------------------------------------------------------------------------

    def trials(self, summary: RunSummary, records: Iterable[Record]) -> None:
        """A line for each trial of the outcomes that `-r` asks for; pytest's own lists leave custom outcomes out."""
        from pytest_llmarith.reports.tables.listing import outcome_section

        chars = self._config.getoption("reportchars")
        wanted = {"unanswered"} if "f" in chars else set()
        if set("aA") & set(chars) or (self._settings.strict and "f" in chars):
            wanted = {"deviate", "nan", "cheat", "unanswered"}
        if not any(getattr(result.outcomes, outcome) for result in summary.results for outcome in wanted):
            return  # the run log need not be read
        listed = (record for record in records if record.outcome in wanted)
        lines: list[str] = []
        with suppress(OSError):  # the run log was removed
            lines = outcome_section(listed, most=_MOST_WITH_ALL if "A" in chars else _MOST)
        if lines:
            self._section("trials", lines)

    def results(self, summary: RunSummary, written: Iterable[str]) -> None:
        """The tables of a run, and where it is written; with -qq only that."""
        from pytest_llmarith.reports.tables.terminal import summary_section

        quiet = self._config.getoption("verbose") <= -2
        tables = [] if quiet else summary_section(summary, self._config.get_terminal_writer().fullwidth)
        self._section("results", [*tables, *written])

    def line(self, line: str, **markup: bool) -> None:
        """Write a line outside of tests."""
        if (terminal := self._config.pluginmanager.getplugin("terminalreporter")) is not None:
            terminal.write_line(line, **markup)

    def _section(self, name: str, lines: Iterable[str]) -> None:
        self._config.pluginmanager.getplugin("terminalreporter").write_sep("=", f"llmarith: {name}")
        for line in lines:
            self.line(line)


def header(settings: Settings) -> list[str]:
    """Which models are asked, and how; "simulated" after the name of a fake model."""
    if not settings.models:
        return []
    models = ", ".join(model.name + " (simulated)" * model.simulated for model in settings.models)
    asking = settings.asking
    parts = (
        f"seed {settings.seed}",
        *_prompt_configs(settings.manners),
        f"{settings.reading or 'each task its own'} reading",
        f"at most {asking.concurrency} in flight",
        None if asking.max_cost_usd is None else f"at most {dollars(asking.max_cost_usd)}",
        None if asking.max_tokens is None else f"at most {asking.max_tokens:,} tokens",
        f"store {settings.store_mode}",
    )
    return [f"llmarith: {sanitize(models, 200)}", f"llmarith: {', '.join(filter(None, parts))}"]


def _prompt_configs(manners: Manners) -> Iterator[str]:
    """How questions are put, if not in the usual way."""
    labels = [condition.label for condition in manners.conditions]
    if len(labels) > 1:
        yield f"{len(labels)} conditions ({', '.join(label or 'usual' for label in labels)})"
    elif labels[0]:
        yield labels[0]
    if manners.repeats > 1:
        yield f"{manners.repeats} repeats"
