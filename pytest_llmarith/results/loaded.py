"""The runs that paths name, without those that a later start of the same command
continued with their replies from the store.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec

from pytest_llmarith.records import Part
from pytest_llmarith.results.load import LoadedRun, load_runs
from pytest_llmarith.results.log import (
    LOG,
    SUMMARY,
    is_torn,
    lines,
    without_files_beside,
)
from pytest_llmarith.results.run_files import listed
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.types import Outcome

_LONGEST_NAME = 60


def load_all_runs(
    paths: Sequence[Path], note: Callable[[str], None]
) -> list[LoadedRun]:
    """The runs at these paths, without duplicates, and without those in a folder that
    another one in it continued.

    What is left out is told by `note`.
    """
    found: dict[str, LoadedRun] = {}
    earlier: dict[str, LoadedRun] = {}
    for path in without_files_beside(paths):
        runs = load_runs(path)
        left_out = _continued(runs)
        for run in runs:
            where = os.path.realpath(run.path)
            if run in left_out:
                earlier[where] = run
            else:
                found[where] = run
    for run in found.values():
        if run.has_other_log:
            name = sanitize_name(run.name, _LONGEST_NAME)
            note(f"{name}: {LOG} was changed after the run, so it is counted anew")
    names = []
    for where, run in earlier.items():
        if where not in found:
            names.append(sanitize_name(run.name, _LONGEST_NAME))
    if names:
        note(f"left out, as a later start has all of their replies: {listed(names)}")
    return list(found.values())


def files_of(runs: Iterable[LoadedRun]) -> list[Path]:
    """The files of runs that are never replaced. A page can be made again."""
    files = []
    for run in runs:
        if run.path.is_dir():
            files += [run.path / name for name in (LOG, SUMMARY, "report.json")]
        else:
            files.append(run.path)
    return files


# --- starts that were cut short -------------------------------------------------------


class _Reply(Part):
    """What tells a reply from others."""

    text: str
    asked_at: str | None


class _Trial(Part):
    """What tells a trial and its reply from others.

    To decode this alone takes a fifth of the time.
    """

    model: str
    nodeid: str | None
    outcome: Outcome
    problem: msgspec.Raw
    condition: msgspec.Raw
    reading: str | None
    reply: _Reply | None
    search: msgspec.Raw | None = None


def _continued(runs: Sequence[LoadedRun]) -> list[LoadedRun]:
    """The incomplete runs of which another one has all trials, with the same replies
    and readings.

    The other one is complete, or comes later.
    """

    @cache
    def facts_of(place: int) -> set[int]:
        facts: set[int] = set()
        for _, line in lines(runs[place].path / LOG):
            if not is_torn(line):
                facts.update(_facts(line))
        return facts

    found = []
    for place, run in enumerate(runs):
        if run.complete is not False:
            continue
        for at, other in enumerate(runs):
            is_later = other.complete is False and at > place
            if not other.complete and not is_later:
                continue
            facts = facts_of(place)
            if facts and facts <= facts_of(at):
                found.append(run)
                break
    return found


def _facts(line: str) -> Iterator[int]:
    """That there is this trial, with this search, and with this reply and reading if it
    is answered.
    """
    try:
        trial = msgspec.json.decode(line, type=_Trial)
    except msgspec.DecodeError:
        # Such as half of a surrogate pair, which a reply may have. No other line is the
        # same.
        yield hash(line)
        return
    asked = trial.model, trial.nodeid, bytes(trial.problem), bytes(trial.condition)
    yield hash(asked)
    if trial.search is not None:
        yield hash((asked, bytes(trial.search)))
    if trial.reply is not None and trial.outcome is not Outcome.UNANSWERED:
        yield hash((asked, trial.reading, trial.reply.asked_at, trial.reply.text))
