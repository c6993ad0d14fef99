"""A run log as lines of text, read one at a time: found, and refused in one line where it cannot be read.

It does not know what stands in a line.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TextIO

from pytest_llmarith.reports.jsonfiles import TORN
from pytest_llmarith.reports.mistake import Mistake, name_of

LOG = "trials.jsonl"
LONGEST_LINE = 2**24  # characters; what Python makes of them may take thirty times as much
TOO_LONG = f"longer than {LONGEST_LINE:,} characters"
WANTED = "expected a record of a run log (trials.jsonl) or a row of llm_arithmetic"


def without_files_beside(paths: Sequence[Path]) -> Sequence[Path]:
    """The paths without a README beside runs, so that `reports/*` means the runs there; a README alone stays."""
    return [path for path in paths if path.name != "README.md"] or paths


def log_of(path: Path) -> Path:
    """The file to read: a run's folder stands for its log. Others than regular files are refused, they may block."""
    try:
        file = path / LOG if stat.S_ISDIR(path.stat().st_mode) else path
        mode = file.stat().st_mode
    except FileNotFoundError as fault:
        if path.exists():
            raise Mistake(
                f"{name_of(path)}: the folder holds no {LOG}; name a {LOG} of a run, or its folder"
            ) from fault
        raise _unreadable(path, fault) from fault
    except OSError as fault:
        raise _unreadable(path, fault) from fault
    if not stat.S_ISREG(mode):
        raise Mistake(f"{name_of(file)}: not a regular file; name a {LOG} of a run, or its folder")
    return file


def lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file that are not empty, with their numbers, ends and all; one at a time."""
    for number, line in lines_of_any_length(file):
        if line is None:
            raise Mistake(f"{name_of(file)}, line {number}: {TOO_LONG}; {WANTED}")
        yield number, line


def lines_of_any_length(file: Path) -> Iterator[tuple[int, str | None]]:
    """The same, with None in the place of a line that is too long to be held."""
    try:
        with file.open(encoding="utf-8-sig", newline="\n") as opened:
            for number in count(1):
                if not (line := opened.readline(LONGEST_LINE + 1)):
                    return
                if len(line) > LONGEST_LINE:
                    _pass_over(line, opened)
                    yield number, None
                elif line.strip():
                    yield number, line
    except OSError as fault:
        raise _unreadable(file, fault) from fault
    except UnicodeDecodeError as fault:
        raise Mistake(f"{name_of(file)}: not UTF-8 text; {WANTED}") from fault


def _pass_over(line: str, opened: TextIO) -> None:
    while line and not line.endswith("\n"):
        line = opened.readline(LONGEST_LINE)


def is_torn(line: str) -> bool:
    """Whether the line has no end, or one that the next run gave it."""
    return not line.endswith("\n") or line.encode().endswith(TORN + b"\n")


def _unreadable(file: Path, fault: OSError) -> Mistake:
    return Mistake(f"{name_of(file)}: cannot be read ({fault.strerror}); name a {LOG} of a run, or its folder")
