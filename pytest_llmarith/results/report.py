"""The output of `llmarith report` (selection, order and format), and the tables at the end of a run."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain
from typing import Any, Literal, NamedTuple

from pytest_llmarith.records import Record, RunSummary, as_dict
from pytest_llmarith.results.cell_tables import error_classes, tables_of
from pytest_llmarith.results.completeness import missing_cells
from pytest_llmarith.results.export import Destination, files_of, result_lines
from pytest_llmarith.results.files import UsageError, check_target, encode, unwritable
from pytest_llmarith.results.formatting import dollars, prompt_and_completion, sanitize, sanitize_name
from pytest_llmarith.results.keys import differing, parameters_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.run_status import run_lines, wrong_trials
from pytest_llmarith.results.run_tables import ResultOfRun, effects, overview, repeats, spending
from pytest_llmarith.results.tables import Column, Row, Table, as_markdown, as_text, code
from pytest_llmarith.types import Outcome

Format = Literal["terminal", "markdown", "json", "csv", "html"]

_LONGEST_NAME = 60
_LONGEST_RUN = 100
_MOST_NAMED = 20
_MOST_WRONG = 100  # of each outcome


@dataclass(frozen=True, slots=True)
class Selection:
    """Which trials are counted. Names may contain `*`; a limit on depth excludes trials without a depth."""

    models: Sequence[str] = ()
    tasks: Sequence[str] = ()
    min_depth: int | None = None
    max_depth: int | None = None

    def __post_init__(self) -> None:
        """Raises UsageError if the limits exclude every depth."""
        if self.min_depth and self.max_depth and self.min_depth > self.max_depth:
            limits = f"--min-depth={self.min_depth} --max-depth={self.max_depth}"
            raise UsageError(f"{limits}: no depth is in this range; swap the two numbers")

    def __bool__(self) -> bool:
        """Whether trials may be excluded."""
        return bool(self.models or self.tasks or self.min_depth or self.max_depth)

    def __call__(self, record: Record) -> bool:
        """Whether a trial is counted."""
        for name, patterns in ((record.model, self.models), (record.task, self.tasks)):
            if patterns and not any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns):
                return False
        if not self.min_depth and not self.max_depth:
            return True
        depth = getattr(record.problem, "depth", None)
        return depth is not None and (self.min_depth or 0) <= depth <= (self.max_depth or depth)

    def __str__(self) -> str:
        """As on the command line, such as `--task=arithmetic --min-depth=5`."""
        options = [
            *(f"--model={name}" for name in self.models),
            *(f"--task={name}" for name in self.tasks),
            *[f"--min-depth={self.min_depth}"] * bool(self.min_depth),
            *[f"--max-depth={self.max_depth}"] * bool(self.max_depth),
        ]
        return " ".join(sanitize_name(option, _LONGEST_NAME) for option in options)

    def check(self, runs: Sequence[LoadedRun]) -> None:
        """Raises UsageError, which lists the models and tasks, if no trial is counted."""
        if not self or any([run.summary().results for run in runs]):
            return
        listed = []
        for part in (0, 1):
            names = sorted({pair[part] for run in runs for pair in run.seen})
            shown = [sanitize_name(name, _LONGEST_NAME) for name in names[:_MOST_NAMED]]
            listed.append(", ".join(shown) + ", ..." * (len(names) > _MOST_NAMED))
        raise UsageError(f"no trial of {self}; the runs have models {listed[0]} and tasks {listed[1]}")


# --- order -----------------------------------------------------------------------------------------------------------


def _percent(outcome: Outcome, row: ResultOfRun) -> float | None:
    percentage = row.result.percentages[outcome]
    return percentage.percent if percentage else None


_WORDS = ("run", "model", "task", "date")
_PERCENTAGES = (Outcome.CORRECT, Outcome.NAN, Outcome.DEVIATE, Outcome.CHEAT)
_COLUMNS: dict[str, Callable[[ResultOfRun], Any]] = {
    "run": lambda row: row.run.casefold(),
    "model": lambda row: row.result.model.casefold(),
    "task": lambda row: row.result.task.casefold(),
    "date": lambda row: row.result.date,
    "trials": lambda row: row.result.measured,
    "unanswered": lambda row: row.result.outcomes.unanswered,
    **{str(outcome): partial(_percent, outcome) for outcome in _PERCENTAGES},
    "cost": lambda row: row.result.cost_usd,
    "tokens": lambda row: prompt_and_completion(row.result.tokens),
    "latency": lambda row: row.result.median_latency_s,
    "error": lambda row: row.result.median_relative_error and Decimal(row.result.median_relative_error),
}


class Order(NamedTuple):
    """Sorts results by a column: words from a to z, figures from the largest, both reversed if `reverse`.

    The sort is stable, and unknown values come last. By a percentage, results that lack cells of others come after
    those that have all of them.
    """

    column: str
    reverse: bool

    def of(self, rows: Sequence[ResultOfRun]) -> list[ResultOfRun]:
        """The results in this order."""
        key, reverse = _COLUMNS[self.column], self.reverse != (self.column not in _WORDS)
        known = sorted((row for row in rows if key(row) is not None), key=key, reverse=reverse)
        ordered = [*known, *(row for row in rows if key(row) is None)]
        return sorted(ordered, key=lambda row: self.column in _PERCENTAGES and bool(row.missing))


def parse_order(text: str) -> Order:
    """Parse `[-]COLUMN`. Raises UsageError if there is no such column."""
    column = text.strip().removeprefix("-")
    if column not in _COLUMNS:
        named = sanitize(text, _LONGEST_NAME)
        columns = ", ".join(_COLUMNS)
        raise UsageError(f"--sort={named}: not a column; write one of {columns}, or -run to reverse the order")
    return Order(column, text.strip().startswith("-"))


# --- the report ------------------------------------------------------------------------------------------------------


def report(
    runs: Sequence[LoadedRun],
    form: Format,
    destination: Destination,
    width: int,
    selection: Selection,
    order: Order | None = None,
) -> None:
    """Write the report of runs. Raises UsageError if a run cannot be read, or if there is nothing to show."""
    if destination.spreadsheet and form != "csv":
        raise UsageError(f"--spreadsheet: --format={form} is not CSV; remove --spreadsheet, or write --format=csv")
    runs = [run.filtered(selection) for run in runs] if selection else runs
    if form == "html":
        _write_page(runs, selection, destination)
    else:
        selection.check(runs)
        summaries = [run.summary() for run in runs]
        rows = _results(runs, summaries)
        rows = order.of(rows) if order else rows
        if form == "json":
            text = encode([as_dict(summary) for summary in summaries], indent=2).decode("ascii")
            lines: Iterable[str] = [f"{text}\n"]
        elif form == "csv":
            lines = result_lines(rows, spreadsheet=destination.for_spreadsheet)
        else:
            first = _first_lines(runs, summaries, selection, width)
            only = summaries[0] if len(runs) == 1 else None
            rows = [ResultOfRun(row.result, missing=row.missing) for row in rows] if only else rows
            tables = _tables(rows, only)
            if form == "markdown":
                tables += _wrong(runs[0].records()) if only else []
                shown = _markdown(runs[0].name if only else f"{len(runs):,} runs", first, tables)
            else:
                shown = chain(first, _text(tables, width))
            lines = (f"{line}\n" for line in shown)
        destination.write(lines, runs)


def _write_page(runs: Sequence[LoadedRun], selection: Selection, destination: Destination) -> None:
    from pytest_llmarith.results.page import PageRun, write_page  # imports Jinja2

    if (page := destination.file) is None:
        raise UsageError("--format=html: the page is written to a file; add --output=report.html")
    check_target("--output", page, files_of(runs), force=destination.force)
    selection.check(runs)
    try:
        write_page([PageRun(run.name, run.summary(), run.records(), run.asked(), run.unfinished) for run in runs], page)
    except OSError as error:
        raise unwritable("--output", page, error) from error


def _results(runs: Sequence[LoadedRun], summaries: Sequence[RunSummary]) -> list[ResultOfRun]:
    pairs = [(run, summary, result) for run, summary in zip(runs, summaries, strict=True) for result in summary.results]
    parameters = differing([(result.model, parameters_of(summary.run, result.model)) for _, summary, result in pairs])
    missing = missing_cells([result for _, _, result in pairs])
    return [
        ResultOfRun(result, run.name, differs, run.unfinished, lacks)
        for (run, _, result), differs, lacks in zip(pairs, parameters, missing, strict=True)
    ]


def _first_lines(
    runs: Sequence[LoadedRun], summaries: Sequence[RunSummary], selection: Selection, width: int
) -> list[str]:
    """For one complete run the status lines, for everything else how many trials are answered."""
    if len(runs) == 1 and runs[0].facts and not selection:
        return run_lines(summaries[0], width)
    answered, unanswered = (sum(getattr(summary, name) for summary in summaries) for name in ("answered", "unanswered"))
    whose = sanitize_name(runs[0].name, _LONGEST_RUN) if len(runs) == 1 else f"{len(runs):,} runs"
    counts = f"{whose}: {answered:,} answered" + f", {unanswered:,} unanswered" * bool(unanswered)
    unfinished = runs[0].unfinished if len(runs) == 1 else ""
    return [counts, *filter(None, (unfinished, f"only {selection}" * bool(selection)))]


# --- the tables of runs ----------------------------------------------------------------------------------------------


def tables_section(summary: RunSummary, width: int) -> list[str]:
    """All tables of a run."""
    rows = [ResultOfRun(result) for result in summary.results]
    return [*_text(_tables(rows, summary), width)]


def _tables(rows: Sequence[ResultOfRun], only: RunSummary | None) -> list[Table]:
    """The overview, and for a single run all tables with content; none if it measured nothing."""
    results = [row.result for row in rows]
    if not rows or (only and not any(result.measured for result in results)):
        return []
    if not only:
        return [overview(rows)]
    tables = [overview(rows), effects(only.effects, only.same_words), repeats(results), spending(results)]
    legends: set[str] = set()
    for table in (table for result in results for table in tables_of(result)):
        tables.append(table._replace(legend="") if table.legend in legends else table)
        legends.add(table.legend)
    return [table for table in (*tables, error_classes(results)) if table.rows or table.notes]


def _text(tables: Iterable[Table], width: int) -> Iterator[str]:
    return (line for table in tables for line in ("", *as_text(table, width)))


def _markdown(title: str, first: Sequence[str], tables: Sequence[Table]) -> Iterator[str]:
    """The first table in full, the others in collapsed sections."""
    yield from (f"## {code(title)}", "", *(f"- {code(line)}" for line in first), "")
    for table in tables[:1]:
        yield from as_markdown(table)
    for table in tables[1:]:
        yield f"<details><summary>{html.escape(table.title)}</summary>"
        yield from ("", *as_markdown(table), "</details>", "")


def _wrong(records: Iterable[Record]) -> list[Table]:
    """The trials that are not correct, for the summary of a CI job."""
    trials, left_out = wrong_trials(records, _MOST_WRONG)
    columns = [*(Column(header, is_name=True) for header in ("item", "outcome", "reason")), Column("cost", dollars)]
    rows = [Row([one.item.rpartition("::")[2], one.outcome, one.why, one.cost_usd]) for one in trials]
    notes = [f"and {count:,} {outcome} more" for outcome, count in left_out.items()]
    return [Table("trials that are not correct", columns, rows, notes=notes)] if rows else []
