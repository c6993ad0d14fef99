"""Columns drawn with tabulate. It does not know what stands in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil

LONGEST_NAME = 60
SHORTEST_NAME = 16  # integer_addition


def draw(headers: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> list[str]:
    """A table as lines; the first `words` columns hold words, the others numbers.

    Headers go in as a row: tabulate gives headers of their own two columns of padding each, which a narrow
    terminal does not have.
    """
    from tabulate import tabulate  # only a run that shows a table pays for it

    alignment = ["left"] * words + ["right"] * (len(headers) - words)
    table = tabulate([headers, *rows], tablefmt="plain", colalign=alignment, disable_numparse=True)
    lines = [line.rstrip() for line in table.splitlines()]
    head = max(header.count("\n") for header in headers) + 1
    return [*lines[:head], "-" * width_of(lines), *lines[head:]]


def width_of(lines: Sequence[str]) -> int:
    """The width that lines take."""
    return max(map(len, lines), default=0)


def fitted(drawn: Callable[[int], list[str]], names: Iterable[str], width: int) -> list[str]:
    """A table in which names give way to figures, as far as they can still be told apart.

    `drawn` draws it with names of so many characters at most; `names` are the longest that it shows, line by line.
    """
    lines = drawn(LONGEST_NAME)
    if (excess := width_of(lines) - width) <= 0:
        return lines
    widest = max((len(line) for name in names for line in name.split("\n")), default=0)
    return drawn(max(SHORTEST_NAME, widest - excess))


def folded(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """A table in as few pieces as fit into `width`, one below the other, each of them with the first column."""
    lines = draw(headers, rows)
    if width_of(lines) <= width:
        return lines
    size = _piece_size(headers, rows, width)
    pieces = [_columns(headers, rows, start, start + size) for start in range(1, len(headers), size)]
    return [line for piece in pieces for line in ("", *piece)][1:]


def _piece_size(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> int:
    """How many columns a piece has: about as many as its neighbours; at least one, or there would be no end."""
    first, *widths = (max(map(_width, column)) for column in zip(headers, *rows, strict=True))
    fitting = max(1, (width - first) // (len("  ") + max(widths)))
    return ceil(len(widths) / ceil(len(widths) / fitting))


def _width(text: str) -> int:
    return max(map(len, text.split("\n")))


def _columns(headers: Sequence[str], rows: Sequence[Sequence[str]], start: int, stop: int) -> list[str]:
    return draw([headers[0], *headers[start:stop]], [[row[0], *row[start:stop]] for row in rows])
