"""Checks a bundle without a network, and without trust in its sender.

The files of a bundle are hostile: only those of known names are opened, nothing of them
runs, and nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version
from itertools import chain, zip_longest
from math import isclose
from pathlib import Path
from typing import Any

from pytest_llmarith.bundles.grid import CostChecks, TrialGrid
from pytest_llmarith.bundles.manifest import PAGE, differing, read_manifest
from pytest_llmarith.bundles.publish import page_text
from pytest_llmarith.bundles.trial_checks import TrialChecks
from pytest_llmarith.records import parse_json
from pytest_llmarith.report.page.trials import MOST_TRIALS
from pytest_llmarith.results.keys import key_of
from pytest_llmarith.results.load import read_summary
from pytest_llmarith.results.log import LOG, SUMMARY, lines, record_of, records_in
from pytest_llmarith.results.summary import Summary
from pytest_llmarith.safe_text import sanitize, text_of_error
from pytest_llmarith.summaries import LogFacts, SummaryFile, as_file, from_file
from pytest_llmarith.tasks.task import Tasks

TasksOf = Callable[[SummaryFile], Tasks]
_PACKAGE = "pytest-llmarith"
_LONGEST = 300
_MOST = 20  # findings of a check


class Verified:
    """What the check of a bundle found: findings contradict it, notes do not.

    `asked` says what was asked of which models, `sha256` is the hash of the whole.
    `unchecked` counts what could not be checked, `page` is the page made anew.
    """

    def __init__(self) -> None:
        self.findings: list[str] = []
        self.notes: list[str] = []
        self.asked: list[str] = []
        self.sha256 = ""
        self.unchecked: Mapping[str, int] = {}
        self.page = b""

    def add(self, lines: Iterable[str]) -> None:
        """Note the findings of a check; of many the first ones are kept."""
        for number, line in enumerate(lines):
            if number < _MOST:
                self.findings.append(sanitize(line, _LONGEST))
            elif number == _MOST:
                self.findings.append("and more of these")


def verify(folder: Path, tasks_of: TasksOf) -> Verified:
    """Check a bundle; `tasks_of` its summary are the tasks that are not built in, by
    name. A grader among them has a method `of`, which makes that of a record; its
    `is_run` says whether it runs again what it grades.

    Raises UsageError if it is no bundle, or one that must not be read.
    """
    manifest = read_manifest(folder)
    found = Verified()
    found.sha256 = manifest.digest
    found.add(differing(folder, manifest))
    written = read_summary(folder / LOG)
    assert written is not None  # the manifest was read beside it
    tasks = tasks_of(written)
    for task in tasks.values():
        task.register()
        if not getattr(task.grader, "is_run", True):
            found.notes.append(
                f"{task.name}: nothing was run again, so outputs are those of the record"
            )
    here = version(_PACKAGE)
    is_same_version = {manifest.version, written.run.versions.get(_PACKAGE)} == {here}
    checks = TrialChecks(written.run, tasks, is_same_version=is_same_version)
    grid, costs, counted = TrialGrid(), CostChecks(written.run), Summary()
    found.add(_of_trials(folder, checks, grid, costs, counted))
    found.add(grid.holes(tasks, written.run.selected))
    found.add(costs.contradictions())
    found.add(_of_figures(folder, written, counted))
    found.asked += grid.shown()
    try:
        records = records_in(folder / LOG, MOST_TRIALS)
        found.page = page_text(from_file(written), records)
        if is_same_version and found.page != (folder / PAGE).read_bytes():
            found.add([f"{PAGE}: not the page of these trials"])
    except Exception as error:  # of values that no run writes
        found.add([f"{PAGE}: cannot be made ({text_of_error(error)})"])
    if not is_same_version:
        found.notes.append(
            f"run or page were made by another {_PACKAGE} than {here}: the page was not "
            f"compared, and what differs may be the versions'"
        )
    for what, count in checks.noted.items():
        found.notes.append(f"{count:,} {what}")
    found.unchecked = checks.unchecked
    for what, count in checks.unchecked.items():
        found.notes.append(f"{count:,} {what} were not checked")
    found.notes += _questions(written)
    return found


def _of_trials(
    folder: Path,
    checks: TrialChecks,
    grid: TrialGrid,
    costs: CostChecks,
    counted: Summary,
) -> Iterator[str]:
    """What is wrong with single trials, which are counted."""
    for number, line in lines(folder / LOG):
        where = f"{LOG}, line {number}"
        try:
            record = record_of(line)
        except ValueError as error:
            yield f"{where}: {error}"
            continue
        wrong = chain(
            grid.add(record, is_counted=counted.add(record)), checks.of(record, line)
        )
        for what in wrong:
            yield f"{where}: {what}"
        costs.add(record)


def _of_figures(folder: Path, written: SummaryFile, counted: Summary) -> Iterator[str]:
    """What of the summary is not what the trials make it."""
    selected = {key_of(one.facts): one.facts.selected or 0 for one in written.series}
    try:
        anew = counted.of_run(written.run, selected)
        anew.log = LogFacts.of(folder / LOG)
        summary = parse_json((folder / SUMMARY).read_bytes())
        yield from _differing(summary, as_file(anew), SUMMARY)
    except Exception as error:  # of values that no run writes
        yield f"{SUMMARY}: {text_of_error(error)}"


def _differing(one: Any, anew: Any, where: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(anew, dict):
        for key in one.keys() | anew.keys():
            yield from _differing(one.get(key), anew.get(key), f"{where}, {key}")
    elif isinstance(one, list) and isinstance(anew, list | tuple):
        for place, (value, made) in enumerate(zip_longest(one, anew)):
            name = made.get("measure", place) if isinstance(made, dict) else place
            yield from _differing(value, made, f"{where}, {name}")
    elif isinstance(one, float) and isinstance(anew, float) and isclose(one, anew):
        return  # but for the last bits of a sum
    elif one != anew:
        yield f"{where}: {one}, and the trials make it {anew}"


def _questions(written: SummaryFile) -> Iterator[str]:
    """What is no contradiction, and yet worth a question."""
    if written.run.seed != 0:
        yield f"the seed is {written.run.seed}, not 0: how was it chosen?"
    if written.stored_days:
        first, last = written.stored_days
        yield f"replies from the store were asked from {first} to {last}"
    for model in written.run.models:
        asked = _plain(model.target)
        for name in written.served_models.get(model.name, ()):
            if _plain(name) not in asked and asked not in _plain(name):
                yield f"{model.name}: the provider says that it served {name}"


def _plain(name: str) -> str:
    """The end of a model's name: `openai/gpt-4.1` is served as `gpt-4.1-2025-04-14`."""
    return re.sub(r"[^a-z0-9]", "", name.lower().rpartition("/")[2])
