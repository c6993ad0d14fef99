"""CSV that a spreadsheet shows and does not obey: no cell is a formula, whatever a reply or a name holds.

It does not know what stands in the columns.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import chain

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
# What begins a formula, in full width too: some programs fold the one into the other. Where the semicolon separates
# cells, one begins behind it.
_FORMULA = re.compile(r"(^|;)( *)(?=[=+\-@＝＋－＠])")


def csv_lines(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """A table as CSV, one line for the headers and for every row."""
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in chain([headers], rows):
        writer.writerow(map(cell, row))
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def cell(value: object) -> str:
    """A value as a cell: nothing where it is unknown, a number as it is, a text of one line that is no formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub(r"\1\2'", _printable(text))


def _printable(text: str) -> str:
    """Line breaks, tabs and escape sequences are spelled out, so that none hides what comes after it."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)
