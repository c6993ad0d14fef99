"""The end of a run: what explains its results, and then a line per model and task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Any

from pytest_llmarith.records import Minimum
from pytest_llmarith.report import formatting, kinds
from pytest_llmarith.report.completeness import bounded, incomplete, truncated
from pytest_llmarith.report.definitions import differences as of_differences
from pytest_llmarith.report.definitions import scores
from pytest_llmarith.report.definitions.differences import DIFFERENCES
from pytest_llmarith.report.definitions.results import (
    NINETY_PERCENT_TO,
    OVERVIEW,
    THRESHOLDS,
    VARIANTS,
    model_of,
    overview_items,
    threshold_items,
    variant_items,
)
from pytest_llmarith.report.definitions.scores import (
    SCORES,
    SEARCHES,
    Break,
    score_items,
    search_items,
    search_note,
)
from pytest_llmarith.report.depths import depth_ranges, usual_size
from pytest_llmarith.report.render.terminal import laid_out, legend, width_of
from pytest_llmarith.report.series import ResultOfRun, results_of
from pytest_llmarith.report.table import (
    Column,
    Kind,
    Level,
    Row,
    Shown,
    Table,
    pivot,
)
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.summaries import ModelDifference, Result, RunSummary, Variant

_LONGEST_NAME = 40
_MOST_CLASSES = 4
_MOST_WITH_EXAMPLE = 3  # models
_SHORTEST_WRONG = 16  # characters of a first wrong answer


def screen(summary: RunSummary, width: int, *, only_head: bool = False) -> list[str]:
    """The results of a run in lines of at most `width` characters; with `only_head` one
    row per model and task.
    """
    return results_screen(results_of(summary), summary.differences, width, only_head)


def results_screen(
    results: Sequence[ResultOfRun],
    differences: Sequence[ModelDifference],
    width: int,
    only_head: bool = False,
) -> list[str]:
    """The same for any results.

    `differences` are between labels; those of one run are between its models.
    """
    rows = [row for row in results if row.result.measured]
    if not rows:
        return []
    last = laid_out(headline(results, width), width)
    shown = _differences(rows, differences)
    errors: list[str] = []
    if not only_head:
        shown = [*_details(rows, width), *shown]
        errors = list(_error_lines(rows))
    tables = [laid_out(_unmarked(one), width) for one in shown]
    lines = []
    for one in tables:
        lines += ["", *one.lines]
    explanation = [text for one in (*tables, last) for text in one.explanation]
    lines += legend(explanation, width) if tables else []
    for error in errors:
        lines += wrap(error, width, subsequent_indent="  ")
    lines += ["", *last.lines]
    return lines if tables else [*lines, *legend(explanation, width)]


def headline(rows: Sequence[ResultOfRun], width: int) -> Table:
    """A row per model and task: correct answers, how far they reach, and cost."""
    notes = {id(row): _note(row) for row in rows}
    table = OVERVIEW.table(
        overview_items(rows), Level.BRIEF, note=lambda item: notes[id(item.row)]
    )
    table = folded(replace(table, title="").without("tokens", "latency"))
    return table if width_of(table) <= width else table.without("measured")


def folded(table: Table) -> Table:
    """The table with a model or a task that all rows share above its first column."""
    shared = []
    for key in _present(table, "model", "task"):
        kind = table.columns[table.place(key)].kind
        shown = {kind.shown(value) for value in table.values(key)}
        names = [column for column in table.columns if column.kind.is_name]
        if len(shown) == 1 and len(names) > 1:
            table = table.without(key)
            (one,) = shown
            name = sanitize_name(one.text, _LONGEST_NAME)
            shared.append(f"{name} ({one.note})" if one.note else name)
    if shared:
        columns = [replace(table.columns[0], title=", ".join(shared), is_named=True)]
        table = replace(table, columns=[*columns, *table.columns[1:]])
    return table


def _unmarked(table: Table) -> Table:
    """The table without the marks of its models, which the headline has."""
    rows = []
    for row in table.rows:
        values = [
            value._replace(marks=()) if isinstance(value, kinds.Model) else value
            for value in row.values
        ]
        rows.append(replace(row, values=values))
    return replace(table, rows=rows)


def _note(row: ResultOfRun) -> str:
    result = row.result
    notes = [incomplete(result), row.missing or bounded(result)]
    if result.breaking_points:
        wrong = [one for one in result.breaking_points if one.question is not None]
        searches = len(result.breaking_points)
        notes.append(f"wrong in {len(wrong)} of {searches} searches")
    return "; ".join(filter(None, notes))


def _differences(
    rows: Sequence[ResultOfRun], differences: Sequence[ModelDifference]
) -> list[Table]:
    """The differences to the baseline, a table per task."""
    simulated = {_side(row): model_of(row).marks for row in rows}
    sides = [_side(row) for row in rows]
    over_all = len({(_side(row), row.result.task) for row in rows}) < len(rows)
    tables = []
    for task in dict.fromkeys(row.result.task for row in rows):
        items = [
            of_differences.Side(
                kinds.Model(one.model, one.model, simulated[one.model]),
                one.baseline,
                task,
                one,
            )
            for one in differences
            if one.task == task and one.model in sides
        ]
        if not items:
            continue
        baseline = sanitize_name(items[0].baseline, _LONGEST_NAME)
        table = DIFFERENCES.table(items, Level.BRIEF).without("task")
        remark = "difference: over all conditions" if over_all else ""
        title = f"difference to {baseline} in percentage points"
        whose = sanitize_name(task, _LONGEST_NAME)
        tables.append(replace(table, title=title, whose=whose, legend=remark))
    return tables


def _side(row: ResultOfRun) -> str:
    """What is compared: the model of one run, in all conditions, or one of several runs
    in one condition.
    """
    return row.label if row.run else row.result.model


# --- the details of a task ------------------------------------------------------------


def _details(rows: Sequence[ResultOfRun], width: int) -> Iterator[Table]:
    """What explains the results of each task."""
    for task in dict.fromkeys(row.result.task for row in rows):
        of_task = [row for row in rows if row.result.task == task]
        grids = [row for row in of_task if row.result.grid]
        if len(grids) > 1:
            yield _models_by_variant(grids, width)
        elif grids:
            yield _variants_by_depth(grids[0].result, width)
        depths = [row for row in of_task if row.result.depths]
        if depths:
            yield _depths(depths, width)
        if any(row.result.scored for row in of_task):
            yield _scores(of_task)
        if any(row.result.breaking_points for row in of_task):
            yield _searches(of_task, width)
        if any(threshold_items(of_task, only_adaptive=True)):
            yield _adaptive(of_task)


def _at(title: str, key: str = "") -> Column[kinds.Part]:
    """The column of one depth, or of a range of depths."""
    return Column(key or title, title, kinds.PART, "correct answers", lambda one: None)


def _reach(title: str = "90 % to") -> Column[Variant]:
    return Column(
        "holds_to",
        title,
        _REACH,
        NINETY_PERCENT_TO,
        lambda one: one,
        explained=True,
    )


_REACH: Kind[Variant] = Kind(
    {"": "string"}, lambda v: Shown(_ninety(v)), lambda v: [_ninety(v)]
)


def _ninety(one: Variant) -> str:
    found = one.ninety_percent_to
    return formatting.ninety_percent_to(found) if found else ""


def _variants_by_depth(result: Result, width: int) -> Table:
    """Rows are variants, columns depths, with the digits up to which 90 % are correct
    and the first wrong answer.
    """
    usual = usual_size(result)
    depths = sorted({cell.depth for cell in result.grid})
    cells = {(cell.variant, cell.depth): cell for cell in result.grid}
    name: Column[Any] = Column("variant", "variant", kinds.NAME, "", lambda one: None)
    columns: list[Column[Any]] = [name, *(_at(str(depth)) for depth in depths)]
    columns.append(_reach())
    rows = []
    for variant in result.series:
        parts = []
        for depth in depths:
            cell = cells.get((variant.variant, depth))
            is_known = cell is not None and cell.measured
            parts.append(
                kinds.Part(cell.correct, cell.measured, usual)
                if cell and is_known
                else None
            )
        rows.append(Row([variant.variant, *parts, variant]))
    title = f"correct of {usual} by depth (digits)"
    table = Table("cells", title, columns, rows, whose=result.task)
    return _with_wrong(table, [one.first_wrong for one in result.series], width)


class _Both:
    """A variant of a model: its correct answers, and how far they reach."""

    def __init__(self, one: Variant, longest: int) -> None:
        self.percent = formatting.percent_of(one.correct_percentage)
        self.reach = _ninety(one).rjust(longest)


_BOTH: Kind[_Both] = Kind(
    {"": "string"},
    lambda v: Shown(f"{v.percent}  {v.reach}"),
    lambda v: [v.percent],
)


def _models_by_variant(rows: Sequence[ResultOfRun], width: int) -> Table:
    """The percentage of correct answers of each variant and model, and the digits up to
    which 90 % are correct.

    Columns are models; if their names do not fit, they are variants.
    """
    items = variant_items(rows)
    longest = max(len(_ninety(item.one)) for item in items)
    both: Column[_Both] = Column(
        "both",
        "90 % to",
        _BOTH,
        NINETY_PERCENT_TO,
        lambda item: _Both(item.one, longest) if item.one.measured else None,
        explained=True,
    )
    definition = replace(VARIANTS, title="", columns=[*VARIANTS.columns, both])
    long = _unmarked(definition.table(items, Level.FULL))
    long = replace(long, title="correct %, and 90 % to", whose=rows[0].result.task)
    models = pivot(long, ["variant"], "model", "both")
    names = [column.title for column in models.columns[1:]]
    room = (width - len("variant")) // len(names) - 3
    short = [sanitize_name(name, max(10, room)) for name in names]
    named = [
        replace(column, title=title)
        for column, title in zip(models.columns[1:], short, strict=True)
    ]
    models = replace(models, columns=[models.columns[0], *named])
    if len(set(short)) == len(names) and width_of(models) <= width:
        return models
    return pivot(long, ["model"], "variant", "both")


def _depths(rows: Sequence[ResultOfRun], width: int) -> Table:
    """Tasks without variants: rows are models, columns ranges of depths."""
    ranges = depth_ranges(row.result for row in rows)
    name: Column[Any] = Column("model", "model", kinds.NAME, "", lambda one: None)
    columns = [name, *(_at(one) for one in ranges), _reach()]
    table_rows = []
    for row in rows:
        parts = []
        for some in ranges.values():
            mine = [one for one in row.result.depths if one.depth in some]
            correct = sum(one.correct for one in mine)
            measured = sum(one.measured for one in mine)
            parts.append(kinds.Part(correct, measured) if measured else None)
        table_rows.append(Row([row.label, *parts, row.result.whole]))
    title = "correct by depth (digits)"
    task = rows[0].result.task
    table = Table("lengths", title, columns, table_rows, whose=task)
    wholes = [row.result.whole for row in rows]
    wrong = [one.first_wrong if one else None for one in wholes]
    return _with_wrong(table, wrong, width)


def _with_wrong(table: Table, wrong: Sequence[Minimum | None], width: int) -> Table:
    """The table with a last column for the first wrong answers, as wide as the terminal
    allows.
    """
    room = width - width_of(table) - 2
    if room < _SHORTEST_WRONG or not any(wrong):
        return table
    shown = [formatting.wrong_answer(one, room) if one else "" for one in wrong]
    column = Column("first_wrong", "first wrong", kinds.TEXT, "", lambda one: None)
    rows = [
        replace(row, values=[*row.values, text])
        for row, text in zip(table.rows, shown, strict=True)
    ]
    return replace(table, columns=[*table.columns, column], rows=rows)


def _scores(rows: Sequence[ResultOfRun]) -> Table:
    """Scores: rows are models and variants, columns the mean scores by name."""
    items = [item for item in score_items(rows) if item.one.variant]
    terms = {id(item.one): scores.terms(item) for item in items}
    long = SCORES.table(items, Level.BRIEF, note=lambda item: terms[id(item.one)])
    table = pivot(long, _present(long, "model", "variant"), "score", "mean")
    table = replace(table, title="mean score %", whose=rows[0].result.task)
    for key in ("unsolved", "cheats"):
        table = _joined(table, long, key)
    return _one_variant(table)


def _present(table: Table, *keys: str) -> list[str]:
    known = [column.key for column in table.columns]
    return [key for key in keys if key in known]


def _joined(table: Table, long: Table, key: str) -> Table:
    """A pivoted table with one more column of the table that it was made of, whose rows
    have the same model and variant.
    """
    if key not in [column.key for column in long.columns]:
        return table
    names = _present(long, "model", "variant")
    found = {
        tuple(row.values[long.place(name)] for name in names): row.values[
            long.place(key)
        ]
        for row in long.rows
    }
    rows = [
        replace(row, values=[*row.values, found.get(tuple(row.values[: len(names)]))])
        for row in table.rows
    ]
    return replace(
        table, columns=[*table.columns, long.columns[long.place(key)]], rows=rows
    )


def _one_variant(table: Table) -> Table:
    """The table with a variant that all rows share in the title, which is that of the
    task if it has no variants.
    """
    variants = {str(value) for value in table.values("variant")}
    if len(variants) > 1:
        return table
    (variant,) = variants
    table = table.without("variant")
    if variant == table.whose:
        return table
    return replace(table, title=f"{table.title} of {variant}")


def _searches(rows: Sequence[ResultOfRun], width: int) -> Table:
    """Searches for breaking points: rows are models and variants."""
    items = search_items(rows)
    table = SEARCHES.table(items, Level.BRIEF).without("task")
    table = replace(table, whose=rows[0].result.task)
    table = _named_together(table, "search")
    room = width - width_of(table.without("breaks_at")) - 2
    texts = []
    for item in items:
        point = item.one
        texts.append(
            formatting.wrong_answer(point, room)
            if point.question is not None
            else Break(point).text
        )
    place = table.place("breaks_at")
    columns = list(table.columns)
    columns[place] = replace(columns[place], kind=kinds.TEXT)
    table_rows = []
    for row, item, text in zip(table.rows, items, texts, strict=True):
        values = list(row.values)
        values[place] = text
        table_rows.append(Row(values, search_note(item.one, text)))
    return replace(table, columns=columns, rows=table_rows)


def _adaptive(rows: Sequence[ResultOfRun]) -> Table:
    """D50 as measured by adaptive asking: rows are models and variants."""
    items = threshold_items(rows, only_adaptive=True)
    table = THRESHOLDS.table(items, Level.BRIEF).without("task", "questions")
    title = "D50 by adaptive asking"
    table = replace(table, title=title, legend="", whose=rows[0].result.task)
    return _named_together(table, "variant")


def _named_together(table: Table, key: str) -> Table:
    """The table with the model in the column of this key, if there are several."""
    models, names = table.values("model"), table.values(key)
    table = table.without("model")
    if len(set(models)) == 1:
        return table
    rows = []
    for row, model, name in zip(table.rows, models, names, strict=True):
        values = list(row.values)
        values[table.place(key)] = f"{model.label}, {name}"
        rows.append(replace(row, values=values))
    return replace(table, rows=rows)


# --- where answers go wrong -----------------------------------------------------------


def _error_lines(rows: Sequence[ResultOfRun]) -> Iterator[str]:
    """A line per model and task: the most frequent classes of wrong answers, with an
    example for up to three models.
    """
    models = len({row.label for row in rows})
    tasks = len({row.result.task for row in rows})
    for row in rows:
        if row.result.searched:
            continue
        whose = ""
        if models > 1:
            whose += f" of {sanitize_name(row.label, _LONGEST_NAME)}"
        if tasks > 1:
            whose += f" in {sanitize_name(row.result.task, _LONGEST_NAME)}"
        parts = list(_errors(row.result, with_example=models <= _MOST_WITH_EXAMPLE))
        if parts:
            yield f"errors{whose}: {', '.join(parts)}"


def _errors(result: Result, *, with_example: bool) -> Iterator[str]:
    """The most frequent classes of wrong answers, and answers that lack."""
    classes = result.errors.classes if result.errors else []
    counts = Counter({one.error_class: one.count for one in classes if one.count})
    examples = {
        one.first_wrong.error_class: formatting.wrong_answer(one.first_wrong)
        for one in reversed(result.variants)
        if one.first_wrong and one.first_wrong.answer
    }
    most = dict(counts.most_common(_MOST_CLASSES))
    shown = next((name for name in most if name in examples), None)
    for name, count in most.items():
        is_example = with_example and name == shown
        yield (
            f"{count:,} {name} ({examples[name]})"
            if is_example
            else f"{count:,} {name}"
        )
    others = counts.total() - sum(most.values())
    if others:
        yield f"{others:,} other{'s' if others > 1 else ''}"
    nan = result.outcomes.nan
    if not nan:
        return
    cut = truncated(result)
    if cut:
        yield f"{nan:,} without an answer ({cut})"
    else:
        yield f"{nan:,} without an answer"
