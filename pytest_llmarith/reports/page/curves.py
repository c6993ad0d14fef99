"""Correct answers by depth as curves with bands: a panel per variant, or per model where there are many.

It does not know the colours, nor how an SVG element is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from types import MappingProxyType

from pytest_llmarith.records import Cell
from pytest_llmarith.reports.page.counts import by_depth, by_length, variants_of
from pytest_llmarith.reports.page.percentages import Share
from pytest_llmarith.reports.page.plots import Axis, Tick, percent_ticks, polyline, ribbon, stairs, thinned
from pytest_llmarith.reports.page.runs import Series

WIDTH, HEIGHT = 340, 220
LEFT, RIGHT, TOP, BOTTOM = 34, 330, 10, 186
MOST_TOGETHER = 6  # lines of one panel that can be told apart
LENGTHS_TOGETHER = 4
MOST_TICKS = 12

Shares = Mapping[int, Share]


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a line, and what it says."""

    x: float
    y: float
    description: str


@dataclass(frozen=True, slots=True)
class Line:
    """A curve with its band; `slot` chooses colour, dashes and marker."""

    slot: int
    label: str
    path: str
    band: str
    dots: Sequence[Dot]


@dataclass(frozen=True, slots=True)
class Panel:
    """One small picture, and the table behind it."""

    title: str
    notes: Sequence[str]
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    lines: Sequence[Line]
    context: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Curves:
    """All panels of one task: `legend` names the lines where several stand in one panel."""

    what: str
    legend: Sequence[tuple[int, str]]
    context: str
    panels: Sequence[Panel]


def depth_curves(series: Sequence[Series]) -> Curves | None:
    """Arithmetic by depth."""
    able = [(one, result.cells) for one in series for result in one.results.values() if by_depth(result.cells)]
    if not able:
        return None
    asked = {cell.variant for _, cells in able for cell in cells}
    lacking = {one.label: note for one, cells in able if (note := _lacking(cells, len(asked)))}
    if len(able) > MOST_TOGETHER:
        return _panel_per_model("depth", [(one.label, by_depth(cells)) for one, cells in able], notes=lacking)
    variants = list(dict.fromkeys(variant for _, cells in able for variant in variants_of(cells)))
    titles: list[str | None] = [None, *variants] if len(variants) > 1 else list(variants)
    curves = {title: [(one.label, by_depth(cells, title)) for one, cells in able] for title in titles}
    notes = list(lacking.values()) if len(able) == 1 else [f"{label}: {note}" for label, note in lacking.items()]
    panels = [
        panel(title or "all variants", "depth", lines, notes=() if title else notes)
        for title, lines in curves.items()
        if _places(lines)
    ]
    return Curves("depth", legend(one.label for one, _ in able), "", panels)


def _lacking(cells: Iterable[Cell], asked: int) -> str:
    """What has to be known to take a curve of all variants for what it is: which others were asked."""
    answered = {cell.variant for cell in cells if cell.measured}
    return f"{len(answered)} of {asked} variants answered" if len(answered) < asked else ""


def length_curves(series: Sequence[Series]) -> Curves | None:
    """Integer addition by the digits of the longer operand."""
    able = [
        (one.label, shares)
        for one in series
        for result in one.results.values()
        if (shares := by_length(result.lengths, LENGTHS_TOGETHER))
    ]
    if not able:
        return None
    if len(able) > MOST_TOGETHER:
        return _panel_per_model("digits", able, _length)
    return Curves("digits", legend(label for label, _ in able), "", [panel("addition", "digits", able, _length)])


def _panel_per_model(
    what: str,
    curves: Sequence[tuple[str, Shares]],
    name: Callable[[int], str] = str,
    notes: Mapping[str, str] = MappingProxyType({}),
) -> Curves:
    """A panel for each, with the median of all in the background."""
    places = _places(curves)
    middle = {place: median(shares[place].percent for _, shares in curves if place in shares) for place in places}
    panels = [
        panel(label, what, [(label, shares)], name, middle, [notes[label]] if label in notes else ())
        for label, shares in curves
    ]
    return Curves(what, (), f"median of the {len(curves)} models", panels)


def legend(labels: Iterable[str]) -> list[tuple[int, str]]:
    """The lines of a panel by their slots."""
    return list(enumerate(labels, 1))


def panel(
    title: str,
    what: str,
    curves: Sequence[tuple[str, Shares]],
    name: Callable[[int], str] = str,
    context: Mapping[int, float] | None = None,
    notes: Sequence[str] = (),
) -> Panel:
    """Curves over the same places; one of them at least has a point."""
    places = sorted({*_places(curves), *(context or ())})
    x, y = Axis(places[0], places[-1], LEFT + 12, RIGHT - 8), Axis(0, 100, BOTTOM, TOP)
    return Panel(
        title=title,
        notes=notes,
        x_ticks=[Tick(x.at(place), name(place)) for place in thinned(places, MOST_TICKS)],
        y_ticks=percent_ticks(y),
        lines=[
            _line(slot, label, shares, x, y, f"{what} {{}}", name)
            for slot, (label, shares) in enumerate(curves, 1)
            if shares
        ],
        context=polyline([(x.at(place), y.at(percent)) for place, percent in (context or {}).items()]),
        header=[what, *(f"{label}: correct % (95 %)" for label, _ in curves)],
        rows=[[name(place), *(_cell(shares.get(place)) for _, shares in curves)] for place in places],
    )


def _line(slot: int, label: str, shares: Shares, x: Axis, y: Axis, place: str, name: Callable[[int], str]) -> Line:
    points = [(x.at(at), y.at(share.percent)) for at, share in shares.items()]
    above, below = ([(x.at(at), y.at(getattr(share, end))) for at, share in shares.items()] for end in ("high", "low"))
    descriptions = (f"{label}, {place.format(name(at))}: {share.description}" for at, share in shares.items())
    return line(slot, label, points, descriptions, ribbon(above, below))


def line(
    slot: int, label: str, points: Sequence[tuple[float, float]], descriptions: Iterable[str], band: str = ""
) -> Line:
    """A curve through points, each of which says something."""
    dots = [Dot(x, y, said) for (x, y), said in zip(points, descriptions, strict=True)]
    return Line(slot, label, polyline(points), band, dots)


def score_panel(title: str, curves: Sequence[tuple[str, Sequence[float]]]) -> Panel:
    """The scores of all sequences of a set, one step each, the best first."""
    longest = max(len(scores) for _, scores in curves)
    x, y = Axis(0, longest, LEFT + 4, RIGHT - 4), Axis(0, 1, BOTTOM, TOP)
    return Panel(
        title=title,
        notes=(),
        x_ticks=[Tick(x.at(count), str(count)) for count in sorted({0, longest // 2, longest})],
        y_ticks=percent_ticks(Axis(0, 100, BOTTOM, TOP)),
        lines=[Line(slot, label, stairs(scores, x, y), "", ()) for slot, (label, scores) in enumerate(curves, 1)],
        context="",
        header=["rank", *(f"{label}: score" for label, _ in curves)],
        rows=[
            [str(rank + 1), *(f"{scores[rank]:.4f}" if rank < len(scores) else "-" for _, scores in curves)]
            for rank in range(longest)
        ],
    )


def _places(curves: Iterable[tuple[str, Shares]]) -> list[int]:
    return sorted({place for _, shares in curves for place in shares})


def _cell(share: Share | None) -> str:
    return f"{share.text} ({share.interval})" if share else "-"


def _length(digits: int) -> str:
    return f"{digits}-{digits + LENGTHS_TOGETHER - 1}" if digits > 1 else "1"
