"""Checks a bundle without a network, and without trust in its sender.

The files of a bundle are hostile: only those of known names are opened, no program of
them runs unless that is asked for, and nothing is written.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from math import isclose
from pathlib import Path
from typing import Any

from pytest_llmarith.bundles.costs import CostChecks
from pytest_llmarith.bundles.findings import Findings
from pytest_llmarith.bundles.grid import TrialGrid
from pytest_llmarith.bundles.manifest import PAGE, Manifest, differing, read_manifest
from pytest_llmarith.bundles.publish import page_text
from pytest_llmarith.bundles.trial_checks import GradedAnew, TrialChecks
from pytest_llmarith.figures.columns import SeriesTable, WrittenResult
from pytest_llmarith.records import Record, as_dict, convert, parse_json
from pytest_llmarith.report.page.trials import MOST_TRIALS
from pytest_llmarith.results.keys import Key, key_of
from pytest_llmarith.results.load import read_summary
from pytest_llmarith.results.log import LOG, SUMMARY, lines, record_of, records_in
from pytest_llmarith.results.summary import Summary
from pytest_llmarith.safe_text import sanitize, text_of_error
from pytest_llmarith.summaries import (
    LogFacts,
    RunSummary,
    SummaryFile,
    as_file,
    from_file,
)
from pytest_llmarith.tasks.task import Task

_PACKAGE = "pytest-llmarith"
_LONGEST = 300
_PACKED = re.compile(rb"[A-Za-z0-9+/]{64,}={0,2}")
_GZIP = 31  # the format, for zlib


@dataclass
class Verified:
    """What the check of a bundle found: findings contradict it, notes do not.

    `asked` says what was asked of which models.
    """

    manifest: Manifest
    trials: int
    findings: list[str]
    notes: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


def verify(
    folder: Path,
    tasks: Mapping[str, Task[Any]],
    graded_anew: Mapping[str, GradedAnew],
) -> Verified:
    """Check a bundle; `tasks` are the user's by name.

    Raises UsageError if it is no bundle, or one that must not be read.
    """
    manifest = read_manifest(folder)
    found = Findings()
    for line in differing(folder, manifest):
        found.add("files", line)
    written = read_summary(folder / LOG)
    assert written is not None  # the manifest was read beside it
    if manifest.run != written.run.id:
        found.add("files", f"{SUMMARY}: of another run than the manifest says")
    if written.log != LogFacts.of(folder / LOG):
        found.add("files", f"{SUMMARY}: of another {LOG}")
    if not _is_plain(folder, written):
        found.add("files", f"{SUMMARY}: has keys that no run writes")
    for task in tasks.values():
        task.register()
    here = version(_PACKAGE)
    is_same_version = written.run.versions.get(_PACKAGE) == here
    checks = TrialChecks(
        written.run, tasks, graded_anew, is_same_version=is_same_version
    )
    grid, costs = TrialGrid(), CostChecks(written.run)
    counted, seen = Summary(), Counter[Key]()
    for number, record, line in _read(folder, found):
        where = f"{LOG}, line {number}"
        if grid.add(record):
            found.add("doubled", f"{where}: another trial has this id")
        for kind, what in checks.of(record, line):
            found.add(kind, f"{where}: {sanitize(what, _LONGEST)}")
        costs.add(record)
        counted.add(record)
        seen[key_of(record)] += 1
    selected = _selected(written, seen, found)
    for line in grid.holes():
        found.add("holes", line)
    if grid.unanswered:
        found.add(
            "unanswered",
            f"{grid.unanswered:,} trials are unanswered, and in no percentage",
        )
    wanted = written.run.selected
    if wanted is not None and wanted != grid.count:
        found.add("selected", f"{grid.count:,} trials, and {wanted:,} were selected")
    for line in costs.contradictions():
        found.add("costs", line)
    try:
        for line in _other_figures(written, counted.of_run(written.run, selected)):
            found.add("another figure", f"{SUMMARY}: {line}")
    except Exception as error:  # of values that no run writes
        why = sanitize(text_of_error(error), _LONGEST)
        found.add("another figure", f"{SUMMARY}: no figures can be made ({why})")
    notes = list(_notes(written, checks, costs))
    if not is_same_version:
        notes.append(
            f"the run was made by another {_PACKAGE} than {here}; what differs may be "
            f"the versions'"
        )
    if manifest.version != here:
        notes.append(
            f"{PAGE} was made by {_PACKAGE} {manifest.version} and was not compared"
        )
    elif not _same_page(folder, written):
        found.add("page", f"{PAGE}: not the page of these trials")
    return Verified(
        manifest, grid.count, list(found.lines()), notes, list(grid.shown())
    )


def _read(folder: Path, found: Findings) -> Iterator[tuple[int, Record, str]]:
    """The records with their lines."""
    for number, line in lines(folder / LOG):
        try:
            yield number, record_of(line), line
        except ValueError as error:
            why = sanitize(str(error), _LONGEST)
            found.add("no trial", f"{LOG}, line {number}: {why}")


def _selected(
    written: SummaryFile, seen: Mapping[Key, int], found: Findings
) -> Mapping[Key, int]:
    """How many trials were selected, as the summary says."""
    selected = {}
    for one in written.series:
        if one.facts.selected is not None:
            key = key_of(one.facts)
            selected[key] = one.facts.selected
            missing = one.facts.selected - seen[key]
            if missing:
                of = f"{one.facts.task} of {one.facts.model}"
                found.add("selected", f"{of}: {missing:,} selected trials are missing")
    return selected


def _is_plain(folder: Path, written: SummaryFile) -> bool:
    """Whether a summary has no other keys than a run writes."""
    try:
        return _alike(as_dict(written), parse_json((folder / SUMMARY).read_bytes()))
    except (ValueError, RecursionError):
        return False


# --- figures --------------------------------------------------------------------------


def _other_figures(written: SummaryFile, counted: RunSummary) -> Iterator[str]:
    """What of the summary is not what the trials make it."""
    anew = convert(as_file(counted), SummaryFile)
    for name in SummaryFile.__struct_fields__:
        if name in ("run", "log", "series", "measures"):
            continue
        if not _alike(getattr(written, name), getattr(anew, name)):
            yield f"{name} is not what the trials make it"
    series = {key_of(one.facts): one for one in anew.series}
    for one in written.series:
        key = key_of(one.facts)
        of = " ".join(part for part in key if part)
        if key not in series:
            yield f"{of}: there are no such trials"
            continue
        yield from (f"{of}: {line}" for line in _differing(one, series.pop(key)))
    for key in series:
        yield f"{' '.join(key).strip()}: is missing"


def _differing(one: SeriesTable, anew: SeriesTable) -> Iterator[str]:
    for name in ("facts", "examples"):
        if not _alike(getattr(one, name), getattr(anew, name)):
            yield f"its {name} are not what the trials make them"
    before, after = _figures(one), _figures(anew)
    for place in before.keys() | after.keys():
        values = before.get(place), after.get(place)
        if not _alike(*values):
            measure, variant, depth, *by = place
            where = " ".join(str(part) for part in (variant, depth, *by) if part)
            shown = [value and value[:4] for value in values]
            yield f"{measure} {where}: {shown[0]}, but the trials make it {shown[1]}"


def _figures(series: SeriesTable) -> dict[tuple[Any, ...], Any]:
    found = {}
    for measure, place, figure in WrittenResult(series, {}).estimates():
        key = measure, place.variant, place.depth, figure.by, figure.at
        found[key] = (*figure[:4], figure.method)
    return found


def _alike(one: Any, other: Any) -> bool:
    """Whether values are equal, but for the last bits of sums."""
    if isinstance(one, float) and isinstance(other, float | int):
        return isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    if hasattr(one, "__struct_fields__") and type(one) is type(other):
        return _alike(as_dict(one), as_dict(other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            _alike(one[key], other[key]) for key in one
        )
    return bool(one == other)


# --- page -----------------------------------------------------------------------------


def _same_page(folder: Path, written: SummaryFile) -> bool:
    """Whether the page is what the other files make it; its trials may be packed by
    another zlib.
    """
    try:
        made = page_text(from_file(written), records_in(folder / LOG, MOST_TRIALS))
        page = (folder / PAGE).read_bytes()
    except Exception:  # of values that no run writes
        return False
    if page == made:
        return True
    if _PACKED.split(page) != _PACKED.split(made):
        return False
    pairs = zip(_PACKED.findall(page), _PACKED.findall(made), strict=True)
    return all(one == other or _same_content(one, other) for one, other in pairs)


def _same_content(packed: bytes, made: bytes) -> bool:
    content = zlib.decompress(b64decode(made), _GZIP)
    try:
        unpacked = zlib.decompressobj(_GZIP).decompress(
            b64decode(packed), len(content) + 1
        )
    except (ValueError, zlib.error):
        return False
    return unpacked == content


# --- notes ----------------------------------------------------------------------------


def _notes(
    written: SummaryFile, checks: TrialChecks, costs: CostChecks
) -> Iterable[str]:
    """What a reader should know."""
    for what, count in checks.unchecked.items():
        yield f"{count:,} {what} were not checked"
    if written.run.seed != 0:
        yield f"the seed is {written.run.seed}, not 0: ask how it was chosen"
    if written.stored_days:
        first, last = written.stored_days
        yield f"replies from the store were asked from {first} to {last}"
    targets = {model.name: model.target for model in written.run.models}
    for model, names in written.served_models.items():
        asked = _plain(targets.get(model, model).rpartition("/")[2])
        for name in names:
            served = _plain(name.rpartition("/")[2])
            if asked not in served and served not in asked:
                yield f"{model}: the provider says that it served {name}"
    yield from costs.prices()


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
