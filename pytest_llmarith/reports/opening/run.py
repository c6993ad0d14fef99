"""A run that was opened: its facts, its records, and its numbers by today's rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from pytest_llmarith.records import Record, Reply, Run, RunSummary, unknown_run
from pytest_llmarith.reports.counting.summary import Summary
from pytest_llmarith.reports.keys import Key
from pytest_llmarith.reports.logs.endedrun import Run as EndedRun
from pytest_llmarith.reports.logs.endedrun import ended_run
from pytest_llmarith.reports.opening.sources import Trials

UNFINISHED = "unfinished: no summary.json, killed or still running"

Wanted = Callable[[Record], bool]


class OpenedRun:
    """One run. Nothing is read before it is asked for; what is wrong with a file is raised as Mistake then."""

    def __init__(self, path: Path, trials: Trials, wanted: Wanted | None = None) -> None:
        # Where it lies: the folder of a run of ours, else the file.
        self.path = path
        self._trials = trials
        self._wanted = wanted
        # Models and tasks of the records among which some were wanted, as far as they were read.
        self.met: set[tuple[str, str]] = set()

    def __repr__(self) -> str:
        return f"OpenedRun({str(self.path)!r})"

    @property
    def name(self) -> str:
        """The name of its folder or file, as it is there: whoever shows it makes it harmless."""
        return os.path.basename(os.path.abspath(self.path)) or str(self.path)

    @property
    def facts(self) -> Run | None:
        """What its summary says of the run; None where it has none, as a killed run or a file of llm_arithmetic."""
        return self._ended.facts if self._ended else None

    @property
    def unfinished(self) -> str:
        """What is to be said of a run that has not ended, nothing of others; who writes rows has no summaries."""
        return UNFINISHED if self.path != self._trials.file and not self.facts else ""

    def only(self, wanted: Wanted) -> OpenedRun:
        """The same run, as if it had no other records than those that are wanted."""
        return OpenedRun(self.path, self._trials, wanted)

    def records(self) -> Iterator[Record]:
        """One per trial, complete; may be called again."""
        return self._trials.records() if self._wanted is None else self._chosen(self._wanted)

    def _chosen(self, wanted: Wanted) -> Iterator[Record]:
        for record in self._trials.records():
            self.met.add((record.model, record.task))
            if wanted(record):
                yield record

    def summary(self) -> RunSummary:
        """The run in numbers, as it would be written down today, from its records."""
        return self._summed_up

    @cached_property
    def _summed_up(self) -> RunSummary:
        summary, days = Summary(), set()
        for record in self.records():
            summary.add(record)
            days.add(_day(record.reply))
        first = min(filter(None, days), default=None)
        return summary.of_run(self.facts or unknown_run(self.name), self._selected, first)

    @property
    def _selected(self) -> Mapping[Key, int]:
        """How many trials of each result were to be run; of those that are wanted, nobody knows."""
        if self._ended is None or self._wanted is not None:
            return {}
        known = ((key, result.selected) for key, result in self._ended.results.items())
        return {key: selected for key, selected in known if selected is not None}

    @cached_property
    def _ended(self) -> EndedRun | None:
        return ended_run(self._trials.file) if self.path != self._trials.file else None


def _day(reply: Reply | None) -> str | None:
    """The day in UTC on which this run asked; a stored reply is of another run."""
    if reply is None or reply.stored or reply.asked_at is None:
        return None
    try:
        asked = datetime.fromisoformat(reply.asked_at)
        return (asked.astimezone(UTC) if asked.tzinfo else asked).date().isoformat()
    except (ValueError, OverflowError):  # OverflowError: the first hour of the year 1, elsewhere
        return None
