"""Merges the parts of a run, such as its shards."""

from __future__ import annotations

import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from pytest_llmarith.figures.estimates import figures_of
from pytest_llmarith.records import Part, Record, decode
from pytest_llmarith.results.keys import Key, key_of
from pytest_llmarith.results.load import read_summary
from pytest_llmarith.results.log import (
    LOG,
    SUMMARY,
    Replaced,
    log_of,
    parsed,
    record_of,
    without_files_beside,
)
from pytest_llmarith.results.run_files import UsageError, name_of, write_json
from pytest_llmarith.results.summary import Summary
from pytest_llmarith.summaries import (
    LogFacts,
    Merged,
    Run,
    RunSummary,
    RunTimes,
    SummaryFile,
    as_file,
    described,
)
from pytest_llmarith.types import Outcome

# Facts on which the result of a trial depends. An unknown fact agrees with every value.
_DECIDING = (
    *("seed", "conditions", "prompt_texts", "repeats"),
    *("search", "reading", "versions", "models", "tasks"),
)
# Facts in which the runs may differ. They are null if they do.
_SHARED = ("store", "strict", "limits", "git")

_Found = TypeVar("_Found")


@dataclass(frozen=True)
class _Source:
    """A run that has ended."""

    log: Path
    summary: SummaryFile

    def __str__(self) -> str:
        return name_of(self.log.parent)

    @property
    def run(self) -> Run:
        return self.summary.run

    @property
    def shard(self) -> int:
        """Its number from 1; 0 if it is not a shard."""
        return self.run.shard.index if self.run.shard else 0

    @property
    def expected(self) -> int:
        """How many trials it selected; 0 for a --lf run, which completes another
        run.
        """
        if self.run.partial:
            return 0
        dealt = 0
        if self.run.shard:
            dealt = self.run.shard.dealt or 0
        summary = self.summary
        records = summary.answered + summary.unanswered + summary.duplicates
        return max(self.run.selected or 0, dealt, records)


def merge(paths: Sequence[Path], into: Path) -> RunSummary:
    """Write the parts of a run as one run into a new folder.

    An answer replaces a missing or an earlier one.

    Raises UsageError if they are not parts of one run, or if parts are missing.
    """
    parts = [_part(path) for path in without_files_beside(paths)]
    parts.sort(key=lambda part: (part.run.started_at or "", str(part)))
    if len({os.path.realpath(part.log) for part in parts}) < len(parts):
        raise UsageError("a run is named twice; name each run once")
    if os.path.lexists(into):
        raise UsageError(f"--output {name_of(into)}: this exists; name a new folder")
    _check_alike(parts)
    replaced, of_shard = _index(parts)
    largest: dict[int, _Source] = {}
    for part in sorted(parts, key=lambda part: part.expected):
        largest[part.shard] = part
    _check_whole(largest, of_shard)
    expected = sum(part.expected for part in largest.values())
    run = _facts(parts, expected, replaced.overlapping, into.name)
    selected: Counter[Key] = Counter()
    for part in largest.values():
        for one in part.summary.series:
            selected[key_of(one.facts)] += one.facts.selected or 0
    return _write(into, _kept(parts, replaced.places), run, +selected)


def _part(path: Path) -> _Source:
    log = log_of(path)
    summary = read_summary(log)
    if summary is None:
        raise UsageError(
            f"{name_of(log.parent)}: no {SUMMARY}, so it was killed or is still "
            f"running; finish it with its own command, on another machine after "
            f"llmarith store import"
        )
    return _Source(log, summary)


class _Head(Part):
    """What tells a trial from others, and whether it is answered."""

    model: str
    nodeid: str | None
    outcome: Outcome


def _index(parts: Sequence[_Source]) -> tuple[Replaced, Mapping[int, int]]:
    """Which records others replace, and how many trials each shard has, found by a
    first reading: all records together would take five kilobytes for each trial.
    """
    replaced = Replaced()
    of_shard: defaultdict[int, set[int]] = defaultdict(set)
    for place, (part, head) in enumerate(
        _parsed(parts, lambda line: decode(line, _Head))
    ):
        trial = hash((head.model, head.nodeid or ""))
        of_shard[part.shard].add(trial)
        is_answered = head.outcome is not Outcome.UNANSWERED
        replaced.add(place, trial, is_answered=is_answered)
    return replaced, {shard: len(trials) for shard, trials in of_shard.items()}


def _kept(parts: Sequence[_Source], replaced: set[int]) -> Iterator[tuple[str, Record]]:
    """The lines and records that are not replaced."""
    found = _parsed(parts, lambda line: (line, record_of(line)))
    for place, (_, kept) in enumerate(found):
        if place not in replaced:
            yield kept


