"""Accuracy against cost: a point per model and task, and the models that nobody beats at their price.

It does not know the colours, nor how an SVG element is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_llmarith.reports.page.percentages import Share, share
from pytest_llmarith.reports.page.plots import Axis, Tick, decades, polyline
from pytest_llmarith.reports.page.runs import Result, Series

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 40, 620, 28, 352
_LETTER, _BOLD_LETTER, _LINE = 7.2, 8.2, 14.0  # what a letter of a name takes, in wide fonts
_LONGEST_NAME = 28
_PER = 1000  # trials


@dataclass(frozen=True, slots=True)
class Point:
    """A model's place, its interval as a line, and its name where there is room for it."""

    label: str
    x: float
    y: float
    low: float
    high: float
    best: bool
    told: str
    name: str
    name_x: float
    name_y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """One task's picture, and the table behind it."""

    task: str
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    points: Sequence[Point]
    frontier: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    unpriced: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Offer:
    """What a model can do, and what that costs."""

    label: str
    share: Share
    price: float


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
    best = _unbeaten(offers)
    priced = {offer.label for offer in offers}
    return Scatter(
        task=task,
        x_ticks=[Tick(x.at(power), _money(power)) for power in powers],
        y_ticks=[Tick(y.at(percent), str(percent)) for percent in (0, 25, 50, 75, 100)],
        points=_points(offers, best, x, y),
        frontier=polyline([(x.at(offer.price), y.at(offer.share.percent)) for offer in best]),
        header=["model", f"$ per {_PER:,} trials", "correct % (95 %)"],
        rows=[[offer.label, _money(offer.price), f"{offer.share.text} ({offer.share.interval})"] for offer in offers],
        unpriced=[label for label, _ in results if label not in priced],
    )


def _offers(results: Sequence[tuple[str, Result]]) -> Iterator[_Offer]:
    """Models whose price is known: the mean of the replies that have one."""
    for label, result in results:
        correct = share(result["outcomes"]["correct"], result["measured"])
        known = result["measured"] - result["unpriced"]
        if correct and result["cost_usd"] and known > 0:
            yield _Offer(label, correct, _PER * result["cost_usd"] / known)


def _unbeaten(offers: Sequence[_Offer]) -> list[_Offer]:
    """Of offers by price, those that are better than everything cheaper."""
    found: list[_Offer] = []
    for offer in offers:
        if not found or offer.share.percent > found[-1].share.percent:
            found.append(offer)
    return found


def _points(offers: Sequence[_Offer], best: Sequence[_Offer], x: Axis, y: Axis) -> list[Point]:
    """The best ones get their names first, the others where there is room left."""
    free = _Room([(x.at(offer.price), y.at(offer.share.percent)) for offer in offers])
    return [_point(offer, offer in best, x, y, free) for offer in sorted(offers, key=lambda offer: offer not in best)]


def _point(offer: _Offer, best: bool, x: Axis, y: Axis, free: _Room) -> Point:
    here_x, here_y = x.at(offer.price), y.at(offer.share.percent)
    name = offer.label if len(offer.label) <= _LONGEST_NAME else f"{offer.label[: _LONGEST_NAME - 1]}…"
    place = free.place(len(name) * (_BOLD_LETTER if best else _LETTER), here_x, here_y)
    return Point(
        label=offer.label,
        x=here_x,
        y=here_y,
        low=y.at(offer.share.low),
        high=y.at(offer.share.high),
        best=best,
        told=f"{offer.label}: {offer.share.told}, {_money(offer.price)} per {_PER:,} trials",
        name=name if place else "",
        name_x=place[0] if place else 0,
        name_y=place[1] if place else 0,
        anchor=place[2] if place else "",
    )


class _Room:
    """Where names may stand: not on one another, not on a point, not outside."""

    def __init__(self, points: Sequence[tuple[float, float]]) -> None:
        self._taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in points]

    def place(self, width: float, x: float, y: float) -> tuple[float, float, str] | None:
        """Right of a point, left, above or below; None where all of it is taken."""
        places = (
            (x + 8, y + 4, "start", x + 6),
            (x - 8, y + 4, "end", x - 6 - width),
            (x, y - 10, "middle", x - width / 2),
            (x, y + 19, "middle", x - width / 2),
        )
        for name_x, name_y, anchor, left in places:
            box = (left, name_y - _LINE + 4, left + width, name_y + 3)
            if left >= LEFT and left + width <= RIGHT + 16 and not any(_overlap(box, other) for other in self._taken):
                self._taken.append(box)
                return name_x, name_y, anchor
        return None


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _money(dollars: float) -> str:
    """An amount such as `$0.02`, `$1.50` or `$1,000`."""
    return f"${dollars:.2g}" if dollars < 1 else f"${dollars:,.2f}".removesuffix(".00")
