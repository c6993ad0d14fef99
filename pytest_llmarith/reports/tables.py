"""Columns drawn with tabulate. It does not know what stands in them."""

from __future__ import annotations

from collections.abc import Sequence


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


def folded(headers: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """A table in as few pieces as fit into `width`, one below the other, each of them with the first column."""
    lines: list[str] = []
    start = 1
    while start < len(headers):
        stop = start + _fitting(headers, rows, start, width)
        lines += [""] if lines else []
        lines += draw([headers[0], *headers[start:stop]], [[row[0], *row[start:stop]] for row in rows])
        start = stop
    return lines


def _fitting(headers: Sequence[str], rows: Sequence[Sequence[str]], start: int, width: int) -> int:
    """How many columns from `start` fit beside the first one; at least one, or there would be no end."""
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    taken = widths[0]
    for fitting, column in enumerate(widths[start:]):
        taken += len("  ") + column
        if taken > width:
            return max(1, fitting)
    return len(headers) - start
