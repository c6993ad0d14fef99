"""Tables for the page: what its template writes, which escapes all texts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple
from urllib.parse import quote

from pytest_llmarith.report.axis import Axis
from pytest_llmarith.report.series import short_name
from pytest_llmarith.report.table import Column, Datum, Shown, Table


class Head(NamedTuple):
    """The head of a column; `sorts` says how a click sorts it, if it does."""

    title: str
    meaning: str
    is_name: bool
    sorts: str
    ranks: bool
    axis: Axis | None  # of the pictures beside it


class Cell(NamedTuple):
    """A cell; `sort` is the value by which it is sorted, `ends` are the figure and the
    ends of its interval, for a picture.
    """

    shown: Shown
    sort: Datum
    link: str
    ends: Sequence[float] | None
    is_name: bool = False


class Line(NamedTuple):
    """A row: its cells, notes, and the model that it is about."""

    cells: Sequence[Cell]
    note: Sequence[str]
    model: str
    direction: str
    missing: bool  # whether it lacks cells of others


class View(NamedTuple):
    """A table as the template writes it."""

    title: str
    heads: Sequence[Head]
    lines: Sequence[Line]
    explanation: str


def view(
    table: Table,
    directions: Sequence[str] = (),
    missing: Collection[str] = (),
) -> View:
    """What the page shows of a table; `directions` say of each row whether it is
    significantly better or worse, `missing` which models lack cells of others.
    """
    axes = [_axis(table, at) for at in range(len(table.columns))]
    heads = [
        _head(column, axis) for column, axis in zip(table.columns, axes, strict=True)
    ]
    lines = []
    for number, row in enumerate(table.rows):
        link = _link(row.trials)
        cells = [
            _cell(column, value, axis)
            for column, value, axis in zip(table.columns, row.values, axes, strict=True)
        ]
        cells[0] = cells[0]._replace(link=link)
        model = str(row.trials.get("model", ""))
        notes = [note for note in row.note.split("; ") if note]
        direction = directions[number] if directions else ""
        lines.append(Line(cells, notes, model, direction, model in missing))
    return View(table.title, heads, lines, ". ".join(table.explanation))


def _head(column: Column[Any], axis: Axis | None) -> Head:
    kind = column.kind
    sorts = "number"
    if not kind.is_sorted:
        sorts = ""
    elif next(iter(kind.parts.values())) == "string":
        sorts = "text"
    title = short_name(column.title) if column.is_named else column.title
    ranks = kind.unit == "%"
    return Head(title, column.meaning, kind.is_name, sorts, ranks, axis)


def _cell(column: Column[Any], value: Any, axis: Axis | None) -> Cell:
    shown = column.kind.shown(value)
    if column.kind.is_name:
        name = short_name(shown.text) if shown.text else ""
        return Cell(shown._replace(text=name), name, "", None, is_name=True)
    ends = _ends(column, value) if axis else None
    return Cell(shown, _sort(column, value), "", ends)


def _sort(column: Column[Any], value: Any) -> Datum:
    """The figure that is shown, else the first part."""
    parts = dict(zip(column.kind.parts, column.kind.values(value), strict=True))
    for name in ("percent", "points"):
        if name in parts:
            return parts[name]
    return next(iter(parts.values()))


def _ends(column: Column[Any], value: Any) -> Sequence[float] | None:
    """The figure, and the ends of its interval or itself."""
    parts = dict(zip(column.kind.parts, column.kind.values(value), strict=True))
    figure = parts.get("percent", parts.get("points"))
    if not isinstance(figure, int | float):
        return None
    low, high = parts.get("low"), parts.get("high")
    return [
        figure,
        low if isinstance(low, int | float) else figure,
        high if isinstance(high, int | float) else figure,
    ]


def _axis(table: Table, at: int) -> Axis | None:
    """From 0 to 100 %; of differences one with as many points on either side of 0."""
    column = table.columns[at]
    if not column.pictured:
        return None
    if "percent" in column.kind.parts:
        return Axis(0, 100, 0, 100)
    found = [_ends(column, row.values[at]) or [0.0] for row in table.rows]
    most = max((abs(end) for ends in found for end in ends), default=0)
    reach = max(10, 10 * ceil(most / 10))
    return Axis(-reach, reach, 0, 100)


def _link(filters: Mapping[str, str | int]) -> str:
    """The address of the trials with these filters."""
    if not filters:
        return ""
    pairs = [f"{name}={quote(str(one), safe='')}" for name, one in filters.items()]
    return f"#trials?{'&'.join(pairs)}"
