"""Files of trials: logs of runs, and rows of llm_arithmetic. They are read line by line, as often as is asked for.

It does not know what lies beside them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from pytest_llmarith.records import Record
from pytest_llmarith.reports.logs.lines import LONGEST_LINE
from pytest_llmarith.reports.logs.recordfile import later_counts, records_in
from pytest_llmarith.reports.logs.stored import changes
from pytest_llmarith.values import Outcome

# How our records begin, unless something is escaped in the names of a trial.
_TEXT = rb'"([ !#-\[\]-~]*)"'
_HEAD = re.compile(
    rb'\{"format": 1, "run": (?:null|"[^"\\]*"), "nodeid": '
    + _TEXT
    + rb', "task": "[a-z0-9_]*", "model": '
    + _TEXT
    + b","
)


class Trials(Protocol):
    """A file of trials."""

    @property
    def file(self) -> Path: ...

    def records(self) -> Iterator[Record]:
        """One record per trial, of a shape that a summary counts. Raises Mistake where a line is something else."""


@dataclass(frozen=True)
class LoggedTrials:
    """The log of a run. Where a trial stands twice, the last record with an answer counts."""

    file: Path

    def records(self) -> Iterator[Record]:
        outdated = self._outdated
        for place, (_, record) in enumerate(records_in(self.file, named=False)):
            if place not in outdated:
                yield record

    @cached_property
    def _outdated(self) -> frozenset[int]:
        """The places of the records in whose stead another one counts."""
        if not _may_repeat(self.file):
            return frozenset()
        counting: dict[tuple[str, str], tuple[int, bool]] = {}
        outdated = set()
        for place, (_, record) in enumerate(records_in(self.file, named=False)):
            if record.nodeid is None:
                continue
            trial = sys.intern(record.model), record.nodeid
            now = place, record.outcome is not Outcome.UNANSWERED
            if (before := counting.get(trial)) is None:
                counting[trial] = now
                continue
            later = later_counts(before[1], now[1])
            counting[trial] = now if later else before
            outdated.add(before[0] if later else place)
        return frozenset(outdated)


def _may_repeat(log: Path) -> bool:
    """Whether a trial may stand twice in a log. Hardly ever does one, and that is seen where a record begins."""
    seen = set()
    try:
        with log.open("rb") as file:
            while line := file.readline(LONGEST_LINE + 1):
                head = _HEAD.match(line)
                if head is None or head.groups() in seen:
                    return True
                seen.add(head.groups())
    except OSError:  # whoever reads the records says so
        return True
    return False


@dataclass(frozen=True)
class RowsOfTrials:
    """Rows of llm_arithmetic, read and graded again. They have no names: each is a trial of its own."""

    file: Path

    def records(self) -> Iterator[Record]:
        return (change.record for change in changes(self.file, None, []))
