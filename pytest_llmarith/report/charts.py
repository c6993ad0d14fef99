"""Charts for the page and for files: the parts that a template writes as SVG.

Classes tell colours: the page has its own style, and a file the one of its template.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import ceil, dist, floor, log10
from typing import Any, NamedTuple

from pytest_llmarith.views import kinds
from pytest_llmarith.views.places import Curve, Share
from pytest_llmarith.views.table import Column, Kind, Row, Table

MOST_TOGETHER = 6  # lines of one chart that can be distinguished
_TICK = 22  # pixels between numbers below a chart
_OVERLAP = 10  # the distance of two points, which are 15 high
_PERCENT_STEP = 25
_MOST_STEPS = 5  # of another figure than percent
_SCORE = kinds.plain("{:.4f}".format)

Place = tuple[float, float]


class Axis(NamedTuple):
    """Maps `low` to `high` onto `start` to `end`, which may run backwards; logarithmic
    if values span decades.
    """

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """The position of a value, with one decimal."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = log10(low), log10(high), log10(value)
        part = 0.5 if high == low else (value - low) / (high - low)
        return round(self.start + part * (self.end - self.start), 1)


class ChartPart(NamedTuple):
    """A part of a chart: a path, a mark of the line `slot`, a point with its number, a
    tinted cell or a text, by its role; `told` says what it shows.
    """

    role: str
    x: float = 0
    y: float = 0
    text: str = ""
    told: str = ""
    d: str = ""
    slot: int = 0
    percent: float = 0


@dataclass
class Chart:
    """A picture with its size, what it shows in words, and a table with its numbers.

    `numbered` are the names of points that have numbers.
    """

    title: str
    shows: str
    width: float
    height: float
    parts: list[ChartPart]
    table: Table
    numbered: Sequence[str] = ()
    notes: Sequence[str] = ()


def path(points: Iterable[Place]) -> str:
    """The `d` of a line through points; empty if there are none."""
    steps = [f"{x:g} {y:g}" for x, y in points]
    return f"M{'L'.join(steps)}" if steps else ""


def _frame(
    x: Axis,
    y: Axis,
    ticks: Iterable[tuple[float, str]],
    x_title: str,
    step: float = _PERCENT_STEP,
) -> list[ChartPart]:
    """A grid of steps, the labels of ticks, and below them what the axis is."""
    parts = []
    for number in range(round(y.high / step) + 1):
        figure = number * step
        height = y.at(figure)
        parts.append(ChartPart("grid", d=path([(x.start, height), (x.end, height)])))
        parts.append(ChartPart("y", x.start - 5, height + 4, _tick(figure)))
    for at, text in ticks:
        parts.append(ChartPart("x", at, y.start + 17, text))
    parts.append(ChartPart("axis", x.end, y.start + 31, x_title))
    return parts


def _step(most: float) -> float:
    """The least of 1, 2 and 5 times a power of ten with which a few steps reach the
    most.
    """
    least = (most or 1) / _MOST_STEPS
    power = float(f"1e{floor(log10(least))}")
    return next(one * power for one in (1, 2, 5, 10) if one * power >= least)


