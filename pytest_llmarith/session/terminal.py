"""The terminal output of a run: header, progress lines and results."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_llmarith.report.formatting import dollars
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.settings import PromptConfigs, Settings
from pytest_llmarith.types import Model, Progress, RequestLimits, StoreMode

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
    """Writes lines during the run and in pytest's summary."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._pace: Pace | None = None
        self._next_line_s = 0.0
        self._rewrites = False  # whether progress is one line, which is rewritten
        self._has_status = False

    def say(self, *lines: str) -> None:
        """Write lines at once, also while pytest captures the output."""
        terminal = self._config.pluginmanager.getplugin("terminalreporter")
        if terminal is None or not lines:
            return
        self.clear_status()
        with self._uncaptured():
            terminal.ensure_newline()
            if self._config.get_terminal_writer().width_of_current_line:
                terminal.write(
                    "\n"
                    # with workers and with -q, pytest forgets that the line is
                    # unfinished
                )
            for line in lines:
                terminal.write_line(f"llmarith: {line}")
            terminal.flush()  # for pipes, such as the log of a CI job

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
        return capture.global_and_fixture_disabled() if capture else nullcontext()

    @contextmanager
    def watching(
        self, progress: Progress, show: Callable[[], None], every_second: bool
    ) -> Iterator[None]:
        """Enable progress lines; with `every_second`, `show` is called every second
        from a thread.

        The main thread of xdist's controller wakes up only when a report arrives.
        """
        now_s = time.monotonic()
        self._rewrites = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self._pace, self._next_line_s = (
            Pace(progress, now_s),
            now_s + (0 if self._rewrites else _LINE_EVERY_S),
        )
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
        self, progress: Callable[[], Progress], selected: int | None, programs: str = ""
    ) -> None:
        """Write a progress line if one is due; `selected` is the number of questions,
        if known.

        `programs` says how many programs have run.
        """
        now_s = time.monotonic()
        if (
            self._pace
            and self._config.getoption("verbose") >= 0
            and now_s >= self._next_line_s
        ):
            self._next_line_s = now_s + (
                _REWRITE_EVERY_S if self._rewrites else _LINE_EVERY_S
            )
            now = progress()
            write = self._show_status if self._rewrites else self.say
            write(progress_line(now, selected, self._pace.words(now, now_s), programs))

    # --- the summary ------------------------------------------------------------------

    def trials(self, summary: RunSummary, records: Iterable[Record]) -> None:
        """A line per trial of the outcomes that `-r` selects; pytest's own lists omit
        custom outcomes.
        """
        from pytest_llmarith.report.run_status import wrong_lines

        chars = self._config.getoption("reportchars")
        wanted = {"unanswered"} if "f" in chars else set()
        if set("aA") & set(chars) or (self._settings.strict and "f" in chars):
            wanted = {"deviate", "nan", "cheat", "unanswered"}
        if not any(
            getattr(result.outcomes, outcome)
            for result in summary.results
            for outcome in wanted
        ):
            return  # so the run log is not read
        listed = (record for record in records if record.outcome in wanted)
        lines: list[str] = []
        with suppress(OSError):  # the run log was removed
            lines = wrong_lines(
                listed, _MAX_LINES_WITH_ALL if "A" in chars else _MAX_LINES
            )
        if lines:
            self._section("trials", lines)

    def results(self, summary: RunSummary, written: Iterable[str]) -> None:
        """The results of a run and its paths: with -q only a row per model and task,
        with -qq only the paths.
        """
        from pytest_llmarith.report.render.terminal import coloured
        from pytest_llmarith.report.report import tables_section
        from pytest_llmarith.report.run_status import run_lines
        from pytest_llmarith.report.screen import screen

        verbose = self._config.getoption("verbose")
        writer = self._config.get_terminal_writer()
        width = writer.fullwidth
        lines = []
        if verbose > -2:
            lines += run_lines(summary, width)
        if verbose > 0:
            lines += tables_section(summary, width)
        if verbose > -2:  # the last lines are the answer
            lines += screen(summary, width, only_head=verbose < 0)
        if writer.hasmarkup:
            lines = coloured(lines)
        self._section("results", [*lines, *written])

    def line(self, line: str, **markup: bool) -> None:
        """Write a line between tests."""
        if (
            terminal := self._config.pluginmanager.getplugin("terminalreporter")
        ) is not None:
            terminal.write_line(line, **markup)

    def _section(self, name: str, lines: Iterable[str]) -> None:
        self._config.pluginmanager.getplugin("terminalreporter").write_sep(
            "=", f"llmarith: {name}", bold=True
        )
        for line in lines:
            self.line(line)


def shortened(interrupt: KeyboardInterrupt, config: pytest.Config) -> KeyboardInterrupt:
    """The same with its last frame alone, which pytest shows without --full-trace.

    pytest renders all frames before anything else, which takes as long as the summary
    of a run.
    """
    last = interrupt.__traceback__
    while (
        last is not None
        and last.tb_next is not None
        and not config.getoption("fulltrace")
    ):
        last = last.tb_next
    return interrupt.with_traceback(last)


