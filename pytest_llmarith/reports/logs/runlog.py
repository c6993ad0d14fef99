"""The run log: one record per line, on disk as soon as it is known, readable after any kill.

It does not know what stands in a record.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pytest_llmarith.reports import jsonfiles


class BrokenLog(ValueError):
    """A line of a run log cannot be read; the message names the file and the line."""


class RunLog:
    """Appends records. What `append` has returned from survives a kill of this process."""

    def __init__(self, path: Path) -> None:
        self._file = jsonfiles.open_for_lines(path)
        self._torn = jsonfiles.ends_torn(path)

    def append(self, record: dict[str, Any]) -> int:
        """Write one record as one line; returns how many bytes stand before it."""
        mend, self._torn = self._torn, True
        place = self._file.tell() + mend * len(jsonfiles.MENDING)
        jsonfiles.write_line(self._file, record, mend)
        self._torn = False
        return place

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def read_run_log(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a run log one by one, without lines that a kill left unfinished.

    Raises `BrokenLog` for any other line that is no JSON object.
    """
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip() or line.endswith(jsonfiles.TORN + b"\n"):
                continue
            try:
                yield _record_in(line)
            except (ValueError, RecursionError) as error:
                if not line.endswith(b"\n"):
                    return
                raise BrokenLog(f"{path}, line {number}: not a record ({error})") from error


def _record_in(line: bytes) -> dict[str, Any]:
    record = json.loads(line)
    if not isinstance(record, dict):
        raise ValueError(f"a JSON object is expected, not {type(record).__name__}")
    return record
