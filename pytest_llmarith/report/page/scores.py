"""Scores between 0 and 1, such as those of programs, and what searches found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_llmarith.report.charts import MOST_TOGETHER, Chart, scores_chart
from pytest_llmarith.report.definitions.results import Of, trials_of
from pytest_llmarith.report.definitions.scores import (
    BREAK,
    SCORES,
    SEARCHES,
    Break,
    score_items,
    search_items,
    search_note,
)
from pytest_llmarith.report.render.html import View, view
from pytest_llmarith.report.series import ResultOfRun, short_name
from pytest_llmarith.report.table import Column, Level, Shown
from pytest_llmarith.summaries import Variant


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


def scored_variants(rows: Iterable[ResultOfRun]) -> list[ScoredVariant]:
    """All variants with scores, by name."""
    found: dict[str, list[Of]] = {}
    for item in score_items(rows):
        variant = item.one.variant
        if variant is not None:
            name = variant.variant or item.row.result.task
            found.setdefault(name, []).append(item)
    return [_scored_variant(name, found[name]) for name in sorted(found)]


def _scored_variant(name: str, items: Sequence[Of]) -> ScoredVariant:
    table = SCORES.table(items, Level.PAGE, trials=_trials)
    variants: dict[str, Variant] = {item.row.label: item.one.variant for item in items}
    curves: dict[str, Sequence[float]] = {}
    unsolved: set[str] | None = None
    for label, one in variants.items():
        if one.scores[-1].curve:
            curves[label] = one.scores[-1].curve
        if one.measured:
            mine = set(one.unsolved)
            unsolved = mine if unsolved is None else unsolved & mine
    title = "Scores from best to worst"
    charts = []
    legend: list[str] = []
    if len(curves) > MOST_TOGETHER:
        for label, curve in curves.items():
            charts.append(scores_chart(f"{title}, {label}", {label: curve}))
    elif curves:
        charts.append(scores_chart(title, curves))
        legend = list(curves)
    return ScoredVariant(
        name=short_name(name),
        shown=view(table.without("task", "variant", "cheats")),
        legend=legend,
        charts=charts,
        unsolved=sorted(unsolved or ()),
        has_programs=any(one.programs for one in variants.values()),
    )


def _trials(item: Of) -> Mapping[str, str | int]:
    name = item.one.variant.variant or item.row.result.task
    return {**trials_of(item), "variant": short_name(name)}


# --- searches -------------------------------------------------------------------------


class SearchesOfModel(NamedTuple):
    """The searches of one model, and in how many a wrong answer was found."""

    label: str
    wrong: int
    searches: int
    shown: View


def searches(rows: Iterable[ResultOfRun]) -> list[SearchesOfModel]:
    """The breaking points that searches found, one for each result with searches."""
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


def _with_note(found: Break) -> Shown:
    return Shown(found.text, note=search_note(found.point, found.text))


# The page has room for the note in the cell.
_BREAKS_AT: Column[Break] = Column(
    "breaks_at",
    "breaks at",
    replace(BREAK, show=_with_note, is_left=True),
    "the simplest question that was answered wrongly each time",
    lambda item: Break(item.one),
)
