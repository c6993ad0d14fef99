"""Tables: columns with a key, a title, a kind and a meaning, and rows of values.

A definition lists its columns once. A table of it has values, and each renderer shows
them by the kind of their column, so that a figure is the same in every format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Generic, NamedTuple, TypeVar

from pytest_llmarith.safe_text import sanitize_name

UNKNOWN = "-"
_LONGEST_SHARED = 40

Filters = Mapping[str, str | int]  # of trials
Datum = str | int | float | bool | None
V = TypeVar("V")


class Level(IntEnum):
    """The least detail with which a column is shown."""

    BRIEF = 1  # the end of a run
    FULL = 2  # -v
    PAGE = 3


class Shown(NamedTuple):
    """A value as people read it: a text, its 95 % interval, notes on it, and the
    address to which it leads on a page.
    """

    text: str
    interval: str = ""
    notes: tuple[str, ...] = ()
    link: str = ""

    @property
    def note(self) -> str:
        """All notes on it."""
        return ", ".join(self.notes)

    def as_name(self, text: str) -> str:
        """A name, as a format escapes it, with the note."""
        return f"{text} ({self.note})" if self.note else text

    def as_figure(self, text: str) -> str:
        """A figure, as a format escapes it, with the interval and the note."""
        if self.interval:
            text += f" ({self.interval})"
        if self.note:
            text += f", {self.note}"
        return text


@dataclass(frozen=True)
class Kind(Generic[V]):
    """How the values of a column are shown. `figure` is the number or text by which the
    page sorts a value, or a figure with an interval, which it can draw.
    """

    show: Callable[[V], Shown]
    figure: Callable[[V], Any] = lambda value: value
    unit: str = ""
    is_name: bool = False  # untrusted text to the left of figures
    is_text: bool = False  # sorted as a text
    is_sorted: bool = True  # on the page
    is_left: bool = False  # aligned to the left, as a text
    is_signed: bool = False  # a hyphen is a minus sign
    is_known: Callable[[V], bool] = lambda value: True  # whether people see a figure
    unknown: str = UNKNOWN  # empty if a dash is a value

    def shown(self, value: V | None) -> Shown:
        """A value as people read it; a dash if it is unknown, nothing for a name. What
        is shown already, such as a published figure, stays.
        """
        if isinstance(value, Shown):
            return value
        if value is not None:
            return self.show(value)
        if self.is_name:
            return Shown("")
        return Shown(self.unknown)

    def figure_of(self, value: V | None) -> Any:
        """The figure of a value; None if it is unknown or a text."""
        if value is None or isinstance(value, Shown):
            return None
        return self.figure(value)

    def rank(self, value: V | None) -> Datum:
        """By what a value is sorted."""
        figure = self.figure_of(value)
        found: Datum = getattr(figure, "value", figure)
        return found


@dataclass(frozen=True)
class Column(Generic[V]):
    """A column of a definition: `value` takes it from what a row is about.

    A table that is laid out row by row has columns without `value`.

    `below` names the column under which it is stacked if a table is too wide. The
    meaning is in the legend if it is `explained`.
    """

    key: str
    title: str
    kind: Kind[V]
    meaning: str = ""
    value: Callable[[Any], V | None] = lambda item: None
    level: Level = Level.BRIEF
    most: Level = Level.PAGE  # the detail with which it is still shown
    below: str = ""
    explained: bool = False
    pictured: bool = False  # with its interval, on the page
    curved: bool = False  # by depth, on the page; of a measure
    is_rare: bool = False  # left out if it has only zeros
    is_optional: bool = False  # left out of a terminal that is too narrow
    is_named: bool = False  # the title is a name, as in a matrix
    term: str = ""  # its name in the legend, if that is not the title
    across: str = ""  # of a matrix, the filter of trials for which its columns stand


@dataclass(frozen=True)
class Row:
    """Values for all columns, notes on them, and the filters of the trials behind
    them.
    """

    values: Sequence[Any]
    notes: Sequence[str] = ()
    trials: Filters = field(default_factory=dict)

    @property
    def note(self) -> str:
        """All notes on it."""
        return "; ".join(self.notes)


@dataclass(frozen=True)
class Table:
    """Rows below columns.

    `notes` are about some of the rows, `legend` is about the columns beside what these
    explain themselves, `whose` has names. `pages` have the trials of a model if it is
    another page.
    """

    key: str
    title: str
    columns: Sequence[Column[Any]]
    rows: list[Row]
    legend: str = ""
    notes: Sequence[str] = ()
    whose: str = ""
    pages: Mapping[str, str] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        """Whose table it is, and its title."""
        if self.whose and self.title:
            return f"{self.whose}: {self.title}"
        return self.whose or self.title

    @property
    def explanation(self) -> list[str]:
        """What the columns mean."""
        texts = []
        for column in self.columns:
            text = f"{column.term or column.title}: {column.meaning}"
            if column.explained and text not in texts:
                texts.append(text)
        if self.legend:
            texts.append(self.legend)
        return texts

    def has(self, key: str) -> bool:
        """Whether it has a column of this key."""
        return any(column.key == key for column in self.columns)

    def values(self, key: str) -> list[Any]:
        """The values of a column."""
        place = self.place(key)
        return [row.values[place] for row in self.rows]

    def place(self, key: str) -> int:
        """The number of a column."""
        return [column.key for column in self.columns].index(key)

    def chosen(self, keys: Iterable[str]) -> Table:
        """The table with these columns, as far as it has them, in this order."""
        return self._at([self.place(key) for key in keys if self.has(key)])

    def without(self, *keys: str) -> Table:
        """The table without these columns."""
        return self.chosen(one.key for one in self.columns if one.key not in keys)

    def first(self, *keys: str) -> Table:
        """The table with these columns before the others."""
        others = [one.key for one in self.columns if one.key not in keys]
        return self.chosen([*keys, *others])

    def known(self) -> Table:
        """The table without the columns of which no value is known, but those of a
        matrix.
        """
        used = []
        for place, column in enumerate(self.columns):
            values = [row.values[place] for row in self.rows]
            if column.is_named or any(_is_shown(column, value) for value in values):
                used.append(place)
        return self._at(used)

    def folded(self) -> Table:
        """The table with a model or a task that all rows share in its heading, or if it
        has none above its first column.
        """
        table = self
        shared = []
        for key in ("model", "task"):
            names = [column for column in table.columns if column.kind.is_name]
            if not table.has(key) or len(names) < 2:
                continue
            kind = table.columns[table.place(key)].kind
            shown = {kind.shown(value) for value in table.values(key)}
            if len(shown) == 1:
                table = table.without(key)
                (one,) = shown
                shared.append(one.as_name(sanitize_name(one.text, _LONGEST_SHARED)))
        if not shared:
            return self
        if self.title:
            shared += [self.whose] if self.whose else []
            return replace(table, whose=", ".join(shared))
        first = replace(table.columns[0], title=", ".join(shared), is_named=True)
        return replace(table, columns=[first, *table.columns[1:]])

    def _at(self, places: Sequence[int]) -> Table:
        rows = []
        for row in self.rows:
            values = [row.values[place] for place in places]
            rows.append(replace(row, values=values))
        return replace(self, columns=[self.columns[at] for at in places], rows=rows)


def _is_shown(column: Column[Any], value: Any) -> bool:
    """Whether a value makes its column worth showing."""
    if value is None or not column.kind.is_known(value):
        return False
    return not column.is_rare or bool(column.kind.rank(value))


@dataclass(frozen=True)
class Definition:
    """The columns of a table; docs and schemas are made from these."""

    key: str
    title: str
    columns: Sequence[Column[Any]]
    legend: str = ""

    def table(
        self,
        items: Iterable[Any],
        level: Level = Level.FULL,
        *,
        across: Mapping[str, Any] | None = None,
        at: Callable[[Any, Any], Any] = lambda item, place: place.get(item),
        note: Callable[[Any], Sequence[str]] | None = None,
        trials: Callable[[Any], Filters] | None = None,
        notes: Sequence[str] = (),
    ) -> Table:
        """A table with a row per item, and the columns of this level that have a known
        value.

        `across` has the titles and places of the columns of a matrix, and `at` finds
        what an item has at a place.
        """
        columns: list[Column[Any]] = []
        for column in self.columns:
            if column.level <= level <= column.most:
                columns += (
                    _matrix(column, across or {}, at) if column.across else [column]
                )
        rows = []
        for item in items:
            values = [column.value(item) for column in columns]
            on_row = note(item) if note else ()
            rows.append(Row(values, on_row, trials(item) if trials else {}))
        legend = self.legend if rows else ""
        return Table(self.key, self.title, columns, rows, legend, notes).known()


def _matrix(
    column: Column[Any], across: Mapping[str, Any], at: Callable[[Any, Any], Any]
) -> list[Column[Any]]:
    """The column for each place across; the first one is explained."""
    found: list[Column[Any]] = []
    for title, place in across.items():

        def value(item: Any, place: Any = place) -> Any:
            there = at(item, place)
            return None if there is None else column.value(there)

        found.append(
            replace(
                column,
                key=f"{column.key} {title}",
                title=title,
                value=value,
                is_named=True,
                explained=column.explained and not found,
                term=column.term or column.title,
            )
        )
    return found
