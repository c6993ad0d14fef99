"""The breaking points that searches found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from pytest_llmarith.report.definitions.results import Of, trials_of
from pytest_llmarith.report.definitions.scores import (
    BREAK,
    SEARCHES,
    Break,
    search_items,
    search_note,
)
from pytest_llmarith.report.render.html import View, view
from pytest_llmarith.report.series import ResultOfRun, short_name
from pytest_llmarith.report.table import Column, Level, Shown


class SearchesOfModel(NamedTuple):
    """The searches of one model, and in how many a wrong answer was found."""

    label: str
    wrong: int
    searches: int
    shown: View


def searches(rows: Iterable[ResultOfRun]) -> list[SearchesOfModel]:
    """One for each result with searches."""
    return [_searches(row) for row in rows if row.result.breaking_points]


def _searches(row: ResultOfRun) -> SearchesOfModel:
    points = row.result.breaking_points
    is_repeated = any(point.repeat for point in points)

    def trials(item: Of) -> Mapping[str, str | int]:
        found = {**trials_of(item), "variant": short_name(item.one.variant)}
        if is_repeated:
            found["repeat"] = item.one.repeat
        return found

    definition = SEARCHES.with_columns("search", "questions", added=_BREAKS_AT)
    table = definition.table(search_items([row]), Level.PAGE, trials=trials)
    shown = table.chosen(["search", "breaks_at", "questions"])
    wrong = sum(point.question is not None for point in points)
    return SearchesOfModel(row.label, wrong, len(points), view(shown))


def _shown(found: Break) -> Shown:
    return Shown(found.text, note=search_note(found.point, found.text))


# The page has room for the note in the cell.
_BREAKS_AT: Column[Break] = Column(
    "breaks_at",
    "breaks at",
    replace(BREAK, show=_shown, is_left=True),
    "the simplest question that was answered wrongly each time",
    lambda item: Break(item.one),
)
