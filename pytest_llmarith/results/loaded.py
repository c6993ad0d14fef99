"""The runs that paths name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pytest_llmarith.results.load import LoadedRun, load_runs
from pytest_llmarith.results.log import LOG, SUMMARY, without_files_beside
from pytest_llmarith.results.starts import continued
from pytest_llmarith.safe_text import sanitize_name

_LONGEST_NAME = 60

_MOST_NAMED = 5


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
        left_out = continued(runs)
        for run in runs:
            where = os.path.realpath(run.path)
            if run in left_out:
                earlier[where] = run
            else:
                found[where] = run
    names = []
    for where, run in earlier.items():
        if where not in found:
            names.append(sanitize_name(run.name, _LONGEST_NAME))
    if names:
        shown = ", ".join(names[:_MOST_NAMED])
        if len(names) > _MOST_NAMED:
            shown += f" and {len(names) - _MOST_NAMED} more"
        note(f"left out, as a later start has all of their replies: {shown}")
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
