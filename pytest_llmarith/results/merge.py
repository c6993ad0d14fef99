"""Runs that are parts of one run, such as its shards, become that run."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

from pytest_llmarith.records import Merged, Record, Run, RunSummary, RunTimes, as_dict, encode
from pytest_llmarith.reports.counting.summary import Summary
from pytest_llmarith.reports.jsonfiles import write_json
from pytest_llmarith.reports.keys import Key
from pytest_llmarith.reports.logs.endedrun import SUMMARY, read_run
from pytest_llmarith.reports.logs.endedrun import Run as EndedRun
from pytest_llmarith.reports.logs.lines import LOG, without_files_beside
from pytest_llmarith.reports.logs.recordfile import records_in
from pytest_llmarith.reports.mistake import Mistake, name_of
from pytest_llmarith.values import AskingTotals, Outcome

# Facts that decide what a trial measures. A run that does not know one agrees with all.
_DECIDING = ("seed", "symbols", "conditions", "wordings", "repeats", "search", "reading", "versions", "models", "oeis")
_SHARED = ("store", "strict", "limits", "git")  # null if the runs differ in them

_Trial = tuple[str, str]  # the model and the id of the test


def merge(paths: Sequence[Path], into: Path) -> RunSummary:
    """Write the runs as one into a new folder. An answer replaces a missing one, and a later answer an earlier one.

    Raises Mistake, with one line, if they are not parts of one run, or if parts of it are missing.
    """
    runs = map(read_run, without_files_beside(paths))
    parts = sorted(runs, key=lambda part: (_time(part.facts.started_at), _name(part)))
    _check_places(parts, into)
    _check_alike(parts)
    trials: dict[_Trial, Record] = {}
    of_shard: defaultdict[int, set[_Trial]] = defaultdict(set)
    counts: Counter[str] = Counter()
    for part in parts:
        found = [record for _, record in records_in(part.log)]
        if len(found) != part.counted:
            has = f"its log holds {len(found):,} records, its summary counts {part.counted:,}"
            raise Mistake(f"{_name(part)}: {has}; copy its files again")
        for record in found:
            trial = record.model, record.nodeid or ""
            of_shard[_shard(part)].add(trial)
            answers = [one.outcome != Outcome.UNANSWERED for one in (trials.get(trial, record), record)]
            if trial in trials:
                counts["overlapping" if all(answers) else "replaced"] += 1
            if answers[1] or not answers[0]:
                trials[trial] = record
    largest = {_shard(part): part for part in sorted(parts, key=_expected)}
    _check_whole(largest, of_shard)
    run = _facts(parts, largest.values(), counts, into.name)
    rank = {model.name: place for place, model in enumerate(run.models)}
    ordered = [trials[one] for one in sorted(trials, key=lambda one: (rank.get(one[0], len(rank)), *_natural(one)))]
    selected: Counter[Key] = Counter()
    for part in largest.values():
        selected.update({key: result.selected or 0 for key, result in part.results.items()})
    summary = Summary()
    for record in ordered:
        summary.add(record)
    whole = summary.of_run(run, +selected)
    _write(into, ordered, whole)
    return whole


def _name(part: EndedRun) -> str:
    return name_of(part.log.parent)


def _shard(part: EndedRun) -> int:
    """Its number from 1; 0 if it is none."""
    return part.facts.shard.index if part.facts.shard else 0


def _expected(part: EndedRun) -> int:
    """How many trials it was to run, as far as that is known; 0 of a --lf run, which is a part of another one."""
    dealt = (part.facts.shard and part.facts.shard.dealt) or 0
    return 0 if part.facts.partial else max(part.facts.selected or 0, dealt, part.counted)


def _check_places(parts: Sequence[EndedRun], into: Path) -> None:
    if len({os.path.realpath(part.log) for part in parts}) < len(parts):
        raise Mistake("a run is named twice; name each run once")
    if os.path.lexists(into):
        raise Mistake(f"--into {name_of(into)}: this exists; name a folder that is to be made")
    above = set(map(os.path.realpath, into.absolute().parents))
    if inside := [_name(part) for part in parts if os.path.realpath(part.log.parent) in above]:
        raise Mistake(f"--into {name_of(into)}: this is in {inside[0]}, which is not changed; name another folder")


def _check_alike(parts: Sequence[EndedRun]) -> None:
    known: dict[str, tuple[EndedRun, Any]] = {}
    for part in parts:
        shard, limits = part.facts.shard, part.facts.limits
        facts = {name: getattr(part.facts, name) for name in _DECIDING} | {
            "price": limits and limits.price,
            "number of shards": shard.count if shard else 0,
            "selection of the shards": shard and shard.selection,
        }
        for name, value in facts.items():
            if value is not None and known.setdefault(name, (part, value))[1] != value:
                first, other = known[name]
                values = "" if not isinstance(value, int | str) else f" ({other} and {value})"
                raise Mistake(f"{_name(first)} and {_name(part)} differ in {name}{values}; merge parts of one run only")


def _check_whole(parts: Mapping[int, EndedRun], of_shard: Mapping[int, set[_Trial]]) -> None:
    """Raise Mistake if trials are missing or too many. `parts` has the largest run of each shard."""
    lacks = []
    shards = [part.facts.shard for part in parts.values() if part.facts.shard]
    dealt = [shard.dealt for shard in shards]
    if shards and (None in dealt or sum(filter(None, dealt)) < max(shard.whole or 0 for shard in shards)):
        absent = [str(index) for index in range(1, shards[0].count + 1) if index not in parts]
        lacks += [f"of {shards[0].count} shards these are missing: {', '.join(absent)}"] if absent else []
    for shard, part in parts.items():
        found = len(of_shard[shard])
        if not _expected(part):
            lacks.append(f"{_name(part)}: the run is missing whose failures this one asked again (--lf)")
        elif found > _expected(part):
            helps = "llmarith report shows several runs in one table"
            raise Mistake(f"{_name(part)}: another run has other trials; {helps}")
        elif found < _expected(part):
            lacks.append(f"{_name(part)}: {found:,} of {_expected(part):,} trials are there")
    if lacks:
        raise Mistake(f"{'; '.join(lacks)}; finish what is missing with its own command, and name its run too")


def _facts(parts: Sequence[EndedRun], largest: Iterable[EndedRun], counts: Mapping[str, int], name: str) -> Run:
    runs = [part.facts for part in parts]
    facts: dict[str, Any] = dict.fromkeys(Run.__struct_fields__)
    for each in _DECIDING:
        facts[each] = next((known for run in runs if (known := getattr(run, each)) is not None), None)
    for each in _SHARED:
        same = all(getattr(run, each) == getattr(runs[0], each) for run in runs)
        facts[each] = getattr(runs[0], each) if same else None
    facts["id"], facts["partial"], facts["started_at"] = name, False, runs[0].started_at
    facts["finished_at"] = max((run.finished_at for run in runs), key=_time)
    facts["selected"] = sum(_expected(part) for part in largest)
    asking = [run.asking for run in runs if run.asking is not None]
    facts["asking"] = _added(asking) if asking else None
    times = [RunTimes(*(getattr(run, field) for field in RunTimes.__struct_fields__)) for run in runs]
    facts["merged"] = Merged(times, counts["replaced"], counts["overlapping"])
    return Run(**facts)


def _added(totals: Sequence[AskingTotals]) -> AskingTotals:
    """The sums. Amounts are added as decimals: ten times ten cents are a dollar."""
    added: dict[str, Any] = {}
    for field in fields(AskingTotals):
        values = [value for one in totals if (value := getattr(one, field.name)) is not None]
        if field.name == "retries":
            added[field.name] = dict(sum(map(Counter, values), Counter()))
        elif field.name == "throttled":
            added[field.name] = tuple(chain.from_iterable(values))
        elif all(isinstance(value, int) for value in values):
            added[field.name] = sum(values) if values else None
        else:
            added[field.name] = float(sum(Decimal(repr(value)) for value in values))
    return AskingTotals(**added)


def _time(moment: str | None) -> datetime:
    """A moment of a run that has ended, which is never null."""
    return datetime.fromisoformat(moment or "")


def _natural(trial: _Trial) -> tuple[str, str]:
    """Sorts depth_10 after depth_9, and an id before those that continue it, such as its repeats."""
    model, nodeid = trial
    return model, re.sub(r"\d+", lambda number: number[0].rjust(9, "0"), nodeid.removesuffix("]"))


def _write(into: Path, records: Iterable[Record], summary: RunSummary) -> None:
    """The folder appears when it is whole."""
    new = into.with_name(f".{into.name}.{os.getpid()}")
    try:
        new.mkdir(parents=True)
        with open(new / LOG, "x", encoding="ascii") as log:
            log.writelines(f"{encode(record)}\n" for record in records)
            log.flush()
            os.fsync(log.fileno())
        write_json(new / SUMMARY, as_dict(summary))
        new.rename(into)
    except (OSError, ValueError) as fault:  # ValueError: a null byte in the path
        raise Mistake(f"--into {name_of(into)}: cannot be written ({fault}); name another folder") from fault
    finally:
        shutil.rmtree(new, ignore_errors=True)
