"""Curves of correct answers by depth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_llmarith.report.depths import depth_ranges
from pytest_llmarith.report.page.panels import MOST_TOGETHER, Panel, panel
from pytest_llmarith.report.render.html import View, view
from pytest_llmarith.report.run_tables import thresholds
from pytest_llmarith.report.series import ResultOfRun, short_name
from pytest_llmarith.report.shares import Curve, curve_of, known, share

_DEPTH = "depth"


class Curves(NamedTuple):
    """The panels of one task; `legend` names the lines by slot."""

    task: str
    legend: Sequence[str]
    panels: Sequence[Panel]


def curves_of(rows: Sequence[ResultOfRun]) -> list[Curves]:
    """The curves of each task with depths."""
    found = []
    for task in dict.fromkeys(row.result.task for row in rows):
        of_task = [row for row in rows if row.result.task == task]
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
    rows = [row for row in rows if any(one.measured for one in row.result.grid)]
    if not rows:
        return None
    variants = list(
        dict.fromkeys(cell.variant for row in rows for cell in row.result.grid)
    )
    if len(rows) > MOST_TOGETHER:
        return _panel_per_model(task, [_answered(row, variants) for row in rows])
    panels = []
    if len(variants) > 1:
        every = [(row.label, _if_all_answered(row, variants)) for row in rows]
        panels.append(("all variants", every))
    for variant in variants:
        panels.append(
            (variant, [(row.label, _of_variant(row, variant)) for row in rows])
        )
    shown = [
        panel(title, _DEPTH, curves)
        for title, curves in panels
        if any(curve for _, curve in curves)
    ]
    return Curves(short_name(task), [row.label for row in rows], shown)


def _of_variant(row: ResultOfRun, variant: str) -> Curve:
    return curve_of(cell for cell in row.result.grid if cell.variant == variant)


def _answered_variants(row: ResultOfRun) -> set[str]:
    return {cell.variant for cell in row.result.grid if cell.measured}


def _if_all_answered(row: ResultOfRun, variants: Sequence[str]) -> Curve:
    """The curve of all variants; empty for a model that lacks some."""
    if len(_answered_variants(row)) < len(variants):
        return {}
    return curve_of(row.result.grid)


def _answered(row: ResultOfRun, variants: Sequence[str]) -> tuple[str, Curve]:
    """The curve of the variants with answers, named with their number if some lack."""
    answered = _answered_variants(row)
    label = row.label
    if len(answered) < len(variants):
        label += f", {len(answered)} of {len(variants)} variants"
    return label, curve_of(one for one in row.result.grid if one.variant in answered)


def _of_task(task: str, rows: Sequence[ResultOfRun]) -> Curves | None:
    """A task without variants, by ranges of depths."""
    ranges = depth_ranges(row.result for row in rows)
    names = {depths[0]: name for name, depths in ranges.items()}
    curves = []
    for row in rows:
        shares = {}
        for depths in ranges.values():
            cells = [one for one in row.result.depths if one.depth in depths]
            correct = sum(one.correct for one in cells)
            shares[depths[0]] = share(correct, sum(one.measured for one in cells))
        curve = known(shares)
        if curve:
            curves.append((row.label, curve))
    if not curves:
        return None
    name = names.__getitem__
    if len(curves) > MOST_TOGETHER:
        return _panel_per_model(task, curves, name)
    labels = [label for label, _ in curves]
    return Curves(
        short_name(task), labels, [panel(short_name(task), _DEPTH, curves, name)]
    )


def _panel_per_model(
    task: str, curves: Sequence[tuple[str, Curve]], name: Callable[[int], str] = str
) -> Curves:
    panels = []
    for label, curve in curves:
        if curve:
            panels.append(panel(label, _DEPTH, [(label, curve)], name))
    return Curves(short_name(task), (), panels)
