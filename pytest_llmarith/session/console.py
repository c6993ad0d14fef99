"""The terminal output of a run: header, progress lines and results."""

from __future__ import annotations

import math
import os
import shutil
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.terminal import TerminalReporter  # pytest's own since 8.4

from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.settings import PromptConfigs, Settings
from pytest_llmarith.types import Model, Progress, RequestLimits, StoreMode
from pytest_llmarith.views.formatting import counted, dollars

if TYPE_CHECKING:
    from pytest_llmarith.records import Record
    from pytest_llmarith.summaries import RunSummary

_LOOK_EVERY_S = 1.0
_LINE_EVERY_S = 30.0
_REWRITE_EVERY_S = 0.5  # on a terminal
_CLEAR_BELOW = "\x1b[J"
_WINDOW_S = 60.0  # over which the pace is measured
_MAX_LINES, _MAX_LINES_WITH_ALL = 20, 1000  # lines per outcome
_LONGEST_REASON = 80
_LONGEST_LINE = 500


class Terminal:
    """Writes lines during the run and in pytest's summary.

    Where another plugin has replaced pytest's reporter, they are plain lines.
    """

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._pace: Pace | None = None
        self._next_line_s = 0.0
        self._rewrites = False  # whether progress is one line, which is rewritten
        self._has_status = False

    @property
    def reporter(self) -> TerminalReporter | None:
        """That of pytest; None if there is none, or another one."""
        found = self._config.pluginmanager.getplugin("terminalreporter")
        return found if isinstance(found, TerminalReporter) else None

    def _write_plainly(self, lines: Iterable[str]) -> None:
        if self._config.pluginmanager.is_blocked("terminal"):
            return  # -p no:terminal
        self._write_directly("".join(f"{line}\n" for line in lines))

    def say(self, *lines: str) -> None:
        """Write lines at once, also while pytest captures the output."""
        if not lines:
            return
        terminal = self.reporter
        if terminal is None:
            self._write_plainly(f"llmarith: {line}" for line in lines)
            return
        self.clear_status()
        with self._uncaptured():
            terminal.ensure_newline()
            # With workers and with -q, pytest forgets that the line is unfinished.
            if self._config.get_terminal_writer().width_of_current_line:
                terminal.write("\n")
            for line in lines:
                terminal.write_line(f"llmarith: {line}")
            terminal.flush()  # for pipes, such as the log of a CI job

    def forget(self, nodeid: str) -> None:
        """Leave an unanswered item out of pytest's counts, as it has been run again."""
        stats = self.reporter.stats if self.reporter else {}
        reports = stats.get("unanswered", [])
        reports[:] = [one for one in reports if one.nodeid != nodeid]
        if not reports:
            stats.pop("unanswered", None)

    def drop(self, report: pytest.TestReport) -> None:
        """Drop the report of a setup or teardown that has nothing to show, which pytest
        keeps to the end, for --durations alone: 1 kB each.
        """
        kept = self.reporter.stats.get("") if self.reporter else None
        if not kept or kept[-1] is not report or report.sections:
            return
        if self._config.getoption("durations", None) is None:
            kept.pop()

    def clear_status(self) -> None:
        """Remove the progress line below the cursor, if there is one."""
        if self._has_status:
            self._has_status = False
            self._write_directly(_CLEAR_BELOW)

    def _show_status(self, line: str) -> None:
        """Write the progress line below the current line, and return the cursor to
        where it was.
        """
        writer = self._config.get_terminal_writer()
        column = writer.width_of_current_line
        back = f"\x1b[{column}C" if column else ""
        self._write_directly(
            f"{_CLEAR_BELOW}\n{sanitize(line, writer.fullwidth - 1)}\r\x1b[A{back}"
        )
        self._has_status = True

    def _write_directly(self, text: str) -> None:
        """Write to the terminal without pytest's count of columns."""
        with self._uncaptured():
            sys.stdout.write(text)
            sys.stdout.flush()

    def _uncaptured(self) -> AbstractContextManager[None]:
        capture = self._config.pluginmanager.getplugin("capturemanager")
        if capture is None:
            return nullcontext()
        disabled: AbstractContextManager[None] = capture.global_and_fixture_disabled()
        return disabled

    @contextmanager
    def watching(
        self, progress: Progress, show: Callable[[], None], every_second: bool
    ) -> Iterator[None]:
        """Enable progress lines; with `every_second`, `show` is called every second
        from a thread.

        The main thread of xdist's controller wakes up only when a report arrives.
        """
        now_s = time.monotonic()
        self._pace = Pace(progress, now_s)
        is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self._rewrites = is_terminal and self.reporter is not None
        self._next_line_s = now_s
        if not self._rewrites:
            self._next_line_s += _LINE_EVERY_S
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
            self.clear_status()

    def progress(
        self, progress: Callable[[], Progress], selected: int | None, graded: str = ""
    ) -> None:
        """Write a progress line if one is due; `selected` is the number of questions,
        if known.

        `graded` says how many replies are graded.
        """
        now_s = time.monotonic()
        if self._pace is None or now_s < self._next_line_s:
            return
        if self._config.getoption("verbose", 0) < 0:
            return
        # Before `progress`, which waits for an answer: another thread may come here.
        pause_s = _REWRITE_EVERY_S if self._rewrites else _LINE_EVERY_S
        self._next_line_s = now_s + pause_s
        now = progress()
        line = progress_line(now, selected, self._pace.words(now, now_s), graded)
        if self._rewrites:
            self._show_status(line)
        else:
            self.say(line)

    # --- the summary ------------------------------------------------------------------

    def trials(self, summary: RunSummary, records: Iterable[Record]) -> None:
        """A line per trial of the outcomes that `-r` selects; pytest's own lists omit
        custom outcomes.
        """
        from pytest_llmarith.report.run_status import wrong_lines

        chars = self._config.getoption("reportchars", "")
        lists_failed, lists_all = "f" in chars, "a" in chars or "A" in chars
        if lists_all or (lists_failed and self._settings.strict):
            wanted = ["deviate", "nan", "cheat", "unanswered"]
        elif lists_failed:
            wanted = ["unanswered"]
        else:
            return
        if not any(one.count(outcome) for one in summary.results for outcome in wanted):
            return  # so the run log is not read
        listed = (record for record in records if record.outcome in wanted)
        most = _MAX_LINES_WITH_ALL if "A" in chars else _MAX_LINES
        lines = []
        with suppress(OSError):  # the run log was removed
            lines = wrong_lines(listed, most)
        if lines:
            self._section("trials", lines)

    def results(self, summary: RunSummary, written: Iterable[str]) -> None:
        """The results of a run and its paths: with -q only a row per model and task,
        with -qq only the paths.
        """
        from pytest_llmarith.report.render.terminal import coloured
        from pytest_llmarith.report.report import screen
        from pytest_llmarith.report.run_status import run_lines
        from pytest_llmarith.views.table import Level

        verbose = self._config.getoption("verbose", 0)
        width, hasmarkup = shutil.get_terminal_size().columns, False
        if self.reporter is not None:
            writer = self._config.get_terminal_writer()
            width, hasmarkup = writer.fullwidth, writer.hasmarkup
        lines = []
        if verbose > -2:
            lines += run_lines(summary, width)
            level = Level.FULL if verbose > 0 else Level.BRIEF
            lines += screen(summary, width, level, only_head=verbose < 0)
        if hasmarkup:
            lines = coloured(lines)
        self._section("results", [*lines, *written])

    def line(self, line: str, **markup: bool) -> None:
        """Write a line between tests."""
        if self.reporter is None:
            self._write_plainly([line])
        else:
            self.reporter.write_line(line, **markup)

    def _section(self, name: str, lines: Iterable[str]) -> None:
        if self.reporter is None:
            self._write_plainly([f"llmarith: {name}", *lines])
            return
        self.reporter.write_sep("=", f"llmarith: {name}", bold=True)
        for line in lines:
            self.reporter.write_line(line)


