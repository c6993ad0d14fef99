"""The controller's pen: records are written down and counted as they arrive, and the run is summed up at its end.

It does not know how the files of a run are written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith.items import records
from pytest_llmarith.reports.keys import Key
from pytest_llmarith.reports.logs.written import WrittenRecords
from pytest_llmarith.session.folder import RunFolder
from pytest_llmarith.session.gating import asked_gates, refuse_unknown_tasks
from pytest_llmarith.session.sharding import shard_facts
from pytest_llmarith.settings import Settings
from pytest_llmarith.values import Progress, StoreMode

if TYPE_CHECKING:
    from pytest_llmarith.records import Record, Run, RunSummary
    from pytest_llmarith.reports.counting.summary import Summary
    from pytest_llmarith.session.conductor import Conductor
    from pytest_llmarith.session.workers import Workers

_STOPPED_EXIT_STATUS = 6


class Recorder:
    """Writes a run down as its reports arrive; lives in the controller or the only process."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._started = datetime.now(UTC)
        self._gates = asked_gates(settings)
        self._conductor: Conductor | None = None
        self._workers: Workers | None = None
        self._summary: Summary | None = None
        self.folder = RunFolder(settings, self._started, self._stop)
        self.selected: Counter[Key] | None = None
        self.written: RunSummary | None = None
        self.failed_gates: list[str] = []

    def listen(self, conductor: Conductor, workers: Workers) -> None:
        """Take in what only those who ask can tell."""
        self._conductor, self._workers = conductor, workers
        conductor.on_selected = self._note_selected
        conductor.before_asking = self._make_ready
        conductor.check_tasks = self._check_gates

    def _make_ready(self) -> None:
        """Refuse to begin where nothing could be written down, and load now what writes it down.

        pytest parses what it loads. While questions are in flight litellm formats tracebacks on the broker's thread,
        which parses too, and of two at a time Python 3.11 says "AST constructor recursion depth mismatch".
        """
        self.folder.check()
        import pytest_llmarith.items.outcomes
        import pytest_llmarith.reports.counting.summary
        import pytest_llmarith.reports.logs.lines
        import pytest_llmarith.reports.logs.runlog
        import pytest_llmarith.session.ask
        import pytest_llmarith.session.programs
        import pytest_llmarith.session.properties  # noqa: F401

    def _check_gates(self, tasks: Iterable[str]) -> None:
        refuse_unknown_tasks(self._gates, tasks)

    def _note_selected(self, selected: Counter[Key]) -> None:
        self.selected = selected

    @property
    def records(self) -> WrittenRecords:
        return self.folder.records

    @property
    def stopped(self) -> str | None:
        """Why the asking was stopped, where it was."""
        stopped = self._conductor.stopped() if self._conductor else None
        return None if stopped is None else stopped.message

    def replies_kept(self) -> int:
        """Replies that arrived and are in the store."""
        asking = self._conductor.progress() if self._conductor else Progress()
        return asking.kept

    @property
    def unwritable(self) -> str | None:
        """What could not be written, and where the replies are that were paid for."""
        unsaved = self._conductor.progress().unsaved if self._conductor else 0
        if self.folder.torn is None:
            taken = f"llmarith store import {self.folder.path} takes them from the run log"
            return f"{unsaved} replies are not in the store; {taken}" if unsaved else None
        if self._conductor is None or self._settings.store_mode is StoreMode.OFF:
            return self.folder.torn
        kept = f"{unsaved} replies are not in the store either" if unsaved else "what was paid for is in the store"
        return f"{self.folder.torn}; {kept}"

    # --- reports arrive -------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Any:
        self.take_in(report)
        try:
            return (yield)
        finally:
            records.keep_outcome_only(report)

    def take_in(self, report: pytest.TestReport) -> None:
        """Write down the record that a report carries, should it carry one."""
        if report.when == records.CRASHED and self._workers is not None and report.nodeid not in self.records:
            crashed = self._workers.record_of_crashed(report.nodeid)
            if crashed is not None:
                records.put_record(report, crashed)
        record = records.unpack_record(report)
        if record is not None and not _runs_again(report):
            self._write(report.nodeid, record)

    def _write(self, nodeid: str, record: Record) -> None:
        from pytest_llmarith.reports.counting.summary import Summary

        self.folder.append(nodeid, record)
        self._summary = self._summary or Summary()
        self._summary.add(record)
        if self._workers is not None:
            self._workers.reported(nodeid)

    def _stop(self, why: str) -> None:
        """Ask nobody anything more whose answer could not be written down."""
        if self._conductor is not None:
            self._conductor.stop(why)

    # --- the run ends ---------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        # Ahead of pytest-json-report, which notes the exit status in its own.
        self.folder.close()
        if self._summary is not None:
            self._finish(session, self._summary)
        elif self._gates and session.exitstatus == pytest.ExitCode.OK and not self._config.getoption("collectonly"):
            self.failed_gates = ["nothing was measured" + "; no model was chosen" * (not self._settings.models)]
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        result = yield
        if self.unwritable and session.exitstatus == pytest.ExitCode.OK:  # the JSON report is written in between
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return result

    def _finish(self, session: pytest.Session, summary: Summary) -> None:
        from pytest_llmarith.reports.gates import failed_gates

        written = summary.of_run(self._run(session), self.selected)
        models = [model.name for model in written.run.models if self._is_selected(model.name)]
        self.failed_gates = failed_gates(self._gates, written.results, models, list(self.selected or ()))
        session.exitstatus = self._exit_status(session)
        written.run.exit_status = int(session.exitstatus)
        self.written = written
        self.folder.write_summary(written)
        self.folder.write_page(written)

    def _is_selected(self, model: str) -> bool:
        """A model that -k or -m left out is not held to a gate."""
        return self.selected is None or any(model == selected for selected, *_ in self.selected)

    def _exit_status(self, session: pytest.Session) -> int:
        if self._conductor is not None and self._conductor.stopped():
            return _STOPPED_EXIT_STATUS
        if (self.failed_gates or self.unwritable) and session.exitstatus == pytest.ExitCode.OK:
            return pytest.ExitCode.TESTS_FAILED
        return session.exitstatus

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        if self.written is not None:
            asked_for = bool(self._config.getoption("json_report_file"))
            self.folder.write_json_report(json_report, self.written, also_users=asked_for)

    def _run(self, session: pytest.Session) -> Run:
        from pytest_llmarith.records import RunTimes
        from pytest_llmarith.session.facts import run_facts
        from pytest_llmarith.session.git import git_facts

        times = RunTimes(
            id=self.folder.name or "",
            started_at=self._started.isoformat(timespec="seconds"),
            finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
            selected=len(self.records) if self.selected is None else self.selected.total(),
            stopped=self.stopped,
            partial=bool(self._config.getoption("lf", False)),
            exit_status=int(session.exitstatus),
            shard=shard_facts(self._config),
        )
        asking = self._conductor.progress() if self._conductor else None
        return run_facts(self._settings, asking, times, git_facts(self._config.rootpath))


def _runs_again(report: pytest.TestReport) -> bool:
    """Plugins that run an item anew say so by an outcome of their own; its last report is the one that counts."""
    return str(report.outcome) == "rerun"
