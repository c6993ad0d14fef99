"""Which files of trials a path stands for. Of a file only its first line is read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_llmarith.reports.logs import llm_arithmetic
from pytest_llmarith.reports.logs.lines import LOG, is_torn, lines, log_of
from pytest_llmarith.reports.mistake import Mistake, name_of
from pytest_llmarith.reports.opening.run import OpenedRun
from pytest_llmarith.reports.opening.sources import LoggedTrials, RowsOfTrials, Trials

_LINES = ".jsonl"
# Runs lie in a folder, and machines put such folders into folders of their own; whole disks are not searched.
_DEEPEST = 3
_A_RUN = f"a run's folder, its {LOG}, JSONL of llm_arithmetic, or a folder with some of them"


def opened(path: Path) -> list[OpenedRun]:
    """The runs that a path stands for, ordered by where they lie.

    That is a run's folder, its log, a file of llm_arithmetic, or a folder that holds some of them, three levels deep.
    Raises Mistake where there is none.
    """
    if os.path.isdir(path) and not os.path.lexists(path / LOG):
        runs = [_run(trials) for trials in _below(path)]
        if not runs:
            raise Mistake(f"{name_of(path)}: no run in this folder; name {_A_RUN}")
        return runs
    file = log_of(path)
    if (trials := _trials_in(file)) is None:
        raise Mistake(f"{name_of(file)}: neither the log of a run nor rows of llm_arithmetic; name {_A_RUN}")
    return [_run(trials)]


def _run(trials: Trials) -> OpenedRun:
    return OpenedRun(trials.file.parent if trials.file.name == LOG else trials.file, trials)


def _below(folder: Path) -> Iterator[Trials]:
    """A run's folder holds one run, whatever else lies in it; other folders any number."""
    for place, folders, files in os.walk(folder):
        if LOG in files:
            folders.clear()
            files = [LOG]
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = sorted(name for name in folders if depth < _DEEPEST and not name.startswith("."))
        for name in sorted(files):
            if name.endswith(_LINES) and (trials := _if_any(Path(place, name))):
                yield trials


def _if_any(file: Path) -> Trials | None:
    """The trials in a file that nobody named: other lines of JSON may lie there too."""
    try:
        return _trials_in(file) if file.is_file() else None
    except Mistake:
        if file.name == LOG:  # a run that cannot be read is missed
            raise
        return None


def _trials_in(file: Path) -> Trials | None:
    """The trials in a file, None where it holds something else. A log without a record is the log of a killed run."""
    first = next((line for _, line in lines(file) if not is_torn(line)), None)
    if first is not None and llm_arithmetic.is_row(row := _object_in(first)):
        return RowsOfTrials(file)
    if file.name == LOG or (first is not None and {"outcome", "task", "model"} <= row.keys()):
        return LoggedTrials(file)
    return None


def _object_in(line: str) -> dict[str, Any]:
    """What a line holds; nothing where that is no JSON object."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