def shortened(interrupt: KeyboardInterrupt, config: pytest.Config) -> KeyboardInterrupt:
    """The same with its last frame alone, which pytest shows without --full-trace.

    pytest renders all frames before anything else, which takes as long as the summary
    of a run.
    """
    if config.getoption("fulltrace", False):
        return interrupt
    last = interrupt.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return interrupt.with_traceback(last)


# --- progress -------------------------------------------------------------------------


def progress_line(
    progress: Progress, selected: int | None, pace: str = "", graded: str = ""
) -> str:
    """Such as `412 of 720 answered, 112 asked, 300 in the store, 16 in flight, $0.0123
    so far (3 unpriced)`.
    """
    counts = (
        (progress.failed, "unanswered"),
        (progress.requests, "asked"),
        (progress.announced_stored, "in the store"),
        (progress.by_graders, "by graders"),
        (progress.in_flight, "in flight"),
    )
    answered = f"{progress.answered + progress.stored:,}"
    if selected is not None:
        answered += f" of {selected:,}"
    parts = [f"{answered} answered", graded]
    for count, what in counts:
        if count:
            parts.append(f"{count:,} {what}")
    if progress.retrying:
        parts.append(_retrying(progress))
    if progress.held:
        parts.append(f"{progress.held:,} queued")
    parts += [_cost(progress), pace]
    return ", ".join(filter(None, parts))


