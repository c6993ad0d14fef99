"""Small plots of correct answers and of scores: axes, paths of SVG, and the tables with
their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from typing import Any, NamedTuple

from pytest_llmarith.report import kinds
from pytest_llmarith.report.axis import Axis
from pytest_llmarith.report.render.html import View, view
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
    curves: Sequence[tuple[str, Curve]],
    name: Callable[[int], str] = str,
) -> Panel:
    """A panel of curves, named by their labels, with at least one point; `name` gives
    the label of an x value.
    """
    places = sorted({place for _, curve in curves for place in curve})
    x = Axis(places[0], places[-1], _LEFT + 12, _RIGHT - 8)
    y = Axis(0, 100, _BOTTOM, _TOP)
    lines = []
    for slot, (label, curve) in enumerate(curves, 1):
        if curve:
            dots = []
            for place, found in curve.items():
                told = f"{label}, {x_title} {name(place)}: {found.description}"
                dots.append((x.at(place), y.at(found.percent), told))
            middle = [(across, height) for across, height, _ in dots]
            lines.append(Line(slot, path(middle), _band(curve, x, y), dots))
    ticks = places[:: ceil(len(places) / _MOST_TICKS)]
    rows = []
    for place in places:
        rows.append([name(place), *(curve.get(place) for _, curve in curves)])
    labels = [label for label, _ in curves]
    return Panel(
        title=title,
        x_title=x_title,
        x_ticks=[(x.at(place), name(place)) for place in ticks],
        y_ticks=percent_ticks(y),
        lines=lines,
        table=_table(x_title, labels, "correct %", kinds.PERCENT, rows),
    )


def _band(curve: Curve, x: Axis, y: Axis) -> str:
    """Around all intervals of a curve."""
    upper = [(x.at(place), y.at(found.high)) for place, found in curve.items()]
    lower = [(x.at(place), y.at(found.low)) for place, found in curve.items()]
    lower.reverse()
    return f"{path(upper + lower)}Z"


def score_panel(title: str, curves: Sequence[tuple[str, Sequence[float]]]) -> Panel:
    """The scores of all problems of a variant, one step each, the best first."""
    longest = max(len(scores) for _, scores in curves)
    x = Axis(0, longest, _LEFT + 4, _RIGHT - 4)
    y = Axis(0, 1, _BOTTOM, _TOP)
    lines = []
    for slot, (_, scores) in enumerate(curves, 1):
        lines.append(Line(slot, path(list(_stairs(scores, x, y)))))
    rows: list[list[Any]] = []
    for rank in range(longest):
        row: list[Any] = [str(rank + 1)]
        for _, scores in curves:
            row.append(scores[rank] if rank < len(scores) else None)
        rows.append(row)
    labels = [label for label, _ in curves]
    ticks = sorted({0, longest // 2, longest})
    return Panel(
        title=title,
        x_title="rank",
        x_ticks=[(x.at(count), str(count)) for count in ticks],
        y_ticks=percent_ticks(Axis(0, 100, _BOTTOM, _TOP)),
        lines=lines,
        table=_table("rank", labels, "score", _SCORE, rows),
    )


def _stairs(scores: Sequence[float], x: Axis, y: Axis) -> Iterator[tuple[float, float]]:
    for rank, score in enumerate(scores):
        yield x.at(rank), y.at(score)
        yield x.at(rank + 1), y.at(score)


def _table(
    x_title: str,
    labels: Sequence[str],
    figure: str,
    kind: Kind[Any],
    rows: Sequence[Sequence[Any]],
) -> Table:
    """The numbers of a panel: a row per x value, a column per line."""
    columns: list[Column[Any]] = [
        Column(x_title, x_title, kinds.NAME, "", lambda one: None)
    ]
    for label in labels:
        title = f"{label}: {figure}"
        columns.append(Column(label, title, kind, "", lambda one: None))
    return Table("panel", figure, columns, [Row(row) for row in rows])
