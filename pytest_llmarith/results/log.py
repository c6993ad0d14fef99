"""The folder of a run: its log `trials.jsonl`, a record in each line, and its `report.json`."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_llmarith.results.files import UsageError, encode, name_of
from pytest_llmarith.results.formatting import sanitize
from pytest_llmarith.types import Shard

if TYPE_CHECKING:
    from pytest_llmarith.records import Record, RunSummary

LOG = "trials.jsonl"
SUMMARY = "summary.json"
LONGEST_LINE = 2**24  # characters; the parsed values may take thirty times as much memory
TOO_LONG = f"longer than {LONGEST_LINE:,} characters"

_TORN = "\x18"  # ends a line that was cut when a run was killed; JSON never contains it unescaped
_LONGEST_MODEL = 60  # characters of a folder's name; Windows allows 260 for a whole path
_PROBE_BYTES = 1 << 16  # that a disk must accept
_LONGEST_CAUSE = 200

_Parsed = TypeVar("_Parsed")


# --- the folder of a run ----------------------------------------------------------------------------------------------


class UnwritableFolder(OSError):
    """The folder of a run cannot be created; the message is one line for the user."""


def check_writable(base: Path) -> None:
    """Raise UnwritableFolder if a run cannot be written below `base`."""
    with _as_unwritable_folder(base):
        base.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=base) as file:  # on a full disk files can be created, but not written
            file.write(bytes(_PROBE_BYTES))


def create_run_folder(base: Path, started: datetime, models: Sequence[str], shard: Shard | None = None) -> Path:
    """Create `<UTC time>_<model>` below `base`; numbered from 2 within a second. Raises UnwritableFolder."""
    model = re.sub(r"[^A-Za-z0-9._-]+", "-", models[0])[:_LONGEST_MODEL].strip("-._") if len(models) == 1 else None
    who = f"{len(models)}-models" if model is None else model or "unnamed"
    name = f"{started.astimezone(UTC):%Y-%m-%dT%H-%M-%S}_{who}" + (f"_{shard}".replace(" ", "-") if shard else "")
    with _as_unwritable_folder(base):
        base.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            folder = base / (f"{name}-{number}" if number > 1 else name)
            with suppress(FileExistsError):
                folder.mkdir()
                break
    return folder


@contextmanager
def _as_unwritable_folder(base: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        in_the_way = isinstance(error, FileExistsError | NotADirectoryError)
        why = "a file is in the way" if in_the_way else getattr(error, "strerror", None) or error
        raise UnwritableFolder(f"the folder of this run cannot be created in {str(base)!r}: {why}") from error


# --- writing ----------------------------------------------------------------------------------------------------------


class RunLog:
    """Appends records. After `append` has returned, the record is not lost if this process is killed."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "a+b", buffering=0)  # noqa: SIM115
        self._file.seek(max(0, self._file.seek(0, os.SEEK_END) - 1))
        self._is_torn = self._file.read(1) not in (b"", b"\n")

    def append(self, record: str) -> int:
        """Write one encoded record as one line; returns its offset in bytes."""
        closing = f"{_TORN}\n".encode() if self._is_torn else b""
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


class WrittenRecords(Mapping[str, "Record"]):
    """The records of a log by node id, read from the file one at a time; of two with the same id the last counts.

    Reading may raise OSError.
    """

    def __init__(self) -> None:
        self.path: Path | None = None  # of the log, once there is one
        self._places: dict[str, int | Record] = {}

    def __getitem__(self, nodeid: str) -> Record:
        from pytest_llmarith.records import decode_record

        place = self._places[nodeid]
        if not isinstance(place, int):
            return place
        assert self.path is not None
        with open(self.path, "rb") as log:
            log.seek(place)
            return decode_record(log.readline())

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, nodeid: object) -> bool:
        return nodeid in self._places

    def note(self, nodeid: str, place: int) -> None:
        """Add a record that begins at this byte of the log."""
        self._places[nodeid] = place

    def keep(self, nodeid: str, record: Record) -> None:
        """Add a record that could not be written."""
        self._places[nodeid] = record


# --- report.json: the report of pytest-json-report, with the record of each test and the summary ----------------------


def extend_json_report(
    json_report: dict[str, Any], records_by_nodeid: Mapping[str, Record], summary: RunSummary
) -> None:
    """Add the records and the summary; of a test that is listed twice the last entry stays."""
    from pytest_llmarith.records import as_dict

    if "tests" in json_report:  # --json-report-summary leaves them out
        json_report["tests"] = list(_with_records(json_report["tests"], records_by_nodeid))
    json_report["llmarith"] = as_dict(summary)


