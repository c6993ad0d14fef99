"""Accuracy against cost: a point per model and task, and the models that nobody beats at their price.

It does not know the colours, nor how an SVG element is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_llmarith.records import Result
from pytest_llmarith.reports.missing import missing_cells
from pytest_llmarith.reports.page.percentages import Share, overall_share
from pytest_llmarith.reports.page.plots import Axis, Tick, decades, percent_ticks, polyline
from pytest_llmarith.reports.page.runs import Series
from pytest_llmarith.values import Outcome

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 40, 620, 28, 352
_LETTER, _LINE = 8.6, 14.0  # what a letter of a name takes, in wide bold fonts
_RINGS = range(13, 80, 6)  # how far from its point a number may stand
_AROUND = ((1, 0), (-1, 0), (0, -1), (0, 1), (0.7, -0.7), (-0.7, -0.7), (0.7, 0.7), (-0.7, 0.7))
_PER = 1000  # trials

_At = tuple[float, float]
_Place = tuple[float, float, str]  # and how the text is anchored there
_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Point:
    """A model's place, its interval as a line, and its name, or the number that stands for it.

    `best` is on the line; `missing` is drawn hollow, as it lacks cells of others.
    """

    label: str
    x: float
    y: float
    low: float
    high: float
    best: bool
    missing: bool
    description: str
    name: str
    name_x: float
    name_y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """One task's picture, and the table behind it; `legend` says what numbers stand for, where there are any."""

    task: str
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    points: Sequence[Point]
    legend: Sequence[tuple[str, str]]
    frontier: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    unpriced: Sequence[str]
    missing: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Offer:
    """What a model can do, and what that costs."""

    label: str
    share: Share
    price: float
    missing: str


def scatters(series: Sequence[Series]) -> list[Scatter]:
    """One per task in which anything is known to have cost something."""
    tasks = dict.fromkeys(task for one in series for task in one.results)
    return [scatter for task in tasks if (scatter := _scatter(task, series))]


def _scatter(task: str, series: Sequence[Series]) -> Scatter | None:
    results = [(one.label, result) for one in series if (result := one.of(task))]
    offers = sorted(_offers(results), key=lambda offer: (offer.price, -offer.share.percent))
    if not offers:
        return None
    powers = decades(offers[0].price, offers[-1].price)
    x, y = Axis(powers[0], powers[-1], LEFT, RIGHT, logarithmic=True), Axis(0, 100, BOTTOM, TOP)
    best = _unbeaten([offer for offer in offers if not offer.missing])
    priced = {offer.label for offer in offers}
    names, places = _names(offers, [(x.at(offer.price), y.at(offer.share.percent)) for offer in offers], y)
    return Scatter(
        task=task,
        x_ticks=[Tick(x.at(power), _money(power)) for power in powers],
        y_ticks=percent_ticks(y),
        points=[
            _point(offer, offer in best, name, place, x, y)
            for offer, name, place in zip(offers, names, places, strict=True)
        ],
        legend=[(name, offer.label) for name, offer in zip(names, offers, strict=True) if name != offer.label],
        frontier=polyline([(x.at(offer.price), y.at(offer.share.percent)) for offer in best]),
        header=["model", f"$ per {_PER:,} trials", "correct % (95 %)"],
        rows=[[offer.label, _money(offer.price), f"{offer.share.text} ({offer.share.interval})"] for offer in offers],
        unpriced=[label for label, _ in results if label not in priced],
        missing=[f"{offer.label} {offer.missing}" for offer in offers if offer.missing],
    )


def _offers(results: Sequence[tuple[str, Result]]) -> Iterator[_Offer]:
    """Models whose price is known: the mean of the replies that have one."""
    missing = missing_cells([result for _, result in results])
    for (label, result), lacks in zip(results, missing, strict=True):
        correct = overall_share(result, Outcome.CORRECT)
        known = result.measured - result.unpriced
        if correct and result.cost_usd and known > 0:
            yield _Offer(label, correct, _PER * result.cost_usd / known, lacks)


