"""Writes tables, and the trials of runs as CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TextIO

from pytest_llmarith.figures.estimates import Estimate
from pytest_llmarith.records import NumberDetails, Part, Record, as_text
from pytest_llmarith.report.render.terminal import has_colour
from pytest_llmarith.report.series import PageRun, results_of_runs, series_of
from pytest_llmarith.results.keys import label_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.loaded import files_of
from pytest_llmarith.results.run_files import UsageError, new_file
from pytest_llmarith.safe_text import escape, showable
from pytest_llmarith.types import Outcome, text_of
from pytest_llmarith.views.places import Here

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_WORDS = {False: "false", True: "true"}
# The beginning of a formula, also in full width, which some programs convert, and after
# a semicolon, which may separate cells.
_FORMULA = re.compile(r"(^|;)( *)(?=[=+\-@＝＋－＠])")


@dataclass(frozen=True, slots=True)
class Destination:
    """Where lines are written: a file, which is replaced only with `force`, or the
    terminal.

    With `spreadsheet`, and on a terminal, cells of CSV are never formulas, and every
    row is one line.
    """

    terminal: TextIO
    file: Path | None = None
    force: bool = False
    spreadsheet: bool = False

    @property
    def for_spreadsheet(self) -> bool:
        return self.spreadsheet or (self.file is None and self.terminal.isatty())

    @property
    def has_colour(self) -> bool:
        return self.file is None and has_colour(self.terminal)

    def write(self, lines: Iterable[str], runs: Sequence[LoadedRun]) -> None:
        """Write lines about these runs.

        Raises UsageError if the file cannot be written, or belongs to a run.
        """
        if self.file is None:
            for line in lines:
                self.terminal.write(showable(line, self.terminal.encoding))
            return
        with new_file("--output", self.file, files_of(runs), force=self.force) as file:
            for line in lines:
                file.write(line.encode("utf-8", "backslashreplace"))


def trial_rows(runs: Sequence[LoadedRun]) -> Iterator[Row]:
    """The trials of runs."""
    for run in runs:
        name = run.name
        for record in run.records():
            yield trial_row(name, record)


# --- rows of estimates ----------------------------------------------------------------


def estimate_rows(
    runs: Sequence[PageRun], results: Iterable[Here], measures: Sequence[str] = ()
) -> Iterator[Row]:
    """The long table: a row for each figure at each place, and for those of the
    comparisons within each run.

    Raises UsageError if a measure occurs nowhere.
    """
    is_empty = True
    for row in _rows(runs, results):
        if not measures or row["measure"] in measures:
            is_empty = False
            yield row
    if is_empty and measures:
        raise UsageError(
            f"--measure={', '.join(measures)}: these runs have none; remove it to see "
            f"all measures"
        )


def _rows(runs: Sequence[PageRun], results: Iterable[Here]) -> Iterator[Row]:
    for here in results:
        whose = {
            "simulated": here.simulated,
            "unfinished": bool(here.unfinished),
        }
        for one in here.result.estimates():
            yield estimate_row(one, here.run) | whose
    for run in runs:
        for compared in run.summary.differences:
            for one in compared.estimates():
                yield estimate_row(one, run.name)


def estimates_of(runs: Sequence[LoadedRun]) -> Iterator[Row]:
    """The long table of runs."""
    pages = []
    for run in runs:
        pages.append(PageRun(run.name, run.summary(), (), (), run.unfinished))
    return estimates_in(pages)


def estimates_in(pages: Sequence[PageRun]) -> Iterator[Row]:
    """The same of runs in memory."""
    return estimate_rows(pages, results_of_runs(pages, series_of(pages)))


def estimate_row(one: Estimate, run: str) -> dict[str, object]:
    """The columns of an estimate."""
    measure, place, figure = one
    model, task, condition, variant, depth = place
    return {
        "run": run,
        "model": model,
        "task": task,
        "condition": condition or None,
        "simulated": None,
        "unfinished": None,
        "variant": variant,
        "depth": depth,
        "measure": measure,
        "by": figure.by or None,
        "at": figure.at or None,
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "n": figure.n,
        "method": figure.method or None,
    }


# --- rows of trials -------------------------------------------------------------------

Row = Mapping[str, object]  # values by column; the same columns in all rows of a table
_NO_ANSWER = (
    "no_answer"  # the outcome `nan`, which readers of CSV interpret as a missing value
)
_OF_PROBLEM = ("label", "variant", "depth", "trial", "seed", "inputs", "expected")
_OF_NUMBER = tuple(NumberDetails.__struct_fields__)
_OF_REPLY = (
    "prompt_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "cost_usd",
    "latency_s",
    "served_first_token_s",
    "served_tokens_a_second",
    "in_flight",
    "attempts",
    "stored",
    "batched",
    "finish_reason",
    "served_model",
    "asked_at",
)


def trial_row(run: str, record: Record) -> Row:
    """The columns of a trial; what its task lacks is empty."""
    score, scores = None, ""
    if record.grade:
        score = record.grade.score
        further = record.grade.scores.items()
        scores = ", ".join(f"{name}: {one:g}" for name, one in further)
    is_nan = record.outcome is Outcome.NAN
    return {
        "run": run,
        **_picked(record, ("nodeid", "model", "task", "simulated")),
        "outcome": _NO_ANSWER if is_nan else record.outcome,
        **_picked(record, ("reason", "reading")),
        "condition": label_of(record.condition) or None,
        "repeat": record.repeat,
        **_picked(record.problem, _OF_PROBLEM),
        "inputs": as_text(record.problem.inputs),
        "expected": _cell_of(record.problem.expected),
        "answer": record.answer_text,
        "tolerant": as_text(record.answers.get("tolerant")),
        "strict": as_text(record.answers.get("strict")),
        "score": score,
        "scores": scores or None,
        **_picked(record.number, _OF_NUMBER),
        **_picked(record.reply, _OF_REPLY),
        "prompt": None if record.asked is None else text_of(record.asked),
        **_picked(record.reply, ("text", "reasoning")),
    }


def _cell_of(value: object) -> object:
    return as_text(value) if isinstance(value, dict | list) else value


def _picked(part: Part | None, names: Iterable[str]) -> dict[str, object]:
    if part is None:
        return dict.fromkeys(names)
    return {name: getattr(part, name) for name in names}


# --- CSV ------------------------------------------------------------------------------


def csv_lines(
    rows: Iterable[Mapping[str, object]], *, spreadsheet: bool
) -> Iterator[str]:
    """CSV of rows with the same keys; nothing if there are none.

    Every cell is quoted: DuckDB guesses the dialect if few are.
    """
    # `writerow` returns what `write` does.
    lines = csv.writer(
        SimpleNamespace(write=str), quoting=csv.QUOTE_ALL, lineterminator="\n"
    )
    for number, row in enumerate(rows):
        if number == 0:
            yield lines.writerow(row)
        values = row.values()
        cells = [_WORDS[one] if one is True or one is False else one for one in values]
        if spreadsheet:
            cells = list(map(_without_formula, cells))
        yield lines.writerow(cells)


def _without_formula(value: object) -> str:
    """A value as one line of text that a spreadsheet does not compute."""
    text = "" if value is None else str(value)
    if _NUMBER.fullmatch(text):
        return text
    return _FORMULA.sub(r"\1\2'", escape(text))
