"""Where the asking stands, on a line of its own every few seconds while the run goes. It decides nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from pytest_llmarith.reports.live.pace import Pace
from pytest_llmarith.reports.live.progress import Pacer, progress_line
from pytest_llmarith.session.conductor import Conductor
from pytest_llmarith.session.recorder import Recorder
from pytest_llmarith.values import BreakingProblem

_LOOK_EVERY_S = 1.0


class ProgressLines:
    """Registered in the controller or the only process; shows nothing with -q."""

    def __init__(self, config: pytest.Config, conductor: Conductor, recorder: Recorder) -> None:
        self._config = config
        self._conductor = conductor
        self._recorder = recorder
        self._pacer: Pacer | None = None
        self._pace: Pace | None = None
        conductor.idle = self.show
        conductor.say = self._say

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Any:
        self._pacer = Pacer()  # the first line is due once the asking has gone on for a while
        self._pace = Pace(self._conductor.progress(), time.monotonic())
        with self._looking() if self._conductor.has_workers() else nullcontext():
            return (yield)

    def pytest_runtest_logreport(self) -> None:
        self.show()

    def show(self) -> None:
        """Write a line where one is due."""
        if self._pacer and self._pace and self._config.getoption("verbose") >= 0 and self._pacer.due():
            progress = self._conductor.progress()
            running = list(self._conductor.running.values())
            graded = len(self._recorder.records)
            pace = self._pace.words(progress, time.monotonic())
            self._say(progress_line(progress, self._selected(), running, graded, pace))

    def _selected(self) -> int | None:
        """How many questions there are, where that is known: nobody knows what a search will ask."""
        selected = self._recorder.selected
        if selected is None or any(task == BreakingProblem.task for _, task, _ in selected):
            return None
        return selected.total()

    def _say(self, line: str) -> None:
        """Write between the letters of the progress line; during a test, standard output is captured."""
        terminal = self._config.pluginmanager.getplugin("terminalreporter")
        capture = self._config.pluginmanager.getplugin("capturemanager")
        if terminal is None:
            return
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            terminal.ensure_newline()
            if self._config.get_terminal_writer().width_of_current_line:
                terminal.write("\n")  # with workers, with -q and after a line of ours, pytest takes it for finished
            terminal.write_line(f"llmarith: {line}")
            terminal.flush()  # into a pipe too, such as the log of a CI job: now is when it matters

    @contextmanager
    def _looking(self) -> Iterator[None]:
        """Look every second from a thread: a controller's main thread only wakes up when a report arrives."""
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(_LOOK_EVERY_S):
                self.show()

        thread = threading.Thread(target=watch, name="llmarith-progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
