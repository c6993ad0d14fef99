"""Tables as text for a terminal, as GitHub's markdown and as LaTeX.

Each column formats its values. Names are untrusted text: they are sanitized here, and
shortened if the terminal is too narrow. A table that is still too wide puts some
columns below others, and then is split into pieces.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from math import ceil
from textwrap import wrap
from typing import Any, NamedTuple

from pytest_llmarith.report.formatting import UNKNOWN, ascii_keys
from pytest_llmarith.safe_text import sanitize, sanitize_name

LONGEST_NAME = 60
SHORTEST_NAME = 16  # integer_addition
_LONGEST_CODE = 1_000
_LONGEST_IN_MARKDOWN = 200  # of a name
_GAP = "  "
_TICKS = re.compile("`+")
_NAMED_IN_LATEX = (
    "backslash braceleft braceright less greater bar asciitilde "
    "asciicircum asciigrave quotesingle quotedblright"
)
# Brackets may be arguments.
_LATEX = {char: f"\\{char}" for char in "&%$#_"} | {
    char: f"{{{char}}}" for char in "[]*"
}
_LATEX |= {
    char: rf"\text{name}{{}}"
    for char, name in zip("\\{}<>|~^`'\"", _NAMED_IN_LATEX.split(), strict=True)
}
_LIGATURE = re.compile(r"([-,])(?=\1)")
_LATEX_CELLS = {".": "0", UNKNOWN: "--"}
_RANGE = re.compile(
    r"(?<=\.[0-9])-(?=[0-9]{1,3}(\.[0-9])?(?![\w.]))"
)  # such as 57.6-64.8, and no name
_SIGN = re.compile(
    r"(?<![^\s(])([-+](?:[0-9]+(?:\.[0-9]+)?|(?=\s)))"
)  # as in -12.9 and in B - A


class Column(NamedTuple):
    """One value per row. A header of several lines holds names of models and tasks."""

    header: str
    show: Callable[[Any], Any] = str  # of a value that is not None; None is unknown
    is_name: bool = False  # names are to the left of all other columns
    below: bool = (
        False  # whether it goes below the column before it if the table is too wide
    )


class Row(NamedTuple):
    """The values of all columns, and a note on them."""

    cells: Sequence[Any]
    note: str = ""


class Table(NamedTuple):
    """Rows below headers.

    `notes` are about some of the rows, `legend` is about the columns, `whose` has
    names.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    legend: str = ""
    notes: Sequence[str] = ()
    whose: str = ""

    @property
    def heading(self) -> str:
        """Whose table it is, and its title."""
        return ": ".join(filter(None, (self.whose, self.title)))


_Group = Sequence[int]  # columns, each below the one before it


