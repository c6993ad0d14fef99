"""Tables: columns with a key, a title, a kind and a meaning, and rows of values.

A definition lists its columns once. A table of it has values, and each renderer shows
them by the kind of their column, so that a figure is the same in every format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Generic, NamedTuple, TypeVar

UNKNOWN = "-"

Datum = str | int | float | bool | None
V = TypeVar("V")


class Level(IntEnum):
    """The least detail with which a column is shown."""

    BRIEF = 1  # the end of a run
    FULL = 2  # -v
    PAGE = 3
    DATA = 4  # CSV and JSON


class Shown(NamedTuple):
    """A value as people read it: a text, its 95 % interval, and a note on it."""

    text: str
    interval: str = ""
    note: str = ""


@dataclass(frozen=True)
class Kind(Generic[V]):
    """How the values of a column are shown, and what they are in CSV and JSON.

    `parts` are the endings of keys with their types in JSON; a single part without an
    ending has the key of the column. `data` returns a value for each part.
    """

    parts: Mapping[str, str]
    show: Callable[[V], Shown]
    data: Callable[[V], Sequence[Datum]]
    unit: str = ""
    is_name: bool = False  # untrusted text to the left of figures
    is_sorted: bool = True  # by the first part, on the page
    is_left: bool = False  # aligned to the left, as a text
    is_known: Callable[[V], bool] = lambda value: True  # whether people see a figure
    unknown: str = UNKNOWN  # empty if a dash is a value

    def shown(self, value: V | None) -> Shown:
        """A value as people read it; a dash if it is unknown, nothing for a name."""
        if value is not None:
            return self.show(value)
        return Shown("") if self.is_name else Shown(self.unknown)

    def values(self, value: V | None) -> Sequence[Datum]:
        """A value for each part."""
        return self.data(value) if value is not None else [None] * len(self.parts)


@dataclass(frozen=True)
class Column(Generic[V]):
    """A column of a definition: `value` takes it from what a row is about.

    `below` names the column under which it is stacked if a table is too wide. The
    meaning is in the legend if it is `explained`.
    """

    key: str
    title: str
    kind: Kind[V]
    meaning: str
    value: Callable[[Any], V | None]
    level: Level = Level.BRIEF
    below: str = ""
    explained: bool = False
    pictured: bool = False  # with its interval, on the page
    is_rare: bool = False  # left out if it has only zeros
    is_named: bool = False  # the title is a name, as in a matrix
    called: str = ""  # its name in the legend, if that is not the title

    def part_keys(self) -> list[str]:
        """The keys of its parts in CSV and JSON."""
        return [f"{self.key}_{part}" if part else self.key for part in self.kind.parts]


@dataclass(frozen=True)
class Row:
    """Values for all columns, a note on them, and the filters of the trials behind
    them.
    """

    values: Sequence[Any]
    note: str = ""
    trials: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """Rows below columns.

    `notes` are about some of the rows, `legend` is about the columns beside what these
    explain themselves, `whose` has names.
    """

    key: str
    title: str
    columns: Sequence[Column[Any]]
    rows: Sequence[Row]
    legend: str = ""
    notes: Sequence[str] = ()
    whose: str = ""

    @property
    def heading(self) -> str:
        """Whose table it is, and its title."""
        return ": ".join(filter(None, (self.whose, self.title)))

    @property
    def explanation(self) -> list[str]:
        """What the columns mean."""
        texts = [
            f"{column.called or column.title}: {column.meaning}"
            for column in self.columns
            if column.explained
        ]
        return [*dict.fromkeys(texts), *filter(None, [self.legend])]

    def values(self, key: str) -> list[Any]:
        """The values of a column."""
        place = self.place(key)
        return [row.values[place] for row in self.rows]

    def place(self, key: str) -> int:
        """The number of a column."""
        return [column.key for column in self.columns].index(key)

    def chosen(self, keys: Iterable[str]) -> Table:
        """The table with these columns, as far as it has them, in this order."""
        known = {column.key: place for place, column in enumerate(self.columns)}
        places = [known[key] for key in keys if key in known]
        return self._at(places)

    def without(self, *keys: str) -> Table:
        """The table without these columns."""
        return self.chosen(one.key for one in self.columns if one.key not in keys)

    def first(self, *keys: str) -> Table:
        """The table with these columns before the others."""
        others = [one.key for one in self.columns if one.key not in keys]
        return self.chosen([*keys, *others])

    def known(self) -> Table:
        """The table without the columns of which no value is known."""
        used = []
        for place, column in enumerate(self.columns):
            known = [row.values[place] for row in self.rows]
            is_known = column.kind.is_known
            known = [one for one in known if one is not None and is_known(one)]
            if column.is_rare:
                known = [value for value in known if column.kind.values(value)[0]]
            if known:
                used.append(place)
        return self._at(used)

    def _at(self, places: Sequence[int]) -> Table:
        rows = [
            replace(row, values=[row.values[place] for place in places])
            for row in self.rows
        ]
        return replace(self, columns=[self.columns[at] for at in places], rows=rows)

    def titled(self, **titles: str) -> Table:
        """The table with other titles of columns, by key."""
        columns = [
            replace(one, title=titles.get(one.key, one.title)) for one in self.columns
        ]
        return replace(self, columns=columns)


@dataclass(frozen=True)
class Definition:
    """The columns of a table; docs and schemas are made from these."""

    key: str
    title: str
    columns: Sequence[Column[Any]]
    legend: str = ""

    def with_columns(self, *keys: str, added: Column[Any]) -> Definition:
        """The definition with these of its columns, and a further one."""
        chosen = [column for column in self.columns if column.key in keys]
        return replace(self, columns=[*chosen, added])

    def table(
        self,
        items: Iterable[Any],
        level: Level = Level.FULL,
        *,
        note: Callable[[Any], str] | None = None,
        trials: Callable[[Any], Mapping[str, str | int]] | None = None,
        notes: Sequence[str] = (),
        whose: str = "",
    ) -> Table:
        """A table with a row per item, and the columns of this level that have a known
        value; as data it has all columns, and neither notes nor links.
        """
        columns = [column for column in self.columns if column.level <= level]
        rows: list[Row] = []
        for item in items:
            values = [column.value(item) for column in columns]
            if level is Level.DATA:
                rows.append(Row(values))
            else:
                text = note(item) if note else ""
                rows.append(Row(values, text, trials(item) if trials else {}))
        legend = self.legend if rows else ""
        table = Table(self.key, self.title, columns, rows, legend, notes, whose)
        return table if level is Level.DATA else table.known()


def pivot(table: Table, down: Sequence[str], across: str, figure: str) -> Table:
    """A matrix: a row for each value of the columns `down`, and a column for each value
    of the column `across`, which has the figures.
    """
    if not table.rows:
        return table
    named, shown = table.place(across), table.place(figure)
    places = [table.place(key) for key in down]
    heads: dict[str, None] = {}
    lines: dict[tuple[str, ...], tuple[Row, dict[str, Any]]] = {}
    for row in table.rows:
        head = table.columns[named].kind.shown(row.values[named]).text
        heads.setdefault(head)
        names = tuple(
            table.columns[at].kind.shown(row.values[at]).text for at in places
        )
        lines.setdefault(names, (row, {}))[1][head] = row.values[shown]
    columns = [table.columns[at] for at in places]
    whole = table.columns[shown]
    for number, head in enumerate(heads):
        is_first = number == 0
        columns.append(
            replace(
                whole,
                key=f"{figure} {head}",
                title=head,
                is_named=True,
                explained=whole.explained and is_first,
                called=whole.called or whole.title,
            )
        )
    rows = []
    for first, found in lines.values():
        values = [first.values[at] for at in places] + [*map(found.get, heads)]
        rows.append(Row(values, first.note, first.trials))
    return replace(table, columns=columns, rows=rows)
