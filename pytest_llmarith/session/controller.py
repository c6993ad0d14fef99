"""Controls a run, in the controller of xdist or the only process.

In order: configure, collect, forecast or refuse, ask, record, summary, terminal, exit status.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from pytest_llmarith.records import Run, RunTimes, Shard, convert
from pytest_llmarith.results.formatting import sanitize
from pytest_llmarith.session.collection import MODEL_FIXTURE
from pytest_llmarith.session.forecast import Forecast, models_asked_later
from pytest_llmarith.session.marks import NO_MODEL, missing_option, parameter_of, problem_marks, problem_of
from pytest_llmarith.session.metadata import run_metadata
from pytest_llmarith.session.outcomes import BROKER_CLIENT, CRASHED, drop_record, put_record, unpack_record
from pytest_llmarith.session.recorder import Recorder
from pytest_llmarith.session.run_broker import RunBroker, start_broker
from pytest_llmarith.session.selection import (
    SHARDING,
    PlannedQuestion,
    config_of,
    planned_questions,
    question_of,
    selected,
)
from pytest_llmarith.session.terminal import Terminal, header
from pytest_llmarith.session.xdist import Workers
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks import render
from pytest_llmarith.types import StoreMode

_STOPPED_EXIT_STATUS = 6
_LONGEST_LINE = 500


class RunController:
    """The plugin of the controller of xdist, or of the only process."""

    # --- configure ------------------------------------------------------------------------------------------------

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._session: Any = None
        self._has_header = False
        self._terminal = Terminal(config, settings)
        self._recorder = Recorder(settings)
        self._broker = RunBroker(config, settings, self._terminal, self._recorder)
        self._workers = Workers(config, settings, self._broker)
        if settings.models:
            config.stash[BROKER_CLIENT] = self._broker
            config.pluginmanager.register(self._workers, "llmarith-workers")
            _switch_on_json_report(config)

    def pytest_report_header(self) -> list[str]:
        self._has_header = True
        return header(self._settings)

    def pytest_report_collectionfinish(self) -> list[str]:
        """The header of a run that began during collection."""
        return [] if self._has_header else header(self._settings)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Start the broker before xdist starts its workers."""
        self._session = session
        if self._has_workers and self._settings.models:
            self._broker.prepare()

    @property
    def _has_workers(self) -> bool:
        return bool(self._config.pluginmanager.hasplugin("dsession"))

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Start the broker while pytest collects."""
        if self._settings.models and problem_marks(metafunc) and not _runs_nothing(self._session):
            self._broker.prepare()

    # --- collected: forecast or refuse, then ask ------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Any:
        try:
            if self._settings.models and not self._has_workers and not _runs_nothing(session):  # else `Workers` begins
                asked = list(planned_questions(selected(session.items), self._settings))
                if asked:
                    self._broker.begin(asked)
            with self._terminal.watching(self._broker.progress(), self._broker.show_progress, self._has_workers):
                return (yield)
        finally:
            self._broker.end()

    # --- record ---------------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logstart(self) -> Any:
        self._terminal.clear_status()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Any:
        self.record(report)
        self._terminal.clear_status()
        try:
            return (yield)
        finally:
            drop_record(report)
            self._broker.show_progress()
            if self._broker.stopped:
                # Only the object that runs the loop looks at its `shouldstop`: xdist's in a controller.
                loop = self._config.pluginmanager.getplugin("dsession") or self._session
                loop.shouldstop = loop.shouldstop or "llmarith stopped the run, for the reason above"

    def record(self, report: pytest.TestReport) -> None:
        """Write the record of a report, and stop asking if that fails."""
        nodeid, records = report.nodeid, self._recorder.records
        if report.when == CRASHED and nodeid not in records and (crashed := self._workers.record_of_crashed(nodeid)):
            put_record(report, crashed)
        record = unpack_record(report)
        if record is None or str(report.outcome) == "rerun":  # by a rerun plugin: the last run of an item counts
            return
        self._recorder.add(nodeid, record)
        self._workers.reported(nodeid)
        if self._recorder.unwritable and self._settings.models:
            self._broker.stop(self._recorder.unwritable)

    # --- summary and exit status ----------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        """Runs before pytest-json-report, which writes the exit status."""
        recorder, ok = self._recorder, pytest.ExitCode.OK
        recorder.close()
        if recorder.records:
            recorder.summarize(self._run(session))
            if self._broker.stopped:
                session.exitstatus = _STOPPED_EXIT_STATUS
            elif session.exitstatus == ok and (recorder.failed_gates or self._unwritable):
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
            recorder.write_summary(int(session.exitstatus))
        elif session.exitstatus == ok and not self._config.getoption("collectonly") and recorder.fail_unmeasured():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        result = yield
        if self._unwritable and session.exitstatus == ok:  # such as the JSON report, which is written during the yield
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return result

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        also_users = bool(self._config.getoption("json_report_file"))
        self._recorder.write_json_report(json_report, also_users=also_users)

    def _run(self, session: pytest.Session) -> Run:
        recorder, stopped = self._recorder, self._broker.stopped
        sharding = self._config.pluginmanager.getplugin(SHARDING)
        times = RunTimes(
            id=recorder.path.name if recorder.path else "",
            started_at=recorder.started.isoformat(timespec="seconds"),
            finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
            selected=len(recorder.records) if recorder.selected is None else recorder.selected.total(),
            stopped=stopped.message if stopped else None,
            partial=bool(self._config.getoption("lf", False)),
            exit_status=int(session.exitstatus),
            shard=convert(sharding.metadata, Shard) if sharding else None,
        )
        asking = self._broker.progress() if self._settings.models else None
        return run_metadata(self._settings, times, self._config.rootpath, asking)

    @property
    def _unwritable(self) -> str | None:
        """What could not be written, and where the replies are that were paid for."""
        unsaved, torn = self._broker.progress().unsaved, self._recorder.unwritable
        if torn is None:
            taken = f"llmarith store import {self._recorder.path} takes them from the run log"
            return f"{unsaved} replies are not in the store; {taken}" if unsaved else None
        if not self._settings.models or self._settings.store_mode is StoreMode.OFF:
            return torn
        kept = f"{unsaved} replies are not in the store either" if unsaved else "all replies are in the store"
        return f"{torn}; {kept}"

    # --- terminal -------------------------------------------------------------------------------------------------

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        recorder, terminal = self._recorder, self._terminal
        if recorder.summary is not None:
            if recorder.summary.answered:  # else the tables show each reason once
                terminal.trials(recorder.summary, recorder.records.values())
            terminal.results(recorder.summary, recorder.written)
        elif stopped := self._broker.stopped:
            terminal.line(f"llmarith: stopped: {sanitize(stopped.message, 1000)}", red=True)
        elif kept := self._broker.progress().kept:
            terminal.line(
                f"llmarith: nothing was graded; {kept} replies are stored, rerun the same command to continue"
            )
        elif hint := missing_option(terminalreporter.stats.get("skipped", ())):
            terminal.line(f"llmarith: {hint}", yellow=True)
        if self._unwritable is not None:
            terminal.line(f"llmarith: {self._unwritable}", red=True)
        for line in recorder.failed_gates:
            terminal.line(f"--llm-fail-under: {line}", red=True)

    def pytest_unconfigure(self) -> None:
        self._broker.end()


class DryRun:
    """The plugin of a dry run: shows the questions and their estimated cost."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._terminal = Terminal(config, settings)
        if hasattr(config.option, "dist"):  # as -n 0 does; pytest-xdist configures itself last
            config.option.numprocesses, config.option.dist, config.option.tx = 0, "no", []

    def pytest_report_header(self) -> list[str]:
        return [*header(self._settings), "llmarith: dry run, nothing is asked"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        items = selected(session.items)
        asked = list(planned_questions(items, self._settings))
        if asked:
            self._forecast(asked)
        if others := len(items) - len(asked):
            self._say(f"forecast: {others:,} questions to your model fixture, of unknown cost")
        if not items:
            self._say(f"no question was selected{'' if self._settings.models else f'; {NO_MODEL}'}")
        self._show_prompts(items)
        return True

    def _forecast(self, asked: list[PlannedQuestion]) -> None:
        broker = start_broker(self._config, self._settings, self._terminal, read_only=True)
        try:
            later = [model.name for model in models_asked_later(asked, self._settings)]
            plan = broker.plan([one.question for one in asked], later)
        finally:
            broker.close()
        if plan.error is not None:
            raise pytest.UsageError(plan.error)
        forecast = Forecast(self._settings, asked, plan)
        for line in forecast.lines():
            self._say(line)
        forecast.refuse()

    def _show_prompts(self, items: list[pytest.Item]) -> None:
        """Print the first question of each task."""
        first: dict[str, pytest.Item] = {}
        for item in items:
            first.setdefault(problem_of(item).task, item)
        for item in first.values():
            problem, model = problem_of(item), parameter_of(item, MODEL_FIXTURE)
            texts = self._settings.prompt_configs.texts
            prompt = render(problem, config_of(item).condition, texts, self._settings.seed)
            system = None  # the user's model fixture gets only prompts
            if model is not None:
                own = question_of(item, model, prompt, self._settings).system_prompt
                system = model.system_prompt if own is None else own
            self._terminal.line("")
            self._terminal.line(f"{problem.task}, as {sanitize(item.nodeid, _LONGEST_LINE)} asks:")
            for line in "\n".join(filter(None, (system, prompt))).split("\n"):
                self._terminal.line(f"    {sanitize(line, _LONGEST_LINE)}".rstrip())

    def _say(self, line: str) -> None:
        self._terminal.line(f"llmarith: {line}")


def _runs_nothing(session: pytest.Session) -> bool:
    """Whether no test will run, because of an option or a collection error."""
    options = session.config.option
    failed = session.testsfailed and not options.continue_on_collection_errors
    return failed or any(getattr(options, name, False) for name in ("collectonly", "setuponly", "setupplan"))


def _switch_on_json_report(config: pytest.Config) -> None:
    """Enable pytest-json-report for report.json, and keep the user's settings of it."""
    option = config.option
    if not hasattr(option, "json_report") or option.json_report:
        return
    option.json_report = True
    if option.json_report_file in (None, ".report.json"):  # the default
        option.json_report_file = None
        option.json_report_verbosity = 0  # else it prints that it saved nothing
    option.json_report_omit = option.json_report_omit or ["collectors", "keywords", "streams", "log"]