def _retrying(progress: Progress) -> str:
    """Such as `14 waiting: 429 from o4-mini, next try in 12 s`, with the most frequent
    reason.
    """
    text = f"{progress.retrying:,} waiting"
    if progress.waiting_for:
        (reason, _), *others = Counter(progress.waiting_for).most_common()
        text += f": {sanitize(reason, _LONGEST_REASON)}"
        if others:
            text += " and others"
    if progress.next_try_s is not None:
        text += f", next try in {math.ceil(progress.next_try_s)} s"
    return text


def _cost(progress: Progress) -> str:
    """The cost so far, or that no price is known."""
    if progress.cost_usd:
        text = f"{dollars(progress.cost_usd)} so far"
        if progress.unpriced:
            text += f" ({progress.unpriced:,} unpriced)"
        return text
    if progress.unpriced:
        return "no price known"
    return ""  # fake models and local servers are free


class Pace:
    """The speed of a run over its last minute, so that past throttling does not
    count.
    """

    def __init__(self, began: Progress, now_s: float) -> None:
        self._seen = deque([(now_s, began)])

    def words(self, now: Progress, now_s: float) -> str:
        """Such as `35 replies a minute, about 9 min left`; empty without replies.

        The time left is shown only if questions were announced.
        """
        while len(self._seen) > 1 and self._seen[1][0] <= now_s - _WINDOW_S:
            self._seen.popleft()
        began_s, before = self._seen[0]
        self._seen.append((now_s, now))
        seconds, answered = now_s - began_s, now.answered - before.answered
        replies = answered + now.by_graders - before.by_graders
        if replies <= 0 or seconds <= 0:
            return ""
        a_minute = replies * 60 / seconds
        decimals = 0 if a_minute >= 9.95 else 1
        words = f"{a_minute:,.{decimals}f} replies a minute"
        stored = max(now.announced_stored, now.stored)
        questions = now.announced - now.answered - now.failed - stored
        if questions > 0 and answered:
            words += f", {_duration(questions * seconds / answered)} left"
        return words


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    if minutes < 60:
        return f"about {minutes} min"
    return f"about {minutes // 60:,} h {minutes % 60:02d} min"


# --- header ---------------------------------------------------------------------------


def line_about_file(model: Model) -> str:
    """What llama.cpp's server is given for a model file."""
    file = model.file
    assert file is not None
    size, memory = file.size_bytes / 1e6, file.memory_bytes / 1e9
    return sanitize(
        f"{model.name}: llama.cpp answers from {Path(file.path).name} ({size:,.0f} "
        f"MB): {counted(file.slots, 'slot')} of {file.context:,} tokens, "
        f"{counted(file.threads, 'thread')}, about {memory:.1f} GB of memory",
        _LONGEST_LINE,
    )


def header(settings: Settings) -> list[str]:
    """The header of a run: its models, with "simulated" after fake ones, and the
    settings that are not the default.
    """
    if not settings.models:
        return []
    models = []
    for model in settings.models:
        suffix = " (simulated)" if model.simulated else ""
        models.append(f"{model.name}{suffix}")
    return [
        f"llmarith: {sanitize(', '.join(models), 200)}",
        f"llmarith: {', '.join(_unusual_settings(settings))}",
    ]


def _unusual_settings(settings: Settings) -> Iterator[str]:
    """The seed, and the settings that are not the default."""
    limits = settings.request_limits
    yield f"seed {settings.seed}"
    yield from _prompt_configs(settings.prompt_configs)
    if settings.reading:
        yield f"{settings.reading} matching"
    if limits.concurrency != RequestLimits().concurrency:
        yield f"at most {limits.concurrency} in flight"
    if limits.fixed:
        yield "concurrency fixed"
    if limits.max_cost_usd is not None:
        yield f"at most {dollars(limits.max_cost_usd)}"
    if limits.max_tokens is not None:
        yield f"at most {limits.max_tokens:,} tokens"
    if settings.store_mode is not StoreMode.ON:
        yield f"store {settings.store_mode}"


def _prompt_configs(configs: PromptConfigs) -> Iterator[str]:
    """Conditions and repeats, if not the default."""
    labels = [condition.label or "usual" for condition in configs.conditions]
    if len(labels) > 1:
        yield f"{len(labels)} conditions ({', '.join(labels)})"
    elif configs.conditions[0].label:
        yield configs.conditions[0].label
    if configs.repeats > 1:
        yield f"{configs.repeats} repeats"
