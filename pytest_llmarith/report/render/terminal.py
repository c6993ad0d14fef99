"""Tables as text for a terminal.

A table that is too wide first has shorter names, then puts intervals and some columns
below others, and then is split into pieces.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from textwrap import wrap
from typing import Any, TextIO

from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.views.table import Column, Shown, Table

LONGEST_NAME = 60
SHORTEST_NAME = 16  # integer_addition
_LONGEST_FIGURE = 200
_GAP = "  "
_INTERVALS = "in brackets: 95 % intervals"
_STACKED_INTERVALS = "below a figure: its 95 % interval"

_BOLD = "\x1b[1m{}\x1b[22m"
_SHORTEST_TEXT = 16

_Group = Sequence[int]  # columns, each below the one before it


def has_colour(stream: TextIO) -> bool:
    """Whether a command writes colour to it; that of a run is decided by pytest."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


class Heading(str):
    """A line of the heading of a table."""


def coloured(lines: Iterable[str]) -> list[str]:
    """Lines of this module with bold headings; they are laid out before, so the
    sequences have no effect on widths.
    """
    shown = []
    for line in lines:
        shown.append(_BOLD.format(line) if isinstance(line, Heading) else line)
    return shown


def together(tables: Sequence[Table], width: int) -> list[str]:
    """Tables with an empty line between them, and above the last one what the columns
    of all mean.
    """
    *others, last = [laid_out(table, width) for table in tables]
    lines: list[str] = []
    explanation: list[str] = []
    for layout in others:
        lines += ["", *layout.lines] if lines else layout.lines
        explanation += layout.explanation
    meanings = _legend([*explanation, *last.explanation], width)
    if others:
        return [*lines, *meanings, "", *last.lines]
    return [*last.lines, *meanings]


def _legend(explanation: Iterable[str], width: int) -> list[str]:
    """What columns mean: a line each, or if one is too long, all in one paragraph."""
    texts = [text.removesuffix(".") for text in dict.fromkeys(explanation)]
    if all(len(text) <= width for text in texts):
        return texts
    return wrap("; ".join(texts), width, subsequent_indent=_GAP)


def one_table(table: Table, width: int) -> list[str]:
    """One table with what its columns mean."""
    return together([table], width)


def draw(
    headers: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1
) -> list[str]:
    """A table of texts as lines.

    The first `names` columns are aligned to the left, the others to the right.
    """
    is_left = [at < names for at in range(len(headers))]
    head, *blocks = _blocks([headers, *rows], is_left)
    lines = [*head, _rule([head, *blocks])]
    for block in blocks:
        lines += block
    return lines


@dataclass(frozen=True)
class Layout:
    """The lines of a table, and what has to be explained below it."""

    lines: Sequence[str]
    explanation: Sequence[str]


def laid_out(table: Table, width: int) -> Layout:
    heading = wrap(sanitize(table.heading, 10 * LONGEST_NAME), width)
    lines: list[str] = [*map(Heading, heading)]
    explanation = list(table.explanation)
    if table.rows:
        texts = _fitted(table, width)
        pieces = _pieces(texts, width)
        for piece in pieces[:-1]:
            lines += _drawn(texts, piece)
            lines.append("")
        lines += _drawn(texts, pieces[-1], _notes(table, texts, width))
        explanation += texts.numbered
        if texts.has_intervals:
            is_stacked = pieces[0].is_stacked
            explanation.insert(0, _STACKED_INTERVALS if is_stacked else _INTERVALS)
    for note in table.notes:
        lines += wrap(sanitize(note, 10 * _LONGEST_FIGURE), width)
    return Layout(lines, explanation)


@dataclass(frozen=True)
class _Piece:
    """Columns of a table in groups, those of a group below each other, with names of at
    most `longest` characters.

    Intervals are in brackets, or below the figure if it is stacked.
    """

    groups: Sequence[_Group]
    longest: int = LONGEST_NAME
    is_stacked: bool = False


