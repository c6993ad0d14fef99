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
LONGEST_LINE = 2**24  # characters; what Python makes of them may take thirty times as much
TOO_LONG = f"longer than {LONGEST_LINE:,} characters"

_TORN = "\x18"  # closes a line that a kill left unfinished; JSON never holds it unescaped
_LONGEST_MODEL = 60  # characters of a folder's name; Windows allows 260 for a whole path
_LEAST_ROOM = 1 << 16  # bytes that a disk has to take
_LONGEST_CAUSE = 200

_Parsed = TypeVar("_Parsed")


# --- the folder of a run ----------------------------------------------------------------------------------------------


class UnwritableFolder(OSError):
    """No folder can be made for a run; the message is one line for people."""


def check_writable(base: Path) -> None:
    """Raise UnwritableFolder if no run can be written below `base`."""
    with _explained(base):
        base.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=base) as file:  # a full disk makes files, but takes no bytes
            file.write(bytes(_LEAST_ROOM))


def create_run_folder(base: Path, started: datetime, models: Sequence[str], shard: Shard | None = None) -> Path:
    """Make `<UTC time>_<model>` below `base`; runs of the same second are numbered from 2. Raises UnwritableFolder."""
    model = re.sub(r"[^A-Za-z0-9._-]+", "-", models[0])[:_LONGEST_MODEL].strip("-._") if len(models) == 1 else None
    who = f"{len(models)}-models" if model is None else model or "unnamed"
    name = f"{started.astimezone(UTC):%Y-%m-%dT%H-%M-%S}_{who}" + (f"_{shard}".replace(" ", "-") if shard else "")
    with _explained(base):
        base.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            folder = base / (f"{name}-{number}" if number > 1 else name)
            with suppress(FileExistsError):
                folder.mkdir()
                break
    return folder


@contextmanager
def _explained(base: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        in_the_way = isinstance(error, FileExistsError | NotADirectoryError)
        why = "a file is in the way" if in_the_way else getattr(error, "strerror", None) or error
        raise UnwritableFolder(f"no folder for this run can be made in {str(base)!r}: {why}") from error


# --- writing ----------------------------------------------------------------------------------------------------------


class RunLog:
    """Appends records. When `append` has returned, the record survives a kill of this process."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "a+b", buffering=0)  # noqa: SIM115
        self._file.seek(max(0, self._file.seek(0, os.SEEK_END) - 1))
        self._is_torn = self._file.read(1) not in (b"", b"\n")

    def append(self, record: Mapping[str, Any]) -> int:
        """Write one record as one line; returns how many bytes stand before it."""
        closing = f"{_TORN}\n".encode() if self._is_torn else b""
        place = self._file.tell() + len(closing)
        self._is_torn = True
        rest = memoryview(closing + encode(record) + b"\n")
        while rest:  # once, unless the disk is full
            rest = rest[self._file.write(rest) :]
        self._is_torn = False
        return place

    def close(self) -> None:
        """Close the file. Closing twice is fine."""
        self._file.close()


class WrittenRecords(Mapping[str, "Record"]):
    """The records of a log by node id, read from the file one at a time; of two with one node id the last counts.

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
        """The record begins at this byte of the log."""
        self._places[nodeid] = place

    def keep(self, nodeid: str, record: Record) -> None:
        """Hold a record that is not written."""
        self._places[nodeid] = record


# --- report.json: what pytest-json-report says, with the record of each test and the summary --------------------------


def extend_json_report(
    json_report: dict[str, Any], records_by_nodeid: Mapping[str, Record], summary: RunSummary
) -> None:
    """Add the records and the summary; a test that is listed twice stays once, as it was last."""
    from pytest_llmarith.records import as_dict

    if "tests" in json_report:  # --json-report-summary leaves them out
        json_report["tests"] = list(_with_records(json_report["tests"], records_by_nodeid))
    json_report["llmarith"] = as_dict(summary)


def json_pieces(
    json_report: Mapping[str, Any], records_by_nodeid: Mapping[str, Record], summary: RunSummary
) -> Iterator[bytes]:
    """The same as the text of a file, test by test, so that one record at a time is in memory."""
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
    """The paths without a README beside runs, so that `reports/*` means the runs there; a README alone stays."""
    return [path for path in paths if path.name != "README.md"] or paths


def log_of(path: Path) -> Path:
    """The file to read, which is the log if `path` is a folder. Raises UsageError unless it is a regular file."""
    file = path / LOG if path.is_dir() else path
    try:
        mode = file.stat().st_mode
    except OSError as fault:
        if file != path and isinstance(fault, FileNotFoundError):
            lacks = f"{name_of(path)}: the folder holds no {LOG}"
            raise UsageError(f"{lacks}; name a {LOG} of a run, or its folder") from fault
        raise _unreadable(file, fault) from fault
    if not stat.S_ISREG(mode):  # reading a pipe would block
        raise UsageError(f"{name_of(file)}: not a regular file; name a {LOG} of a run, or its folder")
    return file


def lines(file: Path) -> Iterator[tuple[int, str | None]]:
    """The lines of a file that are not empty, with their numbers and line ends; None for one that is too long.

    Raises UsageError if it cannot be read, or is not UTF-8.
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
    except OSError as fault:
        raise _unreadable(file, fault) from fault
    except UnicodeDecodeError as fault:
        raise UsageError(f"{name_of(file)}: not UTF-8 text; name a {LOG} of a run, or its folder") from fault


def is_torn(line: str) -> bool:
    """Whether a kill cut the line short: it has no end, or the next run has closed it."""
    return not line.endswith("\n") or line.endswith(f"{_TORN}\n")


def parsed(file: Path, parse: Callable[[str], _Parsed]) -> Iterator[tuple[int, _Parsed | None]]:
    """What `parse` makes of each line, with its number; None for a line that a kill cut short.

    Raises UsageError, which names the line, if `parse` raises ValueError.
    """
    for number, line in lines(file):
        try:
            if line is None:
                raise ValueError(TOO_LONG)
            yield number, parse(line)
        except ValueError as fault:
            if line is not None and isinstance(fault, json.JSONDecodeError) and is_torn(line):
                yield number, None
                continue
            why = f"not JSON ({fault.msg})" if isinstance(fault, json.JSONDecodeError) else str(fault)
            where = f"{name_of(file)}, line {number}: {sanitize(why, _LONGEST_CAUSE)}"
            raise UsageError(f"{where}; expected a record of a run log ({LOG}) or a row of llm_arithmetic") from fault


def records_in(log: Path) -> Iterator[Record]:
    """The records of a run log, without lines that a kill cut short. Raises UsageError if another line is no record."""
    from pytest_llmarith.records import decode_record

    return (record for _, record in parsed(log, decode_record) if record is not None)


def _unreadable(file: Path, fault: OSError) -> UsageError:
    return UsageError(f"{name_of(file)}: cannot be read ({fault.strerror}); name a {LOG} of a run, or its folder")
