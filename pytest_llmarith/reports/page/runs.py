"""What the page shows: runs, and the models in them under names that tell them apart. It does not know how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pytest_llmarith.records import Record, Result, RunSummary
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.keys import Keyed, key_of
from pytest_llmarith.reports.parameters import differing, parameters_of

LONGEST_LABEL = 60

# The number of a run, a model in it, and the label of the condition in which it was asked.
Whose = tuple[int, str, str]


class Run(Protocol):
    """A run that was opened: its summary, and its records one by one."""

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> Path: ...
    @property
    def unfinished(self) -> str: ...
    def records(self) -> Iterable[Record]: ...
    def summary(self) -> RunSummary: ...


@dataclass(frozen=True, slots=True)
class RunAtHand:
    """A run that was just counted and written: nobody need count it again."""

    path: Path
    counted: RunSummary
    written: Iterable[Record]

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def unfinished(self) -> str:
        """Nothing: it has ended."""
        return ""

    def records(self) -> Iterable[Record]:
        return self.written

    def summary(self) -> RunSummary:
        return self.counted


@dataclass(frozen=True, slots=True)
class Series:
    """One model in one run and condition: `number` counts them all, `label` is told from all others of the page."""

    number: int
    label: str
    whose: Whose
    results: Mapping[str, Result]
    unfinished: str = ""

    def of(self, task: str) -> Result | None:
        """What it did at one task."""
        return self.results.get(task)


def whose(run: int, facts: Keyed) -> Whose:
    """Whose a record or a result is."""
    model, _, condition = key_of(facts)
    return run, model, condition


def series_of(names: Sequence[str], summaries: Sequence[RunSummary], unfinished: Sequence[str] = ()) -> list[Series]:
    """The models of all runs, in the order of the runs, and what is said of those that are `unfinished`.

    Where a name stands in two runs, the parameters that differ are added, and the run's name where none do.
    """
    found: dict[Whose, dict[str, Result]] = {}
    for run, summary in enumerate(summaries):
        for result in summary.results:
            found.setdefault(whose(run, result), {})[result.task] = result
    labels = _told_apart(_labels(names, summaries, list(found)))
    return [
        Series(number, label, of, results, unfinished[of[0]] if unfinished else "")
        for number, (label, (of, results)) in enumerate(zip(labels, found.items(), strict=True))
    ]


def _labels(names: Sequence[str], summaries: Sequence[RunSummary], found: Sequence[Whose]) -> list[str]:
    sent = differing([(model, parameters_of(summaries[run].run, model)) for run, model, _ in found])
    named = [(model, condition, told) for (_, model, condition), told in zip(found, sent, strict=True)]
    often = Counter(named)
    return [
        ", ".join(filter(None, (*name, names[run] if often[name] > 1 else "")))
        for (run, _, _), name in zip(found, named, strict=True)
    ]


def word(text: str) -> str:
    """A word of a record, such as a variant, as it is shown, filtered by and linked to."""
    return sanitize_name(text, LONGEST_LABEL)


def _told_apart(labels: Sequence[str]) -> list[str]:
    """Printable and short, and still no two alike."""
    shown = [word(label) for label in labels]
    often = Counter(shown)
    return [label if often[label] == 1 else f"{label} ({number})" for number, label in enumerate(shown, 1)]
