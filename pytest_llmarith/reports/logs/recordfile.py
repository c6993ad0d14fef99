"""Records in a run log by their place, one at a time. It does not know what is done with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from pytest_llmarith.plainjson import strictly_read
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.jsonfiles import TORN
from pytest_llmarith.reports.logs.lines import LONGEST_LINE
from pytest_llmarith.reports.logs.recordshape import check_record
from pytest_llmarith.reports.mistake import Mistake, name_of

_LONGEST_CAUSE = 200
_MOST_OPEN = 200  # systems allow a process 256 files and more


def placed_records(log: Path, *, named: bool = True) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records of a log and where each begins, without lines that a kill tore.

    Raises Mistake where another line is no record that a summary could count, or where one is not `named`.
    """
    try:
        with log.open("rb") as file:
            line_number = offset = 0
            while line := file.readline(LONGEST_LINE + 1):
                line_number += 1
                if (record := _record(line, log, f"line {line_number}", named)) is not None:
                    yield offset, record
                offset += len(line)
    except OSError as fault:
        raise Mistake(f"{name_of(log)}: cannot be read ({fault.strerror})") from fault


class RecordFiles:
    """Reads single records of many logs again; not more of them are open at once than a process may have."""

    def __init__(self) -> None:
        self._open: dict[Path, IO[bytes]] = {}

    def line_at(self, log: Path, offset: int) -> tuple[bytes, dict[str, Any]]:
        """The line that begins there, and its record. Raises Mistake where the file is no longer what it was."""
        try:
            file = self._file(log)
            file.seek(offset)
            line = file.readline(LONGEST_LINE + 1)
        except OSError as fault:
            raise Mistake(f"{name_of(log)}: cannot be read ({fault.strerror})") from fault
        if (record := _record(line, log, f"byte {offset}")) is None:
            raise Mistake(f"{name_of(log)}: it changed while it was read; wait for its run to end")
        return line, record

    def close(self) -> None:
        for file in self._open.values():
            file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _file(self, log: Path) -> IO[bytes]:
        if log not in self._open:
            if len(self._open) == _MOST_OPEN:
                self._open.pop(next(iter(self._open))).close()
            self._open[log] = log.open("rb")
        return self._open[log]


def _record(line: bytes, log: Path, place: str, named: bool = True) -> dict[str, Any] | None:
    """What a line holds; None where it is empty or a kill tore it."""
    if not line.strip() or line.endswith(TORN + b"\n"):
        return None
    try:
        if len(line) > LONGEST_LINE:
            raise ValueError(f"longer than {LONGEST_LINE:,} bytes")
        record: dict[str, Any] = strictly_read(line)
        check_record(record, named=named)
    except RecursionError as fault:
        raise _no_record(log, place, "nested too deep") from fault
    except json.JSONDecodeError as fault:
        if not line.endswith(b"\n"):
            return None
        raise _no_record(log, place, f"not JSON ({fault.msg})") from fault
    except ValueError as fault:  # no UTF-8, a number of thousands of digits, no record
        raise _no_record(log, place, sanitize(str(fault), _LONGEST_CAUSE)) from fault
    return record


def _no_record(log: Path, place: str, cause: str) -> Mistake:
    return Mistake(f"{name_of(log)}, {place}: {cause}; expected a record of a run")


def later_counts(earlier_is_answered: bool, later_is_answered: bool) -> bool:
    """Whether of two records of a trial the later one counts: an answer beats none, a later one an earlier one."""
    return later_is_answered or not earlier_is_answered
