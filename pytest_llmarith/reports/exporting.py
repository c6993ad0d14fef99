"""`llmarith export`: records of runs in the shapes of other programs. It does not know the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from pytest_llmarith.records import Record
from pytest_llmarith.reports.formats import trials
from pytest_llmarith.reports.formats.addition import addition_of
from pytest_llmarith.reports.formats.spreadsheet import csv_lines
from pytest_llmarith.reports.harmless import showable
from pytest_llmarith.reports.jsonfiles import encode
from pytest_llmarith.reports.keys import label_of
from pytest_llmarith.reports.logs import llm_arithmetic
from pytest_llmarith.reports.mistake import Mistake
from pytest_llmarith.reports.opening import OpenedRun
from pytest_llmarith.reports.output_file import new_file
from pytest_llmarith.reports.reporting.report import all_opened, files_of


class Shape(StrEnum):
    """Whose records are written."""

    LLM_ARITHMETIC = "llm_arithmetic"
    ADDITION = "addition"
    CSV = "csv"


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked on the command line."""

    runs: Sequence[Path]
    shape: Shape
    output: Path | None = None
    force: bool = False
    spreadsheet: bool = False


class Lacks(NamedTuple):
    """How many trials have no place in a shape, and how many have one that hides how their question was put."""

    left_out: int
    mingled: int


def export(request: Request, out: TextIO = sys.stdout) -> Lacks:
    """Write the records, and say what the shape has no place for.

    Raises Mistake where a run cannot be read, or none of its trials has one.
    """
    if request.spreadsheet and request.shape is not Shape.CSV:
        raise Mistake(f"--spreadsheet: --to={request.shape} is no table for spreadsheets; leave it out, or --to=csv")
    runs = all_opened(request.runs)
    defused = request.spreadsheet or (request.output is None and out.isatty())
    exported = _Exported(runs, request.shape, spreadsheet=defused)
    if request.output is None:
        out.writelines(showable(line, out.encoding) for line in exported.lines())
    else:
        with new_file("--output", request.output, files_of(runs), force=request.force) as file:
            file.writelines(line.encode("utf-8", "backslashreplace") for line in exported.lines())
    return Lacks(exported.left_out, exported.mingled)


class _Exported:
    """The lines of runs in a shape; afterwards it knows what that lacks."""

    def __init__(self, runs: Sequence[OpenedRun], shape: Shape, *, spreadsheet: bool) -> None:
        self._runs = runs
        self._shape = shape
        self._spreadsheet = spreadsheet
        self.left_out = 0
        self.mingled = 0

    def lines(self) -> Iterator[str]:
        if self._shape is Shape.CSV:
            rows = (row for run in self._runs for row in trials.rows_of(run.name, run.records()))
            return csv_lines(trials.HEADERS, rows, spreadsheet=self._spreadsheet)
        return self._objects(_OBJECTS[self._shape])

    def _objects(self, shaped: Callable[[Record], dict[str, Any] | None]) -> Iterator[str]:
        """A JSON object a line; raises Mistake in the end where there was none."""
        written = 0
        for run in self._runs:
            for record in run.records():
                if (row := shaped(record)) is None:
                    self.left_out += 1
                    continue
                written += 1
                self.mingled += _is_mingled(record)
                yield f"{encode(row).decode('ascii')}\n"
        if not written:
            raise Mistake(f"--to={self._shape}: none of the trials is of that kind; --to={Shape.CSV} takes all")


def _is_mingled(record: Record) -> bool:
    """Whether a row looks like the usual one of its problem, though it was put otherwise or once more."""
    return bool(label_of(record.condition) or record.repeat)


_OBJECTS: Mapping[Shape, Callable[[Record], dict[str, Any] | None]] = {
    Shape.LLM_ARITHMETIC: llm_arithmetic.row_of,
    Shape.ADDITION: addition_of,
}
