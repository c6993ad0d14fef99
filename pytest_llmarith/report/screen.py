"""The end of a run: what explains its results, and then a line per model and task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Any

from pytest_llmarith.figures.contrasts import Compared
from pytest_llmarith.records import Minimum
from pytest_llmarith.report.completeness import bounded, incomplete, truncated
from pytest_llmarith.report.data_tables import difference_items
from pytest_llmarith.report.definitions.difference_fields import DIFFERENCES
from pytest_llmarith.report.definitions.results import (
    HALF_TO,
    HOLDS_TO,
    OVERVIEW,
    THRESHOLDS,
    VARIANTS,
    first_wrong,
    threshold,
    threshold_items,
)
from pytest_llmarith.report.definitions.score_fields import (
    NO_ANSWER_IS_0,
    SCORES,
    SEARCHES,
    Break,
    has_programs,
    score_items,
    search_items,
    search_notes,
    terms,
    wrong_searches,
)
from pytest_llmarith.report.render.terminal import laid_out, legend, width_of
from pytest_llmarith.report.run_tables import parts_of
from pytest_llmarith.report.series import (
    remark_on_conditions,
    results_of,
    side_of,
)
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.types import NanReason
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import Column, Level, Row, Shown, Table, pivot

_LONGEST_NAME = 40
_MOST_CLASSES = 4
_MANY_TRUNCATED = 0.02  # of all replies; then the percentage without them is shown
_MOST_WITH_EXAMPLE = 3  # models
_SHORTEST_WRONG = 16  # characters of a first wrong answer


def screen(summary: RunSummary, width: int, *, only_head: bool = False) -> list[str]:
    """The results of a run in lines of at most `width` characters; with `only_head` one
    row per model and task.
    """
    return results_screen(
        results_of(summary), summary.contrasts("model"), width, only_head
    )


def results_screen(
    results: Sequence[Here],
    differences: Sequence[Compared],
    width: int,
    only_head: bool = False,
) -> list[str]:
    """The same for any results.

    `differences` are between labels; those of one run are between its models.
    """
    rows = [row for row in results if row.measured]
    if not rows:
        return []
    shown: list[Table] = []
    errors: list[str] = []
    if not only_head:
        shown += _details(rows, width)
        has_wrong = any(table.has("first_wrong") for table in shown)
        errors += _error_lines(rows, width, has_wrong)
    shown += _differences(rows, differences)
    lines: list[str] = []
    explanation: list[str] = []
    for table in shown:
        layout = laid_out(_unmarked(table), width)
        if lines:
            lines.append("")
        if len(table.rows) > 1 or table.heading:
            lines += layout.lines
        else:  # below a heading and a row nothing has to be set off
            lines += [str(line) for line in layout.lines if line.strip("-")]
        explanation += layout.explanation
    last = laid_out(headline(results, width), width)
    explanation += last.explanation
    if shown:
        lines += legend(explanation, width)
    for error in errors:
        lines += wrap(error, width, subsequent_indent="  ")
    if lines:
        lines.append("")
    lines += last.lines
    if not shown:
        lines += legend(explanation, width)
    return lines


def headline(rows: Sequence[Here], width: int) -> Table:
    """A row per model and task: correct answers, how far they reach, and cost."""
    table = OVERVIEW.table(rows, Level.BRIEF, note=_notes)
    table = folded(replace(table, title="").without("tokens", "latency"))
    if width_of(table) <= width:
        return table
    return table.without("measured")


def folded(table: Table) -> Table:
    """The table with a model or a task that all rows share above its first column."""
    shared = []
    for key in ("model", "task"):
        if not table.has(key):
            continue
        kind = table.columns[table.place(key)].kind
        shown = {kind.shown(value) for value in table.values(key)}
        names = [column for column in table.columns if column.kind.is_name]
        if len(shown) == 1 and len(names) > 1:
            table = table.without(key)
            (one,) = shown
            shared.append(one.as_name(sanitize_name(one.text, _LONGEST_NAME)))
    if shared:
        columns = [replace(table.columns[0], title=", ".join(shared), is_named=True)]
        table = replace(table, columns=[*columns, *table.columns[1:]])
    return table


def _unmarked(table: Table) -> Table:
    """The table without the marks of its models, which the headline has."""
    for column in table.columns:
        if column.kind is kinds.MODEL:
            models = [one._replace(marks=()) for one in table.values(column.key)]
            table = table.with_values(column.key, models)
    return table


def _notes(row: Here) -> list[str]:
    notes = [incomplete(row), row.missing or bounded(row), wrong_searches(row)]
    return [note for note in notes if note]


def _differences(
    rows: Sequence[Here], differences: Sequence[Compared]
) -> Iterator[Table]:
    """The differences to the baseline, a table per task."""
    sides = {side_of(row) for row in rows}
    remark = remark_on_conditions(rows)
    shown = [one for one in differences if one.place.model in sides]
    for task in _tasks(rows):
        of_task = [one for one in shown if one.place.task == task]
        items = difference_items(rows, of_task)
        if not items:
            continue
        baseline = sanitize_name(of_task[0].beside, _LONGEST_NAME)
        table = DIFFERENCES.table(items, Level.BRIEF).without("task")
        title = f"difference to {baseline} in percentage points"
        yield replace(_of_task(table, task, title), legend=remark)


def _tasks(rows: Sequence[Here]) -> list[str]:
    return list(dict.fromkeys(row.task for row in rows))


def _of_task(table: Table, task: str, title: str) -> Table:
    return replace(table, whose=sanitize_name(task, _LONGEST_NAME), title=title)


# --- the details of a task ------------------------------------------------------------


def _details(rows: Sequence[Here], width: int) -> Iterator[Table]:
    """What explains the results of each task."""
    for task in _tasks(rows):
        of_task = [row for row in rows if row.task == task]
        grids = [row for row in of_task if row.grid]
        if len(grids) > 1:
            yield _models_by_variant(grids, width)
        elif grids:
            yield _variants_by_depth(grids[0], width)
        depths = [row for row in of_task if row.depths]
        if depths:
            yield _depths(depths, width)
        if any(row.scored for row in of_task):
            yield _scores(of_task, width)
        if any(row.get("breaking_points") for row in of_task):
            yield _searches(of_task, width)
        adaptive = threshold_items(of_task, only_adaptive=True)
        if adaptive:
            yield _adaptive(adaptive, task)


def _variants_by_depth(row: Here, width: int) -> Table:
    """Rows are variants, columns depths, with the digits up to which 90 % are correct
    and the first wrong answer.
    """
    depths = row.grid_depths
    columns: list[Column[Any]] = [Column("variant", "variant", kinds.NAME)]
    for depth in depths:
        columns.append(Column(str(depth), str(depth), kinds.PART))
    columns.append(HOLDS_TO)
    rows = []
    for one in row.series:
        reach = one.get("ninety_percent_to")
        rows.append(Row([one.variant, *parts_of(one, depths), reach]))
    title = f"correct of {row.usual_size} by {_depth(row)}"
    table = _of_task(Table("cells", "", columns, rows), row.task, title)
    return _with_wrong(table, list(map(first_wrong, row.series)), width)


def _depth(row: Here) -> str:
    """What a depth is called: that of numbers is their digits."""
    return "depth (digits)" if row.has_numbers else "depth"


def _models_by_variant(rows: Sequence[Here], width: int) -> Table:
    """The percentage of correct answers of each variant and model, and the digits up to
    which 90 % are correct.

    Columns are models; if their names do not fit, they are variants.
    """
    items = [one for row in rows for one in row.series]
    longest = max(len(_reach(item)) for item in items)

    def both(here: Here) -> Shown | None:
        if not here.measured:
            return None
        percent = formatting.percent_of(here.correct)
        return Shown(f"{percent}  {_reach(here).rjust(longest)}")

    column = replace(HOLDS_TO, key="both", kind=kinds.SHOWN, value=both)
    definition = replace(VARIANTS, columns=[*VARIANTS.columns, column])
    long = _unmarked(definition.table(items, Level.FULL))
    long = _of_task(long, rows[0].task, "correct %, and 90 % to")
    by_model = pivot(long, ["variant"], "model", "both")
    first, *models = by_model.columns
    room = (width - len("variant")) // len(models) - 3
    names = [sanitize_name(column.title, max(10, room)) for column in models]
    if len(set(names)) == len(names):
        columns = [first]
        for model, name in zip(models, names, strict=True):
            columns.append(replace(model, title=name))
        by_model = replace(by_model, columns=columns)
        if width_of(by_model) <= width:
            return by_model
    return pivot(long, ["model"], "variant", "both")


def _reach(here: Here) -> str:
    return kinds.DEPTHS.shown(here.get("ninety_percent_to")).text


def _depths(rows: Sequence[Here], width: int) -> Table:
    """Tasks without variants: the depth at which half of the answers are right.

    The row of a single model has the name of the task, and no line above the table.
    """
    task = rows[0].task
    title = f"correct by {_depth(rows[0])}"
    head = "model" if len(rows) > 1 else title
    columns: list[Column[Any]] = [
        Column("model", head, kinds.NAME),
        replace(HALF_TO, title="50 % at", explained=False),
    ]
    table_rows = []
    wrong = []
    for row in rows:
        label = row.label if len(rows) > 1 else task
        whole = row._replace(variant="")
        d50 = threshold(whole) or threshold(row._replace(at=task))
        table_rows.append(Row([label, d50]))
        wrong.append(first_wrong(whole))
    table = Table("lengths", "", columns, table_rows)
    if len(rows) > 1:
        table = _of_task(table, task, title)
    return _with_wrong(table, wrong, width)


def _with_wrong(table: Table, wrong: Sequence[Minimum | None], width: int) -> Table:
    """The table with a last column for the first wrong answers, as wide as the terminal
    allows.
    """
    bare = replace(table, rows=[replace(row, notes=()) for row in table.rows])
    room = width - width_of(_unmarked(bare)) - 2
    if room < _SHORTEST_WRONG or not any(wrong):
        return table
    texts = [formatting.wrong_answer(one, room) if one else "" for one in wrong]
    return table.with_column(Column("first_wrong", "first wrong", kinds.TEXT), texts)


def _scores(rows: Sequence[Here], width: int) -> Table:
    """Scores: rows are models and variants, columns the mean scores by name, and the
    first program that is wrong.
    """
    items = [one for one in score_items(rows) if one.variant is not None]
    long = SCORES.table(items, Level.BRIEF, note=terms)
    names = ("model", "variant")
    table = pivot(long, names, "score", "mean", beside=("unsolved", "cheats"))
    wrong = {}
    for row in rows:
        for one in row.variants:
            wrong[row.label, one.variant] = first_wrong(one)
    keys = zip(table.values("model"), table.values("variant"), strict=True)
    firsts = [wrong.get((model.label, str(variant))) for model, variant in keys]
    task = rows[0].task
    table = _one_variant(_of_task(table, task, "mean score %"), task)
    of_programs = any(map(has_programs, items))
    if not of_programs and any(row.number("nan") for row in rows):
        table = replace(table, legend=NO_ANSWER_IS_0)
    return _with_wrong(table, firsts, width)


def _one_variant(table: Table, task: str) -> Table:
    """The table with a variant that all rows share in the title; a task without
    variants is its own one.
    """
    variants = {str(value) for value in table.values("variant")}
    if len(variants) > 1:
        return table
    (variant,) = variants
    table = table.without("variant")
    if variant == task:
        return table
    return replace(table, title=f"{table.title} of {variant}")


def _searches(rows: Sequence[Here], width: int) -> Table:
    """Searches for breaking points: rows are models and variants."""
    items = search_items(rows)
    table = SEARCHES.table(items, Level.BRIEF).without("task")
    table = _of_task(table, rows[0].task, table.title)
    table = _named_together(table, "search")
    room = width - width_of(table.without("breaks_at")) - 2
    texts = []
    noted = []
    for row, item in zip(table.rows, items, strict=True):
        text = Break(item.point).text
        if item.point.question is not None:
            text = formatting.wrong_answer(item.point, room)
        texts.append(text)
        noted.append(replace(row, notes=search_notes(item.point, text)))
    columns = list(table.columns)
    place = table.place("breaks_at")
    columns[place] = replace(columns[place], kind=kinds.TEXT)
    table = replace(table, columns=columns, rows=noted)
    return table.with_values("breaks_at", texts)


def _adaptive(items: Sequence[Here], task: str) -> Table:
    """D50 as measured by adaptive asking: rows are models and variants."""
    table = THRESHOLDS.table(items, Level.BRIEF).without("task", "questions")
    table = _of_task(replace(table, legend=""), task, "D50 by adaptive asking")
    return _named_together(table, "variant")


def _named_together(table: Table, key: str) -> Table:
    """The table with the model in the column of this key, if there are several."""
    models, names = table.values("model"), table.values(key)
    table = table.without("model")
    if len(set(models)) == 1:
        return table
    together = []
    for model, name in zip(models, names, strict=True):
        together.append(f"{model.label}, {name}")
    return table.with_values(key, together)


# --- where answers go wrong -----------------------------------------------------------


def _error_lines(rows: Sequence[Here], width: int, has_wrong: bool) -> Iterator[str]:
    """A line per model and task: as many of the most frequent classes of wrong answers
    as fit.

    Each has an example for up to three models; that of a single one may have wrong
    answers in a table.
    """
    models = len({row.label for row in rows})
    tasks = len(_tasks(rows))
    with_example = models <= _MOST_WITH_EXAMPLE
    if models == 1 and has_wrong:
        with_example = False
    for row in rows:
        if row.searched:
            continue
        whose = ""
        if models > 1:
            whose += f" of {sanitize_name(row.label, _LONGEST_NAME)}"
        if tasks > 1:
            whose += f" in {sanitize_name(row.task, _LONGEST_NAME)}"
        for most in range(_MOST_CLASSES, 0, -1):
            parts = list(_errors(row, most, with_example=with_example))
            line = f"errors{whose}: {', '.join(parts)}"
            if with_example or len(line) <= width:
                break
        if parts:
            yield line


def _errors(row: Here, most: int, *, with_example: bool) -> Iterator[str]:
    """The most frequent classes of wrong answers, and answers that lack."""
    counts = Counter(row.by_name("error_class"))
    examples = _examples(row) if with_example else {}
    others = counts.total()
    has_example = False
    for name, count in counts.most_common(most):
        others -= count
        if name in examples and not has_example:
            has_example = True
            yield f"{count:,} {name} ({examples[name]})"
        else:
            yield f"{count:,} {name}"
    if others:
        yield formatting.counted(others, "other")
    deviate, nan = row.number("deviate"), row.number("nan")
    if deviate and not counts and not row.scored:
        yield f"{deviate:,} with another answer"
    cut = row.number("nan_reason", NanReason.TRUNCATED)
    if cut > _MANY_TRUNCATED * row.measured:
        yield f"{nan:,} nan ({truncated(row)})"
    elif nan:
        yield f"{nan:,} nan"


def _examples(row: Here) -> dict[str | None, str]:
    """The first wrong answer of each error class that has one."""
    examples: dict[str | None, str] = {}
    for variant in row.variants:
        wrong = first_wrong(variant)
        if wrong and wrong.answer:
            text = formatting.wrong_answer(wrong)
            examples.setdefault(wrong.error_class, text)
    return examples