class _Texts:
    """The texts of a table, laid out once."""

    def __init__(self, table: Table) -> None:
        self.columns = table.columns
        self.has_intervals = False
        self.longest_text = _LONGEST_FIGURE
        self.rows: list[list[Shown]] = []
        for row in table.rows:
            cells = []
            for column, value in zip(table.columns, row.values, strict=True):
                shown = column.kind.shown(value)
                self.has_intervals |= bool(shown.interval)
                cells.append(shown)
            self.rows.append(cells)
        self._numbers = self._of_alike()

    @property
    def numbered(self) -> list[str]:
        """What the numbers of names stand for."""
        lines = []
        for text, number in self._numbers.items():
            lines.append(f"{number}: {sanitize(text, _LONGEST_FIGURE)}")
        return lines

    def _of_alike(self) -> dict[str, int]:
        """A number for each name that would be cut to the same text as another one."""
        numbers: dict[str, int] = {}
        for at, column in enumerate(self.columns):
            if not column.kind.is_name:
                continue
            by_cut: dict[str, dict[str, None]] = {}
            for row in self.rows:
                text = row[at].text
                by_cut.setdefault(_name(text, LONGEST_NAME), {})[text] = None
            for alike in by_cut.values():
                if len(alike) > 1:
                    for text in alike:
                        numbers.setdefault(text, len(numbers) + 1)
        return numbers

    def lines(self, piece: _Piece) -> list[list[str]]:
        """The headers and the rows."""
        heads = []
        for group in piece.groups:
            heads.append("\n".join(self._head(at, piece) for at in group))
        lines = [heads]
        for row in self.rows:
            cells = []
            for group in piece.groups:
                cells.append("\n".join(self._cell(at, row[at], piece) for at in group))
            lines.append(cells)
        return lines

    def names(self, at: int, longest: int) -> set[str]:
        """The different names in a column if they are no longer than this."""
        piece = _Piece([[at]], longest)
        return {self._cell(at, row[at], piece) for row in self.rows}

    def different(self, longest: int) -> int:
        """How many names of the first column and of heads differ at this length."""
        piece = _Piece([], longest)
        heads = {self._head(at, piece) for at in range(len(self.columns))}
        return len(self.names(0, longest)) + len(heads)

    def _head(self, at: int, piece: _Piece) -> str:
        """The title of a column, which may be a name, or names below each other."""
        column = self.columns[at]
        if not column.is_named:
            return column.title
        lines = column.title.split("\n")
        return "\n".join(_name(line, piece.longest) for line in lines)

    def _cell(self, at: int, shown: Shown, piece: _Piece) -> str:
        if self.columns[at].kind.is_name:
            text = shown.text
            if text in self._numbers:
                text = f"{self._numbers[text]}: {text}"
            return shown.as_name(_name(text, piece.longest))
        if self.columns[at].kind.is_left:
            return sanitize(shown.text, self.longest_text)
        text = sanitize(shown.text, _LONGEST_FIGURE)
        if not piece.is_stacked:
            return shown.as_figure(text)
        if shown.interval:
            text += f"\n{shown.interval}"
        if shown.note:
            text += f"\n{shown.note}"
        return text

    def cut(self, width: int) -> bool:
        """Cut the text on the right if the table is too wide; returns whether it
        fits.
        """
        widths = _widths(self.lines(_Piece([[at] for at in range(len(self.columns))])))
        excess = _total(widths) - width
        if excess <= 0:
            return True
        room = widths[-1] - excess
        if not self.columns[-1].kind.is_left or room < _SHORTEST_TEXT:
            return False
        self.longest_text = room
        return True


def _fitted(table: Table, width: int) -> _Texts:
    """The texts of a table, without optional columns if it is too wide with them."""
    texts = _Texts(table)
    left_out = []
    for column in reversed(table.columns):
        if texts.cut(width):
            return texts
        if column.is_optional:
            left_out.append(column.key)
            texts = _Texts(table.without(*left_out))
    if texts.cut(width):
        return texts
    return _Texts(
        table.without(
            *(one.key for one in table.columns if one.is_optional and one.kind.is_left)
        )
    )


def _name(text: str, longest: int) -> str:
    """A name, or nothing if there is none."""
    return sanitize_name(text, longest) if text else ""


def _pieces(texts: _Texts, width: int) -> list[_Piece]:
    """The table in one piece if it fits, with shorter names or with some columns below
    others, else in several.
    """
    whole = _Piece([[at] for at in range(len(texts.columns))])
    stacked = _Piece(_stacked(texts.columns), is_stacked=True)
    for piece in (whole, stacked):
        widths = _widths(texts.lines(piece))
        excess = _total(widths) - width
        if excess > 0:
            piece = replace(piece, longest=_longest(texts, excess))
            widths = _widths(texts.lines(piece))
        if _total(widths) <= width:
            return [piece]
    names = 0  # names, and the texts beside them that tell rows apart
    for group in piece.groups:
        kind = texts.columns[group[0]].kind
        if not (kind.is_name or kind.is_left):
            break
        names += 1
    return _split(piece, max(1, names), widths, width)