# --- progress -------------------------------------------------------------------------


def progress_line(
    progress: Progress, selected: int | None, pace: str = "", programs: str = ""
) -> str:
    """Such as `412 of 720 answered, 112 asked, 300 in the store, 16 in flight, $0.0123
    so far (3 unpriced)`.
    """
    counts = (
        (progress.failed, "unanswered"),
        (progress.requests, "asked"),
        (progress.announced_stored, "in the store"),
        (progress.judged, "judged"),
        (progress.in_flight, "in flight"),
    )
    answered = f"{progress.answered + progress.stored:,}"
    parts = [
        f"{answered} answered"
        if selected is None
        else f"{answered} of {selected:,} answered",
        programs,
        *(f"{count:,} {what}" for count, what in counts if count),
        *[_retrying(progress)] * bool(progress.retrying),
        *[f"{progress.held:,} queued"] * bool(progress.held),
        _cost(progress),
        pace,
    ]
    return ", ".join(filter(None, parts))


def _retrying(progress: Progress) -> str:
    """Such as `14 waiting: 429 from o4-mini, next try in 12 s`, with the most frequent
    reason.
    """
    text = f"{progress.retrying:,} waiting"
    if progress.waiting_for:
        others = " and others" if len(progress.waiting_for) > 1 else ""
        reason = max(
            progress.waiting_for, key=lambda reason: progress.waiting_for[reason]
        )
        text += f": {sanitize(reason, _LONGEST_REASON)}{others}"
    return (
        text
        if progress.next_try_s is None
        else f"{text}, next try in {math.ceil(progress.next_try_s)} s"
    )


def _cost(progress: Progress) -> str:
    """The cost so far, or that no price is known."""
    if not progress.cost_usd:  # fake models and local servers are free: show nothing
        return "no price known" * bool(progress.unpriced)
    return (
        f"{dollars(progress.cost_usd)} so far"
        + f" ({progress.unpriced:,} unpriced)" * bool(progress.unpriced)
    )


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
        replies = answered + now.judged - before.judged
        if replies <= 0 or seconds <= 0:
            return ""
        a_minute = replies * 60 / seconds
        words = (
            f"{a_minute:,.0f} replies a minute"
            if a_minute >= 9.95
            else f"{a_minute:.1f} replies a minute"
        )
        questions = (
            now.announced
            - now.answered
            - now.failed
            - max(now.announced_stored, now.stored)
        )
        return (
            f"{words}, {_duration(questions * seconds / answered)} left"
            if questions > 0 and answered
            else words
        )


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    return (
        f"about {minutes} min"
        if minutes < 60
        else f"about {minutes // 60:,} h {minutes % 60:02d} min"
    )


# --- header ---------------------------------------------------------------------------


def line_about_file(model: Model) -> str:
    """What llama.cpp's server is given for a model file."""
    file = model.file
    assert file is not None
    size, memory = file.size_bytes / 1e6, file.memory_bytes / 1e9
    return sanitize(
        f"{model.name}: llama.cpp answers from {Path(file.path).name} ({size:,.0f} "
        f"MB): {file.slots} slots of "
        f"{file.context:,} tokens, {file.threads} threads, about {memory:.1f} GB of "
        f"memory",
        _LONGEST_LINE,
    )


def header(settings: Settings) -> list[str]:
    """The header of a run: its models, with "simulated" after fake ones, and the
    settings that are not the default.
    """
    if not settings.models:
        return []
    models = ", ".join(
        model.name + " (simulated)" * model.simulated for model in settings.models
    )
    limits = settings.request_limits
    usual = RequestLimits()
    parts = (
        f"seed {settings.seed}",
        *_prompt_configs(settings.prompt_configs),
        f"{settings.reading} matching" if settings.reading else None,
        f"at most {limits.concurrency} in flight"
        if limits.concurrency != usual.concurrency
        else None,
        None
        if limits.max_cost_usd is None
        else f"at most {dollars(limits.max_cost_usd)}",
        None if limits.max_tokens is None else f"at most {limits.max_tokens:,} tokens",
        f"batches ({settings.batch})" if settings.batch is not None else None,
        f"store {settings.store_mode}"
        if settings.store_mode is not StoreMode.ON
        else None,
    )
    return [
        f"llmarith: {sanitize(models, 200)}",
        f"llmarith: {', '.join(filter(None, parts))}",
    ]


def _prompt_configs(configs: PromptConfigs) -> Iterator[str]:
    """Conditions and repeats, if not the default."""
    labels = [condition.label for condition in configs.conditions]
    if len(labels) > 1:
        yield (
            f"{len(labels)} conditions "
            f"({', '.join(label or 'usual' for label in labels)})"
        )
    elif labels[0]:
        yield labels[0]
    if configs.repeats > 1:
        yield f"{configs.repeats} repeats"