def table_of(
    title: str,
    columns: Sequence[Column],
    items: Iterable[Any],
    legend: str = "",
    *,
    row_notes: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Table:
    """A table with a row per item, of which each column shows something."""
    shown = ([column.show(item) for column in columns] for item in items)
    rows = [
        Row(cells, note) for cells, note in zip_longest(shown, row_notes, fillvalue="")
    ]
    return Table(
        title, [column._replace(show=str) for column in columns], rows, legend, notes
    )


def as_text(table: Table, width: int) -> list[str]:
    """The table in lines of at most `width` characters."""
    lines = wrap(table.heading, width)
    if table.rows:
        pieces, longest_name = _fitted(table, width)
        for groups in pieces:
            lines += [""] if groups is not pieces[0] else []
            lines += _piece(
                table, groups, longest_name, width, with_notes=groups is pieces[-1]
            )
    below = [
        line for text in (*table.notes, table.legend) for line in wrap(text, width)
    ]
    if below and any(row.note for row in table.rows):
        lines.append("")
    return [*lines, *below]


def as_markdown(table: Table) -> Iterator[str]:
    """The table without its title, for a GitHub comment.

    Untrusted text is in code spans.
    """
    if table.rows:
        headers = [column.header for column in table.columns]
        yield _line(
            code(", ".join(one.split("\n"))) if "\n" in one else one for one in headers
        )
        yield _line("---" if column.is_name else "---:" for column in table.columns)
        yield from (_line(map(_cell, table.columns, row.cells)) for row in table.rows)
        yield ""
    notes = [
        f"{code(_names(table, row))}: {code(row.note)}"
        for row in table.rows
        if row.note
    ]
    notes += map(code, table.notes)
    if notes:
        yield from (*(f"- {note}" for note in notes), "")
    if table.legend:
        yield from (f"<sub>{html.escape(table.legend)}</sub>", "")


def as_latex(tables: Iterable[Table], only: str = "") -> Iterator[str]:
    """Tables for a paper, with the package booktabs.

    Captions have title, `only` (the selection), notes and legend.
    """
    found = list(tables)
    labels = ascii_keys(f"{table.title} {table.whose}" for table in found)
    for table, label in zip(found, labels, strict=True):
        yield from (r"\begin{table}", r"\centering")
        if table.rows:
            yield rf"\begin{{tabular}}{{{''.join('l' if column.is_name else 'r' for column in table.columns)}}}"
            yield from (
                r"\toprule",
                _latex_line(_latex_header(column.header) for column in table.columns),
            )
            yield from (
                r"\midrule",
                *(
                    _latex_line(map(_latex_cell, table.columns, row.cells))
                    for row in table.rows
                ),
            )
            yield from (r"\bottomrule", r"\end{tabular}")
        title = f"{table.title[:1].upper()}{table.title[1:]}{': ' * bool(table.whose)}{table.whose}"
        notes = (f"{_names(table, row)}: {row.note}" for row in table.rows if row.note)
        caption = [
            text.removesuffix(".")
            for text in (title, only, *notes, *table.notes, table.legend)
            if text
        ]
        yield rf"\caption{{{_latex_figures('. '.join(map(latex, caption)))}.}}"
        yield from (rf"\label{{tab:{label}}}", r"\end{table}", "")


def draw(
    headers: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1
) -> list[str]:
    """A table of texts as lines.

    The first `names` columns are aligned to the left, the others to the right.
    """
    head, *blocks = _blocks([headers, *rows], names)
    lines = [line for block in blocks for line in block]
    return [*head, "-" * max(map(len, [*head, *lines])), *lines]


def code(text: str) -> str:
    """Untrusted text as a code span of markdown, in which links, mentions, markup and
    HTML have no effect.

    A bar is escaped, as it would end the cell of a table.
    """
    shown = sanitize(text, _LONGEST_CODE).replace("|", r"\x7c")
    ticks = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    padding = "" if shown and shown == shown.strip(" `") else " "
    return f"{ticks}{padding}{shown}{padding}{ticks}"


def latex(text: str) -> str:
    """Untrusted text in LaTeX, where it has no effect; characters beyond ASCII are
    escaped.
    """
    shown = (
        sanitize(text, _LONGEST_CODE)
        .encode("ascii", "backslashreplace")
        .decode("ascii")
    )
    return _LIGATURE.sub(r"\1{}", "".join(_LATEX.get(char, char) for char in shown))


def _latex_line(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_header(header: str) -> str:
    """The names of a header are below each other."""
    lines = r" \\ ".join(_latex_figures(latex(line)) for line in header.split("\n"))
    return rf"\shortstack[r]{{{lines}}}" if "\n" in header else lines


def _latex_cell(column: Column, value: Any) -> str:
    text = latex(_text(column, value, _LONGEST_IN_MARKDOWN))
    return text if column.is_name else _LATEX_CELLS.get(text) or _latex_figures(text)


def _latex_figures(text: str) -> str:
    """Escaped text in which ranges have a dash, and signs are those of mathematics."""
    return _SIGN.sub(r"$\1$", _RANGE.sub("--", text))


# --- markdown -------------------------------------------------------------------------


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(column: Column, value: Any) -> str:
    text = _text(column, value, _LONGEST_IN_MARKDOWN)
    return code(text) if column.is_name and text else html.escape(text)


def _names(table: Table, row: Row) -> str:
    pairs = zip(table.columns, row.cells, strict=True)
    return ", ".join(
        _text(column, value, _LONGEST_IN_MARKDOWN)
        for column, value in pairs
        if column.is_name and value
    )


# --- text -----------------------------------------------------------------------------


def _piece(
    table: Table,
    groups: Sequence[_Group],
    longest_name: int,
    width: int,
    *,
    with_notes: bool,
) -> Iterator[str]:
    names = sum(table.columns[group[0]].is_name for group in groups)
    head, *blocks = _blocks(_texts(table, groups, longest_name), names)
    yield from head
    yield "-" * max(len(line) for block in (head, *blocks) for line in block)
    for number, (block, row) in enumerate(zip(blocks, table.rows, strict=True)):
        if number and any(len(group) > 1 for group in groups):
            yield ""
        yield from block
        if with_notes:
            yield from wrap(
                row.note, width, initial_indent=_GAP, subsequent_indent=_GAP
            )


def _fitted(table: Table, width: int) -> tuple[list[Sequence[_Group]], int]:
    """The groups of columns in each piece of the table, and the longest length of a
    name.
    """
    side_by_side: list[_Group] = [[number] for number in range(len(table.columns))]
    for groups in (side_by_side, _stacked(table.columns)):
        longest = LONGEST_NAME
        if (excess := _width(table, groups, longest) - width) > 0:
            longest = max(SHORTEST_NAME, _widest_name(table) - excess)
        while longest < LONGEST_NAME and _distinct(table, longest) < _distinct(
            table, LONGEST_NAME
        ):
            longest += 1  # names that differ stay different
        if _width(table, groups, longest) <= width:
            return [groups], longest
    return _pieces(groups, _widths(table, groups, longest), width), longest


def _stacked(columns: Sequence[Column]) -> list[_Group]:
    groups: list[list[int]] = []
    for number, column in enumerate(columns):
        if column.below:
            groups[-1].append(number)
        else:
            groups.append([number])
    return list(groups)


def _pieces(
    groups: Sequence[_Group], widths: Sequence[int], width: int
) -> list[Sequence[_Group]]:
    """The smallest number of pieces that fit, each with the first column and about as
    many others.
    """
    fitting = max(1, (width - widths[0]) // (len(_GAP) + max(widths[1:])))
    others = groups[1:]
    size = ceil(len(others) / ceil(len(others) / fitting))
    return [
        [groups[0], *others[start : start + size]]
        for start in range(0, len(others), size)
    ]


def _width(table: Table, groups: Sequence[_Group], longest_name: int) -> int:
    return sum(_widths(table, groups, longest_name)) + len(_GAP) * (len(groups) - 1)


def _widths(table: Table, groups: Sequence[_Group], longest_name: int) -> list[int]:
    columns = zip(*_texts(table, groups, longest_name), strict=True)
    return [
        max(len(line) for cell in cells for line in cell.split("\n"))
        for cells in columns
    ]


def _distinct(table: Table, longest_name: int) -> int:
    return len(
        {_text(table.columns[0], row.cells[0], longest_name) for row in table.rows}
    )


def _widest_name(table: Table) -> int:
    pairs = (
        pair
        for row in table.rows
        for pair in zip(table.columns, row.cells, strict=True)
    )
    return max(
        (
            len(_text(column, value, LONGEST_NAME))
            for column, value in pairs
            if column.is_name
        ),
        default=0,
    )


def _texts(
    table: Table, groups: Sequence[_Group], longest_name: int
) -> Iterator[list[str]]:
    """The headers and the rows, with columns of a group below each other."""
    headers = [column.header for column in table.columns]
    rows = (
        [
            _text(*pair, longest_name)
            for pair in zip(table.columns, row.cells, strict=True)
        ]
        for row in table.rows
    )
    for cells in (headers, *rows):
        yield ["\n".join(cells[number] for number in group) for group in groups]


def _text(column: Column, value: Any, longest_name: int) -> str:
    if column.is_name:
        return "" if value is None else sanitize_name(column.show(value), longest_name)
    return UNKNOWN if value is None else column.show(value)


def _blocks(rows: Iterable[Sequence[str]], names: int) -> list[list[str]]:
    """The lines of each row, with columns of one width."""
    cells = [[cell.split("\n") for cell in row] for row in rows]
    widths = [
        max(len(line) for cell in column for line in cell)
        for column in zip(*cells, strict=True)
    ]
    aligned = [
        str.ljust if number < names else str.rjust for number in range(len(widths))
    ]
    blocks = []
    for row in cells:
        lines = (
            zip(aligned, line, widths, strict=True)
            for line in zip_longest(*row, fillvalue="")
        )
        padded = ([align(text, size) for align, text, size in line] for line in lines)
        blocks.append(
            [text for line in padded if (text := _GAP.join(line).rstrip())] or [""]
        )
    return blocks
