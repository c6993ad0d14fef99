"""Columns that tables share: whose figures they are, and measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_llmarith.figures.count import MEASURES
from pytest_llmarith.figures.estimates import (
    Described,
    Field,
    Figure,
    Measure,
    Published,
    View,
)
from pytest_llmarith.figures.own_measures import FAILED
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.views import kinds
from pytest_llmarith.views.places import LONGEST_LABEL, Here, share_in, short_name
from pytest_llmarith.views.table import (
    Column,
    Definition,
    Filters,
    Kind,
    Level,
    Row,
    Shown,
    Table,
)

_LONGEST_MEANING = 1_000


def model_of(row: Here) -> kinds.ModelLabel:
    """The model of a result as it is labelled."""
    model = kinds.model(row.label, row.model, is_simulated=row.simulated)
    if row.unfinished:
        model = model._replace(marks=(*model.marks, "unfinished"))
    return model


def trials_of(here: Here) -> Filters:
    """The filters of the trials of a result."""
    return {"model": here.label, "task": short_name(here.task)}


def field(key: str, level: Level = Level.PAGE, *, curved: bool = False) -> Column[Any]:
    """A column of a measure, which has its title, unit and meaning."""
    return field_of(key, MEASURES[key], level, curved=curved)


def field_of(
    key: str,
    measure: Measure | Described,
    level: Level = Level.PAGE,
    *,
    curved: bool = False,
) -> Column[Any]:
    kind: Kind[Any] = kinds.PERCENT if measure.unit == "%" else kinds.FIGURE
    return Column(
        key,
        short_name(measure.title),
        kind,
        sanitize(measure.meaning, _LONGEST_MEANING),
        lambda here: here.get(key),
        level,
        curved=curved,
    )


def task_table(view: View, rows: Sequence[Here], level: Level) -> Table:
    """A table that a task brings, of results of this task."""
    measures: dict[str, Measure | Described] = {**MEASURES}
    for row in rows:
        measures |= row.result.own
    # Of a run that was read, a measure without any figure is not known.
    columns = [
        _task_column(one, measures)
        for one in view.fields
        if one.figures[0][0] in measures
    ]
    depths: dict[str, int] = {}
    if view.across:
        columns = [replace(_in_matrix(one), across=view.across) for one in columns]
        found = {depth for row in rows for depth in row.result.facts.depths}
        depths = {str(depth): depth for depth in sorted(found)}
    places: list[Here] = []
    for row in rows if columns else ():
        places += _places(row, view.rows)
    if view.rows == "model":
        whose = WHOSE[:1]
    else:
        named = measures.get(view.rows)
        title = named.title if named else view.rows
        name = Column(
            "row", short_name(title), kinds.NAME, "", _ROW_NAMES.get(view.rows, _at)
        )
        whose = (*WHOSE[:1], name)
    definition = Definition("own", short_name(view.title), [*whose, *columns])
    table = definition.table(
        places,
        level,
        across=depths,
        at=lambda here, depth: here._replace(depth=depth),
        trials=trials_of,
    )
    return _with_published(table, view) if table.rows else table


def _with_published(table: Table, view: View) -> Table:
    """The table with the rows of others below those that they are about."""
    rows = list(table.rows)
    names = table.values("row") if table.has("row") else [""]
    for one in view.published:
        if one.row in names:
            rows.append(Row([_published(one, column) for column in table.columns]))
    if table.has("row") and len(rows) > len(table.rows):
        place = table.place("row")
        rows.sort(key=lambda row: names.index(row.values[place]))
    return replace(table, rows=rows, legend=sanitize(view.cited, _LONGEST_MEANING))


def _published(one: Published, column: Column[Any]) -> Any:
    if column.key == "model":
        return kinds.ModelLabel(short_name(one.model), one.model, ("published",))
    if column.key == "row":
        return one.row
    text = one.cells.get(column.title)
    return Shown(sanitize(text, LONGEST_LABEL)) if text else None


def _places(row: Here, rows: str) -> Sequence[Here]:
    """The rows of a result in a table."""
    if rows == "model":
        return [row]
    if rows == "variant":
        return row.variants
    if rows == "depth":
        return [row._replace(depth=depth) for depth in row.result.facts.depths]
    found = row.all(rows).items()
    return [row._replace(at=at) for (_, at), one in found if one.method != FAILED]


def _at(here: Here) -> str:
    return here.at


_ROW_NAMES: Mapping[str, Callable[[Here], str]] = {
    "variant": lambda here: here.name,
    "depth": lambda here: str(here.depth),
}


def _task_column(
    field: Field, measures: Mapping[str, Measure | Described]
) -> Column[Any]:
    """A column whose text is a single figure, with its interval, or made of several."""
    (first, _), *others = field.figures
    title, meaning = short_name(field.title), sanitize(field.meaning, _LONGEST_MEANING)

    def figures(here: Here) -> list[Figure | None]:
        return [here.get(key, at or here.at) for key, at in field.figures]

    if not others and field.filled([""]) == "":
        column = field_of(first, measures[first], Level.BRIEF)
        return replace(
            column,
            key=field.text,
            title=title,
            meaning=meaning,
            value=lambda here: figures(here)[0],
        )

    def text(here: Here) -> str | None:
        texts = []
        for one in figures(here):
            if one is None or one.value is None:
                return None
            texts.append(kinds.FIGURE.shown(one).text)
        return sanitize(field.filled(texts), LONGEST_LABEL)

    return Column(field.text, title, kinds.TEXT, meaning, text)


def _in_matrix(column: Column[Any]) -> Column[Any]:
    """The column with percentages as colours, and without intervals."""
    if column.kind is not kinds.PERCENT:
        return column

    def heat(here: Here) -> kinds.Heat | None:
        return kinds.heat(share_in(column.value(here)), "right")

    return replace(column, kind=kinds.HEAT, value=heat)


WHOSE: Sequence[Column[Any]] = (
    Column(
        "model",
        "model",
        kinds.MODEL,
        "the model, with its condition and what tells it from others",
        model_of,
    ),
    Column(
        "task",
        "task",
        kinds.NAME,
        "the task",
        lambda here: here.task,
        below="model",
    ),
)