def _parsed(
    parts: Sequence[_Source], parse: Callable[[str], _Found]
) -> Iterator[tuple[_Source, _Found]]:
    for part in parts:
        for _, found in parsed(part.log, parse):
            if found is not None:
                yield part, found


def _check_alike(parts: Sequence[_Source]) -> None:
    known: dict[str, tuple[_Source, Any]] = {}
    for part in parts:
        for name, value in _deciding_facts(part.run).items():
            if value is None:
                continue
            first, other = known.setdefault(name, (part, value))
            if other == value:
                continue
            values = ""
            if isinstance(value, int | str):
                values = f" ({other} and {value})"
            raise UsageError(
                f"{first} and {part} differ in {name}{values}; name parts of one run"
            )


def _deciding_facts(run: Run) -> dict[str, Any]:
    facts = {name: getattr(run, name) for name in _DECIDING}
    facts["price"] = run.limits.price if run.limits else None
    facts["number of shards"] = run.shard.count if run.shard else 0
    facts["selection or problems of the shards"] = (
        run.shard.selection if run.shard else None
    )
    return facts


def _check_whole(parts: Mapping[int, _Source], of_shard: Mapping[int, int]) -> None:
    """Raise UsageError if trials are missing, or if there are too many.

    `parts` has the largest run of each shard.
    """
    lacks = []
    dealt = whole = count = 0
    for part in parts.values():
        if part.run.shard is not None:
            dealt += part.run.shard.dealt or 0
            whole = max(whole, part.run.shard.whole or 0)
            count = part.run.shard.count
    if dealt < whole:
        absent = [str(index) for index in range(1, count + 1) if index not in parts]
        if absent:
            lacks.append(f"missing shards of {count}: {', '.join(absent)}")
    for shard, part in parts.items():
        found = of_shard.get(shard, 0)
        if not part.expected:
            lacks.append(f"{part}: the run that this --lf run completes is missing")
        elif found > part.expected:
            raise UsageError(
                f"{part}: another of the runs has other trials; parts of one run are "
                f"made with --llm-shard, not with pytest-split or pytest-shard; "
                f"llmarith report shows different runs"
            )
        elif found < part.expected:
            lacks.append(f"{part}: it has {found:,} of {part.expected:,} trials")
    if lacks:
        raise UsageError(
            f"{'; '.join(lacks)}; finish each missing part with its own command, and "
            f"name its run, too"
        )


def _facts(parts: Sequence[_Source], selected: int, overlapping: int, name: str) -> Run:
    """The facts that all parts share; what each part was asked and paid stays in its
    own summary.
    """
    runs = [part.run for part in parts]
    facts: dict[str, Any] = dict.fromkeys(Run.__struct_fields__)
    for name_of_fact in (*_DECIDING, *_SHARED):
        facts[name_of_fact] = _common([getattr(run, name_of_fact) for run in runs])
    times_of = attrgetter(*RunTimes.__struct_fields__)
    times = [RunTimes(*times_of(run)) for run in runs]
    facts |= {
        "id": name,
        "partial": False,
        "started_at": runs[0].started_at,
        "finished_at": max(run.finished_at or "" for run in runs),
        "selected": selected,
        "merged": Merged(times, overlapping, _left_out(parts)),
    }
    return Run(**facts)


def _left_out(parts: Sequence[_Source]) -> list[str]:
    """The measures that only their tasks, which are not known here, count."""
    written = {key for part in parts for key in part.summary.measures}
    known = set(described(written))
    for task in {one.facts.task for part in parts for one in part.summary.series}:
        known |= {one.key for one in figures_of(task).measures}
    return sorted(written - known)


def _common(values: Iterable[Any]) -> Any:
    """The value that all known ones have; None if they differ."""
    known = [value for value in values if value is not None]
    if known and all(value == known[0] for value in known):
        return known[0]
    return None


def _write(
    into: Path,
    trials: Iterable[tuple[str, Record]],
    run: Run,
    selected: Mapping[Key, int],
) -> RunSummary:
    """Write all files into a temporary folder, then rename it."""
    counted = Summary()
    new = into.with_name(f".{into.name}.{os.getpid()}")
    try:
        new.mkdir(parents=True)
        with open(new / LOG, "x", encoding="utf-8", newline="\n") as log:
            for line, record in trials:
                log.write(f"{line.strip()}\n")
                counted.add(record)
            log.flush()
            os.fsync(log.fileno())
        summary = counted.of_run(run, selected)
        summary.log = LogFacts.of(new / LOG)
        write_json(new / SUMMARY, as_file(summary))
        new.rename(into)
        return summary
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        raise UsageError(
            f"--output {name_of(into)}: cannot be written ({error}); name another "
            f"folder"
        ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