def json_pieces(
    json_report: Mapping[str, Any], records_by_nodeid: Mapping[str, Record], summary: RunSummary
) -> Iterator[bytes]:
    """The same as the text of a file, test by test, so that only one record is in memory."""
    whole = {key: value for key, value in json_report.items() if key != "tests"}
    extend_json_report(whole, {}, summary)
    if "tests" not in json_report:
        yield encode(whole) + b"\n"
        return
    yield encode(whole).removesuffix(b"}") + b', "tests": ['
    between = b""
    for test in _with_records(json_report["tests"], records_by_nodeid):
        yield between + encode(test)
        between = b", "
    yield b"]}\n"


def _with_records(tests: list[dict[str, Any]], records_by_nodeid: Mapping[str, Record]) -> Iterator[dict[str, Any]]:
    from pytest_llmarith.records import as_dict

    for nodeid, test in {test["nodeid"]: test for test in tests}.items():
        record = records_by_nodeid.get(nodeid)
        yield test if record is None else test | {"llmarith": as_dict(record)}


# --- reading ----------------------------------------------------------------------------------------------------------


def without_files_beside(paths: Sequence[Path]) -> Sequence[Path]:
    """The paths without README.md, so that `reports/*` can be given; a single path is returned unchanged."""
    return [path for path in paths if path.name != "README.md"] or paths


def log_of(path: Path) -> Path:
    """The file to read; if `path` is a folder, its log. Raises UsageError if it is not a regular file."""
    file = path / LOG if path.is_dir() else path
    try:
        mode = file.stat().st_mode
    except OSError as error:
        if file != path and isinstance(error, FileNotFoundError):
            lacks = f"{name_of(path)}: the folder has no {LOG}"
            raise UsageError(f"{lacks}; name a {LOG} of a run, or its folder") from error
        raise _unreadable(file, error) from error
    if not stat.S_ISREG(mode):  # reading a pipe would block
        raise UsageError(f"{name_of(file)}: not a regular file; name a {LOG} of a run, or its folder")
    return file


def lines(file: Path) -> Iterator[tuple[int, str | None]]:
    """The lines of a file that are not empty, with their numbers; None for a line that is too long.

    Raises UsageError if the file cannot be read, or is not UTF-8.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="\n") as opened:
            for number in count(1):
                line = opened.readline(LONGEST_LINE + 1)
                if not line:
                    return
                if len(line) > LONGEST_LINE:
                    while line and not line.endswith("\n"):
                        line = opened.readline(LONGEST_LINE)
                    yield number, None
                elif line.strip():
                    yield number, line
    except OSError as error:
        raise _unreadable(file, error) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{name_of(file)}: not UTF-8 text; name a {LOG} of a run, or its folder") from error


def is_torn(line: str) -> bool:
    """Whether the line was cut when a run was killed: it has no line end, or the next run has ended it."""
    return not line.endswith("\n") or line.endswith(f"{_TORN}\n")


def parsed(file: Path, parse: Callable[[str], _Parsed]) -> Iterator[tuple[int, _Parsed | None]]:
    """The number and the parsed value of each line; None for a line that was cut when a run was killed.

    Raises UsageError with the number of the line if `parse` raises ValueError.
    """
    for number, line in lines(file):
        try:
            if line is None:
                raise ValueError(TOO_LONG)
            yield number, parse(line)
        except ValueError as error:
            if line is not None and isinstance(error, json.JSONDecodeError) and is_torn(line):
                yield number, None
                continue
            why = f"not JSON ({error.msg})" if isinstance(error, json.JSONDecodeError) else str(error)
            where = f"{name_of(file)}, line {number}: {sanitize(why, _LONGEST_CAUSE)}"
            raise UsageError(f"{where}; expected a record of a run log ({LOG}) or a row of llm_arithmetic") from error


def records_in(log: Path) -> Iterator[Record]:
    """The records of a run log, without torn lines. Raises UsageError if another line is not a record."""
    from pytest_llmarith.records import decode_record

    return (record for _, record in parsed(log, decode_record) if record is not None)


def _unreadable(file: Path, error: OSError) -> UsageError:
    return UsageError(f"{name_of(file)}: cannot be read ({error.strerror}); name a {LOG} of a run, or its folder")
