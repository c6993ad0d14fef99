"""Scores between 0 and 1, such as those of programs, and what searches found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_llmarith.report.charts import MOST_TOGETHER, Chart, scores_chart
from pytest_llmarith.report.definitions.score_fields import (
    BREAK,
    SCORES,
    SEARCHES,
    Break,
    SearchOfResult,
    has_programs,
    score_items,
    search_items,
    search_notes,
    wrong_searches,
)
from pytest_llmarith.report.render.html import View, view
from pytest_llmarith.views.fields import trials_of
from pytest_llmarith.views.places import Here, short_name
from pytest_llmarith.views.table import Column, Level, Shown

_MOST_UNSOLVED = 500


class ScoredVariant(NamedTuple):
    """One variant: a row per model and score, plots, and the problems that no model
    solved.
    """

    name: str
    shown: View
    legend: Sequence[str]
    charts: Sequence[Chart]
    unsolved: Sequence[str]
    has_programs: bool


def scored_variants(rows: Iterable[Here]) -> list[ScoredVariant]:
    """All variants with scores, by name."""
    found: dict[str, list[Here]] = {}
    for one in score_items(rows):
        if one.variant is not None:
            found.setdefault(one.name, []).append(one)
    return [_scored_variant(name, found[name]) for name in sorted(found)]


def _scored_variant(name: str, items: Sequence[Here]) -> ScoredVariant:
    table = SCORES.table(items, Level.PAGE, trials=_trials)
    last = {one.label: one for one in items}  # of several scores, the last one
    curves: dict[str, Sequence[float]] = {}
    unsolved: set[str] | None = None
    for label, one in last.items():
        curve: list[float] = []
        for (by, _), figure in one.all("score_by_rank").items():
            if by == one.at:
                curve.append(figure.value)  # type: ignore[arg-type]
        if curve:
            curves[label] = curve
        if one.measured:
            mine = set(one.examples("unsolved")[:_MOST_UNSOLVED])
            unsolved = mine if unsolved is None else unsolved & mine
    title = "Scores from best to worst"
    charts = []
    legend: list[str] = []
    if len(curves) > MOST_TOGETHER:
        for label, scores in curves.items():
            charts.append(scores_chart(f"{title}, {label}", {label: scores}))
    elif curves:
        charts.append(scores_chart(title, curves))
        legend = list(curves)
    return ScoredVariant(
        name=short_name(name),
        shown=view(table.without("task", "variant", "cheats")),
        legend=legend,
        charts=charts,
        unsolved=sorted(unsolved or ()),
        has_programs=any(map(has_programs, items)),
    )


def _trials(here: Here) -> Mapping[str, str | int]:
    return {**trials_of(here), "variant": short_name(here.name)}


# --- searches -------------------------------------------------------------------------


class SearchesOfModel(NamedTuple):
    """The searches of one model, and in how many a wrong answer was found."""

    label: str
    wrong: str
    shown: View


def searches(rows: Iterable[Here]) -> list[SearchesOfModel]:
    """The breaking points that searches found, one for each result with searches."""
    return [_searches(row) for row in rows if row.get("breaking_points")]


def _searches(row: Here) -> SearchesOfModel:
    items = search_items([row])
    is_repeated = any(item.point.repeat for item in items)

    def trials(item: SearchOfResult) -> Mapping[str, str | int]:
        found = {**trials_of(row), "variant": short_name(item.point.variant)}
        if is_repeated:
            found["repeat"] = item.point.repeat
        return found

    definition = SEARCHES.with_columns("search", "questions", added=_BREAKS_AT)
    table = definition.table(items, Level.PAGE, trials=trials)
    shown = table.chosen(["search", "breaks_at", "questions"])
    return SearchesOfModel(row.label, wrong_searches(row), view(shown))


def _with_note(found: Break) -> Shown:
    return Shown(found.text, notes=tuple(search_notes(found.point, found.text)))


# The page has room for the note in the cell.
_BREAKS_AT: Column[Break] = Column(
    "breaks_at",
    "breaks at",
    replace(BREAK, show=_with_note, is_left=True),
    "the simplest question that was answered wrongly each time",
    lambda item: Break(item.point),
)
