"""Tables as GitHub's markdown and as LaTeX."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import Any

from pytest_llmarith.report.formatting import ascii_keys
from pytest_llmarith.report.table import UNKNOWN, Column, Row, Shown, Table
from pytest_llmarith.safe_text import sanitize, sanitize_name

_LONGEST_CODE = 1_000
_LONGEST_NAME = 200
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


# --- markdown -------------------------------------------------------------------------


def as_markdown(table: Table) -> Iterator[str]:
    """The table without its title, for a GitHub comment.

    Untrusted text is in code spans.
    """
    if table.rows:
        yield _line(_head(column) for column in table.columns)
        yield _line("---" if one.kind.is_name else "---:" for one in table.columns)
        for row in table.rows:
            yield _line(map(_cell, table.columns, row.values))
        yield ""
    notes = [
        f"{code(_names(table, row))}: {code(row.note)}"
        for row in table.rows
        if row.note
    ]
    notes += map(code, table.notes)
    if notes:
        yield from (*(f"- {note}" for note in notes), "")
    if table.explanation:
        text = html.escape(". ".join(table.explanation))
        yield from (f"<sub>{text}</sub>", "")


def code(text: str) -> str:
    """Untrusted text as a code span of markdown, in which links, mentions, markup and
    HTML have no effect.

    A bar is escaped, as it would end the cell of a table.
    """
    shown = sanitize(text, _LONGEST_CODE).replace("|", r"\x7c")
    ticks = "`" * (max(map(len, _TICKS.findall(shown)), default=0) + 1)
    padding = "" if shown and shown == shown.strip(" `") else " "
    return f"{ticks}{padding}{shown}{padding}{ticks}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _head(column: Column[Any]) -> str:
    """A title; that of a matrix is a name."""
    return (
        code(_one_line(column.title)) if column.is_named else html.escape(column.title)
    )


def _cell(column: Column[Any], value: object) -> str:
    shown = column.kind.shown(value)
    if not column.kind.is_name:
        return _figure(shown)
    text = code(sanitize_name(shown.text, _LONGEST_NAME)) if shown.text else ""
    return f"{text} ({shown.note})" if shown.note else text


def _figure(shown: Shown) -> str:
    """A figure may have text of a reply."""
    return html.escape(_text(shown)).replace("|", "&#124;").replace("`", "&#96;")


def _text(shown: Shown) -> str:
    """A figure with its interval and note."""
    text = sanitize(shown.text, _LONGEST_NAME)
    if shown.interval:
        text += f" ({shown.interval})"
    if shown.note:
        text += f", {shown.note}"
    return text


def _one_line(title: str) -> str:
    return ", ".join(title.split("\n"))


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
        yield from (r"\begin{table}", r"\centering")
        if table.rows:
            yield from _tabular(table)
        caption = ". ".join(latex(text) for text in _caption(table, only))
        yield rf"\caption{{{_latex_figures(caption)}.}}"
        yield from (rf"\label{{tab:{label}}}", r"\end{table}", "")


def latex(text: str) -> str:
    """Untrusted text in LaTeX, where it has no effect; characters beyond ASCII are
    escaped.
    """
    safe = sanitize(text, _LONGEST_CODE)
    shown = safe.encode("ascii", "backslashreplace").decode("ascii")
    return _LIGATURE.sub(r"\1{}", "".join(_LATEX.get(char, char) for char in shown))


def _tabular(table: Table) -> Iterator[str]:
    columns = "".join("l" if one.kind.is_name else "r" for one in table.columns)
    yield rf"\begin{{tabular}}{{{columns}}}"
    yield r"\toprule"
    yield _latex_line(_latex_header(column.title) for column in table.columns)
    yield r"\midrule"
    for row in table.rows:
        yield _latex_line(map(_latex_cell, table.columns, row.values))
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _caption(table: Table, only: str) -> Iterator[str]:
    title = f"{table.title[:1].upper()}{table.title[1:]}"
    title = ": ".join(filter(None, (title, table.whose)))
    notes = (f"{_names(table, row)}: {row.note}" for row in table.rows if row.note)
    for text in (title, only, *notes, *table.notes, *table.explanation):
        if text:
            yield text.removesuffix(".")


def _latex_line(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_header(header: str) -> str:
    """The names of a header are below each other."""
    lines = r" \\ ".join(_latex_figures(latex(line)) for line in header.split("\n"))
    return rf"\shortstack[r]{{{lines}}}" if "\n" in header else lines


def _latex_cell(column: Column[Any], value: object) -> str:
    shown = column.kind.shown(value)
    if not column.kind.is_name:
        text = latex(_text(shown))
        return _LATEX_CELLS.get(text) or _latex_figures(text)
    text = latex(sanitize_name(shown.text, _LONGEST_NAME)) if shown.text else ""
    return f"{text} ({shown.note})" if shown.note else text


def _latex_figures(text: str) -> str:
    """Escaped text in which ranges have a dash, and signs are those of mathematics."""
    return _SIGN.sub(r"$\1$", _RANGE.sub("--", text))
