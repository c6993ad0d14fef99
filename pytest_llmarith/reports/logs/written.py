"""The records of a run log by node id: only their places are kept, so that a long run holds no record in memory.

It does not know what stands in a record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_llmarith.records import Record


class WrittenRecords(Mapping[str, "Record"]):
    """Reads a record when it is asked for, and may raise OSError then; of two with one node id the last one counts."""

    def __init__(self) -> None:
        self.path: Path | None = None  # of the log, once there is one
        self._places: dict[str, int | Record] = {}

    def __getitem__(self, nodeid: str) -> Record:
        from pytest_llmarith.records import decode_record

        place = self._places[nodeid]
        if not isinstance(place, int):
            return place
        assert self.path is not None  # whoever notes a place has a log
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
        """A record stands so many bytes from the beginning of the log."""
        self._places[nodeid] = place

    def keep(self, nodeid: str, record: Record) -> None:
        """Hold a record that could not be written."""
        self._places[nodeid] = record
