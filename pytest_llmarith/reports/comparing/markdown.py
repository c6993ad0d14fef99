"""Comparisons as GitHub's markdown, for a job's summary. Foreign words stand in code, where nothing is obeyed.

It does not know how they came about.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_llmarith.reports.comparing import cells, sentences
from pytest_llmarith.reports.formats.markdown import code


def as_markdown(comparisons: Mapping[str, Any]) -> str:
    """A document: all comparisons in a table, a section for each, and what the columns are."""
    lines = ["## Comparison", ""]
    if len(comparisons["comparisons"]) > 1:
        lines += [*_table(*cells.overview_cells(comparisons["comparisons"])), ""]
    for comparison in comparisons["comparisons"]:
        lines += [*_one(comparison), ""]
    lines += [line for text in sentences.not_compared(comparisons) for line in (code(text), "")]
    lines += [f"<sub>{html.escape(' '.join(sentences.legend(comparisons)))}</sub>"]
    return "".join(f"{line}\n" for line in lines)


def _one(comparison: Mapping[str, Any]) -> list[str]:
    facts = (*sentences.sides(comparison), sentences.questions(comparison), sentences.differing(comparison))
    scores = ["", *_table(*cells.score_cells(comparison))] if comparison["scores"] else []
    return [*(f"- {code(fact)}" for fact in facts), "", *_table(*cells.row_cells(comparison)), *scores]


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table whose first column holds words, which may be anybody's."""
    rule = ["---"] + ["---:"] * (len(headers) - 1)
    harmless = [[code(row[0]), *map(html.escape, row[1:])] for row in rows]
    return [_row(headers), _row(rule), *map(_row, harmless)]


def _row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"
