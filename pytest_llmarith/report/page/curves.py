"""Curves of correct answers by depth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_llmarith.report.depths import axis_title
from pytest_llmarith.report.page.panels import MOST_TOGETHER, Panel, panel
from pytest_llmarith.report.render.html import View, view
from pytest_llmarith.report.run_tables import thresholds
from pytest_llmarith.report.series import ResultOfRun, short_name
from pytest_llmarith.report.shares import Curve, Share, curve_of, known, share_of
from pytest_llmarith.results.percentages import clusters_of, in_clusters, percentage
from pytest_llmarith.summaries import Result

_DIGITS_A_RANGE = 5


class Curves(NamedTuple):
    """The panels of one task; `legend` names the lines by slot."""

    task: str
    legend: Sequence[str]
    panels: Sequence[Panel]


def curves_of(rows: Sequence[ResultOfRun]) -> list[Curves]:
    """The curves of each task with depths."""
    tasks: dict[str, list[ResultOfRun]] = {}
    for row in rows:
        tasks.setdefault(row.result.task, []).append(row)
    found = []
    for task, of_task in tasks.items():
        for curves in (_by_variant(task, of_task), _of_task(task, of_task)):
            if curves:
                found.append(curves)
    return found


def d50(rows: Sequence[ResultOfRun]) -> View:
    """D50 by model and variant; the legend has the signs that are shown."""
    table = thresholds(rows)
    shown = view(table)
    texts = []
    for line in shown.lines:
        for cell in line.cells[1:]:
            texts += [cell.shown.text, cell.shown.note]
    every = " ".join(texts)
    legend = []
    for part in table.legend.split("; "):
        signs, _, meaning = part.partition(":")
        if not meaning or any(sign in every for sign in signs.split(" or ")):
            legend.append(part)
    return view(replace(table, legend="; ".join(legend)))


def _by_variant(task: str, rows: Sequence[ResultOfRun]) -> Curves | None:
    """A panel per variant, and one of the models that answered all variants; a panel
    per model if these are many.
    """
    rows = [row for row in rows if _answered(row)]
    if not rows:
        return None
    variants: dict[str, None] = {}
    for row in rows:
        variants.update(dict.fromkeys(cell.variant for cell in row.result.grid))
    if len(rows) > MOST_TOGETHER:
        title = axis_title(rows[0].result, variants)
        return _panel_per_model(task, title, _of_answered_variants(rows, len(variants)))
    curves: dict[str, dict[str, Curve]] = {}
    result = rows[0].result
    if len(variants) > 1:
        curves["all variants"] = {}
        for row in rows:
            has_all = len(_answered(row)) == len(variants)
            whole = curve_of(row.result.grid) if has_all else {}
            curves["all variants"][row.label] = whole
    for variant in variants:
        curves[variant] = {}
        for row in rows:
            cells = [cell for cell in row.result.grid if cell.variant == variant]
            curves[variant][row.label] = curve_of(cells)
    panels = []
    for title, of_title in curves.items():
        if any(of_title.values()):
            of_panel = [title] if title in variants else variants
            panels.append(panel(title, axis_title(result, of_panel), of_title))
    return Curves(short_name(task), [row.label for row in rows], panels)


def _answered(row: ResultOfRun) -> set[str]:
    """The variants with a reply."""
    return {cell.variant for cell in row.result.grid if cell.measured}


def _of_answered_variants(
    rows: Iterable[ResultOfRun], variants: int
) -> dict[str, Curve]:
    """The curve of each model, named with the number of its variants if it lacks
    some.
    """
    curves = {}
    for row in rows:
        answered = _answered(row)
        label = row.label
        if len(answered) < variants:
            label += f", {len(answered)} of {variants} variants"
        cells = [cell for cell in row.result.grid if cell.variant in answered]
        curves[label] = curve_of(cells)
    return curves


def _of_task(task: str, rows: Sequence[ResultOfRun]) -> Curves | None:
    """A task without variants, by ranges of depths."""
    ranges = _depth_ranges(row.result for row in rows)
    names = {depths[0]: name for name, depths in ranges.items()}
    curves = {}
    for row in rows:
        curve = known(_by_range(row, ranges.values()))
        if curve:
            curves[row.label] = curve
    if not curves:
        return None
    name = names.__getitem__
    axis = axis_title(rows[0].result, ())
    if len(curves) > MOST_TOGETHER:
        return _panel_per_model(task, axis, curves, name)
    title = short_name(task)
    return Curves(title, list(curves), [panel(title, axis, curves, name)])


def _depth_ranges(results: Iterable[Result]) -> dict[str, list[int]]:
    """The depths of tasks without variants in ranges of five, such as `16-19` if there
    is no 20: a few trials of each depth alone would make no curve.
    """
    depths: set[int] = set()
    for result in results:
        depths.update(one.depth for one in result.depths)
    ranges: dict[int, list[int]] = {}
    for digits in sorted(depths):
        ranges.setdefault((digits - 1) // _DIGITS_A_RANGE, []).append(digits)
    named = {}
    for one in ranges.values():
        name = str(one[0])
        if len(one) > 1:
            name += f"-{one[-1]}"
        named[name] = one
    return named


def _by_range(
    row: ResultOfRun, ranges: Iterable[Sequence[int]]
) -> dict[int, Share | None]:
    """The share of correct trials by the first depth of each range."""
    shares = {}
    for depths in ranges:
        correct = measured = 0
        clusters = []
        for cell in row.result.depths:
            if cell.depth in depths:
                correct += cell.correct
                measured += cell.measured
                clusters += clusters_of(cell)
        found = in_clusters(percentage(correct, measured), clusters)
        shares[depths[0]] = share_of(correct, measured, found)
    return shares


def _panel_per_model(
    task: str,
    axis: str,
    curves: Mapping[str, Curve],
    name: Callable[[int], str] = str,
) -> Curves:
    panels = []
    for label, curve in curves.items():
        if curve:
            panels.append(panel(label, axis, {label: curve}, name))
    return Curves(short_name(task), (), panels)
