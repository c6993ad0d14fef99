"""The output of `llmarith report` (selection, order and format), and the tables at the
end of a run.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from textwrap import wrap
from typing import Any, Literal, NamedTuple

from pytest_llmarith.records import Record
from pytest_llmarith.report import run_tables
from pytest_llmarith.report.data_tables import data_tables
from pytest_llmarith.report.definitions.replies import WRONG_TRIALS
from pytest_llmarith.report.definitions.results import (
    CELLS,
    ERRORS,
    OVERVIEW,
    cell_items,
    error_items,
    overview_items,
    threshold_items,
)
from pytest_llmarith.report.export import Destination
from pytest_llmarith.report.formatting import median_latency, prompt_and_completion
from pytest_llmarith.report.page import page_of
from pytest_llmarith.report.render.data import as_csv, as_json
from pytest_llmarith.report.render.documents import as_latex, as_markdown, code
from pytest_llmarith.report.render.terminal import coloured, section
from pytest_llmarith.report.run_status import (
    reasoning_lines,
    run_lines,
    wrapped,
    wrong_trials,
)
from pytest_llmarith.report.screen import results_screen
from pytest_llmarith.report.series import (
    PageRun,
    ResultOfRun,
    differences_between,
    results_of,
    results_of_runs,
    series_of,
)
from pytest_llmarith.report.table import Level, Table
from pytest_llmarith.results.files import UsageError, encode
from pytest_llmarith.results.load import UNFINISHED, LoadedRun
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.summaries import ModelDifference, Result, RunSummary
from pytest_llmarith.types import Outcome

Format = Literal["terminal", "markdown", "latex", "csv", "json", "html"]

_LONGEST_NAME = 60
_LONGEST_RUN = 100
_LONGEST_PATH = 1_000
_NOT_IN_LATEX = (
    "% needs \\usepackage{booktabs}; not shown: differences (llmarith compare "
    "--model=A:B --format=latex), searches (report)"
)
_MOST_WRONG = 100  # of each outcome
_UNLIMITED = 10_000


@dataclass(frozen=True, slots=True)
class Selection:
    """Which trials are counted.

    Names may contain `*`; a limit on depth excludes trials without a depth.
    """

    models: Sequence[str] = ()
    tasks: Sequence[str] = ()
    min_depth: int | None = None
    max_depth: int | None = None

    def __bool__(self) -> bool:
        """Whether trials may be excluded."""
        return bool(str(self))

    def __call__(self, record: Record) -> bool:
        """Whether a trial is counted."""
        if self.models and not _matches(record.model, self.models):
            return False
        if self.tasks and not _matches(record.task, self.tasks):
            return False
        if not self.min_depth and not self.max_depth:
            return True
        depth = record.problem.depth
        if depth is None or depth < (self.min_depth or 0):
            return False
        return not self.max_depth or depth <= self.max_depth

    def __str__(self) -> str:
        """What is counted, such as `tasks oeis; depths 5 and more`; empty if no trial
        is excluded.
        """
        lowest, highest = self.min_depth, self.max_depth
        parts = []
        if self.models:
            parts.append(f"models {sanitize(', '.join(self.models), _LONGEST_RUN)}")
        if self.tasks:
            parts.append(f"tasks {sanitize(', '.join(self.tasks), _LONGEST_RUN)}")
        if lowest and highest:
            parts.append(f"depths {lowest} to {highest}")
        elif lowest:
            parts.append(f"depths {lowest} and more")
        elif highest:
            parts.append(f"depths up to {highest}")
        return "; ".join(parts)

    def check(self, runs: Sequence[LoadedRun]) -> None:
        """Raises UsageError, which lists the models and tasks, if no trial is
        counted.
        """
        if not self:
            return
        models: set[str] = set()
        tasks: set[str] = set()
        for run in runs:
            if run.summary().results:
                return
            for model, task in run.seen:
                models.add(sanitize_name(model, _LONGEST_NAME))
                tasks.add(sanitize_name(task, _LONGEST_NAME))
        raise UsageError(
            f"no trial of {self}; the runs have models {', '.join(sorted(models))} "
            f"and tasks {', '.join(sorted(tasks))}"
        )


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return name in patterns or any(fnmatchcase(name, one) for one in patterns)


# --- order ----------------------------------------------------------------------------

_WORDS = ("run", "model", "task", "date")
_COLUMNS: dict[str, Callable[[ResultOfRun], Any]] = {
    "run": lambda row: row.run.casefold(),
    "model": lambda row: row.result.model.casefold(),
    "task": lambda row: row.result.task.casefold(),
    "date": lambda row: row.result.date,
    "trials": lambda row: row.result.measured,
    "correct": lambda row: _correct(row.result),
    "cost": lambda row: row.result.cost_usd,
    "tokens": lambda row: prompt_and_completion(row.result),
    "latency": lambda row: median_latency(row.result),
}


def _correct(result: Result) -> float | None:
    found = result.percentages[Outcome.CORRECT]
    return found.percent if found else None


class Order(NamedTuple):
    """Sorts results by a column: words from a to z, figures from the largest, both
    reversed if `reverse`.

    The sort is stable, and unknown values come last. By correct answers, results that
    lack cells of others come after those that have all of them.
    """

    column: str
    reverse: bool

    def of(self, rows: Sequence[ResultOfRun]) -> list[ResultOfRun]:
        """The results in this order."""
        key = _COLUMNS[self.column]
        from_largest = self.column not in _WORDS
        ordered = [row for row in rows if key(row) is not None]
        ordered.sort(key=key, reverse=self.reverse != from_largest)
        ordered += [row for row in rows if key(row) is None]
        if self.column == "correct":
            ordered.sort(key=lambda row: bool(row.missing))
        return ordered


def parse_order(text: str) -> Order:
    """Parse `[-]COLUMN`. Raises UsageError if there is no such column."""
    column = text.strip().removeprefix("-")
    if column not in _COLUMNS:
        named = sanitize(text, _LONGEST_NAME)
        columns = ", ".join(_COLUMNS)
        raise UsageError(
            f"--sort={named}: not a column; write one of {columns}, or -run to "
            f"reverse it"
        )
    return Order(column, text.strip().startswith("-"))


# --- the report -----------------------------------------------------------------------


class Detail(NamedTuple):
    """What is shown beside the head of a report; CSV and JSON show it in place of the
    head.
    """

    cells: bool = False
    errors: bool = False
    all_tables: bool = False

    def names(self, table: str) -> bool:
        """Whether this table was asked for by its name."""
        return (table == "cells" and self.cells) or (table == "errors" and self.errors)

    def check(self, form: Format) -> None:
        """Raises UsageError if this format cannot show it."""
        if self.all_tables and form not in ("terminal", "markdown"):
            raise UsageError(
                f"-v: not with --format={form}; remove -v, or write --cells or --errors"
            )
        if form == "html" and (self.cells or self.errors):
            raise UsageError(
                "--format=html: the page has all tables; remove --cells and --errors"
            )
        if form == "csv" and self.cells and self.errors:
            raise UsageError(
                "--format=csv: one table; write --cells or --errors, or --format=json"
            )


def report(
    runs: Sequence[LoadedRun],
    form: Format,
    destination: Destination,
    width: int,
    selection: Selection,
    order: Order | None,
    detail: Detail,
) -> None:
    """Write the report of runs.

    Raises UsageError if a run cannot be read, or if there is nothing to show.
    """
    if destination.spreadsheet and form != "csv":
        raise UsageError(
            f"--spreadsheet: --format={form} is not CSV; remove --spreadsheet, or "
            f"write --format=csv"
        )
    detail.check(form)
    is_sorted = form != "html" and (form != "json" or detail.cells or detail.errors)
    if order and not is_sorted:
        raise UsageError(f"--sort: not with --format={form}; remove --sort")
    if selection:
        runs = [run.filtered(selection) for run in runs]
    selection.check(runs)
    shown = []
    for run in runs:
        summary = run.summary()
        shown.append(
            PageRun(run.name, summary, run.records(), run.asked(), run.unfinished)
        )
    if form == "html":
        if destination.file is None:
            raise UsageError(
                "--format=html: the page is written to a file; add --output=report.html"
            )
        destination.write([page_of(shown)], runs)
        return
    series = series_of(shown)
    is_data = form in ("csv", "json")
    only = shown[0].summary if len(runs) == 1 else None
    rows = results_of_runs(shown, series)
    if only and not is_data:
        rows = [row.without_run() for row in rows]
    if order:
        rows = order.of(rows)
    _check_tables(rows, detail, is_data=is_data)
    compared = differences_between(shown, series, rows)
    if form == "csv":
        table = _csv_table(rows, detail)
        lines = as_csv(table, spreadsheet=destination.for_spreadsheet)
        destination.write(lines, runs)
    elif form == "json":
        tables = data_tables(rows, shown, series, compared)
        if detail.cells or detail.errors:
            tables = [table for table in tables if detail.names(table.key)]
        whole = as_json(tables, _first_lines(runs, shown, selection, _UNLIMITED))
        destination.write([encode(whole, indent=2).decode("ascii"), "\n"], runs)
    else:
        first = _first_lines(runs, shown, selection, width)
        run_of = {one.label: one.key[0] for one in series}
        other = "" if only else _other_questions(runs, run_of, rows, compared)
        if other and form == "terminal":
            first += wrap(other, width, break_long_words=False, break_on_hyphens=False)
        elif other:
            first.append(other)
        in_document = form != "terminal"
        tables = _tables(rows, only, detail, in_document=in_document)
        if form == "terminal":
            text = [
                *first,
                *section(tables, width),
                *results_screen(rows, compared, width),
            ]
            if destination.has_colour:
                text = coloured(text)
        elif form == "latex":
            text = [*(f"% {line}" for line in first), _NOT_IN_LATEX]
            text += as_latex(tables, f"Only {selection}" if selection else "")
        else:
            if only and detail.all_tables:
                tables += _wrong(shown[0].records)
            title = runs[0].name if only else f"{len(runs):,} runs"
            text = list(_markdown(title, first, tables))
        destination.write((f"{line}\n" for line in text), runs)


def _check_tables(
    rows: Sequence[ResultOfRun], detail: Detail, *, is_data: bool
) -> None:
    """Raises UsageError if there is nothing in a table that was asked for."""
    has_d50 = not is_data and any(row.result.thresholds for row in rows)
    has_cells = has_d50 or any(row.result.cells for row in rows)
    if detail.cells and not has_cells:
        raise UsageError("--cells: these runs have none; remove --cells")
    if detail.errors and not error_items(rows):
        raise UsageError("--errors: these runs have none; remove --errors")


def _csv_table(rows: Sequence[ResultOfRun], detail: Detail) -> Table:
    if detail.cells:
        return CELLS.table(cell_items(rows), Level.DATA)
    if detail.errors:
        return ERRORS.table(error_items(rows), Level.DATA)
    return OVERVIEW.table(overview_items(rows), Level.DATA)


def _other_questions(
    runs: Sequence[LoadedRun],
    run_of: Mapping[str, int],
    rows: Sequence[ResultOfRun],
    differences: Sequence[ModelDifference],
) -> str:
    """The remark about runs that were asked a task of the first model shown, but few of
    its questions; else empty.

    `run_of` has the number of the run of each label.
    """
    if not rows:
        return ""
    first = run_of[rows[0].label]
    compared = {(one.model, one.task) for one in differences}
    measured = [row for row in rows if row.result.measured and not row.result.searched]
    tasks = {row.result.task for row in measured if row.label == rows[0].label}
    others: set[int] = set()
    for row in measured:
        run, task = run_of[row.label], row.result.task
        if run != first and task in tasks and (row.label, task) not in compared:
            others.add(run)
    if not others:
        return ""
    path = sanitize(str(runs[first].path), _LONGEST_PATH)
    other = sanitize(str(runs[min(others)].path), _LONGEST_PATH)
    whose = sanitize_name(runs[first].name, _LONGEST_RUN)
    remark = f"{len(others)} of {len(runs)} runs asked other questions than {whose}"
    return f"{remark}: llmarith compare --unpaired {path} {other}"


def _first_lines(
    runs: Sequence[LoadedRun],
    shown: Sequence[PageRun],
    selection: Selection,
    width: int,
) -> list[str]:
    """For one complete run the status lines, for everything else how many trials are
    answered.
    """
    if len(runs) == 1 and runs[0].facts and not selection:
        return run_lines(shown[0].summary, width)
    answered = sum(one.summary.answered for one in shown)
    unanswered = sum(one.summary.unanswered for one in shown)
    whose = f"{len(runs):,} runs"
    if len(runs) == 1:
        whose = sanitize_name(runs[0].name, _LONGEST_RUN)
    counts = f"{whose}: {answered:,} answered"
    if unanswered:
        counts += f", {unanswered:,} unanswered"
    lines = [counts]
    names = [sanitize_name(run.name, _LONGEST_RUN) for run in runs if run.unfinished]
    if names:
        lines.append(f"{', '.join(names)}: {UNFINISHED}")
    if selection:
        lines.append(f"only {selection}")
    for one in shown:
        lines += wrapped(reasoning_lines(one.summary), width)
    return lines


# --- the tables of runs ---------------------------------------------------------------


def tables_section(summary: RunSummary, width: int) -> list[str]:
    """All tables of a run."""
    detail = Detail(all_tables=True)
    tables = _tables(results_of(summary), summary, detail, in_document=False)
    return section(tables, width)


def _tables(
    rows: Sequence[ResultOfRun],
    only: RunSummary | None,
    detail: Detail,
    *,
    in_document: bool,
) -> list[Table]:
    """The tables with content: the selected ones or, of a single run, all;
    `in_document` also what the screen has.
    """
    if not any(row.result.measured for row in rows):
        return []
    whole = only if detail.all_tables else None
    tables = []
    if in_document or detail.all_tables:
        level = Level.FULL if detail.all_tables else Level.BRIEF
        tables.append(run_tables.overview(rows, level))
    if in_document and not whole:
        tables.append(run_tables.scores(rows))
    if whole:
        tables.append(run_tables.effects(whole))
        tables += [run_tables.repeats(rows), run_tables.spending(rows)]
    if whole or detail.cells:
        for row in rows:
            tables += run_tables.tables_of(row, only_cells=not whole)
    is_adaptive = bool(threshold_items(rows, only_adaptive=True))
    if detail.all_tables or detail.cells or (in_document and is_adaptive):
        tables.append(run_tables.thresholds(rows))
    if whole or detail.errors:
        tables.append(run_tables.error_classes(rows))
    return [table for table in tables if table.rows or table.notes]


def _markdown(
    title: str, first: Sequence[str], tables: Sequence[Table]
) -> Iterator[str]:
    """The first table in full, the others in sections that can be collapsed."""
    yield f"## {code(title)}"
    yield ""
    for line in first:
        yield f"- {code(line)}"
    yield ""
    for table in tables[:1]:
        yield from as_markdown(table)
    for table in tables[1:]:
        yield f"<details><summary>{html.escape(table.heading)}</summary>"
        yield ""
        yield from as_markdown(table)
        yield "</details>"
        yield ""


def _wrong(records: Iterable[Record]) -> list[Table]:
    """The trials that are not correct, for the summary of a CI job."""
    table = WRONG_TRIALS.table(wrong_trials(records, _MOST_WRONG))
    return [table] if table.rows else []
