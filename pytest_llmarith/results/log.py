"""Reads the log of a run, `trials.jsonl`: a record in each line."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO, TextIOWrapper
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, TypeVar

from pytest_llmarith.results.foreign import foreign_lines
from pytest_llmarith.results.run_files import UsageError, name_of
from pytest_llmarith.safe_text import sanitize

if TYPE_CHECKING:
    from pytest_llmarith.records import Record

LOG = "trials.jsonl"
SUMMARY = "summary.json"
# characters; the parsed values may take thirty times as much memory
LONGEST_LINE = 2**24

# ends a line that was cut when the disk was full; JSON never contains it unescaped
TORN = "\x18"
# In the line of a correct trial: text has no such quotes. JSON that a task asks for or
# reads may hold the same, so that such a line has the key more than once.
_OUTCOME = '"outcome": '
_RIGHT = f'], {_OUTCOME}"correct", "reason": '
_LONGEST_CAUSE = 200

_Parsed = TypeVar("_Parsed")


def without_files_beside(paths: Sequence[Path]) -> Sequence[Path]:
    """The paths without README.md, so that `reports/*` can be given; a single path is
    returned unchanged.
    """
    return [path for path in paths if path.name != "README.md"] or paths


def log_of(path: Path) -> Path:
    """The file to read; if `path` is a folder, its log.

    Raises UsageError if it is not a regular file.
    """
    file = path / LOG if os.path.isdir(path) else path
    try:
        mode = file.stat().st_mode
    except OSError as error:
        if file != path and isinstance(error, FileNotFoundError):
            lacks = f"{name_of(path)}: the folder has no {LOG}"
            raise UsageError(
                f"{lacks}; name a {LOG} of a run, or its folder"
            ) from error
        raise _unreadable(file, error) from error
    if not stat.S_ISREG(mode):  # reading a pipe would block
        raise UsageError(
            f"{name_of(file)}: not a regular file; name a {LOG} of a run, or its folder"
        )
    return file


class Span(NamedTuple):
    """Bytes of a file, which end with a line."""

    start: int
    stop: int


def spans(file: Path, size: int) -> list[Span]:
    """A file in spans of at least `size` bytes, but for the last one.

    Raises UsageError if it cannot be read.
    """
    found, start = [], 0
    try:
        with file.open("rb") as opened:
            end = os.fstat(opened.fileno()).st_size
            while start < end:
                opened.seek(start + size - 1)
                opened.readline()
                stop = min(opened.tell(), end)
                found.append(Span(start, stop))
                start = stop
    except OSError as error:
        raise _unreadable(file, error) from error
    return found


def place_of(file: Path, number: int, span: Span | None = None) -> str:
    """A line for a message: its number counts from the beginning of the span."""
    start = f", from byte {span.start:,}" if span and span.start else ""
    return f"{name_of(file)}{start}, line {number}"


def _opened(file: Path, span: Span | None) -> IO[str]:
    if span is None:
        return file.open(encoding="utf-8-sig", newline="\n")
    with file.open("rb") as opened:
        opened.seek(span.start)
        part = BytesIO(opened.read(span.stop - span.start))
    return TextIOWrapper(part, encoding="utf-8-sig", newline="\n")


def lines(file: Path, span: Span | None = None) -> Iterator[tuple[int, str]]:
    """The lines of a file, or of its span, that are not empty, with their numbers; of a
    log of another tool, its trials as such lines.

    Raises UsageError if the file cannot be read, is not UTF-8, or has a line that is
    too long.
    """
    try:
        # A run log is none, whatever it begins with: it may come from others.
        foreign = None if span or file.name == LOG else foreign_lines(file)
        if foreign is not None:
            yield from foreign
            return
        with _opened(file, span) as opened:
            for number in count(1):
                line = opened.readline(LONGEST_LINE + 1)
                if not line:
                    return
                if len(line) > LONGEST_LINE:
                    raise UsageError(
                        f"{place_of(file, number, span)}: longer than "
                        f"{LONGEST_LINE:,} characters"
                    )
                if line.strip():
                    yield number, line
    except OSError as error:
        raise _unreadable(file, error) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name_of(file)}: not UTF-8 text; name a {LOG} of a run, or its folder"
        ) from error


def is_torn(line: str) -> bool:
    """Whether the line was cut when a run was killed: it has no line end, or the next
    run has ended it.
    """
    return not line.endswith("\n") or line.endswith(f"{TORN}\n")


class NotGradedError(ValueError):
    """A record is one, and its task cannot grade it again."""


def parsed(
    file: Path, parse: Callable[[str], _Parsed], span: Span | None = None
) -> Iterator[tuple[int, _Parsed | None]]:
    """The number and the parsed value of each line; None for a line that was cut when a
    run was killed.

    Raises UsageError with the number of the line if `parse` raises ValueError.
    """
    for number, line in lines(file, span):
        try:
            yield number, parse(line)
        except ValueError as error:
            why = str(error)
            if isinstance(error, json.JSONDecodeError):
                if is_torn(line):
                    yield number, None
                    continue
                why = f"not JSON ({error.msg})"
            where = f"{place_of(file, number, span)}: {sanitize(why, _LONGEST_CAUSE)}"
            if isinstance(error, NotGradedError):
                raise UsageError(where) from error
            raise UsageError(
                f"{where}; expected a record of a run log ({LOG}) or a row of "
                f"llm_arithmetic"
            ) from error


def records_in(log: Path, most_right: int | None = None) -> Iterator[Record]:
    """The records of a run log, without torn lines; of correct ones the first
    `most_right`, as most of a large log need not be decoded for its page.

    Raises UsageError if another line is not a record.
    """
    right = 0

    def checked(line: str) -> Record | None:
        nonlocal right
        if most_right is not None and _RIGHT in line and line.count(_OUTCOME) == 1:
            right += 1
            if right > most_right:
                return None
        return record_of(line)

    for _, record in parsed(log, checked):
        if record is not None:
            yield record


class Replaced:
    """The places of records that others of their trial replace: what counts is the last
    one with an answer, else the last one.

    `overlapping` is how many of them are answers.
    """

    def __init__(self) -> None:
        self.places: set[int] = set()
        self.overlapping = 0
        self._kept: dict[int, int] = {}  # by hash, as trials may be many
        self._unanswered: set[int] = set()

    def add(self, place: int, trial: int, *, is_answered: bool) -> None:
        """Note the record at a place, of a trial by its hash."""
        if trial in self._kept:
            was_answered = trial not in self._unanswered
            if was_answered and not is_answered:
                self.places.add(place)
                return
            self.places.add(self._kept[trial])
            self.overlapping += was_answered
        self._kept[trial] = place
        if is_answered:
            self._unanswered.discard(trial)
        else:
            self._unanswered.add(trial)


def record_of(line: str) -> Record:
    """The record in a line, with details that its task can read. Raises ValueError."""
    from pytest_llmarith.figures.estimates import figures_of
    from pytest_llmarith.records import decode_record

    record = decode_record(line)
    figures_of(record.task).details_of(record)
    return record


def _unreadable(file: Path, error: OSError) -> UsageError:
    return UsageError(
        f"{name_of(file)}: cannot be read ({error.strerror}); name a {LOG} of a run, "
        f"or its folder"
    )
