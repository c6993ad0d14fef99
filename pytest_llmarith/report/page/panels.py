"""Small plots of correct answers and of scores: axes, paths of SVG, and the tables with
their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import ceil
from typing import Any, NamedTuple

from pytest_llmarith.report import kinds
from pytest_llmarith.report.render.html import Axis, View, view
from pytest_llmarith.report.shares import Curve
from pytest_llmarith.report.table import Column, Kind, Row, Table

MOST_TOGETHER = 6  # lines of one panel that can be distinguished
_MOST_TICKS = 12
# Of the plot within a panel of 340 by 220.
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 330, 10, 186
_SCORE = kinds.plain("number", "{:.4f}".format)

Points = Sequence[tuple[float, float]]
Ticks = Sequence[tuple[float, str]]  # positions on an axis, and their labels


class Line(NamedTuple):
    """A curve with its band and its dots, each with a description; `slot` chooses
    colour, dashes and mark.
    """

    slot: int
    path: str
    band: str = ""
    dots: Sequence[tuple[float, float, str]] = ()


class Panel(NamedTuple):
    """One small plot, and the table below it."""

    title: str
    x_title: str
    x_ticks: Ticks
    y_ticks: Ticks
    lines: Sequence[Line]
    table: Table

    @property
    def behind(self) -> View:
        return view(self.table)


def percent_ticks(axis: Axis) -> Ticks:
    """A tick at each quarter of an axis of percent."""
    return [(axis.at(percent), str(percent)) for percent in (0, 25, 50, 75, 100)]


def path(points: Points) -> str:
    """The `d` of a line through points; empty if there are none."""
    steps = [f"{x:g} {y:g}" for x, y in points]
    return f"M{'L'.join(steps)}" if steps else ""


def panel(
    title: str,
    x_title: str,
    curves: Mapping[str, Curve],
    name: Callable[[int], str] = str,
) -> Panel:
    """A panel of curves, by their labels, with at least one point; `name` gives the
    label of an x value.
    """
    some = set[int]()
    for curve in curves.values():
        some.update(curve)
    places = sorted(some)
    x = Axis(places[0], places[-1], _LEFT + 12, _RIGHT - 8)
    y = Axis(0, 100, _BOTTOM, _TOP)
    lines = []
    for slot, (label, curve) in enumerate(curves.items(), 1):
        if curve:
            dots = []
            for place, found in curve.items():
                told = f"{label}, {x_title} {name(place)}: {found.description}"
                dots.append((x.at(place), y.at(found.percent), told))
            middle = [(across, height) for across, height, _ in dots]
            lines.append(Line(slot, path(middle), _band(curve, x, y), dots))
    x_ticks = []
    for place in places[:: ceil(len(places) / _MOST_TICKS)]:
        x_ticks.append((x.at(place), name(place)))
    table = _table(x_title, list(curves), "correct %", kinds.PERCENT)
    rows = []
    for place in places:
        shares = [curve.get(place) for curve in curves.values()]
        rows.append(Row([name(place), *shares]))
    return Panel(
        title, x_title, x_ticks, percent_ticks(y), lines, replace(table, rows=rows)
    )


def _band(curve: Curve, x: Axis, y: Axis) -> str:
    """Around all intervals of a curve."""
    upper = []
    lower = []
    for place, found in curve.items():
        upper.append((x.at(place), y.at(found.high)))
        lower.append((x.at(place), y.at(found.low)))
    lower.reverse()
    return f"{path(upper + lower)}Z"


def score_panel(title: str, curves: Mapping[str, Sequence[float]]) -> Panel:
    """The scores of all problems of a variant, by label, one step each, the best
    first.
    """
    longest = max(map(len, curves.values()))
    x = Axis(0, longest, _LEFT + 4, _RIGHT - 4)
    y = Axis(0, 1, _BOTTOM, _TOP)
    lines = []
    for slot, scores in enumerate(curves.values(), 1):
        steps = []
        for rank, score in enumerate(scores):
            steps.append((x.at(rank), y.at(score)))
            steps.append((x.at(rank + 1), y.at(score)))
        lines.append(Line(slot, path(steps)))
    x_ticks = [
        (x.at(count), str(count)) for count in sorted({0, longest // 2, longest})
    ]
    y_ticks = percent_ticks(Axis(0, 100, _BOTTOM, _TOP))
    table = _table("rank", list(curves), "score", _SCORE)
    rows = []
    ranks = zip_longest(*curves.values())  # None for a model with fewer problems
    for rank, scores in enumerate(ranks, 1):
        rows.append(Row([str(rank), *scores]))
    return Panel(title, "rank", x_ticks, y_ticks, lines, replace(table, rows=rows))


def _table(x_title: str, labels: Iterable[str], figure: str, kind: Kind[Any]) -> Table:
    """The table below a panel, still without rows: a column per line."""
    columns: list[Column[Any]] = [Column(x_title, x_title, kinds.NAME)]
    for label in labels:
        title = f"{label}: {figure}"
        columns.append(Column(label, title, kind))
    return Table("panel", figure, columns, [])
