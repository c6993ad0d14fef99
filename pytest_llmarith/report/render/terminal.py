"""Tables as text for a terminal.

A table that is too wide first has shorter names, then puts intervals and some columns
below others, and then is split into pieces.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import ceil
from textwrap import wrap
from typing import TextIO

from pytest_llmarith.report.table import Shown, Table
from pytest_llmarith.safe_text import sanitize, sanitize_name

LONGEST_NAME = 60
SHORTEST_NAME = 16  # integer_addition
_LONGEST_FIGURE = 200
_GAP = "  "
_INTERVALS = "in brackets: 95 % intervals"
_STACKED_INTERVALS = "below a figure: its 95 % interval"

_BOLD = "\x1b[1m{}\x1b[22m"
_YELLOW = "\x1b[33m{}\x1b[39m"
_MARKS = re.compile(r"\((simulated|unfinished|simulated, unfinished)\)")

_Group = Sequence[int]  # columns, each below the one before it


def has_colour(stream: TextIO) -> bool:
    """Whether a command writes colour to it; that of a run is decided by pytest."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def coloured(lines: Iterable[str]) -> list[str]:
    """Lines of this module with colour: headings are bold, marks of models yellow.

    A heading is what stands between an empty line and a line of hyphens. Lines are laid
    out before, so the sequences have no effect on widths.
    """
    shown: list[str] = []
    first = 0  # line of the heading
    for line in lines:
        if line and not line.strip("-"):
            shown[first:] = [_BOLD.format(one) for one in shown[first:]]
        shown.append(_MARKS.sub(lambda mark: _YELLOW.format(mark.group()), line))
        if not line:
            first = len(shown)
    return shown


def section(tables: Sequence[Table], width: int) -> list[str]:
    """Tables with an empty line before each; what columns mean is below the first table
    that has them.
    """
    lines: list[str] = []
    explained: dict[str, None] = {}
    for table in tables:
        layout = laid_out(table, width)
        new = [text for text in layout.explanation if text not in explained]
        explained |= dict.fromkeys(new)
        lines += ["", *layout.lines, *legend(new, width)]
    return lines


def legend(explanation: Iterable[str], width: int) -> list[str]:
    """What columns mean, each in lines of its own."""
    lines = []
    for text in dict.fromkeys(explanation):
        lines += wrap(text.removesuffix("."), width, subsequent_indent=_GAP)
    return lines


def one_table(table: Table, width: int) -> list[str]:
    """One table with what its columns mean."""
    return section([table], width)[1:]


def width_of(table: Table) -> int:
    """The width of a table that is not made narrower."""
    return max(map(len, laid_out(table, 10_000).lines), default=0)


def draw(
    headers: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1
) -> list[str]:
    """A table of texts as lines.

    The first `names` columns are aligned to the left, the others to the right.
    """
    head, *blocks = _blocks(
        [headers, *rows], [at < names for at in range(len(headers))]
    )
    lines = [line for block in blocks for line in block]
    return [*head, "-" * max(map(len, [*head, *lines])), *lines]


@dataclass(frozen=True)
class Layout:
    """The lines of a table, and what has to be explained below it."""

    lines: Sequence[str]
    explanation: Sequence[str]


def laid_out(table: Table, width: int) -> Layout:
    lines = wrap(sanitize(table.heading, 10 * LONGEST_NAME), width)
    explanation = list(table.explanation)
    if table.rows:
        texts = _Texts(table)
        pieces, longest, stacked = _fitted(texts, width)
        for groups in pieces:
            if groups is not pieces[0]:
                lines.append("")
            is_last = groups is pieces[-1]
            lines += _piece(texts, groups, longest, stacked, width, with_notes=is_last)
        if texts.has_intervals:
            explanation.insert(0, _STACKED_INTERVALS if stacked else _INTERVALS)
    for note in table.notes:
        lines += wrap(sanitize(note, 10 * _LONGEST_FIGURE), width)
    return Layout(lines, explanation)


