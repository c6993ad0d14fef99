"""Controls a run, in the controller of xdist or the only process.

In order: configure, collect, forecast or refuse, ask, record, summary, terminal, exit
status.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from pytest_llmarith.files import STORE_FOLDER, file_time
from pytest_llmarith.models.process import BrokerProcess
from pytest_llmarith.records import Reply, convert
from pytest_llmarith.safe_text import sanitize, text_of_error
from pytest_llmarith.session.company import HtmlColumn, refuse_network, spare_hypothesis
from pytest_llmarith.session.console import (
    Terminal,
    header,
    line_about_file,
    shortened,
)
from pytest_llmarith.session.finished import FinishedRun
from pytest_llmarith.session.forecast import (
    DRAIN_S,
    STOPPED_EXIT_STATUS,
    Forecast,
    MakePlan,
    planning,
    refuse,
    start_broker,
)
from pytest_llmarith.session.items import (
    ASK,
    CRASHED,
    SHOW_PROGRESS,
    has_measures,
    hide,
    is_last_try,
    missing_option,
    problem_marks,
    put_record,
    take_record,
)
from pytest_llmarith.session.planned import (
    SHARDING,
    PlannedQuestion,
    planned_questions,
    selected,
)
from pytest_llmarith.session.recorder import Recorder, run_metadata
from pytest_llmarith.session.xdist import Workers
from pytest_llmarith.settings import Settings
from pytest_llmarith.summaries import Run, ShardFacts
from pytest_llmarith.tasks.parameters import with_parameters
from pytest_llmarith.tasks.task import Task
from pytest_llmarith.types import Failure, Progress, Question, StoreMode


class RunController:
    """The plugin of the controller of xdist, or of the only process."""

    # --- configure --------------------------------------------------------------------

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._session: Any = None
        self._without_ask: dict[str, None] = {}  # in the order of the tests
        self._has_shown_end = False
        self._terminal = Terminal(config, settings)
        self._recorder = Recorder(settings)
        self._loaded = set[str]()  # tasks
        self._broker = RunBroker(config, settings, self._terminal, self._recorder)
        self._workers = Workers(
            config, settings, self._broker.process, self._broker.begin
        )
        if settings.models:
            config.stash[ASK] = self._broker.ask_and_wait
            config.stash[SHOW_PROGRESS] = self._broker.show_progress
            config.pluginmanager.register(self._workers, "llmarith-workers")
            _switch_on_json_report(config)
        config.pluginmanager.register(HtmlColumn(), "llmarith-html")

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

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Any:
        try:
            if not self._has_workers:  # else `Workers` begins
                self._begin(session)
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

    def _begin(self, session: pytest.Session) -> None:
        if not self._settings.models or _runs_nothing(session):
            return
        verbose = self._config.getoption("verbose", 0)
        items = selected(session.items)
        self._broker.begin(list(planned_questions(items, self._settings, verbose)))

    # --- record -----------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logstart(self) -> Any:
        self._terminal.clear_status()
        return (yield)

    # Not the first one: `plugin` attaches the record before.
    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Any:
        self.record(report)
        self._terminal.clear_status()
        try:
            result = yield
            self._terminal.drop(report)
            return result
        finally:
            self._broker.show_progress()
            if self._broker.stopped:
                self._stop_loop()

    def _stop_loop(self) -> None:
        # Only the object that runs the loop looks at its `shouldstop`: xdist's in a
        # controller.
        loop = self._config.pluginmanager.getplugin("dsession") or self._session
        if not loop.shouldstop:
            loop.shouldstop = "llmarith stopped the run, for the reason above"

    def record(self, report: pytest.TestReport) -> None:
        """Write the record of a report, and stop asking if that fails."""
        nodeid = report.nodeid
        if report.when == CRASHED and nodeid not in self._recorder.records:
            crashed = self._workers.record_of_crashed(nodeid)
            if crashed is not None:
                put_record(report, crashed)
        record = take_record(report)
        if record is None:
            has_passed = report.when == "call" and report.passed
            if has_passed and nodeid in self._broker.announced:
                self._without_ask[nodeid] = None
            return
        if not is_last_try(report):
            return
        if self._has_workers:
            self._workers.reported(nodeid)
        if self._recorder.is_final(nodeid):
            hide(report)
            return
        if nodeid in self._recorder.records:
            self._terminal.forget(nodeid)
        if has_measures(report):
            self._load_task(record.task, nodeid)
        self._recorder.add(nodeid, record)
        if self._recorder.unwritable and self._settings.models:
            self._broker.process().stop(self._recorder.unwritable)

    # --- summary and exit status ------------------------------------------------------

    def _load_task(self, name: str, nodeid: str) -> None:
        """Import the file of a task that only workers have collected, as its measures
        are counted here. The task is a name in it, in what it imports, or in a
        conftest.py.
        """
        if name in self._loaded:
            return
        self._loaded.add(name)
        path = self._config.rootpath / nodeid.partition("::")[0]
        # The workers may be on another host, and a file may be meant for them.
        with suppress(Exception, SystemExit, pytest.skip.Exception):
            session = self._config.pluginmanager.getplugin("session")
            pytest.Module.from_parent(session, path=path).obj  # noqa: B018
            for module in list(sys.modules.values()):
                for value in list(getattr(module, "__dict__", {}).values()):
                    # Not isinstance: it makes proxies of other packages import.
                    if not issubclass(type(value), Task):
                        continue
                    task = with_parameters(value, self._settings.task_parameters)
                    if task.name == name:
                        task.register()
                        return

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        """Runs before pytest-json-report, which writes the exit status."""
        if self._settings.models and not self._has_workers:
            spare_hypothesis(self._config)
        recorder = self._recorder
        recorder.close(stopped=self._broker.stopped is not None)
        if recorder.records:
            recorder.summarize(self._run(session))
            if self._broker.stopped:
                session.exitstatus = STOPPED_EXIT_STATUS
            elif recorder.failed_gates or self._unwritable:
                _fail_if_ok(session)
            recorder.write_summary(int(session.exitstatus))
        elif (
            session.exitstatus
            in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
            and not self._config.getoption("collectonly")
            and recorder.fail_unmeasured()
        ):
            _fail_if_ok(session)
        result = yield
        # Such as the JSON report, which is written during the yield. Another plugin may
        # have deselected all items, and now find that nothing is wrong.
        if self._unwritable or recorder.failed_gates:
            _fail_if_ok(session)
        if recorder.summary is not None and recorder.path is not None:
            run = FinishedRun.of(recorder.path, recorder.summary)
            try:
                self._config.hook.pytest_llmarith_run_finished(run=run)
            except Exception as error:
                _fail_if_ok(session)
                why = sanitize(text_of_error(error), 1000)
                self._terminal.line(
                    f"llmarith: pytest_llmarith_run_finished raised {why}; all files "
                    f"are written",
                    red=True,
                )
        return result

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        also_users = bool(self._config.getoption("json_report_file"))
        self._recorder.write_json_report(json_report, also_users=also_users)

    def _run(self, session: pytest.Session) -> Run:
        recorder, stopped = self._recorder, self._broker.stopped
        progress = shard = None
        if self._settings.models:
            progress = self._broker.progress()
        sharding = self._config.pluginmanager.getplugin(SHARDING)
        if sharding is not None:
            shard = convert(sharding.metadata, ShardFacts)
        count_selected = len(recorder.records)
        if recorder.selected is not None:
            count_selected = recorder.selected.total()
        return run_metadata(
            self._settings,
            self._config.rootpath,
            progress,
            id=recorder.path.name if recorder.path else "",
            started_at=recorder.started.isoformat(timespec="seconds"),
            finished_at=file_time().isoformat(timespec="seconds"),
            selected=count_selected,
            stopped=stopped.message if stopped else None,
            partial=bool(self._config.getoption("lf", False)),
            exit_status=int(session.exitstatus),
            shard=shard,
        )

    @property
    def _unwritable(self) -> str | None:
        """What could not be written, and where the replies are that were paid for."""
        unsaved, torn = self._broker.progress().unsaved, self._recorder.unwritable
        if torn is not None:
            if not self._settings.models or self._settings.store_mode is StoreMode.OFF:
                return torn
            if unsaved:
                return f"{torn}; {unsaved} replies are not in the store either"
            return f"{torn}; all replies are in the store"
        if not unsaved:
            return None
        command = f"llmarith store import {self._recorder.path}"
        folder = self._settings.store_path.parent
        if folder != self._config.rootpath / STORE_FOLDER:
            command += f" --store-dir={folder}"
        return (
            f"{unsaved} replies are not in the store; {command} takes them from the "
            f"run log"
        )

    # --- terminal ---------------------------------------------------------------------

    def pytest_terminal_summary(self) -> None:
        self._show_end()

    def _show_end(self) -> None:
        recorder, terminal = self._recorder, self._terminal
        self._has_shown_end = True
        if recorder.summary is None:
            self._show_why_without_summary()
        else:
            if recorder.summary.answered:  # else the tables show each reason once
                terminal.trials(recorder.summary, recorder.records.values())
            terminal.results(recorder.summary, recorder.written)
        if without_ask := self._without_ask.keys() - recorder.records.keys():
            first, *others = filter(without_ask.__contains__, self._without_ask)
            tests = sanitize(first, 200)
            if others:
                tests += f" and {len(others):,} other tests"
            terminal.line(
                f"llmarith: {tests} passed without ask(problem): what they ask was "
                f"paid for and not graded; call ask(problem)",
                red=True,
            )
        if self._unwritable is not None:
            terminal.line(f"llmarith: {self._unwritable}", red=True)
        for line in recorder.failed_gates:
            terminal.line(f"--llm-fail-under: {line}", red=True)

    def _show_why_without_summary(self) -> None:
        stopped, progress = self._broker.stopped, self._broker.progress()
        reporter = self._terminal.reporter
        hint = missing_option(reporter.stats.get("skipped", ()) if reporter else ())
        if stopped is not None:
            why = sanitize(stopped.message, 1000)
            self._terminal.line(f"llmarith: stopped: {why}", red=True)
        elif progress.kept:
            stored = progress.kept + progress.announced_stored
            how = f"{stored:,} replies are stored, rerun the same command to continue"
            if self._settings.store_mode is StoreMode.REFRESH:
                how = "rerun the same command, which asks everything again"
            self._terminal.line(f"llmarith: nothing was graded; {how}")
        elif hint is not None:
            self._terminal.line(f"llmarith: {hint}", yellow=True)

    def pytest_unconfigure(self) -> None:
        self._broker.end()
        # Not every reporter calls the hook of the summary.
        if self._recorder.records and not self._has_shown_end:
            self._show_end()


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
        mode = self._settings.store_mode
        reads_store = mode in (StoreMode.ON, StoreMode.ONLY)
        if reads_store and self._settings.store_path.exists():
            return
        if self._process is None:
            process = self.process()
            if self._asks_language_models and mode is not StoreMode.ONLY:
                process.prepare()

    def begin(self, asked: Sequence[PlannedQuestion]) -> None:
        """Print the forecast, check the budget, then announce the questions.

        Runs on the main thread.

        Raises pytest.UsageError before the first request.
        """
        refuse(self._config, self._settings, asked)
        if not asked:
            return
        self._recorder.expect(asked)
        self.announced = {one.nodeid for one in asked if not one.is_search}
        for one in asked:
            self._terminal.say(*one.about)
        forecast = Forecast(self._settings, asked, self._plan)
        refuse_network(self._config, forecast.models_to_ask)
        if forecast.error is None:
            self._prepare_questions(forecast)
        # else the first item reports the error
        self.process().announce()

    @property
    def _plan(self) -> MakePlan:
        if self._config.getoption("verbose", 0) <= -2 or not self._asks_language_models:
            return self.process().plan
        return planning(self.process(), self._terminal.say, self._settings.models)

    def _prepare_questions(self, forecast: Forecast) -> None:
        """Print the forecast, check the budget, start servers."""
        verbose = self._config.getoption("verbose", 0)
        if verbose > -2:
            self._terminal.say(*forecast.lines(verbose > 0))
        forecast.refuse()
        self._serve(forecast)

    def _serve(self, forecast: Forecast) -> None:
        """Start the servers of model files that have questions.

        Raises pytest.UsageError.
        """
        names, lines = [], []
        for one in forecast.forecasts:
            if one.model.file is not None and (one.asked or one.searching):
                names.append(one.model.name)
                lines.append(line_about_file(one.model))
        if not names:
            return
        if self._config.getoption("verbose", 0) > -2:
            self._terminal.say(*lines)
        why = self.process().serve(names)
        if why is not None:
            raise pytest.UsageError(f"--llm-model: {why}")

    def ask_and_wait(self, question: Question) -> Reply | Failure:
        return self.process().ask_and_wait(question, idle=self.show_progress)

    def show_progress(self) -> None:
        """Write a progress line if one is due."""
        if self._process is not None:
            self._terminal.progress(
                self.progress, self._recorder.questions(), self._recorder.graded()
            )

    def progress(self) -> Progress:
        if self._process is None:
            return Progress()
        return self._process.progress()

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
            waiting = 0
            if drain_s:
                waiting = self._process.progress().in_flight
            if waiting:
                requests = "request" if waiting == 1 else "requests"
                self._terminal.say(
                    f"waiting up to {drain_s:g} s for {waiting} {requests} in flight "
                    f"(Ctrl-C stops waiting)"
                )
            self._process.close(drain_s)
        except KeyboardInterrupt:  # the summary needs the final counts
            self._process.close(0)
            raise

    @property
    def _asks_language_models(self) -> bool:
        asked = [*self._settings.models, *self._settings.graders]
        return not all(model.simulated for model in asked)


def _runs_nothing(session: pytest.Session) -> bool:
    """Whether no test will run, because of an option or a collection error."""
    options = session.config.option
    if session.testsfailed and not options.continue_on_collection_errors:
        return True
    only_shows = ("collectonly", "setuponly", "setupplan")
    return any(getattr(options, name, False) for name in only_shows)


def _fail_if_ok(session: pytest.Session) -> None:
    """Set the exit status of failed tests, unless there is another one already."""
    if session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _switch_on_json_report(config: pytest.Config) -> None:
    """Enable pytest-json-report for report.json, and keep the user's settings of it."""
    option = config.option
    if not hasattr(option, "json_report") or option.json_report:
        return
    if not hasattr(option, "tbstyle"):  # -p no:terminal, with which it cannot be
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
