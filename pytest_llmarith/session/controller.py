"""Controls a run, in the controller of xdist or the only process.

In order: configure, collect, forecast or refuse, ask, record, summary, terminal, exit
status.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from pytest_llmarith.files import STORE_FOLDER
from pytest_llmarith.models.process import BrokerProcess
from pytest_llmarith.records import Reply, convert
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.session.forecast import (
    DRAIN_S,
    STOPPED_EXIT_STATUS,
    Forecast,
    refuse_empty,
    start_broker,
)
from pytest_llmarith.session.items import (
    ASK,
    CRASHED,
    SHOW_PROGRESS,
    missing_option,
    problem_marks,
    put_record,
    take_record,
)
from pytest_llmarith.session.processes import refuse_other_problems, write_digests
from pytest_llmarith.session.recorder import Recorder, run_metadata
from pytest_llmarith.session.selection import (
    SHARDING,
    PlannedQuestion,
    planned_questions,
    selected,
)
from pytest_llmarith.session.terminal import (
    Terminal,
    header,
    line_about_file,
    shortened,
)
from pytest_llmarith.session.xdist import Workers
from pytest_llmarith.settings import Settings
from pytest_llmarith.summaries import (
    Run,
    Shard,
)
from pytest_llmarith.types import Failure, Progress, Question, StoreMode


class RunController:
    """The plugin of the controller of xdist, or of the only process."""

    # --- configure --------------------------------------------------------------------

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._session: Any = None
        self._without_ask: list[str] = []
        self._terminal = Terminal(config, settings)
        self._recorder = Recorder(settings)
        self._broker = RunBroker(config, settings, self._terminal, self._recorder)
        self._workers = Workers(
            config, settings, self._broker.process, self._broker.begin
        )
        if settings.models:
            config.stash[ASK] = self._broker.ask_and_wait
            config.stash[SHOW_PROGRESS] = self._broker.show_progress
            config.pluginmanager.register(self._workers, "llmarith-workers")
            _switch_on_json_report(config)

    def pytest_report_header(self) -> list[str]:
        return header(self._settings)

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
        if (
            self._settings.models
            and problem_marks(metafunc)
            and not _runs_nothing(self._session)
        ):
            self._broker.prepare()

    # --- collected: forecast or refuse, then ask --------------------------------------

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        write_digests(session.items)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Any:
        try:
            # With workers, `Workers` begins.
            if (
                self._settings.models
                and not self._has_workers
                and not _runs_nothing(session)
            ):
                if self._settings.shard is not None:
                    refuse_other_problems(self._config, session.items)
                verbose = self._config.getoption("verbose")
                self._broker.begin(
                    list(
                        planned_questions(
                            selected(session.items), self._settings, verbose
                        )
                    )
                )
            with self._terminal.watching(
                self._broker.progress(), self._broker.show_progress, self._has_workers
            ):
                return (yield)
        except KeyboardInterrupt as interrupt:
            if not self._settings.models:
                raise
            raise shortened(interrupt, self._config) from None
        finally:
            self._broker.end()

    # --- record -----------------------------------------------------------------------

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
            self._broker.show_progress()
            if self._broker.stopped:
                # Only the object that runs the loop looks at its `shouldstop`: xdist's
                # in a controller.
                loop = self._config.pluginmanager.getplugin("dsession") or self._session
                loop.shouldstop = (
                    loop.shouldstop or "llmarith stopped the run, for the reason above"
                )

    def record(self, report: pytest.TestReport) -> None:
        """Write the record of a report, and stop asking if that fails."""
        nodeid, records = report.nodeid, self._recorder.records
        if (
            report.when == CRASHED
            and nodeid not in records
            and (crashed := self._workers.record_of_crashed(nodeid))
        ):
            put_record(report, crashed)
        record = take_record(report)
        has_passed = report.when == "call" and report.passed
        if record is None and has_passed and nodeid in self._broker.announced:
            self._without_ask.append(nodeid)
        # Of a rerun plugin: the last run of an item counts.
        if record is None or str(report.outcome) == "rerun":
            return
        self._recorder.add(nodeid, record)
        self._workers.reported(nodeid)
        if self._recorder.unwritable and self._settings.models:
            self._broker.process().stop(self._recorder.unwritable)

    # --- summary and exit status ------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        """Runs before pytest-json-report, which writes the exit status."""
        recorder, ok = self._recorder, pytest.ExitCode.OK
        recorder.close(stopped=self._broker.stopped is not None)
        if recorder.records:
            recorder.summarize(self._run(session))
            if self._broker.stopped:
                session.exitstatus = STOPPED_EXIT_STATUS
            elif session.exitstatus == ok and (
                recorder.failed_gates or self._unwritable
            ):
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
            recorder.write_summary(int(session.exitstatus))
        elif (
            session.exitstatus == ok
            and not self._config.getoption("collectonly")
            and recorder.fail_unmeasured()
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        result = yield
        # Such as the JSON report, which is written during the yield.
        if self._unwritable and session.exitstatus == ok:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return result

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        also_users = bool(self._config.getoption("json_report_file"))
        self._recorder.write_json_report(json_report, also_users=also_users)

    def _run(self, session: pytest.Session) -> Run:
        recorder, stopped = self._recorder, self._broker.stopped
        sharding = self._config.pluginmanager.getplugin(SHARDING)
        return run_metadata(
            self._settings,
            self._config.rootpath,
            self._broker.progress() if self._settings.models else None,
            id=recorder.path.name if recorder.path else "",
            started_at=recorder.started.isoformat(timespec="seconds"),
            finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
            selected=len(recorder.records)
            if recorder.selected is None
            else recorder.selected.total(),
            stopped=stopped.message if stopped else None,
            partial=bool(self._config.getoption("lf", False)),
            exit_status=int(session.exitstatus),
            shard=convert(sharding.metadata, Shard) if sharding else None,
        )

    @property
    def _unwritable(self) -> str | None:
        """What could not be written, and where the replies are that were paid for."""
        unsaved, torn = self._broker.progress().unsaved, self._recorder.unwritable
        if torn is None and not unsaved:
            return None
        if torn is None:
            command = f"llmarith store import {self._recorder.path}"
            folder = self._settings.store_path.parent
            if folder != self._config.rootpath / STORE_FOLDER:
                command += f" --store-dir={folder}"
            return (
                f"{unsaved} replies are not in the store; {command} takes them from "
                f"the run log"
            )
        if not self._settings.models or self._settings.store_mode is StoreMode.OFF:
            return torn
        kept = (
            f"{unsaved} replies are not in the store either"
            if unsaved
            else "all replies are in the store"
        )
        return f"{torn}; {kept}"

    # --- terminal ---------------------------------------------------------------------

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> None:
        recorder, terminal = self._recorder, self._terminal
        if recorder.summary is not None:
            if recorder.summary.answered:  # else the tables show each reason once
                terminal.trials(recorder.summary, recorder.records.values())
            terminal.results(recorder.summary, recorder.written)
        elif stopped := self._broker.stopped:
            terminal.line(
                f"llmarith: stopped: {sanitize(stopped.message, 1000)}", red=True
            )
        elif kept := self._broker.progress().kept:
            stored = kept + self._broker.progress().announced_stored
            how = f"{stored:,} replies are stored, rerun the same command to continue"
            if self._settings.store_mode is StoreMode.REFRESH:
                how = "rerun the same command, which asks everything again"
            terminal.line(f"llmarith: nothing was graded; {how}")
        elif hint := missing_option(terminalreporter.stats.get("skipped", ())):
            terminal.line(f"llmarith: {hint}", yellow=True)
        if self._without_ask:
            first, *others = self._without_ask
            more = f" and {len(others):,} other tests" if others else ""
            terminal.line(
                f"llmarith: {sanitize(first, 200)}{more} passed without ask(problem): "
                f"what they ask was paid for and not graded; call ask(problem)",
                red=True,
            )
        if self._unwritable is not None:
            terminal.line(f"llmarith: {self._unwritable}", red=True)
        for line in recorder.failed_gates:
            terminal.line(f"--llm-fail-under: {line}", red=True)

    def pytest_unconfigure(self) -> None:
        self._broker.end()


class RunBroker:
    """The broker of a run: forecast, announcement, questions of this process, and the
    end.
    """

    def __init__(
        self,
        config: pytest.Config,
        settings: Settings,
        terminal: Terminal,
        recorder: Recorder,
    ) -> None:
        self._config = config
        self._settings = settings
        self._terminal = terminal
        self._recorder = recorder
        self._process: BrokerProcess | None = None
        self._ended = False
        # The tests whose questions are asked before they run.
        self.announced: set[str] = set()

    def process(self) -> BrokerProcess:
        """The broker's process, started on first use."""
        if self._process is None:
            self._process = start_broker(self._config, self._settings)
        return self._process

    def prepare(self) -> None:
        """Start the broker and its imports while pytest collects, unless there is a
        store that may hold all replies.
        """
        reads = self._settings.store_mode in (StoreMode.ON, StoreMode.ONLY)
        if self._process is not None or (reads and self._settings.store_path.exists()):
            return
        process = self.process()
        if (
            self._asks_language_models
            and self._settings.store_mode is not StoreMode.ONLY
        ):
            process.prepare()

    def begin(self, asked: Sequence[PlannedQuestion]) -> None:
        """Print the forecast, check the budget, run batches, then announce the
        questions.

        Runs on the main thread.

        Raises pytest.UsageError before the first request.
        """
        refuse_empty(self._config, self._settings, asked)
        if not asked:
            return
        self._recorder.expect(asked)
        self.announced = {one.nodeid for one in asked if not one.is_search}
        verbose = self._config.getoption("verbose")
        for one in asked:
            self._terminal.say(*one.about)
        forecast = Forecast(self._settings, asked, self.process().plan)
        if forecast.error is not None and self._settings.batch is not None:
            raise pytest.UsageError(forecast.error)
        if forecast.error is None:  # else the first item reports the error
            if verbose > -2:
                self._terminal.say(*forecast.lines(verbose > 0))
            forecast.refuse()
            self._serve(forecast)
            if self._settings.batch is not None:
                try:
                    self.process().batch(self._terminal.say)
                except KeyboardInterrupt:
                    self._terminal.say(
                        "the batches go on; rerun the same command for their replies"
                    )
                    raise
        self.process().announce()

    def _serve(self, forecast: Forecast) -> None:
        """Start the servers of model files that have questions.

        Raises pytest.UsageError.
        """
        asked = [one.model for one in forecast.forecasts if one.asked or one.searching]
        models = [model for model in asked if model.file is not None]
        if self._config.getoption("verbose") > -2:
            self._terminal.say(*map(line_about_file, models))
        if (
            models
            and (why := self.process().serve([model.name for model in models]))
            is not None
        ):
            raise pytest.UsageError(f"--llm-model: {why}")

    def ask_and_wait(self, question: Question) -> Reply | Failure:
        return self.process().ask_and_wait(question, idle=self.show_progress)

    def show_progress(self) -> None:
        """Write a progress line if one is due."""
        if self._process is not None:
            self._terminal.progress(
                self.progress, self._recorder.questions(), self._recorder.programs()
            )

    def progress(self) -> Progress:
        return self._process.progress() if self._process else Progress()

    @property
    def stopped(self) -> Failure | None:
        """Why the run must end, or None."""
        return self._process.stopped if self._process else None

    def end(self) -> None:
        """Close the broker after waiting for requests in flight; a second Ctrl-C ends
        the wait.
        """
        if self._process is None:
            return
        if self._ended:
            self._process.close(0)
            return
        self._ended = True
        drain_s = DRAIN_S if self._asks_language_models else 0.0
        try:
            if drain_s and (waiting := self._process.progress().in_flight):
                requests = f"{waiting} request{'s' * (waiting > 1)} in flight"
                self._terminal.say(
                    f"waiting up to {drain_s:g} s for {requests} (Ctrl-C stops waiting)"
                )
            self._process.close(drain_s)
        except KeyboardInterrupt:  # the summary needs the final counts
            self._process.close(0)
            raise

    @property
    def _asks_language_models(self) -> bool:
        asked = [*self._settings.models, *self._settings.judges]
        return not all(model.simulated for model in asked)


def _runs_nothing(session: pytest.Session) -> bool:
    """Whether no test will run, because of an option or a collection error."""
    options = session.config.option
    failed = session.testsfailed and not options.continue_on_collection_errors
    return failed or any(
        getattr(options, name, False)
        for name in ("collectonly", "setuponly", "setupplan")
    )


def _switch_on_json_report(config: pytest.Config) -> None:
    """Enable pytest-json-report for report.json, and keep the user's settings of it."""
    option = config.option
    if not hasattr(option, "json_report") or option.json_report:
        return
    option.json_report = True
    if option.json_report_file in (None, ".report.json"):  # the default
        option.json_report_file = None
        option.json_report_verbosity = 0  # else it prints that it saved nothing
    option.json_report_omit = option.json_report_omit or [
        "collectors",
        "keywords",
        "streams",
        "log",
    ]
