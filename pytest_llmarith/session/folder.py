"""The folder of this run: the log that grows in it, and what is laid beside the log at the end.

Nothing is written, and no folder made, before the first record arrives. It does not know what the run came to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith.reports.logs.written import WrittenRecords
from pytest_llmarith.settings import Settings

if TYPE_CHECKING:
    from pytest_llmarith.records import Record, RunSummary
    from pytest_llmarith.reports.logs.runlog import RunLog


class RunFolder:
    """What cannot be written is said once, to `on_torn`; from then on the run goes to its end without."""

    def __init__(self, settings: Settings, started: datetime, on_torn: Callable[[str], None]) -> None:
        self._settings = settings
        self._started = started
        self._on_torn = on_torn
        self._log: RunLog | None = None
        self.path: Path | None = None
        self.records = WrittenRecords()
        self.torn: str | None = None  # why the folder holds less than it should
        self.page: str | None = None  # where the page of the run is, or why there is none

    @property
    def name(self) -> str | None:
        return None if self.path is None else self.path.name

    def check(self) -> None:
        """Refuse to begin where nothing could be written down: before anything is paid for."""
        from pytest_llmarith.reports.folder import UnwritableFolder, check_writable

        try:
            check_writable(self._settings.reports)
        except UnwritableFolder as error:
            raise pytest.UsageError(f"--llm-reports: {error}") from None

    def append(self, nodeid: str, record: Record) -> None:
        """Write a record down, with the name of the run."""
        from pytest_llmarith.records import as_dict

        self.records.keep(nodeid, record)  # until it is written
        with self._told():
            self._log = self._log or self._open(record.model)
            record.run = self.name
            self.records.note(nodeid, self._log.append(as_dict(record)))

    def close(self) -> None:
        """No record comes any more."""
        if self._log is not None:
            self._log.close()

    def write_summary(self, summary: RunSummary) -> None:
        from pytest_llmarith.records import as_dict
        from pytest_llmarith.reports.jsonfiles import write_json

        if self.path is None:
            return
        with self._told():
            write_json(self.path / "summary.json", as_dict(summary))

    def write_page(self, summary: RunSummary) -> None:
        """The page to look at, unless records are missing that it would show."""
        from pytest_llmarith.reports.page.run_page import write_run_page

        if self.path is not None and self.torn is None:
            self.page = write_run_page(self.path, summary, self.records.values())

    def write_json_report(self, json_report: dict[str, Any], summary: RunSummary, *, also_users: bool) -> None:
        """pytest-json-report's, with our record under each test and our summary at the root.

        With `also_users` the same goes into the file that the user named, which that plugin writes from memory.
        """
        from pytest_llmarith.files import replace_file
        from pytest_llmarith.reports.json_report import extend_json_report, json_pieces

        if self.path is None:
            return
        with self._told():
            replace_file(self.path / "report.json", json_pieces(json_report, self.records, summary))
        with self._told():
            if also_users:
                extend_json_report(json_report, self.records, summary)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What cannot be written ends the run with one message; what was answered is still counted and shown."""
        try:
            yield
        except OSError as error:
            self.torn = f"{self.path or '--llm-reports'}: {error.strerror or error}"
            self._on_torn(self.torn)

    def _open(self, first_model: str) -> RunLog:
        from pytest_llmarith.reports.folder import create_run_folder
        from pytest_llmarith.reports.logs.lines import LOG
        from pytest_llmarith.reports.logs.runlog import RunLog

        models = [model.name for model in self._settings.models]
        if first_model not in models:  # somebody's own `model` fixture replies
            models = [first_model]
        self.path = create_run_folder(self._settings.reports, self._started, models, self._settings.shard)
        self.records.path = self.path / LOG
        return RunLog(self.records.path)