def _longest(texts: _Texts, excess: int) -> int:
    """The length of names that makes a table narrower by this excess, and at which the
    names of its first column that differ stay different.
    """
    widest = 0
    for at, column in enumerate(texts.columns):
        if column.kind.is_name:
            widest = max(widest, *map(len, texts.names(at, LONGEST_NAME)))
    longest = max(SHORTEST_NAME, widest - excess)
    different = texts.different(LONGEST_NAME)
    while longest < LONGEST_NAME and texts.different(longest) < different:
        longest += 1
    return longest


def _stacked(columns: Sequence[Column[Any]]) -> list[_Group]:
    groups: dict[str, list[int]] = {}
    for at, column in enumerate(columns):
        if column.below in groups:
            groups[column.below].append(at)
        else:
            groups[column.key] = [at]
    return list(groups.values())


def _split(
    whole: _Piece, names: int, widths: Sequence[int], width: int
) -> list[_Piece]:
    """The smallest number of pieces that fit, each with the names and about as many
    other columns.
    """
    others = whole.groups[names:]
    if not others:
        return [whole]
    room = width - _total(widths[:names])
    taken = [len(_GAP) + one for one in widths[names:]]
    for count in range(1, len(others) + 1):
        size = ceil(len(others) / count)
        starts = range(0, len(others), size)
        if all(sum(taken[start : start + size]) <= room for start in starts):
            break
    pieces = []
    for start in starts:
        groups = [*whole.groups[:names], *others[start : start + size]]
        pieces.append(replace(whole, groups=groups))
    return pieces


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _notes(table: Table, texts: _Texts, width: int) -> list[list[str]]:
    """The lines of the notes on each row, and on its texts."""
    notes = []
    for row, cells in zip(table.rows, texts.rows, strict=True):
        found = list(row.notes)
        for column, shown in zip(texts.columns, cells, strict=True):
            found += shown.notes if column.kind.is_left else ()
        note = sanitize("; ".join(found), 10 * _LONGEST_FIGURE)
        notes.append(wrap(note, width, initial_indent=_GAP, subsequent_indent=_GAP))
    return notes


def _drawn(
    texts: _Texts, piece: _Piece, notes: Sequence[Sequence[str]] = ()
) -> list[str]:
    """The lines of a piece, with the notes on its rows."""
    is_left = []
    for group in piece.groups:
        kind = texts.columns[group[0]].kind
        is_left.append(kind.is_name or kind.is_left)
    head, *blocks = _blocks(texts.lines(piece), is_left)
    lines = [*map(Heading, head), _rule([head, *blocks])]
    has_gaps = any(len(block) > 1 for block in blocks)
    for number, block in enumerate(blocks):
        if number and has_gaps:
            lines.append("")
        lines += block
        if notes:
            lines += notes[number]
    return lines


def _rule(blocks: Iterable[Sequence[str]]) -> str:
    """A line of hyphens below a heading, as wide as the widest line."""
    widest = 0
    for block in blocks:
        widest = max(widest, *map(len, block))
    return "-" * widest


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """The width of each column."""
    widths = [0] * len(rows[0])
    for row in rows:
        for at, cell in enumerate(row):
            widths[at] = max(widths[at], *map(len, cell.split("\n")))
    return widths


def _blocks(rows: Sequence[Sequence[str]], is_left: Sequence[bool]) -> list[list[str]]:
    """The lines of each row, with columns of one width; `is_left` says which are
    aligned to the left.
    """
    widths = _widths(rows)
    blocks = []
    for row in rows:
        cells = [cell.split("\n") for cell in row]
        lines = []
        for number in range(max(map(len, cells))):
            padded = []
            for cell, width, left in zip(cells, widths, is_left, strict=True):
                text = cell[number] if number < len(cell) else ""
                padded.append(text.ljust(width) if left else text.rjust(width))
            line = _GAP.join(padded).rstrip()
            if line:
                lines.append(line)
        blocks.append(lines or [""])
    return blocks
