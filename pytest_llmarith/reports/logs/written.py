"""The records of a run log by node id: only their places are kept, so that a long run holds no record in memory.

It does not know what stands in a record.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


class WrittenRecords(Mapping[str, dict[str, Any]]):
    """Reads a record when it is asked for, and may raise OSError then; of two with one node id the last one counts."""

    def __init__(self) -> None:
        self.path: Path | None = None  # of the log, once there is one
        self._places: dict[str, int | dict[str, Any]] = {}

    def __getitem__(self, nodeid: str) -> dict[str, Any]:
        place = self._places[nodeid]
        if isinstance(place, dict):
            return place
        assert self.path is not None  # whoever notes a place has a log
        with open(self.path, "rb") as log:
            log.seek(place)
            record: dict[str, Any] = json.loads(log.readline())
        return record

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, nodeid: object) -> bool:
        return nodeid in self._places

    def note(self, nodeid: str, place: int) -> None:
        """A record stands so many bytes from the beginning of the log."""
        self._places[nodeid] = place

    def keep(self, nodeid: str, record: dict[str, Any]) -> None:
        """Hold a record that could not be written."""
        self._places[nodeid] = record
