"""Writes the files of a run: the log during the run, and summary, page and JSON report
at its end.

A record with a reply is written at once, one without at the end. A run that was stopped
before any reply leaves no folder. The summary has the metadata of the run:
everything needed to repeat it, without keys.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import tempfile
from collections import Counter, UserDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_llmarith.files import file_time, replace_file
from pytest_llmarith.models.redact import with_headers_hidden
from pytest_llmarith.records import Record, as_dict, decode_record, encode
from pytest_llmarith.results.gates import Gate, failed_gates, parse_gate
from pytest_llmarith.results.keys import Key
from pytest_llmarith.results.log import LOG, TORN, records_in
from pytest_llmarith.results.run_files import encode as as_json
from pytest_llmarith.results.summary import Summary
from pytest_llmarith.session.planned import PlannedQuestion
from pytest_llmarith.settings import Settings
from pytest_llmarith.summaries import LogFacts, Run, RunSummary, as_file
from pytest_llmarith.tasks.registry import register_built_in
from pytest_llmarith.tasks.task import RESERVED
from pytest_llmarith.types import Model, Progress, RequestTotals, Shard

# Decimals of a dollar; further ones depend on the order of float additions.
_PICODOLLARS = 12
# characters of a folder's name; Windows allows 260 for a whole path
_LONGEST_MODEL = 60
_PROBE_BYTES = 1 << 16  # that a disk must accept
_PACKAGES = ("pytest-llmarith", "pytest", "pytest-xdist", "litellm")
_GIT_S = 2.0
# Read-only: takes no lock, and starts no program that the repository configures.
_GIT_STATUS = (
    *("git", "--no-optional-locks", "-c", "core.fsmonitor=false"),
    *("status", "--porcelain=v2", "--branch", "--untracked-files=no"),
)
_COMMIT = "# branch.oid "


class Recorder:
    """Writes and counts records as they arrive.

    A run continues if something cannot be written.
    """

    def __init__(self, settings: Settings) -> None:
        register_built_in()
        self._settings = settings
        self._gates = _gates(settings)
        self._log: RunLog | None = None
        self._counted: Summary | None = None
        self.started = file_time()
        self.path: Path | None = None
        self.records = WrittenRecords()
        # Written at the end, as another plugin may run their items again.
        self._without_reply: dict[str, Record] = {}
        self.selected: Counter[Key] | None = None
        self._searching = False
        self._to_grade: set[str] = set()  # items whose grading takes time
        self._graded = 0
        self.summary: RunSummary | None = None
        self._summary_json = b""
        self.failed_gates: list[str] = []
        self.unwritable: str | None = None  # why files are missing or incomplete
        self.page: str | None = None  # a line about the page

    def expect(self, asked: Sequence[PlannedQuestion]) -> None:
        """Note the planned questions.

        Raises UsageError if the folder is not writable or a gate has an unknown task.
        """
        known = dict.fromkeys([*RESERVED, *(one.task for one in asked)])
        for gate in self._gates:
            if gate.task is not None and gate.task not in known:
                raise pytest.UsageError(
                    f"--llm-fail-under: there is no task {gate.task!r}; write "
                    f"{' or '.join(known)}"
                )
        try:
            check_writable(self._settings.reports)
        except UnwritableFolder as error:
            raise pytest.UsageError(f"--llm-reports: {error}") from None
        self.selected = Counter(one.key for one in asked)
        self._searching = any(one.is_search for one in asked)
        self._to_grade = {one.nodeid for one in asked if one.has_grader}

    def questions(self) -> int | None:
        """The number of questions; None if unknown, as in a search."""
        if self.selected is None or self._searching:
            return None
        return self.selected.total()

    def graded(self) -> str:
        """Such as `2 of 5 graded`; empty if no grading takes time."""
        if not self._to_grade:
            return ""
        return f"{self._graded:,} of {len(self._to_grade):,} graded"

    def is_final(self, nodeid: str) -> bool:
        """Whether an item has a record with a reply."""
        return nodeid in self.records and nodeid not in self._without_reply

    def add(self, nodeid: str, record: Record) -> None:
        """Take the record of an item, in place of one without a reply."""
        self.records[nodeid] = self._without_reply[nodeid] = record
        if record.replies:
            del self._without_reply[nodeid]
            self._write(nodeid, record)
            self._count(record)

    def _count(self, record: Record) -> None:
        if record.grade is not None and record.nodeid in self._to_grade:
            self._graded += 1
        if self._counted is None:
            self._counted = Summary()
        self._counted.add(record)

    def _write(self, nodeid: str, record: Record) -> None:
        """Add the name of the run to a record, and write it."""
        with self._noting_failure():
            self._log = self._log or self._open(record.model)
            assert self.path is not None
            record.run = self.path.name
            self.records[nodeid] = self._log.append(encode(record))

    def close(self, *, stopped: bool) -> None:
        """Write the records without a reply, and close the log.

        A run that was stopped before any reply has none.
        """
        for nodeid, record in self._without_reply.items():
            if self._log is not None or not stopped:
                self._write(nodeid, record)
            self._count(record)
        if self._log is not None:
            self._log.close()

    def summarize(self, run: Run) -> None:
        """Make the summary and check the gates."""
        if self._counted is None:
            return
        self.summary = self._counted.of_run(run, self.selected)
        self.failed_gates = failed_gates(
            self._gates,
            [one for one in self.summary.results],
            self.selected or (),
        )

    def fail_unmeasured(self) -> bool:
        """Fail the gates of a run without records. Returns whether there are gates."""
        if not self._gates:
            return False
        why = "nothing was answered"
        if not self._settings.models:
            why += "; no model was chosen"
        self.failed_gates = [why]
        return True

    def write_summary(self, exit_status: int) -> None:
        """Write the summary, and the page if all records could be written."""
        from pytest_llmarith.report.page import write_run_page
        from pytest_llmarith.report.page.trials import MOST_TRIALS

        if self.summary is None or self.path is None:
            return
        self.summary.run.exit_status = exit_status
        with self._noting_failure():
            self.summary.log = LogFacts.of(self.path / LOG)
        self._summary_json = as_json(as_file(self.summary), indent=2)
        with self._noting_failure():
            replace_file(self.path / "summary.json", self._summary_json + b"\n")
        if self.unwritable is None:
            records = records_in(self.path / LOG, MOST_TRIALS)
            self.page = write_run_page(self.path, self.summary, records)

    def write_json_report(
        self, json_report: dict[str, Any], *, also_users: bool
    ) -> None:
        """Write report.json: pytest-json-report's report with the record of each test
        and the summary.

        With `also_users`, extend the report in memory as well, which that plugin writes
        to the user's file.
        """
        if self.summary is None or self.path is None:
            return
        with self._noting_failure():
            pieces = with_records(json_report, self.records, self._summary_json)
            replace_file(self.path / "report.json", pieces)
            if also_users:
                json_report.update(json.loads((self.path / "report.json").read_bytes()))

    @property
    def written(self) -> list[str]:
        """Where the files are: the page, else their folder."""
        lines = []
        if self.path is not None:
            has_page = (self.path / "report.html").is_file()
            if self.unwritable:
                lines.append(f"\nwritten in part to {self.path}")
            elif not has_page:
                lines.append(f"\nwritten to {self.path}")
        if self.page:
            lines.append(self.page)
        return lines

    @contextmanager
    def _noting_failure(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            where = self.path or "--llm-reports"
            self.unwritable = f"{where}: {error.strerror or error}"

    def _open(self, first_model: str) -> RunLog:
        models = [model.name for model in self._settings.models]
        if first_model not in models:  # the user's `model` fixture replies
            models = [first_model]
        self.path = create_run_folder(
            self._settings.reports, self.started, models, self._settings.shard
        )
        self.records.path = self.path / LOG
        return RunLog(self.records.path)


def _gates(settings: Settings) -> list[Gate]:
    """Parse --llm-fail-under. Raises pytest.UsageError."""
    if not settings.fail_under:
        return []
    try:
        return [parse_gate(text) for text in settings.fail_under]
    except ValueError as error:
        raise pytest.UsageError(f"--llm-fail-under: {error}") from None


# --- the folder of a run --------------------------------------------------------------


class UnwritableFolder(OSError):
    """The folder of a run cannot be created; the message is one line for the user."""


def check_writable(base: Path) -> None:
    """Raise UnwritableFolder if a run cannot be written below `base`."""
    with _as_unwritable_folder(base):
        base.mkdir(parents=True, exist_ok=True)
        # On a full disk files can be created, but not written.
        with tempfile.TemporaryFile(dir=base) as file:
            file.write(bytes(_PROBE_BYTES))


def create_run_folder(
    base: Path, started: datetime, models: Sequence[str], shard: Shard | None = None
) -> Path:
    """Create `<UTC time>_<model>` below `base`; numbered from 2 within a second.

    Raises UnwritableFolder.
    """
    name = f"{started.astimezone(UTC):%Y-%m-%dT%H-%M-%S}_{_name_of_models(models)}"
    if shard:
        name += f"_{shard}".replace(" ", "-")
    folder = base / name
    number = 1
    with _as_unwritable_folder(base):
        base.mkdir(parents=True, exist_ok=True)
        while True:
            try:
                folder.mkdir()
                return folder
            except FileExistsError:
                number += 1
                folder = base / f"{name}-{number}"


def _name_of_models(models: Sequence[str]) -> str:
    if len(models) != 1:
        return f"{len(models)}-models"
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", models[0])
    return name[:_LONGEST_MODEL].strip("-._") or "unnamed"


@contextmanager
def _as_unwritable_folder(base: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        why = getattr(error, "strerror", None) or error
        if isinstance(error, FileExistsError | NotADirectoryError):
            why = "a file is in the way"
        raise UnwritableFolder(
            f"the folder of this run cannot be created in {str(base)!r}: {why}"
        ) from error


# --- writing --------------------------------------------------------------------------


class RunLog:
    """A new log.

    After `append` has returned, the record is not lost if this process is killed.
    """

    def __init__(self, path: Path) -> None:
        self._file = open(path, "xb", buffering=0)  # noqa: SIM115
        self._is_torn = False  # by a write that failed

    def append(self, record: str) -> int:
        """Write one encoded record as one line; returns its offset in bytes."""
        closing = b""
        if self._is_torn:
            closing = f"{TORN}\n".encode()
        place = self._file.tell() + len(closing)
        self._is_torn = True
        rest = memoryview(closing + record.encode("ascii") + b"\n")
        while rest:  # once, unless the disk is full
            rest = rest[self._file.write(rest) :]
        self._is_torn = False
        return place

    def close(self) -> None:
        """Close the file. May be called again."""
        self._file.close()


class WrittenRecords(UserDict[str, Any]):
    """The records of a log by node id.

    A record is set as its place in the log, from which it is read, or as itself.

    Reading may raise OSError.
    """

    path: Path | None = None  # of the log, once there is one

    def __getitem__(self, nodeid: str) -> Record:
        if nodeid not in self.data:
            raise KeyError(nodeid)
        return decode_record(next(self.texts([nodeid])))

    def values(self) -> Iterator[Record]:  # type: ignore[override]  # read once
        """The records, in one pass through the log."""
        return map(decode_record, self.texts(self.data))

    def texts(self, nodeids: Iterable[str]) -> Iterator[str]:
        """The records of these as JSON, which is empty for one without a record."""
        with open(self.path or os.devnull, "rb") as log:
            for nodeid in nodeids:
                found: Record | int | None = self.data.get(nodeid)
                if isinstance(found, Record):
                    yield encode(found)
                elif found is None:
                    yield ""
                else:
                    log.seek(found)
                    yield log.readline().decode("ascii").rstrip("\n")


def with_records(
    json_report: Mapping[str, Any], records: WrittenRecords, summary: bytes
) -> Iterator[bytes]:
    """The report of pytest-json-report with the record of each test and the summary,
    which is JSON, in pieces: as a whole it takes several times the memory of a run.

    Of a test that is listed twice the last entry stays.
    """
    head = {name: value for name, value in json_report.items() if name != "tests"}
    yield as_json(head)[:-1] + b', "llmarith": ' + summary
    if "tests" in json_report:  # --json-report-summary leaves them out
        tests = {test["nodeid"]: test for test in json_report["tests"]}
        before = b', "tests": [\n'
        for test, record in zip(tests.values(), records.texts(tests), strict=True):
            text = as_json(test)
            if record:
                text = text[:-1] + b', "llmarith": ' + record.encode("ascii") + b"}"
            yield before + text
            before = b",\n"
        yield b"]" if tests else b', "tests": []'
    yield b"}\n"


# --- metadata -------------------------------------------------------------------------


def run_metadata(
    settings: Settings, root: Path, progress: Progress | None, **times: Any
) -> Run:
    """Settings, versions, commit and request totals, with the fields of `RunTimes`."""
    configs = settings.prompt_configs
    versions: dict[str, str | None] = {"python": platform.python_version()}
    for package in _PACKAGES:
        versions[package] = version(package)
    search: dict[Literal["budget"], int | None] | None = None
    if settings.breaking_point is not None:
        search = {"budget": settings.breaking_point}
        versions["hypothesis"] = version("hypothesis")  # it generates the questions
    return Run(
        **times,
        seed=settings.seed,
        conditions=list(configs.conditions),
        prompt_texts={
            "templates": {**configs.templates},
            "systems": {**configs.systems},
        },
        repeats=configs.repeats,
        search=search,
        baseline=settings.baseline,
        reading=settings.reading,
        store=settings.store_mode,
        limits=settings.request_limits,
        strict=settings.strict,
        tasks={name: _recordable(one) for name, one in settings.of_tasks.items()},
        models=[_recorded(model) for model in settings.models],
        versions=versions,
        asking=progress and _request_totals(progress),
        merged=None,
        git=git_metadata(root),
    )


def _recordable(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a task, with models as they are recorded."""
    found = dict(settings)
    for name, value in settings.items():
        if isinstance(value, Model):
            found[name] = as_dict(_recorded(value))
    return found


