"""Curves of correct answers by depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_llmarith.report.charts import MOST_TOGETHER, Chart, curves_chart
from pytest_llmarith.report.definitions.results import (
    OVERVIEW,
    d50_legend,
    threshold,
    threshold_items,
)
from pytest_llmarith.report.render.html import View, view
from pytest_llmarith.report.run_tables import thresholds
from pytest_llmarith.views.places import Curve, Here, short_name


class Curves(NamedTuple):
    """The charts of one task; `legend` names the lines by slot, none if each model has
    its own chart.
    """

    task: str
    legend: Sequence[str]
    charts: Sequence[Chart]


def curves_of(rows: Sequence[Here]) -> list[Curves]:
    """The curves of each task with depths; a model looks the same in all of them."""
    labels = list(dict.fromkeys(row.label for row in rows))
    tasks: dict[str, list[Here]] = {}
    for row in rows:
        tasks.setdefault(row.task, []).append(row)
    found = []
    for task, of_task in tasks.items():
        for curves in (
            _by_variant(task, of_task, labels),
            _of_task(task, of_task, labels),
            _of_measures(task, of_task, labels),
        ):
            if curves:
                found.append(curves)
    return found


def d50(rows: Sequence[Here]) -> View:
    """D50 by model and variant; the legend has the signs that are shown."""
    found = [one for one in map(threshold, threshold_items(rows)) if one]
    legend = "; ".join(d50_legend(found))
    return view(replace(thresholds(rows), legend=legend if found else ""))


def _by_variant(
    task: str, rows: Sequence[Here], labels: Sequence[str]
) -> Curves | None:
    """A chart per variant, and one of the models that answered all variants; a chart
    per model if these are many.
    """
    rows = [row for row in rows if _answered(row)]
    if not rows:
        return None
    variants: dict[str, None] = {}
    for row in rows:
        variants.update(dict.fromkeys(cell.name for cell in row.grid))
    first = rows[0]
    if len(labels) > MOST_TOGETHER:
        answered = _of_answered_variants(rows, len(variants))
        return _chart_per_model(task, first.axis_title(variants), answered)
    curves: dict[str, dict[str, Curve]] = {}
    if len(variants) > 1:
        curves["all variants"] = {}
        for row in rows:
            has_all = len(_answered(row)) == len(variants)
            whole = row.curve if has_all else {}
            curves["all variants"][row.label] = whole
    for variant in variants:
        curves[variant] = {}
        for row in rows:
            curves[variant][row.label] = row._replace(variant=variant).curve
    charts = []
    for title, of_title in curves.items():
        known = {label: curve for label, curve in of_title.items() if curve}
        if known:
            axis = first.axis_title([title] if title in variants else variants)
            charts.append(curves_chart(title, axis, known, labels))
    return Curves(short_name(task), labels, charts)


def _answered(row: Here) -> set[str]:
    """The variants with a reply."""
    return {cell.name for cell in row.grid if cell.measured}


def _of_answered_variants(rows: Sequence[Here], variants: int) -> dict[str, Curve]:
    """The curve of each model, named with the number of its variants if it lacks
    some.
    """
    curves = {}
    for row in rows:
        answered = _answered(row)
        label = row.label
        if len(answered) < variants:
            label += f", {len(answered)} of {variants} variants"
        curves[label] = row.curve
    return curves


def _of_task(task: str, rows: Sequence[Here], labels: Sequence[str]) -> Curves | None:
    """A task without variants."""
    curves = {}
    for row in rows:
        curve = row.curve
        if curve and row.depths:
            curves[row.label] = curve
    if not curves:
        return None
    axis = rows[0].axis_title(())
    if len(labels) > MOST_TOGETHER:
        return _chart_per_model(task, axis, curves)
    title = short_name(task)
    return Curves(title, labels, [curves_chart(title, axis, curves, labels)])


def _of_measures(
    task: str, rows: Sequence[Here], labels: Sequence[str]
) -> Curves | None:
    """A chart for each further measure that has a curve."""
    charts = []
    for column in OVERVIEW.columns:
        curves = {}
        if column.curved:
            curves = {row.label: row.curve_of(column.key) for row in rows}
        known = {label: curve for label, curve in curves.items() if curve}
        if known:
            axis = rows[0].axis_title(rows[0].result.facts.variants)
            title = f"{short_name(task)}, {column.title}"
            charts.append(curves_chart(title, axis, known, labels, column.title))
    return Curves(short_name(task), labels, charts) if charts else None


def _chart_per_model(task: str, axis: str, curves: Mapping[str, Curve]) -> Curves:
    charts = []
    for label, curve in curves.items():
        if curve:
            charts.append(curves_chart(label, axis, {label: curve}))
    return Curves(short_name(task), (), charts)
