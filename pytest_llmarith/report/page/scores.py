"""Scores between 0 and 1, such as those of programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pytest_llmarith.report.definitions.results import Of, trials_of
from pytest_llmarith.report.definitions.scores import SCORES, score_items
from pytest_llmarith.report.page.panels import MOST_TOGETHER, Panel, score_panel
from pytest_llmarith.report.render.html import View, view
from pytest_llmarith.report.series import ResultOfRun, short_name
from pytest_llmarith.report.table import Level
from pytest_llmarith.summaries import Variant


class ScoredVariant(NamedTuple):
    """One variant: a row per model and score, plots, and the problems that no model
    solved.
    """

    name: str
    shown: View
    legend: Sequence[str]
    panels: Sequence[Panel]
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
    panels = []
    legend: list[str] = []
    if len(curves) > MOST_TOGETHER:
        for label, curve in curves.items():
            panels.append(score_panel(f"{title}, {label}", {label: curve}))
    elif curves:
        panels.append(score_panel(title, curves))
        legend = list(curves)
    return ScoredVariant(
        name=short_name(name),
        shown=view(table.without("task", "variant", "cheats")),
        legend=legend,
        panels=panels,
        unsolved=sorted(unsolved or ()),
        has_programs=any(one.programs for one in variants.values()),
    )


def _trials(item: Of) -> Mapping[str, str | int]:
    name = item.one.variant.variant or item.row.result.task
    return {**trials_of(item), "variant": short_name(name)}
