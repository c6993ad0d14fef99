"""Tables as GitHub's markdown and as LaTeX."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.views.formatting import ascii_keys
from pytest_llmarith.views.table import UNKNOWN, Column, Row, Shown, Table

_LONGEST_CODE = 1_000
_LONGEST_NAME = 200
_TICKS = re.compile("`+")
_NAMED_IN_LATEX = {
    "\\": "backslash",
    "{": "braceleft",
    "}": "braceright",
    "<": "less",
    ">": "greater",
    "|": "bar",
    "~": "asciitilde",
    "^": "asciicircum",
    "`": "asciigrave",
    "'": "quotesingle",
    '"': "quotedblright",
}
# Brackets may be arguments.
_LATEX = {
    **{char: f"\\{char}" for char in "&%$#_"},
    **{char: f"{{{char}}}" for char in "[]*"},
    **{char: rf"\text{name}{{}}" for char, name in _NAMED_IN_LATEX.items()},
}
_LIGATURE = re.compile(r"([-,])(?=\1)")
_LATEX_CELLS = {".": "0", UNKNOWN: "--"}

# --- markdown -------------------------------------------------------------------------


def as_markdown(table: Table) -> Iterator[str]:
    """The table without its title, for a GitHub comment.

    Untrusted text is in code spans.
    """
    if table.rows:
        yield _line(map(_head, table.columns))
        yield _line(map(_rule, table.columns))
        for row in table.rows:
            yield _line(map(_cell, table.columns, row.values))
        yield ""
    notes = []
    for row in table.rows:
        if row.note:
            notes.append(f"{code(_names(table, row))}: {code(row.note)}")
    notes += map(code, table.notes)
    for note in notes:
        yield f"- {note}"
    if notes:
        yield ""
    if table.explanation:
        text = html.escape(". ".join(table.explanation))
        yield f"<sub>{text}</sub>"
        yield ""


def code(text: str) -> str:
    """Untrusted text as a code span of markdown, in which links, mentions, markup and
    HTML have no effect.

    A bar is escaped, as it would end the cell of a table.
    """
    shown = sanitize(text, _LONGEST_CODE).replace("|", r"\x7c")
    longest = max(_TICKS.findall(shown), key=len, default="")
    ticks = f"{longest}`"
    if not shown or shown != shown.strip(" `"):
        shown = f" {shown} "
    return f"{ticks}{shown}{ticks}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _head(column: Column[Any]) -> str:
    """A title; that of a matrix is a name, which may have several lines."""
    if not column.is_named:
        return html.escape(column.title)
    return code(column.title.replace("\n", ", "))


def _rule(column: Column[Any]) -> str:
    return "---" if column.kind.is_name else "---:"


def _cell(column: Column[Any], value: object) -> str:
    shown = column.kind.shown(value)
    if column.kind.is_name:
        return _name(shown, code)
    figure = html.escape(_text(shown))  # which may have text of a reply
    return figure.replace("|", "&#124;").replace("`", "&#96;")


def _name(shown: Shown, escaped: Callable[[str], str]) -> str:
    """A name with its note; empty if there is none."""
    text = shown.text
    if text:
        text = escaped(sanitize_name(text, _LONGEST_NAME))
    return shown.as_name(text)


def _text(shown: Shown) -> str:
    """A figure with its interval and note."""
    return shown.as_figure(sanitize(shown.text, _LONGEST_NAME))


def _names(table: Table, row: Row) -> str:
    """The names of a row."""
    names = []
    for column, value in zip(table.columns, row.values, strict=True):
        if column.kind.is_name and value:
            names.append(sanitize_name(column.kind.shown(value).text, _LONGEST_NAME))
    return ", ".join(names)


# --- LaTeX ----------------------------------------------------------------------------


def as_latex(tables: Iterable[Table], only: str = "") -> Iterator[str]:
    """Tables for a paper, with the package booktabs.

    Captions have title, `only` (the selection), notes and legend.
    """
    found = list(tables)
    labels = ascii_keys(f"{table.title} {table.whose}" for table in found)
    for table, label in zip(found, labels, strict=True):
        yield r"\begin{table}"
        yield r"\centering"
        if table.rows:
            yield from _tabular(table)
        caption = ". ".join(map(latex, _caption(table, only)))
        yield rf"\caption{{{caption}.}}"
        yield rf"\label{{tab:{label}}}"
        yield r"\end{table}"
        yield ""


def latex(text: str) -> str:
    """Untrusted text in LaTeX, where it has no effect; characters beyond ASCII are
    escaped.
    """
    safe = sanitize(text, _LONGEST_CODE)
    shown = safe.encode("ascii", "backslashreplace").decode("ascii")
    return _LIGATURE.sub(r"\1{}", "".join(_LATEX.get(char, char) for char in shown))


def _tabular(table: Table) -> Iterator[str]:
    columns = ""
    for column in table.columns:
        columns += "l" if column.kind.is_name else "r"
    yield rf"\begin{{tabular}}{{{columns}}}"
    yield r"\toprule"
    yield _latex_line(map(_latex_header, table.columns))
    yield r"\midrule"
    for row in table.rows:
        yield _latex_line(map(_latex_cell, table.columns, row.values))
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _caption(table: Table, only: str) -> Iterator[str]:
    title = f"{table.title[:1].upper()}{table.title[1:]}"
    if table.whose:
        title += f": {table.whose}"
    texts = [title, only]
    for row in table.rows:
        if row.note:
            texts.append(f"{_names(table, row)}: {row.note}")
    for text in (*texts, *table.notes, *table.explanation):
        if text:
            yield text.removesuffix(".")


def _latex_line(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_header(column: Column[Any]) -> str:
    """The names of a header are below each other."""
    lines = list(map(latex, column.title.split("\n")))
    if len(lines) == 1:
        return lines[0]
    below_each_other = r" \\ ".join(lines)
    return rf"\shortstack[r]{{{below_each_other}}}"


def _latex_cell(column: Column[Any], value: object) -> str:
    shown = column.kind.shown(value)
    if column.kind.is_name:
        return _name(shown, latex)
    interval = latex(shown.interval)
    text = latex(sanitize(shown.text, _LONGEST_NAME))
    if column.kind.is_signed:
        interval, text = interval.replace("-", "$-$"), text.replace("-", "$-$")
    else:
        interval = interval.replace("-", "--")  # a range
    shown = shown._replace(interval=interval, notes=tuple(map(latex, shown.notes)))
    return shown.as_figure(_LATEX_CELLS.get(text) or text)
