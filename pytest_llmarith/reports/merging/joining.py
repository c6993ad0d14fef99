"""Runs are read, looked at together, and written as one. It does not know how a summary counts records."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from msgspec.structs import replace

from pytest_llmarith import records
from pytest_llmarith.records import Merged, Record, RunSummary, RunTimes, as_dict, convert
from pytest_llmarith.reports.counting.summary import Summary
from pytest_llmarith.reports.differing import FACTS_OF_ONE_RUN
from pytest_llmarith.reports.jsonfiles import write_json, write_line
from pytest_llmarith.reports.logs.endedrun import SUMMARY, Run, read_run
from pytest_llmarith.reports.logs.lines import LOG, without_files_beside
from pytest_llmarith.reports.logs.recordfile import records_in
from pytest_llmarith.reports.merging import objections
from pytest_llmarith.reports.merging.agreement import Difference, common_facts, differences
from pytest_llmarith.reports.merging.trialindex import TrialIndex
from pytest_llmarith.reports.merging.wholeness import (
    Lack,
    MissingShards,
    lacking,
    missing_shards,
    selected,
    selected_in_all,
)
from pytest_llmarith.reports.mistake import Mistake, name_of

_STEP = 1_000
_OF_ONE_RUN = dict.fromkeys(FACTS_OF_ONE_RUN)

# Is told how many records were read or written, and how many there are to be read and written.
Step = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked on the command line."""

    runs: Sequence[Path]
    into: Path
    allow_missing: bool = False
    allow_differing: bool = False
    allow_overlap: bool = False


@dataclass(frozen=True, slots=True)
class _Parts:
    """The runs, earlier ones first, and what was found out about them together."""

    runs: Sequence[Run]
    index: TrialIndex
    differing: Sequence[Difference]
    missing: MissingShards | None
    lacking: Mapping[Run, Lack]

    @property
    def short(self) -> list[Run]:
        """Runs that ended early, and that no other has finished."""
        return [run for run in self.lacking if not run.is_rerun]

    @property
    def lacks(self) -> list[str]:
        """What is not there, for people."""
        missing = [str(self.missing)] if self.missing else []
        return missing + [f"{run.facts.id}: {lack.what}" for run, lack in self.lacking.items()]


def merge(request: Request, step: Step = lambda done, total: None) -> RunSummary:
    """Write the runs as one, and give its summary; `step` is told how far that is.

    Raises Mistake where something cannot be read or written, and `objections.Refused` where they are not parts of one.
    """
    try:
        runs = sorted(map(read_run, without_files_beside(request.runs)), key=lambda run: run.order)
        _check_different(runs)
        _check_target(request.into, runs)
        return _write(_parts(runs, request, step), request.into, step)
    except RecursionError as fault:  # what could just be read may still be too deep to be compared or written
        raise Mistake("one of the runs holds what is nested too deep; expected runs of llmarith") from fault


def records_of(merged: Path) -> Iterator[Record]:
    """The records of a run that was merged, one by one."""
    return (record for _, record in records_in(merged / LOG))


def _parts(runs: Sequence[Run], request: Request, step: Step) -> _Parts:
    """What the runs are together; what their summaries tell is objected to before their logs are read."""
    differing, missing = differences(runs), missing_shards(runs)
    objections.refuse(
        () if request.allow_differing else objections.of_differences(differing),
        () if request.allow_missing else objections.of_missing(missing),
    )
    index = TrialIndex()
    for run in runs:
        step(index.recorded.total(), 2 * sum(run.counted for run in runs))
        index.take(run, finished=not (run.is_rerun or run.unfinished))
    lacks = lacking(runs, index)
    objections.refuse(
        () if request.allow_overlap else objections.of_overlap(index.overlap, index.overlapping),
        () if request.allow_missing else objections.of_lacking(lacks),
    )
    return _Parts(runs, index, differing, missing, lacks)


def _check_different(runs: Sequence[Run]) -> None:
    seen: set[str] = set()
    for run in runs:
        real = os.path.realpath(run.log)
        if real in seen:
            raise Mistake(f"{run.name}: named twice; name it once")
        seen.add(real)


def _check_target(into: Path, runs: Sequence[Run]) -> None:
    if os.path.lexists(into):
        raise Mistake(f"--into {name_of(into)}: this exists; name a folder that is to be made")
    above = {os.path.realpath(folder) for folder in into.absolute().parents}
    for run in runs:
        if os.path.realpath(run.folder) in above:
            raise Mistake(f"--into {name_of(into)}: this is in {run.name}, which is not changed; name another folder")


def _write(parts: _Parts, into: Path, step: Step) -> RunSummary:
    facts = _facts(parts, into.name)
    with _new_folder(into):
        summary = Summary()
        with open(into / LOG, "xb") as log:
            for number, (line, record) in enumerate(parts.index.lines([model.name for model in facts.models])):
                if number % _STEP == 0:
                    step(len(parts.index) + number, 2 * len(parts.index))
                summary.add(record)
                _copy(line, record, log)
            log.flush()
            os.fsync(log.fileno())
        whole = summary.of_run(facts, selected(parts.runs, parts.index, parts.short))
        write_json(into / SUMMARY, as_dict(whole))
    return whole


def _copy(line: bytes, record: Record, log: IO[bytes]) -> None:
    """A line as it stands; one that another program wrote may not be ASCII."""
    if line.isascii():
        log.write(line.strip() + b"\n")
    else:
        write_line(log, as_dict(record))


@contextmanager
def _new_folder(into: Path) -> Iterator[None]:
    """A folder that is gone again where it could not be filled; its summary comes last, as in every run."""
    try:
        into.parent.mkdir(parents=True, exist_ok=True)
        into.mkdir()
    except (OSError, ValueError) as fault:  # ValueError: a null byte in the path
        raise Mistake(f"--into {name_of(into)}: cannot be made ({_cause(fault)}); name another folder") from fault
    try:
        yield
    except BaseException as fault:
        with suppress(OSError):
            for name in (LOG, SUMMARY):
                (into / name).unlink(missing_ok=True)
            into.rmdir()
        if isinstance(fault, OSError):
            raise Mistake(f"--into {name_of(into)}: cannot be written ({_cause(fault)})") from fault
        raise


def _facts(parts: _Parts, name: str) -> records.Run:
    """The facts of the merged run."""
    facts = [run.facts for run in parts.runs]
    merged = Merged(
        runs=[RunTimes(**{name: getattr(one, name) for name in RunTimes.__struct_fields__}) for one in facts],
        replaced=parts.index.replaced,
        overlapping=parts.index.overlapping,
        differing=[one.what for one in parts.differing],
        lacks=parts.lacks,
    )
    shared = convert(common_facts(parts.runs) | _OF_ONE_RUN | {"id": name, "partial": bool(parts.lacks)}, records.Run)
    return replace(
        shared,
        started_at=facts[0].started_at,
        finished_at=max((one.finished_at for one in facts if one.finished_at), key=datetime.fromisoformat),
        selected=selected_in_all(parts.index, parts.short, parts.missing),
        stopped=next((run.facts.stopped for run in parts.short if run.facts.stopped), None),
        merged=merged,
    )


def _cause(fault: OSError | ValueError) -> str:
    return str(getattr(fault, "strerror", None) or fault)
