"""The controller's pen: records become the run log, the summary and the JSON report.

Nothing is written, and no folder made, before the first record arrives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith.items import records
from pytest_llmarith.options.settings import Settings
from pytest_llmarith.values import StoreMode

if TYPE_CHECKING:
    from pytest_llmarith.reports.gates import Gate
    from pytest_llmarith.reports.runlog import RunLog
    from pytest_llmarith.reports.summary import Summary
    from pytest_llmarith.session.conductor import Conductor
    from pytest_llmarith.session.workers import Workers

STOPPED_EXIT_STATUS = 6


class Recorder:
    """Writes a run down as its reports arrive; lives in the controller or the only process."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._started = datetime.now(UTC)
        self._gates = _gates(settings)
        self._conductor: Conductor | None = None
        self._workers: Workers | None = None
        self._log: RunLog | None = None
        self._summary: Summary | None = None
        self.folder: Path | None = None
        self.records: dict[str, dict[str, Any]] = {}
        self.selected: Counter[tuple[str, str]] | None = None
        self.written: dict[str, Any] | None = None
        self.failed_gates: list[str] = []
        self.unwritable: str | None = None

    def check_folder(self) -> None:
        """Refuse to begin where nothing could be written down: before anything is paid for."""
        from pytest_llmarith.reports.folder import UnwritableFolder, check_writable

        try:
            check_writable(self._settings.reports)
        except UnwritableFolder as error:
            raise pytest.UsageError(f"--llm-reports: {error}") from None

    def listen(self, conductor: Conductor, workers: Workers) -> None:
        """Take in what only those who ask can tell."""
        self._conductor, self._workers = conductor, workers
        conductor.on_selected = self._note_selected
        conductor.before_asking = self.check_folder

    def _note_selected(self, selected: Counter[tuple[str, str]]) -> None:
        self.selected = selected

    def replies_kept(self) -> int:
        """Replies that arrived and are in the store."""
        answered = self._conductor.progress().answered if self._conductor else 0
        return 0 if self._settings.store_mode is StoreMode.OFF else answered

    # --- reports arrive -------------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == records.CRASHED and self._workers is not None:
            crashed = self._workers.record_of_crashed(report.nodeid)
            if crashed is not None:
                records.put_record(report, crashed)
        record = records.unpack_record(report)
        if record is not None and not _runs_again(report):
            self._write(record)

    def _write(self, record: dict[str, Any]) -> None:
        if self._log is None or self._summary is None:
            self._log, self._summary = self._open(record["model"])
        record["run"] = self.folder and self.folder.name
        with self._told():
            self._log.append(record)
        self._summary.add(record)
        self.records[record["nodeid"]] = record

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What cannot be written ends the run with one message; what was answered is still counted and shown."""
        try:
            yield
        except OSError as error:
            self.unwritable = f"{self.folder}: {error.strerror or error}"
            if self._conductor is not None:
                self.unwritable += "; what was paid for is in the store"
                self._conductor.stop(self.unwritable)

    def _open(self, first_model: str) -> tuple[RunLog, Summary]:
        from pytest_llmarith.reports.folder import create_run_folder
        from pytest_llmarith.reports.runlog import RunLog
        from pytest_llmarith.reports.summary import Summary

        models = [model.name for model in self._settings.models]
        if first_model not in models:  # somebody's own `model` fixture replies
            models = [first_model]
        self.folder = create_run_folder(self._settings.reports, self._started, models)
        return RunLog(self.folder / "trials.jsonl"), Summary()

    # --- the run ends ---------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        # Ahead of pytest-json-report, which notes the exit status in its own.
        if self._log is not None and self._summary is not None:
            self._log.close()
            self._finish(session, self._summary)
        elif self._gates and session.exitstatus == pytest.ExitCode.OK and not self._config.getoption("collectonly"):
            self.failed_gates = ["nothing was measured" + "; no model was chosen" * (not self._settings.models)]
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return (yield)

    def _finish(self, session: pytest.Session, summary: Summary) -> None:
        from pytest_llmarith.reports.gates import failed_gates

        facts = self._facts(session)
        asked = {**facts, "models": [model for model in facts["models"] if self._is_selected(model["name"])]}
        self.failed_gates = failed_gates(self._gates, summary.as_dict(asked, self.selected))
        session.exitstatus = self._exit_status(session)
        facts["exit_status"] = int(session.exitstatus)
        self.written = summary.as_dict(facts, self.selected)
        self._write_summary(self.written)

    def _is_selected(self, model: str) -> bool:
        """A model that -k or -m left out is not held to a gate."""
        return self.selected is None or any(model == selected for selected, _ in self.selected)

    def _exit_status(self, session: pytest.Session) -> int:
        if self._conductor is not None and self._conductor.stopped():
            return STOPPED_EXIT_STATUS
        if (self.failed_gates or self.unwritable) and session.exitstatus == pytest.ExitCode.OK:
            return pytest.ExitCode.TESTS_FAILED
        return session.exitstatus

    def _write_summary(self, summary: dict[str, Any]) -> None:
        from pytest_llmarith.reports.jsonfiles import append_line, write_json
        from pytest_llmarith.reports.summary import without_cells

        assert self.folder is not None
        with self._told():
            write_json(self.folder / "summary.json", summary, indent=2)
            if _is_finished(summary["run"]):
                append_line(self._settings.reports / "aggregate.jsonl", without_cells(summary))

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_json_modifyreport(self, json_report: dict[str, Any]) -> None:
        """report.json is pytest-json-report's, with our record under each test and our summary at the root."""
        if self.written is None or self.folder is None:
            return
        from pytest_llmarith.reports.json_report import extend_json_report
        from pytest_llmarith.reports.jsonfiles import write_json

        extend_json_report(json_report, self.records, self.written)
        with self._told():
            write_json(self.folder / "report.json", json_report)

    def _facts(self, session: pytest.Session) -> dict[str, Any]:
        from pytest_llmarith.session.facts import run_facts

        stopped = self._conductor.stopped() if self._conductor else None
        asking = self._conductor.progress() if self._conductor else None
        return run_facts(self._settings, asking) | {
            "id": self.folder and self.folder.name,
            "started_at": self._started.isoformat(timespec="seconds"),
            "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "selected": len(self.records) if self.selected is None else self.selected.total(),
            "stopped": stopped and stopped.message,
            "partial": bool(self._config.getoption("lf", False)),
            "exit_status": int(session.exitstatus),
        }


def _is_finished(run: dict[str, Any]) -> bool:
    return not run["stopped"] and run["exit_status"] != pytest.ExitCode.INTERRUPTED


def _runs_again(report: pytest.TestReport) -> bool:
    """Plugins that run an item anew say so by an outcome of their own; its last report is the one that counts."""
    return str(report.outcome) == "rerun"


def _gates(settings: Settings) -> list[Gate]:
    if not settings.fail_under:
        return []
    from pytest_llmarith.reports.gates import parse_gate
    from pytest_llmarith.tasks import TASKS

    try:
        gates = [parse_gate(text) for text in settings.fail_under]
    except ValueError as error:
        raise pytest.UsageError(f"--llm-fail-under: {error}") from None
    for gate in gates:
        if gate.task is not None and gate.task not in TASKS:
            raise pytest.UsageError(f"--llm-fail-under: there is no task {gate.task!r}; write {' or '.join(TASKS)}")
    return gates
