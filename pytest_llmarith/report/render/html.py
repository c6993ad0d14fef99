"""Tables for the page: what its template writes, which escapes all texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import ceil
from typing import Any, NamedTuple
from urllib.parse import quote

from pytest_llmarith.report.charts import Axis
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.views import kinds
from pytest_llmarith.views.places import Share, short_name
from pytest_llmarith.views.table import Column, Datum, Filters, Kind, Row, Shown, Table

_LONGEST_TEXT = 1_000
STEPS = 10  # of colour, from none to all


def step(share: Share) -> int:
    """The step of colour; the last one is only for all of it, the first one only for
    nothing.
    """
    if share.value == 0:
        return 0
    if share.value == 100:
        return STEPS
    return min(STEPS - 1, max(1, round(STEPS * share.value / 100)))


class Head(NamedTuple):
    """The head of a column; `sorts` says how a click sorts it, if it does."""

    title: str
    meaning: str
    kind: str  # `name`, `left`, `tinted` or `number`
    is_named: bool  # whether the title is a name, as in a matrix
    sorts: str
    ranks: bool
    axis: Axis | None  # of the pictures beside it


class HtmlCell(NamedTuple):
    """A cell; `sort` is the value by which it is sorted, `ends` are the figure and the
    ends of its interval, for a picture.
    """

    shown: Shown
    sort: Datum
    link: str = ""
    ends: Sequence[float] | None = None
    tone: str = ""
    description: str = ""
    is_name: bool = False


class Line(NamedTuple):
    """A row: its cells, notes, and the model that it is about."""

    cells: Sequence[HtmlCell]
    note: Sequence[str]
    model: str
    direction: str
    missing: bool  # whether it lacks cells of others


class TableView(NamedTuple):
    """A table as the template writes it."""

    title: str
    heads: Sequence[Head]
    lines: Sequence[Line]
    explanation: str


def view(
    table: Table,
    directions: Sequence[str] = (),
    missing: Collection[str] = (),
    across: str = "",
) -> TableView:
    """What the page shows of a table.

    `directions` say of each row whether it is significantly better or worse, `missing`
    which models lack cells of others. `across` is the filter of trials for which the
    columns of a matrix stand.
    """
    axes = []
    for at, column in enumerate(table.columns):
        values = [row.values[at] for row in table.rows]
        axes.append(_axis(column, values))
    heads = list(map(_head, table.columns, axes))
    lines = []
    for number, row in enumerate(table.rows):
        cells = list(_cells(table, row, axes, across))
        model = str(row.trials.get("model", ""))
        notes = list(map(_printable, row.notes))
        direction = directions[number] if directions else ""
        lines.append(Line(cells, notes, model, direction, model in missing))
    return TableView(table.title, heads, lines, ". ".join(table.explanation))


def _head(column: Column[Any], axis: Axis | None) -> Head:
    kind = column.kind
    sorts = "text" if kind.is_text else "number"
    if not kind.is_sorted:
        sorts = ""
    title = _printable(column.title)
    if column.is_named:
        title = short_name(column.title)
    meaning = column.meaning
    shape = _shape(kind)
    return Head(title, meaning, shape, column.is_named, sorts, kind.unit == "%", axis)


def _shape(kind: Kind[Any]) -> str:
    if kind.is_name:
        return "name"
    if kind.is_left:
        return "left"
    return "tinted" if kind is kinds.HEAT else "number"


def _cells(
    table: Table, row: Row, axes: Sequence[Axis | None], across: str
) -> Iterator[HtmlCell]:
    """The cells of a row; its name, and each cell of a matrix, leads to its trials."""
    name = _cell(table.columns[0], row.values[0], None)
    page = table.pages.get(str(row.trials.get("model")), "")
    yield name._replace(link=page + _link(row.trials))
    others = zip(table.columns, row.values, axes, strict=True)
    next(others)
    for column, value, axis in others:
        cell = _cell(column, value, axis)
        if isinstance(value, kinds.Heat):
            head, by = short_name(column.title), column.across or across
            told = f"{name.shown.text}, {by} {head}: {value.share.description}"
            cell = cell._replace(description=told)
            if value.hue:
                tone = f"{value.hue}-{step(value.share)}"
                link = _link({**row.trials, by: head}) if row.trials else ""
                cell = cell._replace(tone=tone, link=link)
        yield cell


def _cell(column: Column[Any], value: Any, axis: Axis | None) -> HtmlCell:
    shown = column.kind.shown(value)
    if column.kind.is_name:
        name = short_name(shown.text) if shown.text else ""
        return HtmlCell(shown._replace(text=name), name, is_name=True)
    ends = _ends(column, value) if axis else None
    notes = tuple(map(_printable, shown.notes))
    shown = shown._replace(text=_printable(shown.text), notes=notes)
    return HtmlCell(shown, column.kind.rank(value), ends=ends)


def _printable(text: str) -> str:
    """A text of a figure or a note, which may have names or a part of a reply."""
    return text if text.isprintable() else sanitize(text, _LONGEST_TEXT)


def _ends(column: Column[Any], value: Any) -> Sequence[float] | None:
    """The figure, and the ends of its interval or itself."""
    found = column.kind.figure_of(value)
    if found is None or found.value is None:
        return None
    ends = [found.low, found.high]
    return [found.value, *(found.value if end is None else end for end in ends)]


def _axis(column: Column[Any], values: Sequence[Any]) -> Axis | None:
    """From 0 to 100 %; of differences one with as many points on either side of 0."""
    if not column.pictured:
        return None
    if column.kind.unit == "%":
        return Axis(0, 100, 0, 100)
    most = 0.0
    for value in values:
        most = max([most, *map(abs, _ends(column, value) or [])])
    reach = max(10, 10 * ceil(most / 10))
    return Axis(-reach, reach, 0, 100)


def _link(filters: Filters) -> str:
    """The address of the trials with these filters."""
    if not filters:
        return ""
    pairs = [f"{name}={quote(str(one), safe='')}" for name, one in filters.items()]
    return f"#trials?{'&'.join(pairs)}"
