"""The output of `llmarith report`, and the tables at the end of a run."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from pytest_llmarith.figures.contrasts import Compared
from pytest_llmarith.records import FORMAT, as_dict
from pytest_llmarith.report import run_tables
from pytest_llmarith.report.definitions.reply_fields import WRONG_TRIALS
from pytest_llmarith.report.definitions.results import error_items, threshold_items
from pytest_llmarith.report.export import Destination, csv_lines, estimate_rows
from pytest_llmarith.report.page import page_of
from pytest_llmarith.report.render.documents import as_latex, as_markdown, code
from pytest_llmarith.report.render.terminal import coloured, section
from pytest_llmarith.report.run_status import (
    alarms,
    run_lines,
    wrapped,
    wrong_trials,
)
from pytest_llmarith.report.screen import results_screen
from pytest_llmarith.report.selection import Detail, Format, Order, Selection
from pytest_llmarith.report.series import (
    PageRun,
    Series,
    differences_between,
    results_of,
    results_of_runs,
    series_of,
)
from pytest_llmarith.results.load import UNFINISHED, LoadedRun
from pytest_llmarith.results.run_files import UsageError, encode
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.summaries import RunSummary, described
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import Level, Table

_LONGEST_RUN = 100
_LONGEST_PATH = 1_000
_NOT_IN_LATEX = (
    "% needs \\usepackage{booktabs}; not shown: differences (llmarith compare "
    "--model=A:B --format=latex), searches (report)"
)
_MOST_WRONG = 100  # of each outcome
_UNLIMITED = 10_000


@dataclass(frozen=True)
class _Shown:
    """What a report shows of runs."""

    runs: Sequence[LoadedRun]
    pages: Sequence[PageRun]
    series: Sequence[Series]
    rows: Sequence[Here]
    differences: Sequence[Compared]
    selection: Selection
    detail: Detail

    @property
    def only(self) -> RunSummary | None:
        """The summary of a single run."""
        return self.pages[0].summary if len(self.pages) == 1 else None

    @property
    def title(self) -> str:
        if self.only:
            return self.runs[0].name
        return f"{len(self.runs):,} runs"


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
    _check(form, destination, order, detail)
    if selection:
        runs = [run.filtered(selection) for run in runs]
    selection.check(runs)
    pages = []
    for run in runs:
        summary = run.summary()
        # A single run has its differences in its summary.
        asked = run.asked() if len(runs) > 1 or form == "html" else ()
        pages.append(PageRun(run.name, summary, run.records(), asked, run.unfinished))
    if form == "html":
        destination.write([page_of(pages)], runs)
        return
    is_data = form in ("csv", "json")
    series = series_of(pages)
    rows = results_of_runs(pages, series)
    if len(runs) == 1 and not is_data:
        rows = [row.without_run() for row in rows]
    if order:
        rows = order.of(rows)
    _check_tables(rows, detail)
    differences = differences_between(pages, series, rows)
    shown = _Shown(runs, pages, series, rows, differences, selection, detail)
    if form == "csv":
        found = estimate_rows(pages, rows, differences, detail.measures)
        lines = csv_lines(found, spreadsheet=destination.for_spreadsheet)
        destination.write(lines, runs)
        return
    if form == "json":
        text = [_json(shown)]
    elif form == "latex":
        text = _latex(shown, width)
    elif form == "markdown":
        text = list(_markdown(shown, width))
    else:
        text = _screen(shown, width)
        if destination.has_colour:
            text = coloured(text)
    destination.write((f"{line}\n" for line in text), runs)


def _check(
    form: Format, destination: Destination, order: Order | None, detail: Detail
) -> None:
    """Raises UsageError if options do not fit each other."""
    if destination.spreadsheet and form != "csv":
        raise UsageError(
            f"--spreadsheet: --format={form} is not CSV; remove --spreadsheet, or "
            f"write --format=csv"
        )
    detail.check(form)
    if order and form == "html":
        raise UsageError(f"--sort: not with --format={form}; remove --sort")
    if form == "html" and destination.file is None:
        raise UsageError(
            "--format=html: the page is written to a file; add --output=report.html"
        )


def _check_tables(rows: Sequence[Here], detail: Detail) -> None:
    """Raises UsageError if there is nothing in a table that was asked for."""
    has_cells = threshold_items(rows) or any(row.cells for row in rows)
    if detail.cells and not has_cells:
        raise UsageError("--cells: these runs have none; remove --cells")
    if detail.errors and not error_items(rows):
        raise UsageError("--errors: these runs have none; remove --errors")


# --- formats --------------------------------------------------------------------------


def _json(shown: _Shown) -> str:
    """All estimates, what their measures are, and remarks."""
    found = estimate_rows(
        shown.pages, shown.rows, shown.differences, shown.detail.measures
    )
    estimates = list(found)
    measures = described(str(row["measure"]) for row in estimates)
    whole = {
        "format": FORMAT,
        "measures": as_dict(measures),
        "estimates": estimates,
        "notes": _first_lines(shown, _UNLIMITED),
    }
    return encode(whole, indent=2).decode("ascii")


def _screen(shown: _Shown, width: int) -> list[str]:
    lines = _first_lines(shown, width)
    other = _other_questions(shown)
    lines += wrap(other, width, break_long_words=False, break_on_hyphens=False)
    tables = _tables(shown.rows, shown.only, shown.detail, in_document=False)
    lines += section(tables, width)
    lines += results_screen(shown.rows, shown.differences, width)
    return lines


def _latex(shown: _Shown, width: int) -> list[str]:
    lines = [f"% {line}" for line in _remarks(shown, width)]
    lines.append(_NOT_IN_LATEX)
    tables = _tables(shown.rows, shown.only, shown.detail, in_document=True)
    only = f"Only {shown.selection}" if shown.selection else ""
    lines += as_latex(tables, only)
    return lines


def _markdown(shown: _Shown, width: int) -> Iterator[str]:
    """The first table in full, the others in sections that can be collapsed."""
    yield f"## {code(shown.title)}"
    yield ""
    for line in _remarks(shown, width):
        yield f"- {code(line)}"
    yield ""
    tables = _tables(shown.rows, shown.only, shown.detail, in_document=True)
    if shown.only and shown.detail.all_tables:
        # for the summary of a CI job
        wrong = WRONG_TRIALS.table(wrong_trials(shown.pages[0].records, _MOST_WRONG))
        if wrong.rows:
            tables.append(wrong)
    for table in tables[:1]:
        yield from as_markdown(table)
    for table in tables[1:]:
        yield f"<details><summary>{html.escape(table.heading)}</summary>"
        yield ""
        yield from as_markdown(table)
        yield "</details>"
        yield ""


# --- remarks --------------------------------------------------------------------------


def _remarks(shown: _Shown, width: int) -> list[str]:
    """The lines above the tables of a document."""
    lines = _first_lines(shown, width)
    other = _other_questions(shown)
    if other:
        lines.append(other)
    return lines


def _first_lines(shown: _Shown, width: int) -> list[str]:
    """For one complete run the status lines, for everything else how many trials are
    answered.
    """
    runs, only = shown.runs, shown.only
    if only and runs[0].facts and not shown.selection:
        return run_lines(only, width)
    answered = sum(one.summary.answered for one in shown.pages)
    unanswered = sum(one.summary.unanswered for one in shown.pages)
    counts = f"{sanitize_name(shown.title, _LONGEST_RUN)}: {answered:,} answered"
    if unanswered:
        counts += f", {unanswered:,} unanswered"
    lines = [counts]
    names = [sanitize_name(run.name, _LONGEST_RUN) for run in runs if run.unfinished]
    if names:
        lines.append(f"{', '.join(names)}: {UNFINISHED}")
    if shown.selection:
        lines.append(f"only {shown.selection}")
    for one in shown.pages:
        more = alarms(one.summary)
        lines += wrapped(more, width)
    return lines


def _other_questions(shown: _Shown) -> str:
    """The remark about runs that were asked a task of the first model shown, but few of
    its questions; else empty.
    """
    rows, runs = shown.rows, shown.runs
    if shown.only or not rows:
        return ""
    run_of = {one.label: one.key[0] for one in shown.series}
    first = run_of[rows[0].label]
    compared = {(one.place.model, one.place.task) for one in shown.differences}
    measured = [row for row in rows if row.measured and not row.searched]
    tasks = {row.task for row in measured if row.label == rows[0].label}
    others: set[int] = set()
    for row in measured:
        run, task = run_of[row.label], row.task
        if run != first and task in tasks and (row.label, task) not in compared:
            others.add(run)
    if not others:
        return ""
    path = sanitize(str(runs[first].path), _LONGEST_PATH)
    other = sanitize(str(runs[min(others)].path), _LONGEST_PATH)
    whose = sanitize_name(runs[first].name, _LONGEST_RUN)
    remark = f"{len(others)} of {len(runs)} runs asked other questions than {whose}"
    return f"{remark}: llmarith compare --unpaired {path} {other}"


# --- the tables of runs ---------------------------------------------------------------


def tables_section(summary: RunSummary, width: int) -> list[str]:
    """All tables of a run."""
    detail = Detail(all_tables=True)
    tables = _tables(results_of(summary), summary, detail, in_document=False)
    return section(tables, width)


def _tables(
    rows: Sequence[Here],
    only: RunSummary | None,
    detail: Detail,
    *,
    in_document: bool,
) -> list[Table]:
    """The tables with content: the selected ones or, of a single run, all;
    `in_document` also what the screen has.
    """
    if not any(row.measured for row in rows):
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
