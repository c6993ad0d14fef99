"""The plots of correct answers against cost: a point per model, and a line through the best at each cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_llmarith.results.completeness import missing_cells
from pytest_llmarith.results.page.charts import Axis, Points, Share, Ticks, decades, overall_share, path, percent_ticks
from pytest_llmarith.results.series import Results
from pytest_llmarith.types import Outcome

_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 620, 28, 352  # of the plot within a picture of 640 by 400
_LETTER, _LINE = 8.6, 14.0  # the width of a letter and the height of a line in wide bold fonts
_NEAR = (8,)  # from a point to its label
_FAR = range(8, 76, 6)
_DIRECTIONS = ((1, 0), (-1, 0), (0, -1), (0, 1), (0.7, -0.7), (-0.7, -0.7), (0.7, 0.7), (-0.7, 0.7))
_PER = 1000  # trials

_Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True, slots=True)
class PricedModel:
    """A model with a known cost. `missing` names the cells of other models that it has no reply for."""

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
    """The label of a point: the name of the model, or its number."""

    text: str
    x: float
    y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """The plot of one task. `points` have a model, whether it is on the line, and its label."""

    task: str
    x: Axis
    y: Axis
    x_ticks: Ticks
    y_ticks: Ticks
    points: Sequence[tuple[PricedModel, bool, Label]]
    frontier: str
    unpriced: Sequence[str]

    @property
    def is_numbered(self) -> bool:
        """Whether models are labelled with numbers."""
        return any(label.text != model.label for model, _, label in self.points)

    @property
    def hollow(self) -> list[str]:
        """The models that lack cells of others, and these cells."""
        return [f"{model.label} {model.missing}" for model, _, _ in self.points if model.missing]

    @property
    def header(self) -> list[str]:
        return ["model", f"$ per {_PER:,} trials", "correct % (95 %)"]

    @property
    def rows(self) -> list[list[str]]:
        """The table below the plot."""
        return [[one.label, one.price, one.share.with_interval] for one, _, _ in self.points]


def scatters(results: Results) -> list[Scatter]:
    """One for each task in which two models or more have a known cost."""
    tasks = dict.fromkeys(result.task for _, result in results)
    found = (_scatter(task, [(label, result) for label, result in results if result.task == task]) for task in tasks)
    return [scatter for scatter in found if scatter]


def _scatter(task: str, results: Results) -> Scatter | None:
    models = sorted(_priced_models(results), key=lambda model: (model.dollars, -model.share.percent))
    if len(models) < 2:
        return None
    powers = decades(models[0].dollars, models[-1].dollars)
    x, y = Axis(powers[0], powers[-1], _LEFT, _RIGHT, logarithmic=True), Axis(0, 100, _BOTTOM, _TOP)
    best: list[PricedModel] = []
    for model in models:
        if not model.missing and (not best or model.share.percent > best[-1].share.percent):
            best.append(model)
    labels = _labels(models, [(x.at(model.dollars), y.at(model.share.percent)) for model in models], y)
    return Scatter(
        task=task,
        x=x,
        y=y,
        x_ticks=[(x.at(power), _money(power)) for power in powers],
        y_ticks=percent_ticks(y),
        points=[(model, model in best, label) for model, label in zip(models, labels, strict=True)],
        frontier=path([(x.at(model.dollars), y.at(model.share.percent)) for model in best]),
        unpriced=[label for label, _ in results if label not in {model.label for model in models}],
    )


def _priced_models(results: Results) -> Iterator[PricedModel]:
    """The models with a known cost, which is the mean of the replies with a cost."""
    missing = missing_cells([result for _, result in results])
    for (label, result), lacks in zip(results, missing, strict=True):
        correct = overall_share(result, Outcome.CORRECT)
        priced = result.measured - result.unpriced
        if correct and result.cost_usd and priced > 0:
            yield PricedModel(label, correct, _PER * result.cost_usd / priced, lacks)


def _labels(models: Sequence[PricedModel], points: Points, y: Axis) -> list[Label]:
    """Names if all of them fit, else numbers by price."""
    taken = [(at - 5, height - 5, at + 5, height + 5) for at, height in points]
    for (at, _), model in zip(points, models, strict=True):
        taken.append((at - 4, y.at(model.share.high), at + 4, y.at(model.share.low)))
    if names := _placed([model.label for model in models], points, taken, _NEAR):
        return names
    numbers = [str(number) for number in range(1, len(models) + 1)]
    return _placed(numbers, points, taken, _FAR) or [
        Label(number, at + 8, height + 4, "start") for number, (at, height) in zip(numbers, points, strict=True)
    ]


def _placed(texts: Sequence[str], points: Points, taken: Iterable[_Box], distances: Iterable[int]) -> list[Label]:
    """Labels that overlap neither each other nor points and intervals; none if one of them does not fit."""
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
    """Positions for a label around a point, the nearest first."""
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
