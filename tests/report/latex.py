"""Reads LaTeX tables as strictly as a paper needs it: what is special to LaTeX is
escaped, what is opened is closed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# A character, an escaped one, a number with its sign, or a header of several lines.
_TEXT = re.compile(
    r"(?:[^\\{}&%$#_^~\[\]*<>|`\"']|\\[&%$#_]|\\text[a-z]+\{\}|\{[\[\]*]?\}|\$[-+][0-9.]*\$|\\shortstack\[r\]\{.*\})*"
)
_CELL = re.compile(r"(?<!\\)&")


class LatexTable(NamedTuple):
    caption: str
    label: str
    rows: list[list[str]]  # with the headers


def tables_in(text: str) -> list[LatexTable]:
    """The tables of a file, with a sentence as caption and a label each.

    All else is a comment.
    """
    found: list[LatexTable] = []
    lines = iter(
        [line for line in text.splitlines() if line and not line.startswith("%")]
    )
    for line in lines:
        assert (line, next(lines)) == (r"\begin{table}", r"\centering")
        tabular = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", next(lines))
        assert tabular
        inner = list(iter(lambda: next(lines), r"\end{tabular}"))
        assert (inner[0], inner[2], inner[-1]) == (
            r"\toprule",
            r"\midrule",
            r"\bottomrule",
        )
        ends = [row.removesuffix(r" \\") for row in (inner[1], *inner[3:-1])]
        rows = [[cell.strip() for cell in _CELL.split(row)] for row in ends]
        caption, label = (
            re.fullmatch(rf"\\{name}\{{(.*)\}}", next(lines))
            for name in ("caption", "label")
        )
        assert caption
        assert label
        assert next(lines) == r"\end{table}"
        assert all(len(row) == len(tabular[1]) for row in rows)
        assert all(
            _TEXT.fullmatch(part)
            for part in (caption[1], *(cell for row in rows for cell in row))
        )
        assert re.fullmatch(r"[A-Z0-9].*[^.]\.", caption[1])
        found.append(LatexTable(caption[1], label[1], rows))
    labels = [table.label for table in found]
    assert len({*labels}) == len(labels)
    assert all(re.fullmatch(r"tab:[A-Za-z0-9-]+", label) for label in labels)
    return found
