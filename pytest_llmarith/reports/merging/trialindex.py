"""The trials of several runs, and the line of each that counts."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_llmarith.records import Record, decode_record
from pytest_llmarith.reports.keys import Key, key_of
from pytest_llmarith.reports.logs.endedrun import Run
from pytest_llmarith.reports.logs.recordfile import later_counts, records_in
from pytest_llmarith.values import Outcome

_NUMBER = re.compile(r"\d+")
_DIGITS = 9


class Trial(NamedTuple):
    """One question to one model, as runs name it."""

    model: str
    nodeid: str


class Overlap(NamedTuple):
    """A trial that two runs have answered."""

    trial: Trial
    first: Run
    second: Run


class _Place(NamedTuple):
    """The line of a record; whether it has an answer, and whether any run has it that is all that it was to be."""

    run: int
    line: bytes
    answered: bool
    finished: bool


class TrialIndex:
    """Takes runs one by one, earlier ones first. An answer beats none; of two answers the later one counts."""

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self._places: dict[Trial, _Place] = {}
        self._keys: Counter[Key] = Counter()
        # How many records each run has.
        self.recorded: Counter[Run] = Counter()
        # Records without an answer that another run's record has replaced.
        self.replaced = 0
        self.overlapping = 0
        self.overlap: Overlap | None = None

    def __len__(self) -> int:
        return len(self._places)

    @property
    def trials(self) -> Mapping[Key, int]:
        """How many trials there are of each model, task and condition."""
        return self._keys

    def take(self, run: Run, *, finished: bool) -> None:
        """Read a run's log once. Raises Mistake where a line of it is no record."""
        self._runs.append(run)
        for line, record in records_in(run.log):
            self.recorded[run] += 1
            trial = Trial(sys.intern(record.model), record.nodeid or "")
            place = _Place(len(self._runs) - 1, line, record.outcome is not Outcome.UNANSWERED, finished)
            if (before := self._places.get(trial)) is None:
                self._keys[key_of(record)] += 1
            else:
                place = self._settled(trial, before, place)
            self._places[trial] = place

    def own(self) -> Mapping[Run, int]:
        """How many trials only runs have that are not all that they were to be."""
        return Counter(self._runs[place.run] for place in self._places.values() if not place.finished)

    def lines(self, models: Sequence[str]) -> Iterator[tuple[bytes, Record]]:
        """The lines that count and their records: models as named here, others by name, then tests by name."""
        rank = {model: place for place, model in enumerate(models)}

        def order(trial: Trial) -> tuple[Any, ...]:
            return rank.get(trial.model, len(rank)), trial.model, _natural(trial.nodeid), trial.nodeid

        for trial in sorted(self._places, key=order):
            line = self._places[trial].line
            yield line, decode_record(line)

    def _settled(self, trial: Trial, before: _Place, now: _Place) -> _Place:
        """Which of two records counts."""
        if before.answered and now.answered:
            self.overlapping += 1
            self.overlap = self.overlap or Overlap(trial, self._runs[before.run], self._runs[now.run])
        else:
            self.replaced += 1
        counts = now if later_counts(before.answered, now.answered) else before
        return counts._replace(finished=before.finished or now.finished)


def _natural(name: str) -> str:
    """A name that sorts by its numbers: depth_10 after depth_9. Without the bracket at its end a name comes before
    those that go on: the usual way before conditions, the first time before repeats.
    """
    return _NUMBER.sub(lambda number: number[0].rjust(_DIGITS, "0"), name.removesuffix("]"))
