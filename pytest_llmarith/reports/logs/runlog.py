"""The run log: one record per line, on disk as soon as it is known, readable after any kill.

It does not know what stands in a record.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pytest_llmarith.reports import jsonfiles


class RunLog:
    """Appends records. What `append` has returned from survives a kill of this process."""

    def __init__(self, path: Path) -> None:
        self._file = jsonfiles.open_for_lines(path)
        self._torn = jsonfiles.ends_torn(path)

    def append(self, record: Mapping[str, Any]) -> int:
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
