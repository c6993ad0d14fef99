"""The tables of runs: a row per result, and what is behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pytest_llmarith.report import formatting, kinds
from pytest_llmarith.report.completeness import bounded, incomplete, truncated
from pytest_llmarith.report.data_tables import effects_of
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
    classes_of,
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
from pytest_llmarith.report.depths import grid_depths, grid_rows, usual_size
from pytest_llmarith.report.formatting import counted, sanitize_reasons
from pytest_llmarith.report.series import LONGEST_LABEL, ResultOfRun
from pytest_llmarith.report.table import Column, Level, Row, Shown, Table, pivot
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
    items = overview_items(rows)
    table = OVERVIEW.table(items, level, note=lambda item: note_of(item.row, level))
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
        problems = counted(repeats.problems, "problem")
        notes.append(f"{problems}, asked {repeats.k} times each")
    return "; ".join(notes)


def notes_of(row: ResultOfRun, *, details: bool = True) -> Iterator[str]:
    """What has to be known of a result; with `details` also reasons and roundings."""
    result = row.result
    for note in (
        row.unfinished,
        incomplete(result),
        row.missing,
        bounded(result),
        truncated(result),
    ):
        if note:
            yield note
    if details and result.nan_reasons:
        yield f"nan: {sanitize_reasons(result.nan_reasons)}"
    if details and result.rounded:
        yield f"deviate: {result.rounded:,} rounded"
    if result.unpriced and result.cost_usd is not None:
        yield f"{result.unpriced:,} unpriced"


def effects(summary: RunSummary) -> Table:
    """The effects of conditions, and how many problems were left out because both
    prompts are the same.
    """
    notes = [_left_out(one) for one in summary.same_words]
    table = EFFECTS.table(effects_of(summary), Level.FULL, notes=notes)
    if any(one.difference.low is None for one in summary.effects):
        table = replace(table, legend=formatting.NO_INTERVAL)
    return table


def _left_out(alike: SameWords) -> str:
    condition = condition_name(alike.condition)
    if alike.beside:
        condition += f" beside {label_of(alike.beside)}"
    condition = sanitize_name(condition, LONGEST_LABEL)
    whose = sanitize_name(f"{alike.model}, {alike.task}", LONGEST_LABEL)
    problems = counted(alike.problems, "problem")
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
    model = kinds.MODEL.shown(model_of(row))
    whose = model.as_name(sanitize_name(model.text, LONGEST_LABEL))
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


def _by_depth(row: ResultOfRun) -> Table:
    """Rows are variants, columns depths; the last row and column are of all together.

    The title has the most frequent size of a cell, other cells name theirs.
    """
    result = row.result
    depths = grid_depths(result)
    columns = _columns("variant", [*map(str, depths), "all %"])
    rows = []
    for variant, parts in grid_rows(result):
        texts = [kinds.PART.shown(part) for part in parts]
        whole = kinds.PERCENT.shown(variant.correct_percentage)
        rows.append(Row([variant.variant, *texts, whole]))
    totals = []
    for depth in depths:
        cells = [cell for cell in result.grid if cell.depth == depth]
        totals.append(kinds.PERCENT.shown(correct_percentage(cells)))
    whole = kinds.PERCENT.shown(correct_of(result))
    rows.append(Row(["all %", *totals, whole]))
    title = f"correct of {usual_size(result)} by variant and depth"
    return Table("cells", title, columns, rows)


def _columns(key: str, titles: Iterable[str]) -> list[Column[Any]]:
    """A column of names, and columns of figures by depth, laid out already."""
    columns: list[Column[Any]] = [Column(key, "depth", kinds.NAME)]
    for one in titles:
        columns.append(Column(one, one, kinds.SHOWN))
    return columns


def _without_variants(result: Result) -> Table:
    """Rows are outcomes, columns depths."""
    names = ["correct", "deviate", "nan"]
    if any(one.unanswered for one in result.depths):
        names.append("unanswered")
    rows = []
    for name in names:
        counts = [getattr(one, name) for one in result.depths]
        rows.append(Row([name, *map(_count_or_dot, counts)]))
    seconds: list[Shown | None] = []
    for one in result.depths:
        latency = one.spending["latency_s"]
        seconds.append(kinds.SECONDS.shown(latency.median) if latency else None)
    rows.append(Row(["median s", *seconds]))
    columns = _columns("outcome", [str(one.depth) for one in result.depths])
    return Table("lengths", "by depth", columns, rows)


def _count_or_dot(count: int) -> Shown:
    return Shown(str(count or "."))


# --- errors ---------------------------------------------------------------------------


def error_classes(rows: Sequence[ResultOfRun]) -> Table:
    """How answers deviate: rows are error classes, columns are results with deviates or
    with right answers in words.
    """
    shown = [row for row in rows if _deviates(row.result)]
    table = ERRORS.table(error_items(shown))
    columns: list[Column[Any]] = [Column("error_class", "class", kinds.NAME)]
    for number, row in enumerate(shown):
        model = model_of(row)
        lines = [*row.label.split(", "), row.result.task, *model.marks]
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


def _deviates(result: Result) -> bool:
    """Whether it has deviates, or answers that are right in words only."""
    found = result.errors
    if not found:
        return False
    differ = len({*found.strict.values()}) > 1
    return differ or bool(classes_of(result))


def _shares(rows: Sequence[ResultOfRun]) -> Iterator[Row]:
    """The share of each error class that occurs, in the order of the classes."""
    found: dict[tuple[str, int], Percentage | None] = {}
    for number, row in enumerate(rows):
        for item in error_items([row]):
            found[item.one.error_class, number] = item.one.percentage
    names = {name for name, _ in found}
    for name in ErrorClass:
        if name not in names:
            continue
        values = []
        for number in range(len(rows)):
            if (name, number) in found:
                values.append(kinds.PERCENT.shown(found[name, number]))
            else:
                values.append(Shown("."))
        yield Row([str(name), *values])


def _right(rows: Sequence[ResultOfRun]) -> Iterator[Row]:
    """How many deviate, and how many are right by either reading."""
    deviates, right, bare = [], [], []
    for row in rows:
        errors, measured = row.result.errors, row.result.measured
        if errors is None:
            continue
        count = sum(one.count for one in errors.classes)
        deviates.append(Shown(f"{count:,}"))
        tolerant = formatting.share(errors.strict["tolerant_correct"], measured)
        right.append(Shown(tolerant))
        strict = formatting.share(errors.strict["strict_correct"], measured)
        bare.append(Shown(strict))
    yield Row(["deviates", *deviates])
    yield Row(["right", *right])
    yield Row(["right, bare", *bare])