class _Texts:
    """The texts of a table, laid out once."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.is_name = [column.kind.is_name for column in table.columns]
        self.is_left = [
            column.kind.is_name or column.kind.is_left for column in table.columns
        ]
        self.rows = [
            [
                column.kind.shown(value)
                for column, value in zip(table.columns, row.values, strict=True)
            ]
            for row in table.rows
        ]
        self.has_intervals = any(one.interval for row in self.rows for one in row)
        self._widest = [
            max(len(self.cell(at, row[at], LONGEST_NAME)) for row in self.rows)
            for at, is_name in enumerate(self.is_name)
            if is_name
        ]

    @property
    def widest_name(self) -> int:
        return max(self._widest, default=0)

    def head(self, at: int, longest: int) -> str:
        """The title of a column, which may be a name."""
        column = self.table.columns[at]
        lines = column.title.split("\n")
        if not column.is_named:
            return column.title
        return "\n".join(sanitize_name(line, longest) if line else "" for line in lines)

    def cell(self, at: int, shown: Shown, longest: int, stacked: bool = False) -> str:
        """A cell; intervals are in brackets, or below the figure if they are
        stacked.
        """
        if self.is_name[at]:
            text = sanitize_name(shown.text, longest) if shown.text else ""
            return f"{text} ({shown.note})" if shown.note else text
        text = sanitize(shown.text, _LONGEST_FIGURE)
        if shown.interval:
            text += f"\n{shown.interval}" if stacked else f" ({shown.interval})"
        if shown.note:
            text += f"\n{shown.note}" if stacked else f", {shown.note}"
        return text

    def lines(
        self, groups: Sequence[_Group], longest: int, stacked: bool
    ) -> Iterator[list[str]]:
        """The headers and the rows, with columns of a group below each other."""
        yield ["\n".join(self.head(at, longest) for at in group) for group in groups]
        for row in self.rows:
            yield [
                "\n".join(self.cell(at, row[at], longest, stacked) for at in group)
                for group in groups
            ]

    def distinct(self, longest: int) -> int:
        """How many names in the first column differ if they are no longer than this."""
        return len({self.cell(0, row[0], longest) for row in self.rows})


def _fitted(texts: _Texts, width: int) -> tuple[list[Sequence[_Group]], int, bool]:
    """The groups of columns in each piece of the table, the longest length of a name,
    and whether intervals are below figures.
    """
    side_by_side: list[_Group] = [[at] for at in range(len(texts.table.columns))]
    for groups, stacked in ((side_by_side, False), (_stacked(texts.table), True)):
        widths = _widths(texts, groups, LONGEST_NAME, stacked)
        longest = LONGEST_NAME
        excess = _total(widths) - width
        if excess > 0:
            longest = max(SHORTEST_NAME, texts.widest_name - excess)
            longest = _distinct(texts, longest)
            widths = _widths(texts, groups, longest, stacked)
        if _total(widths) <= width:
            return [groups], longest, stacked
    names = sum(texts.is_name[group[0]] for group in groups)
    return _pieces(groups, widths, width, max(1, names)), longest, stacked


def _distinct(texts: _Texts, longest: int) -> int:
    """The length of names at which those that differ stay different."""
    different = texts.distinct(LONGEST_NAME)
    while longest < LONGEST_NAME and texts.distinct(longest) < different:
        longest += 1
    return longest


def _stacked(table: Table) -> list[_Group]:
    groups: dict[str, list[int]] = {}
    for at, column in enumerate(table.columns):
        if column.below in groups:
            groups[column.below].append(at)
        else:
            groups[column.key] = [at]
    return list(groups.values())


def _pieces(
    groups: Sequence[_Group], widths: Sequence[int], width: int, names: int
) -> list[Sequence[_Group]]:
    """The smallest number of pieces that fit, each with the names and about as many
    other columns.
    """
    first, others = groups[:names], groups[names:]
    if not others:
        return [groups]
    room = width - _total(widths[:names])
    taken = [len(_GAP) + one for one in widths[names:]]
    for pieces in range(1, len(others) + 1):
        size = ceil(len(others) / pieces)
        starts = range(0, len(others), size)
        if all(sum(taken[start : start + size]) <= room for start in starts):
            break
    return [[*first, *others[start : start + size]] for start in starts]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _widths(
    texts: _Texts, groups: Sequence[_Group], longest: int, stacked: bool
) -> list[int]:
    columns = zip(*texts.lines(groups, longest, stacked), strict=True)
    return [
        max(len(line) for cell in cells for line in cell.split("\n"))
        for cells in columns
    ]


def _piece(
    texts: _Texts,
    groups: Sequence[_Group],
    longest: int,
    stacked: bool,
    width: int,
    *,
    with_notes: bool,
) -> Iterator[str]:
    left = [texts.is_left[group[0]] for group in groups]
    head, *blocks = _blocks(texts.lines(groups, longest, stacked), left)
    yield from head
    yield "-" * max(len(line) for block in (head, *blocks) for line in block)
    apart = any(len(block) > 1 for block in blocks)
    for number, (block, row) in enumerate(zip(blocks, texts.table.rows, strict=True)):
        if number and apart:
            yield ""
        yield from block
        if with_notes:
            note = sanitize(row.note, 10 * _LONGEST_FIGURE)
            yield from wrap(note, width, initial_indent=_GAP, subsequent_indent=_GAP)


def _blocks(rows: Iterable[Sequence[str]], left: Sequence[bool]) -> list[list[str]]:
    """The lines of each row, with columns of one width; `left` says which are aligned
    to the left.
    """
    cells = [[cell.split("\n") for cell in row] for row in rows]
    widths = [
        max(len(line) for cell in column for line in cell)
        for column in zip(*cells, strict=True)
    ]
    blocks = []
    for row in cells:
        lines = []
        for line in zip_longest(*row, fillvalue=""):
            padded = [
                text.ljust(size) if is_left else text.rjust(size)
                for text, size, is_left in zip_longest(line, widths, left)
            ]
            lines.append(_GAP.join(padded).rstrip())
        blocks.append([line for line in lines if line] or [""])
    return blocks
