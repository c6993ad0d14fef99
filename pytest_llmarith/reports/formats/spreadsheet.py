"""CSV: every cell quoted and as it is, so that a program reads back the text that was written.

With `spreadsheet`, no cell is a formula, and every row is one line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import chain

# The outcome `nan`, which readers of CSV take for a missing value.
NO_ANSWER = "no_answer"

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
# What begins a formula, in full width too: some programs fold the one into the other. Where the semicolon separates
# cells, one begins behind it.
_FORMULA = re.compile(r"(^|;)( *)(?=[=+\-@＝＋－＠])")


def csv_lines(headers: Sequence[str], rows: Iterable[Sequence[object]], *, spreadsheet: bool) -> Iterator[str]:
    """A table as CSV: the headers, then each row.

    Every cell is quoted: csv before Python 3.13 leaves a lone carriage return bare, and DuckDB guesses the dialect of
    a table in which few cells are.
    """
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in chain([headers], rows):
        writer.writerow([cell(value, spreadsheet=spreadsheet) for value in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def cell(value: object, *, spreadsheet: bool) -> str:
    """A value as the text of a cell: empty where it is unknown. A spreadsheet gets one line that is no formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    if not spreadsheet or _NUMBER.fullmatch(text):
        return text
    return _FORMULA.sub(r"\1\2'", _printable(text))


def _printable(text: str) -> str:
    """Line breaks, tabs and escape sequences are spelled out, so that none hides what comes after it."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)
