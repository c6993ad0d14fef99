"""Comparisons as text for a terminal, and as JSON for programs. It does not know how they came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from pytest_llmarith.reports.comparing import cells, sentences
from pytest_llmarith.reports.comparing.wording import LONGEST_NAME
from pytest_llmarith.reports.jsonfiles import encode
from pytest_llmarith.reports.tables.drawing import draw, width_of

_SHORTEST_NAME = 12
_LESS = 4


def as_json(comparisons: Mapping[str, Any]) -> str:
    """All figures, in ASCII."""
    return f"{encode(comparisons, indent=2).decode('ascii')}\n"


def as_text(comparisons: Mapping[str, Any], width: int) -> str:
    """Every comparison with its tables, all of them in a row each, and what the columns are."""
    lines: list[str] = []
    for comparison in comparisons["comparisons"]:
        lines += [*_one(comparison, width), ""]
    if len(comparisons["comparisons"]) > 1:
        lines += [*_overview(comparisons["comparisons"], width), ""]
    for text in (*sentences.not_compared(comparisons), " ".join(sentences.legend(comparisons))):
        lines += _wrapped(text, width)
    return "".join(f"{line}\n" for line in lines)


def _one(comparison: Mapping[str, Any], width: int) -> list[str]:
    facts = (*sentences.sides(comparison), sentences.questions(comparison), sentences.differing(comparison))
    head = [line for fact in facts for line in _wrapped(fact, width, "  ")]
    scores = ["", *draw(*cells.score_cells(comparison))] if comparison["scores"] else []
    return [*head, "", *draw(*cells.row_cells(comparison)), *scores]


def _overview(comparisons: Sequence[Mapping[str, Any]], width: int) -> list[str]:
    """A row per comparison; names give way to figures, as far as they can still be told apart."""
    for longest in range(LONGEST_NAME, _SHORTEST_NAME, -_LESS):
        lines = draw(*cells.overview_cells(comparisons, longest))
        if width_of(lines) <= width:
            return lines
    return draw(*cells.overview_cells(comparisons, _SHORTEST_NAME))


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return wrap(text, width, subsequent_indent=indent, break_on_hyphens=False)
