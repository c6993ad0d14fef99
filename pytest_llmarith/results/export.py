"""Exports trials and results: CSV, and the rows of llm_arithmetic."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TextIO

from pytest_llmarith.records import Part, Percentage, Record, as_text
from pytest_llmarith.results import llm_arithmetic
from pytest_llmarith.results.files import UsageError, encode, new_file
from pytest_llmarith.results.formatting import showable
from pytest_llmarith.results.keys import label_of
from pytest_llmarith.results.load import LoadedRun, load_runs
from pytest_llmarith.results.log import LOG, without_files_beside
from pytest_llmarith.results.run_tables import ResultOfRun
from pytest_llmarith.types import Outcome

Shape = Literal["llm_arithmetic", "csv"]


@dataclass(frozen=True, slots=True)
class Destination:
    """Where lines are written: a file, which is replaced only with `force`, or the terminal.

    With `spreadsheet`, and on a terminal, cells of CSV are never formulas, and every row is one line.
    """

    terminal: TextIO
    file: Path | None = None
    force: bool = False
    spreadsheet: bool = False

    @property
    def for_spreadsheet(self) -> bool:
        return self.spreadsheet or (self.file is None and self.terminal.isatty())

    def write(self, lines: Iterable[str], runs: Sequence[LoadedRun]) -> None:
        """Write lines about these runs. Raises UsageError if the file cannot be written, or belongs to a run."""
        if self.file is None:
            self.terminal.writelines(showable(line, self.terminal.encoding) for line in lines)
            return
        with new_file("--output", self.file, files_of(runs), force=self.force) as file:
            file.writelines(line.encode("utf-8", "backslashreplace") for line in lines)


def load_all_runs(paths: Sequence[Path]) -> list[LoadedRun]:
    """The runs at these paths, without duplicates."""
    runs = (run for path in without_files_beside(paths) for run in load_runs(path))
    return list({os.path.realpath(run.path): run for run in runs}.values())


def files_of(runs: Iterable[LoadedRun]) -> list[Path]:
    """The files of runs that are never replaced. A page can be made again."""
    names = (LOG, "summary.json", "report.json")
    return [file for run in runs for file in ([run.path / name for name in names] if run.path.is_dir() else [run.path])]


@dataclass
class LeftOut:
    """How many trials a shape cannot express, and how many it expresses without their condition or repeat."""

    other_tasks: int = 0
    conditions: int = 0


def export(runs: Sequence[LoadedRun], shape: Shape, destination: Destination) -> LeftOut:
    """Write the trials of runs. Raises UsageError if a run cannot be read, or if no trial can be expressed."""
    if destination.spreadsheet and shape != "csv":
        raise UsageError(f"--spreadsheet: --format={shape} is not CSV; remove --spreadsheet, or write --format=csv")
    left_out = LeftOut()
    if shape == "csv":
        rows = (_trial_cells(run.name, record) for run in runs for record in run.records())
        lines = csv_lines(_TRIAL_COLUMNS, rows, spreadsheet=destination.for_spreadsheet)
    else:
        lines = _rows(runs, left_out)
    destination.write(lines, runs)
    return left_out


def _rows(runs: Sequence[LoadedRun], left_out: LeftOut) -> Iterator[str]:
    """One row of llm_arithmetic per line. Raises UsageError at the end if there was none."""
    written = 0
    for record in (record for run in runs for record in run.records()):
        if (row := llm_arithmetic.row_of(record)) is None:
            left_out.other_tasks += 1
            continue
        written += 1
        left_out.conditions += bool(label_of(record.condition) or record.repeat)
        yield f"{encode(row).decode('ascii')}\n"
    if not written:
        raise UsageError("--format=llm_arithmetic: the runs have no arithmetic trial; write --format=csv for all tasks")


# --- rows of CSV -----------------------------------------------------------------------------------------------------

_NO_ANSWER = "no_answer"  # the outcome `nan`, which readers of CSV interpret as a missing value
_OF_RECORD = ("model", "task", "simulated", "outcome", "reason", "reading")
_OF_PROBLEM = (
    *("variant", "depth", "set", "number", "label", "trial", "seed"),
    *("lhs", "rhs", "int1", "int2", "inputs", "expected"),
)
_OF_ANSWER = ("tolerant", "strict", "read")
_OF_GRADE = ("absolute_error", "relative_error", "rounded", "error_class", "digit_match", "dlength", "leading_digits")
_OF_REPLY = (
    *("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost_usd", "latency_s", "attempts", "stored"),
    *("finish_reason", "served_model", "asked_at"),
)
_TEXTS = ("text", "reasoning")
_TRIAL_COLUMNS = (
    *("run", "nodeid", *_OF_RECORD, "condition", "repeat"),
    *(*_OF_PROBLEM, *_OF_ANSWER, *_OF_GRADE, "scores", *_OF_REPLY, "prompt", *_TEXTS),
)


def _trial_cells(run: str, record: Record) -> list[object]:
    """The cells of a trial; keys that its task lacks are empty."""
    problem, answer, grade, reply = record.problem, record.answer, record.grade, record.reply
    scores = (record.oeis and record.oeis.scores) or {}
    return [
        *(run, record.nodeid, record.model, record.task, record.simulated),
        _NO_ANSWER if record.outcome is Outcome.NAN else record.outcome,
        *(record.reason, record.reading, label_of(record.condition) or None, record.repeat),
        *(*_picked(problem, _OF_PROBLEM), *_picked(answer, _OF_ANSWER), *_picked(grade, _OF_GRADE)),
        ", ".join(f"{limit} s: {score:g}" for limit, score in scores.items()) or None,
        *(*_picked(reply, _OF_REPLY), record.prompt, *_picked(reply, _TEXTS)),
    ]


def _picked(part: Part | None, names: Iterable[str]) -> list[object]:
    values = (getattr(part, name, None) for name in names)
    return [as_text(value) if isinstance(value, dict | list) else value for value in values]


def result_lines(rows: Sequence[ResultOfRun], *, spreadsheet: bool) -> Iterator[str]:
    """CSV with a row per result and a column per figure."""
    cells = ([show(row) for show in _RESULT_COLUMNS.values()] for row in rows)
    return csv_lines(list(_RESULT_COLUMNS), cells, spreadsheet=spreadsheet)


_Getter = Callable[[ResultOfRun], object]


def _at(path: str) -> _Getter:
    """A function that returns the value at a path such as `repeats.k`, or None if a part of the path is missing."""

    def value_of(row: ResultOfRun) -> object:
        value: Any = row.result
        for name in path.split("."):
            value = value[name] if isinstance(value, dict) else getattr(value, name, None)
        return value

    return value_of


_OUTCOMES = {"correct": "correct", "deviate": "deviate", _NO_ANSWER: "nan", "cheat": "cheat"}
_ENDS = ("percent", "low", "high")
_KINDS = ("prompt", "completion", "reasoning")
_RESULT_COLUMNS: Mapping[str, _Getter] = {
    "run": lambda row: row.run,
    "model": _at("model"),
    "task": _at("task"),
    "condition": lambda row: label_of(row.result.condition) or None,
    **{name: _at(name) for name in ("date", "simulated", "selected", "measured")},
    "unanswered": _at("outcomes.unanswered"),
    **{column: _at(f"outcomes.{outcome}") for column, outcome in _OUTCOMES.items()},
    **{f"{name}_{end}": _at(f"percentages.{outcome}.{end}") for name, outcome in _OUTCOMES.items() for end in _ENDS},
    **{name: _at(name) for name in ("rounded", "median_relative_error", "average_absolute_error")},
    **{name: _at(name) for name in ("cost_usd", "unpriced", "stored")},
    **{f"{kind}_tokens": _at(f"tokens.{kind}") for kind in _KINDS},
    **{
        f"{what}_{figure}": _at(f"spending.{what}.{figure}")
        for what in ("cost_usd", "latency_s", *(f"{kind}_tokens" for kind in _KINDS))
        for figure in ("median", "p90")
    },
    "repeats": _at("repeats.k"),
    "problems": _at("repeats.problems"),
    **{
        f"{share}_{end}": _at(f"repeats.{share}.{end}")
        for share in ("consistency", "pass_at_1", "majority")
        for end in _ENDS
    },
}


class CellRow(Part):
    """One variant at one depth of a result. Without a condition, it is the usual one."""

    run: str
    model: str
    task: str
    condition: str | None
    variant: str
    depth: int
    measured: int
    unanswered: int
    correct: int
    deviate: int
    no_answer: int
    cheat: int
    percent: float | None  # of correct trials, with its 95 % interval
    low: float | None
    high: float | None


class ErrorRow(Part):
    """One error class of a result, with the percentage of all its deviates."""

    run: str
    model: str
    task: str
    condition: str | None
    error_class: str
    count: int
    percent: float | None
    low: float | None
    high: float | None


def cell_rows(rows: Iterable[ResultOfRun]) -> list[CellRow]:
    """All variants and depths of results."""
    return [
        CellRow(
            *(*_whose(row), one.variant, one.depth, one.measured, one.unanswered),
            *(one.correct, one.deviate, one.nan, one.cheat, *_ends_of(one.correct_percentage)),
        )
        for row in rows
        for one in row.result.cells
    ]


def error_rows(rows: Iterable[ResultOfRun]) -> list[ErrorRow]:
    """All error classes that occur in results."""
    return [
        ErrorRow(*_whose(row), one.error_class, one.count, *_ends_of(one.percentage))
        for row in rows
        for one in (row.result.errors.classes if row.result.errors else ())
        if one.count
    ]


def _whose(row: ResultOfRun) -> tuple[str, str, str, str | None]:
    return row.run, row.result.model, row.result.task, label_of(row.result.condition) or None


def _ends_of(found: Percentage | None) -> tuple[float | None, float | None, float | None]:
    return (found.percent, found.low, found.high) if found else (None, None, None)


def part_lines(parts: Sequence[Part], *, spreadsheet: bool) -> Iterator[str]:
    """CSV with a row per part, all of one type."""
    headers = parts[0].__struct_fields__
    return csv_lines(headers, ([getattr(part, name) for name in headers] for part in parts), spreadsheet=spreadsheet)


# --- CSV -------------------------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
# The beginning of a formula, also in full width, which some programs convert, and after a semicolon, which may separate
# cells.
_FORMULA = re.compile(r"(^|;)( *)(?=[=+\-@＝＋－＠])")


def csv_lines(headers: Sequence[str], rows: Iterable[Sequence[object]], *, spreadsheet: bool) -> Iterator[str]:
    """A table as CSV: the headers, then each row.

    Every cell is quoted: csv before Python 3.13 does not quote a lone carriage return, and DuckDB guesses the dialect
    if few cells are quoted.
    """
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in chain([headers], rows):
        writer.writerow([_cell(value, spreadsheet=spreadsheet) for value in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _cell(value: object, *, spreadsheet: bool) -> str:
    """A value as text, empty if it is unknown; for a spreadsheet one line that is not a formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    if not spreadsheet or _NUMBER.fullmatch(text):
        return text
    printable = "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)
    return _FORMULA.sub(r"\1\2'", printable)
