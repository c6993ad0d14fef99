"""The sections of a report: what stands in each at a level of detail.

Terminal, documents and page show the same list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pytest_llmarith.figures.contrasts import Compared
from pytest_llmarith.report.charts import Chart
from pytest_llmarith.report.curves import (
    curves_of,
    reliability_charts,
    scatters,
    score_curves,
    stratum_charts,
)
from pytest_llmarith.report.definitions.difference_fields import (
    DIFFERENCES,
    EFFECTS,
    EFFORT,
    difference_items,
    effects_of,
)
from pytest_llmarith.report.definitions.reply_fields import (
    CONFIDENCE,
    CONFIDENT_DIGITS,
    DIGITS_BY_POSITION,
    NOISE,
    REPEATS,
    REPLIES,
    repeat_items,
    reply_items,
    speed,
    speed_items,
)
from pytest_llmarith.report.definitions.results import (
    BY_DEPTH,
    BY_VARIANT,
    CLASSES,
    DIGITS,
    ERRORS,
    INTERVALS,
    OVERVIEW,
    THRESHOLDS,
    VARIANTS,
    adaptive,
    by_model,
    cells_of,
    deviates,
    thresholds_of,
)
from pytest_llmarith.report.definitions.score_fields import (
    SEARCHES,
    SearchOfResult,
    score_legend,
    scores,
    search_items,
)
from pytest_llmarith.report.remarks import remarks
from pytest_llmarith.report.series import remark_on_conditions, side_of
from pytest_llmarith.results.keys import USUAL_NAME
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.types import ErrorClass
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.fields import (
    WHOSE,
    field_of,
    model_of,
    task_table,
    trials_of,
)
from pytest_llmarith.views.places import LONGEST_LABEL, Here, short_name
from pytest_llmarith.views.table import Column, Definition, Filters, Level, Row, Table

_FIRST = ("model", "task", "correct", "holds_to", "d50", "cost", "most_errors")


_CORRECT = "correct_percentage", ""
_FEW = 4  # models whose names fit as columns

_BAND = "The band around a curve is its 95 % interval."


class Results(NamedTuple):
    """What a report shows.

    `differences` are between labels, those of one run between its models; `neighbours`
    are labels of models with neighbouring values of a parameter.
    """

    rows: Sequence[Here]
    differences: Sequence[Compared] = ()
    run: RunSummary | None = None  # if it is a single one
    neighbours: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Block:
    """Tables, charts, or both.

    On the page those of a `model` can be folded, and so can tables with a title;
    `legend` names the lines of charts.
    """

    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    title: str = ""
    model: str = ""
    legend: Sequence[str] = ()
    lines: Sequence[str] = ()


class Section(NamedTuple):
    """A part of a report; `lead` says on the page what it is about."""

    key: str
    lead: str
    blocks: Sequence[Block]

    @property
    def tables(self) -> list[Table]:
        return [table for block in self.blocks for table in block.tables]


def sections(results: Results, level: Level) -> list[Section]:
    """The sections with content, the most important one first."""
    if not any(row.measured for row in results.rows) and level < Level.PAGE:
        return []
    found = []
    for key, least, blocks_of, lead in _SECTIONS:
        if level >= least:
            blocks = []
            for one in blocks_of(results, level):
                tables = [table for table in one.tables if table.rows or table.notes]
                if tables or one.charts or one.lines:
                    blocks.append(replace(one, tables=tables))
            if blocks:
                found.append(Section(key, lead, blocks))
    return found


def _tasks(rows: Iterable[Here]) -> dict[str, list[Here]]:
    tasks: dict[str, list[Here]] = {}
    for row in rows:
        if row.measured:
            tasks.setdefault(row.task, []).append(row)
    return tasks


def transposed(table: Table) -> Table:
    """The table with a column for each row, whose head has its names below each
    other.
    """
    if not table.rows:
        return table
    names = [at for at, column in enumerate(table.columns) if column.kind.is_name]
    across = [column.across for column in table.columns if column.across]
    title = across[0] if across else table.columns[0].title
    columns: list[Column[Any]] = [Column("name", title, kinds.NAME)]
    for number, row in enumerate(table.rows):
        lines = []
        for at in names:
            shown = table.columns[at].kind.shown(row.values[at])
            lines += [*shown.text.split(", "), *shown.notes]
        title = "\n".join(sanitize_name(line, LONGEST_LABEL) for line in lines)
        columns.append(Column(str(number), title, kinds.SHOWN, is_named=True))
    rows = []
    for at, column in enumerate(table.columns):
        if at not in names:
            shown_row = [column.kind.shown(row.values[at]) for row in table.rows]
            rows.append(Row([column.title, *shown_row]))
    legend = ". ".join(table.explanation)
    return replace(table, columns=columns, rows=rows, legend=legend)


# --- overview and differences ---------------------------------------------------------


def overview(rows: Sequence[Here], level: Level) -> Table:
    """A row per model and task: correct answers, how far they reach, and cost."""
    table = OVERVIEW.table(
        rows, level, note=lambda row: remarks(row, level), trials=trials_of
    )
    if level is Level.BRIEF:
        return table
    return replace(table, legend=INTERVALS)


def _overview(results: Results, level: Level) -> Iterator[Block]:
    rows = results.rows
    if level < Level.PAGE:
        yield Block([overview(rows, level)])
        if level is Level.FULL:
            yield from _of_tasks(results, level)
        return
    if len({row.task for row in rows}) > 1:
        yield from ranking(rows)
        return
    [table] = list(ranking(rows))[-1].tables
    # Those of replies stand beside their cost, else it is too wide.
    yield Block([table.without("task", "tokens_a_second", "bare_number")])


def ranking(rows: Sequence[Here], more: Sequence[Column[Any]] = ()) -> Iterator[Block]:
    """A row per model with its rank at each task, best first, and the table of all
    figures. `more` columns stand behind the cost.
    """
    tasks = list(dict.fromkeys(row.task for row in rows))
    by_task = sorted(rows, key=lambda row: (tasks.index(row.task), _place(row)))
    yield Block([_models_by_task(by_task, tasks, more)])
    table = overview(by_task, Level.PAGE)
    if len({row.result.facts.date for row in rows}) == 1:  # it is in Provenance
        table = table.without("date")
    yield Block([table.first(*_FIRST)], title="All figures by model and task")


def _of_tasks(results: Results, level: Level) -> Iterator[Block]:
    """The measures that a task brings, and its own tables."""
    for task, rows in _tasks(results.rows).items():
        columns = {}
        for row in rows:
            for key, one in row.result.own.items():
                if one.in_table and row.get(key) is not None:
                    columns[key] = field_of(key, one, level)
        definition = Definition("own", "measures", [*WHOSE[:1], *columns.values()])
        if columns:
            table = definition.table(rows, level, trials=trials_of)
            yield Block([_of_task(table, task)])
        for table in _views(task, rows, level):
            yield Block([table])


def tables_of_tasks(results: Results, level: Level) -> list[Table]:
    """The own tables of all tasks, such as those of a paper, and that of all results if
    a task has none.
    """
    found: list[Table] = []
    for task, rows in _tasks(results.rows).items():
        found += _views(task, rows, level)
    if not all(row.result.facts.views for row in results.rows):
        found.append(overview(results.rows, Level.BRIEF))
    return found


def _views(task: str, rows: Sequence[Here], level: Level) -> Iterator[Table]:
    views = {view.title: view for row in rows for view in row.result.facts.views}
    for view in views.values():
        yield _of_task(task_table(view, rows, level), task).folded()


def _models_by_task(
    rows: Sequence[Here], tasks: Sequence[str], more: Sequence[Column[Any]]
) -> Table:
    results: dict[str, dict[str, Here]] = {task: {} for task in tasks}
    for row in rows:
        results[row.task][row.label] = row

    def note(row: Here) -> list[str]:
        found = []
        for task in tasks:
            one = results[task].get(row.label)
            for remark in remarks(one, Level.PAGE) if one else ():
                found.append(f"{task}: {remark}")
        return found

    firsts = {row.label: row for row in reversed(rows)}
    order = dict.fromkeys(row.label for row in rows)
    return by_model(rows, more).table(
        [firsts[label] for label in order],
        Level.PAGE,
        across=results,
        at=lambda row, of_task: of_task.get(row.label),
        note=note,
        trials=lambda row: {"model": row.label},
    )


def _place(row: Here) -> tuple[bool, float]:
    """The best first, those that lack cells last."""
    percent = row.value("correct_percentage")
    return bool(row.missing), 1 if percent is None else -percent


def _differences(results: Results, level: Level) -> Iterator[Block]:
    """The differences to the baseline; the page ranks the models instead."""
    if level >= Level.PAGE:
        return
    rows = [row for row in results.rows if row.measured]
    sides = {side_of(row) for row in rows}
    found = [one for one in results.differences if one.place.model in sides]
    for baseline in dict.fromkeys(one.beside for one in found):
        some = difference_items(rows, [one for one in found if one.beside == baseline])
        name = sanitize_name(baseline, LONGEST_LABEL)
        title = f"difference to {name} in percentage points"
        table = DIFFERENCES.table(some, level)
        legend = remark_on_conditions(rows)
        yield Block([replace(table, title=title, legend=legend)])


def _conditions(results: Results, level: Level) -> Iterator[Block]:
    """The effects of conditions, and how many problems were left out because both
    prompts are the same.
    """
    if level >= Level.PAGE or results.run is None:
        return
    notes = []
    found = results.run.contrasts("condition")
    for one in found:
        left_out = one.value("same_prompts")
        if not left_out:
            continue
        condition = one.place.condition or USUAL_NAME
        if one.beside != USUAL_NAME:
            condition += f" beside {one.beside}"
        condition = sanitize_name(condition, LONGEST_LABEL)
        whose = sanitize_name(f"{one.place.model}, {one.place.task}", LONGEST_LABEL)
        problems = formatting.counted(left_out, "problem")
        notes.append(
            f"{condition} ({whose}): {problems} with the same prompt, left out"
        )
    table = EFFECTS.table(effects_of(results.run, "condition"), level, notes=notes)
    if any(one.questions and one.difference.low is None for one in found):
        table = replace(table, legend=formatting.NO_INTERVAL)
    yield Block([table])


def _effort(results: Results, level: Level) -> Iterator[Block]:
    if results.run is not None:
        yield Block([EFFORT.table(effects_of(results.run, "effort"), level)])


# --- variants and depths --------------------------------------------------------------


def _depth(results: Results, level: Level) -> Iterator[Block]:
    """D50 by variant, and curves on the page."""
    tasks = _tasks(results.rows)
    for task, rows in tasks.items():
        if level is Level.BRIEF and not any(map(adaptive, rows)):
            continue
        places: dict[str, dict[Here, Here]] = {}  # of each variant by result
        for row in rows:
            for name, place in thresholds_of(row).items():
                places.setdefault(name, {})[row] = place
        known = [row for row in rows if any(row in one for one in places.values())]
        table = THRESHOLDS.table(known, level, across=places)
        if level < Level.PAGE:
            table = transposed(table)
        yield Block([_of_task(table, task)])
    if level >= Level.PAGE:
        lines = [_BAND]
        for curves in curves_of(results.rows):
            yield Block(
                (), curves.charts, curves.title, legend=curves.legend, lines=lines
            )
            lines = []


def _of_task(table: Table, task: str) -> Table:
    return replace(table, whose=sanitize_name(task, LONGEST_LABEL))


def _cells(results: Results, level: Level) -> Iterator[Block]:
    """Correct answers by variant and depth: of several models at the end of a run by
    variant alone.
    """
    for task, rows in _tasks(results.rows).items():
        grids = [row for row in rows if row.grid]
        if level < Level.PAGE and len(grids) > 1:
            across = {one.name: one.variant for row in grids for one in row.series}
            table = BY_VARIANT.table(
                grids,
                level,
                across=across,
                at=lambda here, name: here._replace(variant=name),
            )
            if len(grids) <= _FEW:
                table = transposed(table)
            yield Block([_of_task(table, task)])
        if level >= Level.FULL or len(grids) == 1:
            for row in grids:
                if level >= Level.FULL and _has_own_cells(row):
                    continue
                yield Block(
                    [_of_result(_by_depth(row, level), row)],
                    title=short_name(row.task),
                    model=row.label,
                )
        if level is Level.FULL:
            for row in rows:
                if row.series:
                    table = VARIANTS.table(row.series, level).without("model", "task")
                    yield Block([_of_result(table, row)])
                if row.depths:
                    table = transposed(BY_DEPTH.table(row.depths, level))
                    yield Block([_of_result(table, row)])


def _has_own_cells(row: Here) -> bool:
    """Whether a table that its task brings has all cells."""
    return any(
        view.across and view.rows == "variant" and view.fields[0].figures == [_CORRECT]
        for view in row.result.facts.views
    )


def _of_result(table: Table, row: Here) -> Table:
    """The table with the model and the task above."""
    model = kinds.MODEL.shown(model_of(row))
    name = model.as_name(sanitize_name(model.text, LONGEST_LABEL))
    whose = f"{name}, {sanitize_name(row.task, LONGEST_LABEL)}"
    return replace(table, whose=whose)


def _by_depth(row: Here, level: Level) -> Table:
    """A row per variant and a column per depth; the last row is of all variants."""
    depths = "depth (digits)" if row.has_digits else "depth"
    rows = list(row.series)
    if level >= Level.FULL:
        rows.append(row)
    table = cells_of(row.usual_size, depths, has_fractions=row.has_fractions).table(
        rows,
        level,
        across={str(depth): depth for depth in row.grid_depths},
        at=lambda here, depth: here._replace(depth=depth),
        trials=lambda here: (
            {**trials_of(here), "variant": short_name(here.name)}
            if here.variant
            else trials_of(here)
        ),
    )
    return table if level is Level.BRIEF else table.without("first_wrong")


# --- replies --------------------------------------------------------------------------


def _repeats(results: Results, level: Level) -> Iterator[Block]:
    rows = repeat_items(results.rows)
    yield Block([REPEATS.table(rows, level, trials=trials_of)])
    yield Block([NOISE.table(rows, level, trials=trials_of)])


def _cost(results: Results, level: Level) -> Iterator[Block]:
    yield Block((), scatters(results.rows, results.neighbours))


def _replies(results: Results, level: Level) -> Iterator[Block]:
    rows = results.rows
    yield Block([REPLIES.table(reply_items(rows), level, trials=trials_of)])
    models = results.run.run.models if results.run else ()
    sizes = {one.name: one.file.size_bytes / 1e6 for one in models if one.file}
    yield Block([speed(sizes).table(speed_items(rows), level, trials=trials_of)])


# --- answers --------------------------------------------------------------------------


def _confidence(results: Results, level: Level) -> Iterator[Block]:
    """How probable answers were to the model, and whether that tells right ones."""
    rows = [row for row in results.rows if row.value("confident")]
    table = CONFIDENCE.table(rows, level, trials=trials_of)
    if level < Level.PAGE:
        yield Block([table])
        return
    yield Block([table], reliability_charts(rows))
    for row in rows:
        across = _positions(row, "digit_probability")
        figures = {key: row.all(key) for key in DIGITS_BY_POSITION if across}
        digits = CONFIDENT_DIGITS.table(
            figures.items(),
            level,
            across=across,
            at=lambda item, place: item[1].get(place),
        )
        yield Block([digits], title=short_name(row.task), model=row.label)


def _errors(results: Results, level: Level) -> Iterator[Block]:
    """How answers deviate: the classes of all results, and on the page more of each."""
    rows = [row for row in results.rows if deviates(row)]
    present = {name for row in rows for name in row.by_name("error_class")}
    table = ERRORS.table(
        rows,
        level,
        across={str(name): str(name) for name in ErrorClass if name in present},
        at=lambda here, name: here._replace(at=name),
        trials=lambda row: {**trials_of(row), "outcome": "deviate"},
    )
    if level < Level.PAGE:
        yield Block([transposed(table)])
        return
    yield Block([table])
    for row in rows:
        classes = [row._replace(at=name) for name in row.by_name("error_class")]
        table = CLASSES.table(
            classes,
            level,
            trials=lambda here: {
                **trials_of(here),
                "outcome": "deviate",
                "class": here.at,
            },
        )
        charts = list(stratum_charts(row))
        yield Block(
            [table, _digits(row)], charts, title=short_name(row.task), model=row.label
        )


def _digits(row: Here) -> Table:
    """How often a digit is wrong by its position from either end: of all variants, then
    of each if there are several.
    """
    rows = [row]
    erring = [one for one in row.variants if one.by_name("error_class")]
    if len(erring) > 1:
        rows += sorted(erring, key=lambda one: one.name)
    across = _positions(row, "wrong_digits")
    return DIGITS.table(
        rows if across else (),
        Level.PAGE,
        across=across,
        at=lambda here, place: here.all("wrong_digits").get(place),
    )


def _positions(row: Here, key: str) -> Mapping[str, tuple[str, str]]:
    """The positions of digits from both ends, by the titles of their columns."""
    lengths = Counter(end for end, _ in row.all(key))
    across = {}
    for place in range(1, lengths["from_left"] + 1):
        across[str(place)] = "from_left", str(place)
    for place in range(lengths["from_right"], 0, -1):
        across[f"-{place}"] = "from_right", str(place)
    for by, at in row.all(key):
        if not by.startswith("from"):
            across[f"{at} {by}"] = by, at
    return across


def _searches(results: Results, level: Level) -> Iterator[Block]:
    items = search_items(results.rows)
    is_repeated = any(item.point.repeat for item in items)

    def trials(item: SearchOfResult) -> Filters:
        found = {**trials_of(item.here), "variant": short_name(item.point.variant)}
        if is_repeated:
            found["repeat"] = item.point.repeat
        return found

    table = SEARCHES.table(items, level, trials=trials)
    yield Block([table])


def _scores(results: Results, level: Level) -> Iterator[Block]:
    rows = results.rows
    table = scores(
        rows,
        level,
        lambda here: {**trials_of(here), "variant": short_name(here.name)},
    )
    if level >= Level.FULL:
        table = replace(table, legend=score_legend(rows))
    if level >= Level.PAGE:
        table = table.without("task")
    yield Block([table])
    if level < Level.PAGE:
        return
    variants: dict[str, list[Here]] = {}
    for row in rows:
        for one in row.scored:
            variants.setdefault(one.name, []).append(one)
    for name, some in sorted(variants.items()):
        curves = score_curves(short_name(name), some)
        unsolved = set[str](some[0].examples("unsolved"))
        for one in some:
            unsolved &= set(one.examples("unsolved"))
        lines = []
        if unsolved:
            lines.append(
                f"Solved by no model here: {formatting.named(sorted(unsolved))}"
            )
        yield Block((), curves.charts, curves.title, legend=curves.legend, lines=lines)


_Blocks = Callable[[Results, Level], Iterator[Block]]
_SECTIONS: Sequence[tuple[str, Level, _Blocks, str]] = (
    ("overview", Level.BRIEF, _overview, ""),
    ("own", Level.PAGE, _of_tasks, "Measures that a task brings."),
    ("differences", Level.BRIEF, _differences, ""),
    (
        "depth",
        Level.BRIEF,
        _depth,
        "The share of correct answers by depth, or the mean of scores between 0 and 1; "
        "in arithmetic and integer_addition the depth is digits, of divisions those of "
        "quotient and divisor.",
    ),
    (
        "cells",
        Level.BRIEF,
        _cells,
        "Correct answers by variant and depth; a deeper blue means more of them. A cell "
        "leads to its trials.",
    ),
    ("conditions", Level.FULL, _conditions, ""),
    (
        "repeats",
        Level.FULL,
        _repeats,
        "The same problems, asked several times.",
    ),
    (
        "cost",
        Level.PAGE,
        _cost,
        "Correct answers against the cost of a thousand trials or the speed of a server, "
        "on a logarithmic scale. The dashed line connects the models that are better "
        "than all that are cheaper or faster, among those with answers in the same "
        "cells; a solid line connects neighbouring values of a parameter.",
    ),
    (
        "effort",
        Level.FULL,
        _effort,
        "The reasoning tokens of the same questions where a model was asked for more or "
        "less thinking.",
    ),
    ("replies", Level.FULL, _replies, "Cost, tokens and speed of replies."),
    (
        "errors",
        Level.FULL,
        _errors,
        "The classes of wrong answers: every wrong answer is in exactly one. A deeper "
        "orange means more of them. A class leads to its trials.",
    ),
    (
        "confidence",
        Level.FULL,
        _confidence,
        "How probable answers were to the model itself, by the log probabilities of "
        "their tokens. On the dashed line a model is right as often as it is sure; "
        "below it is too sure. A bar is a 95 % interval.",
    ),
    (
        "breaking",
        Level.BRIEF,
        _searches,
        "The simplest question that each model answered wrongly, found by a search that "
        "simplifies a wrong question as long as it stays wrong. A question counts if it "
        "is wrong each time that it is asked again. A variant leads to its trial, which "
        "holds the reply and all questions of the search.",
    ),
    ("scores", Level.BRIEF, _scores, "Scores from 0 to 1 of whole problems."),
)
