"""The tables of runs: a row per result, and what is behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pytest_llmarith.report import formatting, kinds
from pytest_llmarith.report.completeness import bounded, incomplete, truncated
from pytest_llmarith.report.definitions import differences as of_differences
from pytest_llmarith.report.definitions.differences import EFFECTS
from pytest_llmarith.report.definitions.replies import (
    REPEATS,
    REPLIES,
    repeat_items,
    reply_items,
)
from pytest_llmarith.report.definitions.results import (
    ERRORS,
    INTERVALS,
    OVERVIEW,
    THRESHOLDS,
    VARIANTS,
    Of,
    correct_of,
    error_items,
    model_of,
    overview_items,
    threshold_items,
    variant_items,
)
from pytest_llmarith.report.definitions.scores import (
    SCORES,
    score_items,
    score_legend,
    score_notes,
)
from pytest_llmarith.report.depths import usual_size
from pytest_llmarith.report.formatting import sanitize_reasons
from pytest_llmarith.report.series import LONGEST_LABEL, ResultOfRun
from pytest_llmarith.report.table import Column, Kind, Level, Row, Shown, Table, pivot
from pytest_llmarith.results.keys import condition_name, label_of
from pytest_llmarith.results.percentages import correct_percentage
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.summaries import Percentage, Result, RunSummary, SameWords
from pytest_llmarith.types import ErrorClass

_WHOSE = ("run", "model", "task", "condition")


# --- a row per result -----------------------------------------------------------------


def overview(rows: Sequence[ResultOfRun], level: Level = Level.FULL) -> Table:
    """Correct answers, cost and errors of each result; the brief one is that of a
    document.
    """
    notes = {id(row): note_of(row, level) for row in rows}
    table = OVERVIEW.table(
        overview_items(rows), level, note=lambda item: notes[id(item.row)]
    )
    return replace(table, legend=INTERVALS)


def note_of(row: ResultOfRun, level: Level = Level.FULL) -> str:
    """What has to be known of a result; the brief note leaves out its run, and the
    reasons and roundings.
    """
    notes = list(notes_of(row, details=level >= Level.FULL))
    if row.run and level >= Level.FULL:
        notes.insert(0, sanitize_name(row.run, LONGEST_LABEL))
    repeats = row.result.repeats
    if repeats:
        problems = f"{repeats.problems} problem{'s' if repeats.problems != 1 else ''}"
        notes.append(f"{problems}, asked {repeats.k} times each")
    return "; ".join(notes)


def notes_of(row: ResultOfRun, *, details: bool = True) -> Iterator[str]:
    """What has to be known of a result; with `details` also reasons and roundings."""
    result = row.result
    notes = [
        row.unfinished,
        incomplete(result),
        row.missing,
        bounded(result),
        truncated(result),
    ]
    if details and result.nan_reasons:
        notes.append(f"nan: {sanitize_reasons(result.nan_reasons)}")
    if details and result.rounded:
        notes.append(f"deviate: {result.rounded:,} rounded")
    notes.append(formatting.unpriced(result))
    return filter(None, notes)


def effects(summary: RunSummary) -> Table:
    """The effects of conditions, and how many problems were left out because both
    prompts are the same.
    """
    simulated = {result.model: result.simulated for result in summary.results}
    items = []
    for one in summary.effects:
        marks = ("simulated",) if simulated.get(one.model) else ()
        model = kinds.Model(one.model, one.model, marks)
        items.append(of_differences.Side(model, "", one.task, one))
    notes = [_left_out(one) for one in summary.same_words]
    table = EFFECTS.table(items, Level.FULL, notes=notes)
    if any(one.difference.low is None for one in summary.effects):
        table = replace(table, legend=formatting.NO_INTERVAL)
    return table


def _left_out(alike: SameWords) -> str:
    condition = condition_name(alike.condition)
    if alike.beside:
        condition += f" beside {label_of(alike.beside)}"
    condition = sanitize_name(condition, LONGEST_LABEL)
    whose = sanitize_name(f"{alike.model}, {alike.task}", LONGEST_LABEL)
    problems = f"{alike.problems:,} problem{'s' if alike.problems != 1 else ''}"
    return f"{condition} ({whose}): {problems} with the same prompt, left out"


def repeats(rows: Sequence[ResultOfRun]) -> Table:
    """The agreement of repeats, for results with repeats."""
    return REPEATS.table(repeat_items(rows))


def spending(rows: Sequence[ResultOfRun]) -> Table:
    """Cost, time and tokens of replies, for results in which any of these is known."""
    return REPLIES.table(reply_items(rows))


def thresholds(rows: Sequence[ResultOfRun]) -> Table:
    """D50 by model and variant."""
    items = threshold_items(rows)
    order = {row.label: place for place, row in enumerate(rows)}
    table = pivot(THRESHOLDS.table(items), ["model"], "variant", "d50")
    lines = sorted(table.rows, key=lambda row: order[row.values[0].label])
    return replace(table, rows=lines)


def scores(rows: Sequence[ResultOfRun]) -> Table:
    """Scores by variant and name, and notes below them."""
    items = score_items(rows)
    notes = list(score_notes(rows))
    table = SCORES.table(items, Level.FULL, notes=notes).without("unsolved", "cheats")
    return replace(table, legend=score_legend(rows))


# --- the tables of one result ---------------------------------------------------------


def tables_of(row: ResultOfRun, *, only_cells: bool = False) -> Iterator[Table]:
    """The tables of a result, depending on its task; with `only_cells` that of variants
    and depths.
    """
    result = row.result
    model = model_of(row)
    whose = sanitize_name(model.label, LONGEST_LABEL)
    if model.marks:
        whose += f" ({', '.join(model.marks)})"
    whose += f", {sanitize_name(result.task, LONGEST_LABEL)}"
    if result.grid:
        yield replace(_by_depth(row), whose=whose)
    if only_cells:
        return
    if result.series:
        table = VARIANTS.table(variant_items([row]), Level.FULL)
        yield replace(table.without(*_WHOSE), whose=whose)
    if result.depths:
        yield replace(_without_variants(result), whose=whose)
    if result.scored:
        yield replace(scores([row]).without(*_WHOSE), whose=whose)


class _Total:
    """Correct answers of a cell as a count, and of several cells as a percentage."""

    def __init__(self, shown: Shown) -> None:
        self.shown = shown


_TOTAL: Kind[_Total] = Kind({"": "string"}, lambda v: v.shown, lambda v: [v.shown.text])


def _cell(title: str) -> Column[_Total]:
    return Column(title, title, _TOTAL, "correct answers", lambda one: None)


def _percent(found: Percentage | None) -> _Total:
    return _Total(kinds.PERCENT.shown(found))


def _by_depth(row: ResultOfRun) -> Table:
    """Rows are variants, columns depths; the last row and column are of all together.

    The title has the most frequent size of a cell, other cells name theirs.
    """
    result = row.result
    usual = usual_size(result)
    depths = sorted({cell.depth for cell in result.grid})
    cells = {(cell.variant, cell.depth): cell for cell in result.grid}
    name: Column[Any] = Column("variant", "depth", kinds.NAME, "", lambda one: None)
    columns: list[Column[Any]] = [
        name,
        *(_cell(str(depth)) for depth in depths),
        _cell("all %"),
    ]
    rows = []
    for variant in result.series:
        values: list[Any] = [variant.variant]
        for depth in depths:
            cell = cells.get((variant.variant, depth))
            if cell is None or not cell.measured:
                values.append(None)
                continue
            part = kinds.Part(cell.correct, cell.measured, usual)
            values.append(_Total(kinds.PART.shown(part)))
        rows.append(Row([*values, _percent(variant.correct_percentage)]))
    totals = [
        _percent(correct_percentage([one for one in result.grid if one.depth == depth]))
        for depth in depths
    ]
    rows.append(Row(["all %", *totals, _percent(correct_of(result))]))
    return Table("cells", f"correct of {usual} by variant and depth", columns, rows)


def _without_variants(result: Result) -> Table:
    """Rows are outcomes, columns depths."""
    names = ["correct", "deviate", "nan"]
    if any(one.unanswered for one in result.depths):
        names.append("unanswered")
    rows = [
        Row([name, *(_Total(Shown(_count(one, name))) for one in result.depths)])
        for name in names
    ]
    latencies = [one.spending["latency_s"] for one in result.depths]
    seconds = [one and _Total(kinds.SECONDS.shown(one.median)) for one in latencies]
    rows.append(Row(["median s", *seconds]))
    name: Column[Any] = Column("outcome", "depth", kinds.NAME, "", lambda one: None)
    columns: list[Column[Any]] = [
        name,
        *(_cell(str(one.depth)) for one in result.depths),
    ]
    return Table("lengths", "by depth", columns, rows)


def _count(one: Any, name: str) -> str:
    count = getattr(one, name)
    return str(count) if count else "."


# --- errors ---------------------------------------------------------------------------


def error_classes(rows: Sequence[ResultOfRun]) -> Table:
    """How answers deviate: rows are error classes, columns are results with deviates or
    with right answers in words.
    """
    shown = [row for row in rows if _deviates(row.result)]
    table = ERRORS.table(error_items(shown))
    head: Column[str] = Column("error_class", "class", kinds.NAME, "", lambda one: None)
    columns: list[Column[Any]] = [head]
    for number, row in enumerate(shown):
        model = model_of(row)
        lines = [*row.label.split(", "), row.result.task, *model.marks]
        title = "\n".join(sanitize_name(line, LONGEST_LABEL) for line in lines)
        columns.append(replace(_cell(title), key=str(number), is_named=True))
    items = error_items(shown)
    order = [str(item.one.error_class) for item in _in_order(items)]
    lines_of: dict[str, list[Any]] = {name: [name] for name in order}
    for row in shown:
        mine = {str(item.one.error_class): item.one for item in error_items([row])}
        for name, line in lines_of.items():
            one = mine.get(name)
            line.append(_percent(one.percentage) if one else _Total(Shown(".")))
    table_rows = [Row(line) for line in lines_of.values()]
    if shown:
        table_rows += _right(shown)
    return replace(
        table,
        columns=columns,
        rows=table_rows,
        legend="in % of all deviates. right: in % of all trials, in any words; bare: "
        "with nothing but the number",
    )


def _deviates(result: Result) -> bool:
    """Whether it has deviates, or answers that are right in words only."""
    found = result.errors
    if not found:
        return False
    differ = len({*found.strict.values()}) > 1
    return differ or any(one.count for one in found.classes)


def _in_order(items: Iterable[Of]) -> list[Of]:
    """One item of each error class, in the order of the classes."""
    found = {item.one.error_class: item for item in items}
    return [found[name] for name in ErrorClass if name in found]


def _right(rows: Sequence[ResultOfRun]) -> Iterator[Row]:
    """How many deviate, and how many are right by either reading."""
    found = [(row.result, row.result.errors) for row in rows]
    totals = [(result, errors) for result, errors in found if errors]
    counts = [sum(one.count for one in errors.classes) for _, errors in totals]
    right = [
        (errors.strict["tolerant_correct"], one.measured) for one, errors in totals
    ]
    bare = [(errors.strict["strict_correct"], one.measured) for one, errors in totals]
    yield Row(["deviates", *(_Total(Shown(f"{count:,}")) for count in counts)])
    yield Row(["right", *(_Total(Shown(formatting.share(*one))) for one in right)])
    yield Row(["right, bare", *(_Total(Shown(formatting.share(*one))) for one in bare)])
