"""The tables of runs: a row per result, and what is behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pytest_llmarith.figures.contrasts import Compared
from pytest_llmarith.report.completeness import bounded, incomplete, truncated
from pytest_llmarith.report.data_tables import effects_of
from pytest_llmarith.report.definitions.difference_fields import EFFECTS
from pytest_llmarith.report.definitions.reply_fields import (
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
    error_items,
    threshold_items,
)
from pytest_llmarith.report.definitions.score_fields import (
    SCORES,
    score_items,
    score_legend,
    score_notes,
)
from pytest_llmarith.results.keys import USUAL_NAME
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.types import ErrorClass
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.fields import model_of
from pytest_llmarith.views.formatting import counted, sanitize_reasons
from pytest_llmarith.views.places import LONGEST_LABEL, Here
from pytest_llmarith.views.table import Column, Level, Row, Shown, Table, pivot

_WHOSE = ("model", "task")


# --- a row per result -----------------------------------------------------------------


def overview(rows: Sequence[Here], level: Level = Level.FULL) -> Table:
    """Correct answers, cost and errors of each result; the brief one is that of a
    document.
    """
    table = OVERVIEW.table(rows, level, note=lambda row: list(_notes(row, level)))
    return replace(table, legend=INTERVALS)


def _notes(row: Here, level: Level) -> Iterator[str]:
    """What has to be known of a result; the brief note leaves out its run, and the
    reasons and roundings.
    """
    if row.run and level >= Level.FULL:
        yield sanitize_name(row.run, LONGEST_LABEL)
    yield from notes_of(row, details=level >= Level.FULL)
    repeats = row.get("repeats")
    if repeats:
        problems = counted(repeats.n or 0, "problem")
        yield f"{problems}, asked {repeats.value} times each"


def notes_of(row: Here, *, details: bool = True) -> Iterator[str]:
    """What has to be known of a result; with `details` also reasons and roundings."""
    for note in (
        row.unfinished,
        incomplete(row),
        row.missing,
        bounded(row),
        truncated(row),
    ):
        if note:
            yield note
    reasons = row.by_name("nan_reason")
    if details and reasons:
        yield f"nan: {sanitize_reasons(reasons)}"
    rounded, unpriced = row.number("rounded"), row.number("unpriced")
    if details and rounded:
        yield f"deviate: {rounded:,} rounded"
    if unpriced and row.get("cost_usd", "sum"):
        yield f"{unpriced:,} unpriced"


def effects(summary: RunSummary) -> Table:
    """The effects of conditions, and how many problems were left out because both
    prompts are the same.
    """
    found = summary.contrasts("condition")
    notes = [_left_out(one) for one in found if one.get("same_prompts")]
    table = EFFECTS.table(effects_of(summary), Level.FULL, notes=notes)
    if any(one.questions and one.difference.low is None for one in found):
        table = replace(table, legend=formatting.NO_INTERVAL)
    return table


def _left_out(one: Compared) -> str:
    condition = one.place.condition or USUAL_NAME
    if one.beside != USUAL_NAME:
        condition += f" beside {one.beside}"
    condition = sanitize_name(condition, LONGEST_LABEL)
    whose = sanitize_name(f"{one.place.model}, {one.place.task}", LONGEST_LABEL)
    problems = counted(one.value("same_prompts"), "problem")
    return f"{condition} ({whose}): {problems} with the same prompt, left out"


def repeats(rows: Sequence[Here]) -> Table:
    """The agreement of repeats, for results with repeats."""
    return REPEATS.table(repeat_items(rows))


def spending(rows: Sequence[Here]) -> Table:
    """Cost, time and tokens of replies, for results in which any of these is known."""
    return REPLIES.table(reply_items(rows))


def thresholds(rows: Sequence[Here]) -> Table:
    """D50 by model and variant."""
    items = threshold_items(rows)
    order = {row.label: place for place, row in enumerate(rows)}
    table = pivot(THRESHOLDS.table(items), ["model"], "variant", "d50")
    table.rows.sort(key=lambda row: order[row.values[0].label])
    return table


def scores(rows: Sequence[Here]) -> Table:
    """Scores by variant and name, and notes below them."""
    items = score_items(rows)
    notes = list(score_notes(rows))
    table = SCORES.table(items, Level.FULL, notes=notes).without("unsolved", "cheats")
    return replace(table, legend=score_legend(rows))


# --- the tables of one result ---------------------------------------------------------


def tables_of(row: Here, *, only_cells: bool = False) -> Iterator[Table]:
    """The tables of a result, depending on its task; with `only_cells` that of variants
    and depths.
    """
    model = kinds.MODEL.shown(model_of(row))
    whose = model.as_name(sanitize_name(model.text, LONGEST_LABEL))
    whose += f", {sanitize_name(row.task, LONGEST_LABEL)}"
    if row.grid:
        yield replace(_by_depth(row), whose=whose)
    if only_cells:
        return
    if row.series:
        table = VARIANTS.table(row.series, Level.FULL)
        yield replace(table.without(*_WHOSE), whose=whose)
    if row.depths:
        yield replace(_without_variants(row), whose=whose)
    if row.scored:
        yield replace(scores([row]).without(*_WHOSE), whose=whose)


def _by_depth(row: Here) -> Table:
    """Rows are variants, columns depths; the last row and column are of all together.

    The title has the most frequent size of a cell, other cells name theirs.
    """
    depths = row.grid_depths
    columns = _columns("variant", [*map(str, depths), "all %"])
    rows = []
    for one in row.series:
        parts = [kinds.PART.shown(part) for part in parts_of(one, depths)]
        rows.append(Row([one.variant, *parts, kinds.PERCENT.shown(one.correct)]))
    totals = []
    for place in [*(row._replace(depth=depth) for depth in depths), row]:
        totals.append(kinds.PERCENT.shown(place.correct))
    rows.append(Row(["all %", *totals]))
    title = f"correct of {row.usual_size} by variant and depth"
    return Table("cells", title, columns, rows)


def parts_of(variant: Here, depths: Iterable[int]) -> list[kinds.PartOf | None]:
    """The correct answers of a variant by depth; None for a cell without a reply."""
    usual = variant.usual_size
    parts: list[kinds.PartOf | None] = []
    for depth in depths:
        cell = variant._replace(depth=depth)
        part = None
        if cell.measured:
            part = kinds.PartOf(cell.number("correct"), cell.measured, usual)
        parts.append(part)
    return parts


def _columns(key: str, titles: Iterable[str]) -> list[Column[Any]]:
    """A column of names, and columns of figures by depth, laid out already."""
    columns: list[Column[Any]] = [Column(key, "depth", kinds.NAME)]
    for one in titles:
        columns.append(Column(one, one, kinds.SHOWN))
    return columns


def _without_variants(row: Here) -> Table:
    """Rows are outcomes, columns depths."""
    cells = row.depths
    names = ["correct", "deviate", "nan"]
    if any(cell.number("unanswered") for cell in cells):
        names.append("unanswered")
    rows = []
    for name in names:
        counts = [Shown(str(cell.number(name) or ".")) for cell in cells]
        rows.append(Row([name, *counts]))
    seconds = []
    for cell in cells:
        median = cell.value("latency_s", "median")
        seconds.append(None if median is None else kinds.SECONDS.shown(median))
    rows.append(Row(["median s", *seconds]))
    columns = _columns("outcome", [str(cell.depth) for cell in cells])
    return Table("lengths", "by depth", columns, rows)


# --- errors ---------------------------------------------------------------------------


def error_classes(rows: Sequence[Here]) -> Table:
    """How answers deviate: rows are error classes, columns are results with deviates or
    with right answers in words.
    """
    shown = [row for row in rows if _deviates(row)]
    table = ERRORS.table(error_items(shown))
    columns: list[Column[Any]] = [Column("error_class", "class", kinds.NAME)]
    for number, row in enumerate(shown):
        model = model_of(row)
        lines = [*row.label.split(", "), row.task, *model.marks]
        title = "\n".join(sanitize_name(line, LONGEST_LABEL) for line in lines)
        columns.append(Column(str(number), title, kinds.SHOWN, is_named=True))
    table_rows = list(_shares(shown))
    if shown:
        table_rows += _right(shown)
    return replace(
        table,
        columns=columns,
        rows=table_rows,
        legend="in % of all deviates. right: in % of all trials, in any words; bare: "
        "with nothing but the number",
    )


def _deviates(row: Here) -> bool:
    """Whether it has deviates, or answers that are right in words only."""
    if not row.has_numbers:
        return False
    differ = row.number("tolerant_correct") != row.number("strict_correct")
    return differ or bool(row.by_name("error_class"))


def _shares(rows: Sequence[Here]) -> Iterator[Row]:
    """The share of each error class that occurs, in the order of the classes."""
    counts = [row.by_name("error_class") for row in rows]
    for name in ErrorClass:
        values = []
        for row, classes in zip(rows, counts, strict=True):
            shown = Shown(".")
            if name in classes:
                shown = kinds.PERCENT.shown(row.get("error_class_percentage", name))
            values.append(shown)
        if any(name in classes for classes in counts):
            yield Row([str(name), *values])


def _right(rows: Sequence[Here]) -> Iterator[Row]:
    """How many deviate, and how many are right by either reading."""
    deviates = []
    for row in rows:
        deviates.append(Shown(f"{sum(row.by_name('error_class').values()):,}"))
    yield Row(["deviates", *deviates])
    for title, key in (
        ("right", "tolerant_correct"),
        ("right, bare", "strict_correct"),
    ):
        shares = [formatting.share(row.number(key), row.measured) for row in rows]
        yield Row([title, *map(Shown, shares)])
