"""The output of `llmarith report`, and the tables at the end of a run."""

from __future__ import annotations

import html
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from pytest_llmarith.records import FORMAT, as_dict
from pytest_llmarith.report.definitions.reply_fields import WRONG_TRIALS
from pytest_llmarith.report.export import Destination, csv_lines, estimate_rows
from pytest_llmarith.report.page import page_of
from pytest_llmarith.report.page.trials import MOST_TRIALS
from pytest_llmarith.report.render.documents import as_latex, as_markdown, code
from pytest_llmarith.report.render.terminal import coloured, together
from pytest_llmarith.report.run_status import (
    alarms,
    run_lines,
    wrapped,
    wrong_trials,
)
from pytest_llmarith.report.sections import (
    Results,
    overview,
    sections,
    tables_of_tasks,
)
from pytest_llmarith.report.selection import Detail, Format, Order, Selection
from pytest_llmarith.report.series import (
    PageRun,
    Series,
    results_of,
    results_of_runs,
    series_of,
)
from pytest_llmarith.results.load import UNFINISHED, LoadedRun
from pytest_llmarith.results.run_files import UsageError, encode
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.summaries import RunSummary, described
from pytest_llmarith.views.table import Level, Table

_LONGEST_RUN = 100
_LONGEST_PATH = 1_000
_PACKAGES = "% needs \\usepackage{booktabs}"
_MOST_WRONG = 100  # of each outcome
_UNLIMITED = 10_000


@dataclass(frozen=True)
class _Shown:
    """What a report shows of runs."""

    runs: Sequence[LoadedRun]
    pages: Sequence[PageRun]
    series: Sequence[Series]
    results: Results
    selection: Selection
    detail: Detail

    @property
    def title(self) -> str:
        if self.results.run:
            return self.runs[0].name
        return f"{len(self.runs):,} runs"

    @property
    def tables(self) -> list[Table]:
        """Those of a document."""
        if self.detail.only_own:
            return tables_of_tasks(self.results, self.detail.level)
        found = sections(self.results, self.detail.level)
        return [table for one in found for table in one.tables]


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
        # The differences within one run are in its summary.
        asked = run.asked() if form == "html" and len(runs) > 1 else ()
        records = run.records(MOST_TRIALS if form == "html" else None)
        pages.append(PageRun(run.name, run.summary(), records, asked, run.unfinished))
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
    only = pages[0].summary if len(pages) == 1 else None
    differences = only.contrasts("model") if only else []
    results = Results(rows, differences, only)
    shown = _Shown(runs, pages, series, results, selection, detail)
    if form == "csv":
        found = estimate_rows(pages, rows, detail.measures)
        lines = csv_lines(found, spreadsheet=destination.for_spreadsheet)
        destination.write(lines, runs)
        return
    if form == "json":
        text = [_json(shown)]
    elif form == "latex":
        text = list(_latex(shown, width))
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


# --- formats --------------------------------------------------------------------------


def _json(shown: _Shown) -> str:
    """All estimates, what their measures are, and remarks."""
    found = estimate_rows(shown.pages, shown.results.rows, shown.detail.measures)
    estimates = list(found)
    results = [row.result for row in shown.results.rows]
    measures = described((str(row["measure"]) for row in estimates), results)
    whole = {
        "format": FORMAT,
        "measures": as_dict(measures),
        "estimates": estimates,
        "notes": _first_lines(shown, _UNLIMITED),
    }
    return encode(whole, indent=2).decode("ascii")


def _screen(shown: _Shown, width: int) -> list[str]:
    lines = _first_lines(shown, width)
    other = _compared_elsewhere(shown)
    lines += wrap(other, width, break_long_words=False, break_on_hyphens=False)
    if shown.detail.only_own:
        return lines + together(shown.tables, width)
    return lines + results_screen(shown.results, width, shown.detail.level)


def _latex(shown: _Shown, width: int) -> Iterator[str]:
    for line in _remarks(shown, width):
        yield f"% {line}"
    yield _PACKAGES
    only = f"Only {shown.selection}" if shown.selection else ""
    yield from as_latex(shown.tables, only)


def _markdown(shown: _Shown, width: int) -> Iterator[str]:
    """The first table in full, the others in sections that can be collapsed."""
    yield f"## {code(shown.title)}"
    yield ""
    for line in _remarks(shown, width):
        yield f"- {code(line)}"
    yield ""
    tables = shown.tables
    if shown.results.run and shown.detail.all_tables:
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


# --- the end of a run -----------------------------------------------------------------


def screen(
    summary: RunSummary,
    width: int,
    level: Level = Level.BRIEF,
    *,
    only_head: bool = False,
) -> list[str]:
    """The results of a run in lines of at most `width` characters; with `only_head` one
    row per model and task.
    """
    results = Results(results_of(summary), summary.contrasts("model"), summary)
    return results_screen(results, width, level, only_head=only_head)


def results_screen(
    results: Results, width: int, level: Level, *, only_head: bool = False
) -> list[str]:
    """The same for any results: the last lines are the answer."""
    found = sections(results, level)
    if not found:
        return []
    tables = [] if level is Level.BRIEF else found[0].tables
    for section in reversed(found[1:]):
        tables += section.tables
    head = replace(overview(results.rows, Level.BRIEF), title="")
    tables = [head] if only_head else [*tables, head]
    return together([table.folded() for table in tables], width)


# --- remarks --------------------------------------------------------------------------


def _remarks(shown: _Shown, width: int) -> list[str]:
    """The lines above the tables of a document."""
    lines = _first_lines(shown, width)
    other = _compared_elsewhere(shown)
    if other:
        lines.append(other)
    return lines


def _first_lines(shown: _Shown, width: int) -> list[str]:
    """For one complete run the status lines, for everything else how many trials are
    answered.
    """
    runs, only = shown.runs, shown.results.run
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
    left_out = sorted({key for run in runs for key in run.left_out})
    if left_out:
        names = [sanitize_name(key, _LONGEST_RUN) for key in left_out]
        lines.append(f"left out, as only their task counts them: {', '.join(names)}")
    for one in shown.pages:
        more = alarms(one.summary)
        lines += wrapped(more, width)
    return lines


def _compared_elsewhere(shown: _Shown) -> str:
    """The remark about several runs, whose answers are not compared; else empty."""
    if shown.results.run:
        return ""
    paths = [str(run.path) for run in shown.runs[:2]]
    first, second = (
        [result.model for result in page.summary.results] for page in shown.pages[:2]
    )
    command = ["llmarith", "compare", *paths]
    if first and second and not set(first) & set(second):
        command.append(f"--model={first[0]}:{second[0]}")
    words = (sanitize(shlex.quote(word), _LONGEST_PATH) for word in command)
    return f"question by question: {' '.join(words)}"
