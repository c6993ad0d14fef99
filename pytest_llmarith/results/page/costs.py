"""Correct answers against cost: a point per model and task, and the line of models that beat all cheaper ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_llmarith.results.completeness import missing_cells
from pytest_llmarith.results.page.charts import Axis, Points, Share, Ticks, decades, overall_share, path, percent_ticks
from pytest_llmarith.results.page.runs import Results
from pytest_llmarith.types import Outcome

_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 620, 28, 352  # of the plot within a picture of 640 by 400
_LETTER, _LINE = 8.6, 14.0  # the room of a letter in wide bold fonts
_NEAR = (8,)  # from a point to its label
_FAR = range(8, 76, 6)
_DIRECTIONS = ((1, 0), (-1, 0), (0, -1), (0, 1), (0.7, -0.7), (-0.7, -0.7), (0.7, 0.7), (-0.7, 0.7))
_PER = 1000  # trials

_Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True, slots=True)
class Offer:
    """What a model gets right, and what that costs. `missing` says which cells of others it has no reply to."""

    label: str
    share: Share
    dollars: float  # per 1,000 trials
    missing: str

    @property
    def price(self) -> str:
        """As text."""
        return _money(self.dollars)


@dataclass(frozen=True, slots=True)
class Label:
    """A text beside a point: the name of the model, or the number that stands for it."""

    text: str
    x: float
    y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """The picture of one task. `points` have an offer, whether it is on the line, and its label."""

    task: str
    x: Axis
    y: Axis
    x_ticks: Ticks
    y_ticks: Ticks
    points: Sequence[tuple[Offer, bool, Label]]
    frontier: str
    unpriced: Sequence[str]

    @property
    def is_numbered(self) -> bool:
        """Whether numbers stand for the names of models."""
        return any(label.text != offer.label for offer, _, label in self.points)

    @property
    def hollow(self) -> list[str]:
        """Which models lack cells of others, and which cells."""
        return [f"{offer.label} {offer.missing}" for offer, _, _ in self.points if offer.missing]

    @property
    def header(self) -> list[str]:
        return ["model", f"$ per {_PER:,} trials", "correct % (95 %)"]

    @property
    def rows(self) -> list[list[str]]:
        """The table behind the picture."""
        return [[one.label, one.price, one.share.with_interval] for one, _, _ in self.points]


def scatters(results: Results) -> list[Scatter]:
    """One for each task in which a model has a known cost."""
    tasks = dict.fromkeys(result.task for _, result in results)
    found = (_scatter(task, [(label, result) for label, result in results if result.task == task]) for task in tasks)
    return [scatter for scatter in found if scatter]


def _scatter(task: str, results: Results) -> Scatter | None:
    offers = sorted(_offers(results), key=lambda offer: (offer.dollars, -offer.share.percent))
    if not offers:
        return None
    powers = decades(offers[0].dollars, offers[-1].dollars)
    x, y = Axis(powers[0], powers[-1], _LEFT, _RIGHT, logarithmic=True), Axis(0, 100, _BOTTOM, _TOP)
    best: list[Offer] = []
    for offer in offers:
        if not offer.missing and (not best or offer.share.percent > best[-1].share.percent):
            best.append(offer)
    labels = _labels(offers, [(x.at(offer.dollars), y.at(offer.share.percent)) for offer in offers], y)
    return Scatter(
        task=task,
        x=x,
        y=y,
        x_ticks=[(x.at(power), _money(power)) for power in powers],
        y_ticks=percent_ticks(y),
        points=[(offer, offer in best, label) for offer, label in zip(offers, labels, strict=True)],
        frontier=path([(x.at(offer.dollars), y.at(offer.share.percent)) for offer in best]),
        unpriced=[label for label, _ in results if label not in {offer.label for offer in offers}],
    )


def _offers(results: Results) -> Iterator[Offer]:
    """Models with a known price: the mean of the replies that have one."""
    missing = missing_cells([result for _, result in results])
    for (label, result), lacks in zip(results, missing, strict=True):
        correct = overall_share(result, Outcome.CORRECT)
        priced = result.measured - result.unpriced
        if correct and result.cost_usd and priced > 0:
            yield Offer(label, correct, _PER * result.cost_usd / priced, lacks)


def _labels(offers: Sequence[Offer], points: Points, y: Axis) -> list[Label]:
    """Names if there is room for all of them, else numbers by price."""
    taken = [(at - 5, height - 5, at + 5, height + 5) for at, height in points]
    for (at, _), offer in zip(points, offers, strict=True):
        taken.append((at - 4, y.at(offer.share.high), at + 4, y.at(offer.share.low)))
    if names := _placed([offer.label for offer in offers], points, taken, _NEAR):
        return names
    numbers = [str(number) for number in range(1, len(offers) + 1)]
    return _placed(numbers, points, taken, _FAR) or [
        Label(number, at + 8, height + 4, "start") for number, (at, height) in zip(numbers, points, strict=True)
    ]


def _placed(texts: Sequence[str], points: Points, taken: Iterable[_Box], distances: Iterable[int]) -> list[Label]:
    """Labels that lie on no other, on no point or interval, and not outside; none if one of them has no room."""
    boxes, labels = list(taken), list[Label]()
    for text, (x, y) in zip(texts, points, strict=True):
        for label, box in _candidates(text, x, y, distances):
            if _is_inside(box) and not any(_overlap(box, other) for other in boxes):
                boxes.append(box)
                labels.append(label)
                break
        else:
            return []
    return labels


def _candidates(text: str, x: float, y: float, distances: Iterable[int]) -> Iterator[tuple[Label, _Box]]:
    """Around a point, the nearest first."""
    width = _LETTER * len(text)
    for distance in distances:
        for across, down in _DIRECTIONS:
            anchor, left = ("start", 0.0) if across > 0 else ("end", width) if across < 0 else ("middle", width / 2)
            at, baseline = round(x + across * distance, 1), round(y + down * (distance + 6.5) + 4, 1)
            box = (at - left, baseline - _LINE + 4, at - left + width, baseline + 3)
            yield Label(text, at, baseline, anchor), box


def _is_inside(box: _Box) -> bool:
    return box[0] >= _LEFT and box[1] >= _TOP - _LINE and box[2] <= _RIGHT + 8 and box[3] <= _BOTTOM


def _overlap(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _money(dollars: float) -> str:
    """Such as `$0.02`, `$1.50` or `$1,000`."""
    return f"${dollars:.2g}" if dollars < 1 else f"${dollars:,.2f}".removesuffix(".00")