def _request_totals(progress: Progress) -> RequestTotals:
    """The totals; a sum is None if no reply had a known price."""
    totals = {one.name: getattr(progress, one.name) for one in fields(RequestTotals)}
    totals["cost_usd"] = round(progress.cost_usd, _PICODOLLARS) or None
    totals["stored_usd"] = round(progress.stored_usd, _PICODOLLARS) or None
    return RequestTotals(**totals)


def _recorded(model: Model) -> Model:
    """The model without the values of headers and the folder of its file."""
    file = model.file and replace(model.file, path=Path(model.file.path).name)
    return replace(model, params=with_headers_hidden(model.params), file=file)


def git_metadata(
    root: Path,
) -> dict[Literal["commit", "dirty"], str | bool | None] | None:
    """`commit` and whether files differ from it (`dirty`); None if unknown or if git
    takes too long.
    """
    try:
        status = subprocess.run(
            _GIT_STATUS,
            cwd=root,
            env=os.environ | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_GIT_S,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    commit, is_dirty = "", False
    for line in status.stdout.decode("utf-8", "replace").splitlines():
        if line.startswith(_COMMIT):
            commit = line.removeprefix(_COMMIT)
        elif not line.startswith("#"):
            is_dirty = True
    if not commit.isalnum():  # "(initial)": there is no commit
        return None
    return {"commit": commit, "dirty": is_dirty}