def _tick(figure: float) -> str:
    """Such as `0.5`, `50` or `200k`, which all fit beside an axis."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if figure >= size:
            return f"{figure / size:g}{unit}"
    return f"{figure:g}"


def _table(x_title: str, labels: Iterable[str], figure: str, kind: Kind[Any]) -> Table:
    """The table below a chart, still without rows: a column per line."""
    columns: list[Column[Any]] = [Column(x_title, x_title, kinds.NAME)]
    for label in labels:
        columns.append(Column(label, f"{label}: {figure}", kind))
    return Table("chart", figure, columns, [])


# --- lines ----------------------------------------------------------------------------

_SMALL = (340, 220)
_Y = Axis(0, 100, 186, 10)


def curves_chart(
    title: str,
    x_title: str,
    curves: Mapping[str, Curve],
    labels: Sequence[str] = (),
    figure: str = "correct %",
    kind: Kind[Any] = kinds.PERCENT,
) -> Chart:
    """Correct answers, or another figure, by depth or the like.

    Each has the band of its intervals, and a point at least. Their names are labels,
    whose place among all `labels` chooses the looks of a curve.
    """
    some = set[int]()
    for curve in curves.values():
        some.update(curve)
    places = sorted(some)
    x = Axis(places[0], places[-1], 46, 322)
    ticks: list[tuple[float, str]] = []
    for one in places:
        if not ticks or x.at(one) - ticks[-1][0] >= _TICK:
            ticks.append((x.at(one), str(one)))
    y, step = _Y, float(_PERCENT_STEP)
    if kind is not kinds.PERCENT:
        most = max(found.high for curve in curves.values() for found in curve.values())
        step = _step(most)
        y = _Y._replace(high=step * max(1, ceil(most / step)))
    bands = []
    lines = []
    for label, curve in curves.items():
        slot = 1 + labels.index(label) if labels else 1
        middle = []
        upper = []
        lower: list[Place] = []
        marks = []
        for place, found in curve.items():
            at, height = x.at(place), y.at(found.value)
            middle.append((at, height))
            upper.append((at, y.at(found.high)))
            lower.insert(0, (at, y.at(found.low)))
            told = f"{label}, {x_title} {place}: {found.description}"
            if kind is not kinds.PERCENT:
                shown = kind.shown(found)
                told = f"{label}, {x_title} {place}: {shown.as_figure(shown.text)}"
            marks.append(ChartPart("mark", at, height, told=told, slot=slot))
        bands.append(ChartPart(f"band s{slot}", d=path(upper + lower)))
        lines += [ChartPart(f"curve s{slot}", d=path(middle)), *marks]
    frame = _frame(Axis(0, 1, 34, 330), y, ticks, x_title, step)
    table = _table(x_title, curves, figure, kind)
    for place in places:
        shares = [curve.get(place) for curve in curves.values()]
        table.rows.append(Row([str(place), *shares]))
    shows = f"{figure.capitalize()} by {x_title}: {title}"
    return Chart(title, shows, *_SMALL, [*frame, *bands, *lines], table)


def scores_chart(title: str, curves: Mapping[str, Sequence[float]]) -> Chart:
    """The scores of all problems of a variant, by label, one step each, the best
    first.
    """
    longest = max(map(len, curves.values()))
    x = Axis(0, longest, 38, 326)
    ticks = [(x.at(count), str(count)) for count in sorted({0, longest // 2, longest})]
    parts = _frame(Axis(0, 1, 34, 330), _Y, ticks, "rank")
    for slot, scores in enumerate(curves.values(), 1):
        steps = []
        for rank, score in enumerate(scores):
            height = _Y.at(100 * score)
            steps += [(x.at(rank), height), (x.at(rank + 1), height)]
        parts.append(ChartPart(f"curve s{slot}", d=path(steps)))
    table = _table("rank", curves, "score", _SCORE)
    ranks = zip_longest(*curves.values())  # None for a model with fewer problems
    for rank, scores_of_rank in enumerate(ranks, 1):
        table.rows.append(Row([str(rank), *scores_of_rank]))
    return Chart(title, f"Scores in % by rank: {title}", *_SMALL, parts, table)


# --- points ---------------------------------------------------------------------------


class Point(NamedTuple):
    """A model with a known amount.

    `lacks` names the cells of others that it has no reply for.
    """

    label: str
    share: Share
    amount: float
    lacks: str = ""
    trials: Mapping[str, str | int] = {}


def scatter_chart(
    title: str,
    unit: str,
    kind: Kind[float],
    some: Iterable[Point],
    pairs: Iterable[tuple[str, str]] = (),
    *,
    more_is_better: bool = False,
) -> Chart:
    """Correct answers by an amount, on a logarithmic axis.

    A dashed line connects the models that are better than all cheaper ones, or than all
    faster ones; further lines connect `pairs` of labels.
    """
    models = sorted(some, key=lambda model: (model.amount, -model.share.value))
    first = floor(log10(models[0].amount))
    last = max(ceil(log10(models[-1].amount)), first + 1)
    powers = [float(f"1e{exponent}") for exponent in range(first, last + 1)]
    x = Axis(powers[0], powers[-1], 40, 620, logarithmic=True)
    y = Axis(0, 100, 352, 28)
    ticks = [(x.at(power), kind.shown(power).text) for power in powers]
    places: dict[str, Place] = {}
    for model in models:
        places[model.label] = (x.at(model.amount), y.at(model.share.value))
    if more_is_better:
        best = _best(sorted(models, key=lambda one: (-one.amount, -one.share.value)))
    else:
        best = _best(models)
    parts = [*_frame(x, y, ticks, unit), ChartPart("corner", 4, 12, "correct %")]
    parts.append(ChartPart("frontier", d=path(places[label] for label in best)))
    for pair in pairs:
        parts.append(ChartPart("swept", d=path(places[label] for label in pair)))
    columns: list[Column[Any]] = [
        Column("model", "model", kinds.NAME, "the model"),
        Column("amount", unit, kind),
        Column("correct", "correct %", kinds.PERCENT, "correct answers"),
    ]
    table = Table("scatter", unit, columns, [])
    for model in models:
        role = "point"
        if model.label in best:
            role += " best"
        if model.lacks:
            role += " lacks"
        at, height = places[model.label]
        ends = [(at, y.at(model.share.low)), (at, y.at(model.share.high))]
        amount = kind.shown(model.amount).text
        told = f"{model.label}: {model.share.description}, {unit}: {amount}"
        numbers = _numbers(places, model.label)
        parts.append(ChartPart(f"interval {role}", d=path(ends)))
        parts.append(ChartPart(role, at, height, numbers, told))
        table.rows.append(
            Row([model.label, model.amount, model.share], (), model.trials)
        )
    shows = f"Correct % against {unit}, {title}"
    return Chart(title, shows, 640, 400, parts, table, list(places))


def _best(models: Iterable[Point]) -> list[str]:
    """The models that are better than all before them."""
    best: list[Point] = []
    for model in models:
        is_better = not best or model.share.value > best[-1].share.value
        if is_better and not model.lacks:
            best.append(model)
    return [model.label for model in best]


def _numbers(places: Mapping[str, Place], label: str) -> str:
    """The numbers of the models at the place of one, or so near that their points
    overlap: `1`, or `1, 2, 3`.
    """
    near = []
    for number, place in enumerate(places.values(), 1):
        if dist(places[label], place) < _OVERLAP:
            near.append(str(number))
    return ", ".join(near)


# --- charts of files, which the page has as tables ------------------------------------

_ROW, _CELL, _LETTER = 20, 34, 6.2  # pixels; of a letter about


def heat_chart(
    title: str,
    x_title: str,
    depths: Sequence[int],
    rows: Mapping[str, Sequence[Share | None]],
) -> Chart:
    """The percentage of each variant at each depth; a deeper blue is more."""
    left = _room(rows)
    width = max(left + _CELL * len(depths), 240)
    bottom = 18 + _ROW * len(rows)
    parts = [ChartPart("axis", width, bottom + 14, x_title)]
    for at, depth in enumerate(depths):
        parts.append(ChartPart("x", left + _CELL * (at + 0.5), 12, str(depth)))
    for number, (name, shares) in enumerate(rows.items()):
        y = 32 + _ROW * number
        parts.append(ChartPart("y", left - 6, y, name))
        for at, share in enumerate(shares):
            x = left + _CELL * (at + 0.5)
            if share:
                parts.append(
                    ChartPart("tint", x, y, share.rounded, percent=share.value)
                )
            else:
                parts.append(ChartPart("x", x, y, "-"))
    return Chart(title, title, width, bottom + 20, parts, Table("heat", title, [], []))


class Whisker(NamedTuple):
    """A difference with its interval; `role` is better, worse or unclear."""

    points: float
    low: float
    high: float
    role: str


def differences_chart(
    title: str, baseline: str, rows: Mapping[str, Whisker], reach: int
) -> Chart:
    """Differences to a baseline, on an axis of so many points on either side of 0."""
    left = _room(rows)
    x = Axis(-reach, reach, left + 10, left + 390)
    bottom = _ROW * len(rows) + 8
    parts = []
    for points in range(-reach, reach + 1, reach // 2):
        role = "grid" if points else "grid zero"
        at = x.at(points)
        parts.append(ChartPart(role, d=path([(at, 0), (at, bottom)])))
        parts.append(ChartPart("x", at, bottom + 14, f"{points:+}" if points else "0"))
    for number, (name, found) in enumerate(rows.items()):
        y = _ROW * number + 14
        parts.append(ChartPart("y", left - 6, y + 4, name))
        ends = [(x.at(found.low), y), (x.at(found.high), y)]
        parts.append(ChartPart(f"between {found.role}", d=path(ends)))
        slot = 1 if found.role == "unclear" else 2
        parts.append(ChartPart("mark", x.at(found.points), y, slot=slot))
    told = f"percentage points to {baseline}, with 95 % interval"
    parts.append(ChartPart("axis", x.end, bottom + 30, told))
    table = Table("differences", title, [], [])
    return Chart(title, title, x.end + 10, bottom + 34, parts, table)


def _room(names: Iterable[str]) -> float:
    """The room of names to the left of a chart, about."""
    return 16 + _LETTER * max(map(len, names), default=0)