def _unbeaten(offers: Sequence[_Offer]) -> list[_Offer]:
    """Of offers by price, those that are better than everything cheaper."""
    found: list[_Offer] = []
    for offer in offers:
        if not found or offer.share.percent > found[-1].share.percent:
            found.append(offer)
    return found


def _names(offers: Sequence[_Offer], points: Sequence[_At], height: Axis) -> tuple[list[str], list[_Place]]:
    """What stands at the points, and where: names where all of them have room, else numbers by price."""
    labels = [offer.label for offer in offers]
    lines = [
        (x - 4, height.at(offer.share.high), x + 4, height.at(offer.share.low))
        for (x, _), offer in zip(points, offers, strict=True)
    ]
    taken = [*lines, *((x - 5, y - 5, x + 5, y + 5) for x, y in points)]
    free = _Room(taken)
    places = [free.place(_beside(label, x, y)) for label, (x, y) in zip(labels, points, strict=True)]
    if all(places):
        return labels, [place for place in places if place]
    free = _Room(taken)
    numbers = [str(number) for number in range(1, len(offers) + 1)]
    return numbers, [
        free.place(_around(number, x, y)) or (x + 8, y + 4, "start")
        for number, (x, y) in zip(numbers, points, strict=True)
    ]


def _point(offer: _Offer, best: bool, name: str, place: _Place, x: Axis, y: Axis) -> Point:
    return Point(
        label=offer.label,
        x=x.at(offer.price),
        y=y.at(offer.share.percent),
        low=y.at(offer.share.low),
        high=y.at(offer.share.high),
        best=best,
        missing=bool(offer.missing),
        description=f"{offer.label}: {offer.share.description}, {_money(offer.price)} per {_PER:,} trials",
        name=name,
        name_x=place[0],
        name_y=place[1],
        anchor=place[2],
    )


def _beside(name: str, x: float, y: float) -> Iterator[tuple[_Place, _Box]]:
    """Right of a point, left, above or below."""
    width = len(name) * _LETTER
    for name_x, name_y, anchor, left in (
        (x + 8, y + 4, "start", x + 6),
        (x - 8, y + 4, "end", x - 6 - width),
        (x, y - 10, "middle", x - width / 2),
        (x, y + 19, "middle", x - width / 2),
    ):
        yield (name_x, name_y, anchor), _box(left, name_y, width)


def _around(number: str, x: float, y: float) -> Iterator[tuple[_Place, _Box]]:
    """On rings around a point, the nearest first."""
    width = len(number) * _LETTER
    for far in _RINGS:
        for over, down in _AROUND:
            name_x, name_y = round(x + far * over, 1), round(y + far * down + 4, 1)
            yield (name_x, name_y, "middle"), _box(name_x - width / 2, name_y, width)


def _box(left: float, baseline: float, width: float) -> _Box:
    return left, baseline - _LINE + 4, left + width, baseline + 3


class _Room:
    """Where names may stand: not on one another, not on a point or its interval, not outside."""

    def __init__(self, taken: Sequence[_Box]) -> None:
        self._taken = list(taken)

    def place(self, wanted: Iterable[tuple[_Place, _Box]]) -> _Place | None:
        """The first that is free; None where all are taken."""
        for place, box in wanted:
            if _inside(box) and not any(_overlap(box, other) for other in self._taken):
                self._taken.append(box)
                return place
        return None


def _inside(box: _Box) -> bool:
    return box[0] >= LEFT and box[1] >= TOP - _LINE and box[2] <= RIGHT + 8 and box[3] <= BOTTOM


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _money(dollars: float) -> str:
    """An amount such as `$0.02`, `$1.50` or `$1,000`."""
    return f"${dollars:.2g}" if dollars < 1 else f"${dollars:,.2f}".removesuffix(".00")
