"""Writes tables, and the trials of runs as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from pytest_llmarith.figures.estimates import Figure
from pytest_llmarith.records import NumberDetails, Part, Record, as_text
from pytest_llmarith.report.render.data import csv_lines
from pytest_llmarith.report.render.terminal import has_colour
from pytest_llmarith.report.series import PageRun
from pytest_llmarith.results.keys import USUAL_NAME, label_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.loaded import files_of
from pytest_llmarith.results.run_files import UsageError, new_file
from pytest_llmarith.safe_text import showable
from pytest_llmarith.summaries import Effect, ModelDifference
from pytest_llmarith.types import Outcome
from pytest_llmarith.views.places import Here


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


def export(runs: Sequence[LoadedRun], destination: Destination) -> None:
    """Write the trials of runs as CSV.

    Raises UsageError if a run cannot be read.
    """
    spreadsheet = destination.for_spreadsheet
    destination.write(csv_lines(_trials(runs), spreadsheet=spreadsheet), runs)


def _trials(runs: Sequence[LoadedRun]) -> Iterator[Row]:
    for run in runs:
        for record in run.records():
            yield trial_row(run.name, record)


# --- rows of estimates ----------------------------------------------------------------


def estimate_rows(
    runs: Sequence[PageRun],
    results: Iterable[Here],
    differences: Iterable[ModelDifference],
    measures: Sequence[str] = (),
) -> Iterator[Row]:
    """The long table: a row for each figure at each place, and for those of each
    comparison of models and of conditions.

    Raises UsageError if a measure occurs nowhere.
    """
    effects: list[Effect] = []
    for run in runs:
        effects += run.summary.effects
    is_empty = True
    for place, measure, figure in _estimates(results, differences, effects):
        if not measures or measure in measures:
            is_empty = False
            yield place | {"measure": measure} | _cells_of(figure)
    if is_empty and measures:
        raise UsageError(
            f"--measure={', '.join(measures)}: these runs have none; remove it to see "
            f"all measures"
        )


_Estimate = tuple[dict[str, object], str, Figure]


def _estimates(
    results: Iterable[Here],
    differences: Iterable[ModelDifference],
    effects: Iterable[Effect],
) -> Iterator[_Estimate]:
    for here in results:
        for measure, place, figure in here.result.estimates():
            named = _place(
                here.label, here.task, place.condition, place.variant, place.depth
            )
            named["run"] = here.run
            named["simulated"] = here.simulated
            named["unfinished"] = bool(here.unfinished)
            yield named, measure, figure
    for one in differences:
        for measure, figure in _compared(one, one.pairs, "baseline", one.baseline):
            yield _place(one.model, one.task), measure, figure
    for effect in effects:
        condition, beside = label_of(effect.condition), label_of(effect.beside)
        found = _compared(effect, effect.problems, "condition", beside or USUAL_NAME)
        for measure, figure in found:
            yield _place(effect.model, effect.task, condition), measure, figure


def _place(
    model: str,
    task: str,
    condition: str = "",
    variant: str | None = None,
    depth: int | None = None,
) -> dict[str, object]:
    return {
        "run": "",
        "model": model,
        "task": task,
        "condition": condition or None,
        "simulated": None,
        "unfinished": None,
        "variant": variant,
        "depth": depth,
    }


def _compared(
    one: ModelDifference | Effect, pairs: int, by: str, at: str
) -> Iterator[tuple[str, Figure]]:
    """The figures of a comparison with the other side in `at`."""
    points, low, high = one.difference.points, one.difference.low, one.difference.high
    yield "difference", Figure(points, low, high, pairs, by, at)
    for name in ("better", "worse", "p", "p_holm", "shown"):
        value = getattr(one, name, None)
        if value is not None:
            yield f"difference_{name}", Figure(value, n=pairs, by=by, at=at)


def _cells_of(figure: Figure) -> dict[str, object]:
    cells: dict[str, object] = {"by": figure.by or None, "at": figure.at or None}
    for name in ("value", "low", "high", "n"):
        cells[name] = getattr(figure, name)
    return cells | {"method": figure.method or None}


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
        "answer": record.answer_text,
        "tolerant": as_text(record.answers.get("tolerant")),
        "strict": as_text(record.answers.get("strict")),
        "score": score,
        "scores": scores or None,
        **_picked(record.number, _OF_NUMBER),
        **_picked(record.reply, _OF_REPLY),
        "prompt": record.prompt_text,
        **_picked(record.reply, ("text", "reasoning")),
    }


def _picked(part: Part | None, names: Iterable[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for name in names:
        value = getattr(part, name, None)
        if isinstance(value, dict | list):
            value = as_text(value)
        values[name] = value
    return values
