"""What a run shows on the terminal at its start and at its end.

It reads from the others and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from pytest_llmarith.items.marks import why_skipped
from pytest_llmarith.reports.figures import dollars
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.session.recorder import Recorder
from pytest_llmarith.settings import Manners, Settings

if TYPE_CHECKING:
    from pytest_llmarith.records import RunSummary

_MOST, _MOST_WITH_ALL = 20, 1000  # lines per outcome


class Display:
    """Registered in the controller or the only process."""

    def __init__(self, config: pytest.Config, settings: Settings, recorder: Recorder) -> None:
        self._config = config
        self._settings = settings
        self._recorder = recorder
        self._hint: str | None = None
        self._shown = False

    def pytest_report_header(self) -> list[str]:
        """What is asked, and how."""
        self._shown = True
        return header(self._settings)

    def pytest_report_collectionfinish(self) -> list[str]:
        """The same in a run that began during collection."""
        return [] if self._shown else self.pytest_report_header()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._hint = self._hint or why_skipped(report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        recorder = self._recorder
        if recorder.written is not None:
            if recorder.written.answered:  # else the reasons are told below, each of them once
                self._write_items(terminalreporter, recorder.written)
            self._write_tables(terminalreporter, recorder.written)
        elif why := recorder.stopped:
            terminalreporter.write_line(f"llmarith: stopped: {sanitize(why, 1000)}", red=True)
        elif kept := recorder.replies_kept():
            terminalreporter.write_line(
                f"llmarith: nothing was graded; {kept} replies are kept, the same command goes on"
            )
        elif self._hint is not None:  # a run that asked nothing must not look like one that went well
            terminalreporter.write_line(f"llmarith: {self._hint}", yellow=True)
        if recorder.unwritable is not None:
            terminalreporter.write_line(f"llmarith: {recorder.unwritable}", red=True)
        for line in recorder.failed_gates:
            terminalreporter.write_line(f"--llm-fail-under: {line}", red=True)

    def _write_items(self, terminal: pytest.TerminalReporter, summary: RunSummary) -> None:
        """The outcomes that `-r` asks for, one line each; pytest's own lists leave custom outcomes out."""
        from pytest_llmarith.reports.tables.listing import outcome_section

        reportchars = self._config.getoption("reportchars")
        wanted = _wanted_outcomes(reportchars, self._settings.strict)
        if not any(getattr(result.outcomes, outcome) for result in summary.results for outcome in wanted):
            return  # the run log need not be read
        listed = (record for record in self._recorder.records.values() if record.outcome in wanted)
        lines: list[str] = []
        with suppress(OSError):  # somebody has removed the run log
            lines = outcome_section(listed, most=_MOST_WITH_ALL if "A" in reportchars else _MOST)
        if lines:
            terminal.write_sep("=", "llmarith: trials")
        for line in lines:
            terminal.write_line(line)

    def _write_tables(self, terminal: pytest.TerminalReporter, summary: RunSummary) -> None:
        from pytest_llmarith.reports.tables.terminal import summary_section

        terminal.write_sep("=", "llmarith: results")
        tables_wanted = self._config.getoption("verbose") > -2  # -qq leaves where it is written
        for line in summary_section(summary, self._config.get_terminal_writer().fullwidth) if tables_wanted else []:
            terminal.write_line(line)
        folder = self._recorder.folder
        if folder.path is not None:
            terminal.write_line(f"\nwritten {'in part ' * bool(folder.torn)}to {folder.path}")
        if folder.page is not None:
            terminal.write_line(folder.page)


def header(settings: Settings) -> list[str]:
    """Which models are asked, and how."""
    if not settings.models:
        return []
    models = ", ".join(model.name + " (simulated)" * model.simulated for model in settings.models)
    asking = settings.asking
    parts = (
        f"seed {settings.seed}",
        *_manners(settings.manners),
        f"{settings.reading or 'each task its own'} reading",
        f"at most {asking.concurrency} in flight",
        None if asking.max_cost_usd is None else f"at most {dollars(asking.max_cost_usd)}",
        None if asking.max_tokens is None else f"at most {asking.max_tokens:,} tokens",
        f"store {settings.store_mode}",
    )
    return [f"llmarith: {sanitize(models, 200)}", f"llmarith: {', '.join(filter(None, parts))}"]


def _manners(manners: Manners) -> Iterator[str]:
    """How questions are put, where it is not the usual way."""
    conditions = manners.conditions
    if len(conditions) > 1:
        yield f"{len(conditions)} conditions ({', '.join(condition.label or 'usual' for condition in conditions)})"
    elif conditions[0].label:
        yield conditions[0].label
    if manners.repeats > 1:
        yield f"{manners.repeats} repeats"


def _wanted_outcomes(reportchars: str, strict: bool) -> set[str]:
    """`f` shows what failed, `a` all but correct, `A` the same: correct ones say nothing more."""
    if set("aA") & set(reportchars) or (strict and "f" in reportchars):
        return {"deviate", "nan", "cheat", "unanswered"}
    return {"unanswered"} if "f" in reportchars else set()
