"""Correct answers against the cost or the tokens of a reply."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import ceil, dist, floor, log10
from typing import NamedTuple

from pytest_llmarith.report import formatting, kinds
from pytest_llmarith.report.definitions.results import Of, outcome, trials_of
from pytest_llmarith.report.page.panels import Ticks, path, percent_ticks
from pytest_llmarith.report.render.html import Axis, View, view
from pytest_llmarith.report.series import ResultOfRun, short_name
from pytest_llmarith.report.shares import Share, share_of
from pytest_llmarith.report.table import Column, Definition, Kind, Level
from pytest_llmarith.summaries import Result
from pytest_llmarith.types import Outcome

_PER = 1000  # trials
_OVERLAP = 10  # the distance of two points, which are 15 high
# Of the plot within a picture of 640 by 400.
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 620, 28, 352


class Point(NamedTuple):
    """A model with a known amount.

    `missing` names the cells of other models that it has no reply for.
    """

    row: ResultOfRun
    share: Share
    amount: float

    @property
    def label(self) -> str:
        return self.row.label

    @property
    def missing(self) -> str:
        return self.row.missing


class Scatter(NamedTuple):
    """The plot of one task: models by an amount, the `best` of which are on the line
    `frontier`.

    `swept` is the path between models with neighbouring values of a parameter.
    """

    task: str
    unit: str
    kind: Kind[float]
    x: Axis
    y: Axis
    x_ticks: Ticks
    y_ticks: Ticks
    models: Sequence[Point]
    best: Sequence[Point]
    frontier: str
    swept: str
    unknown: Sequence[str]

    def place(self, model: Point) -> tuple[float, float]:
        return self.x.at(model.amount), self.y.at(model.share.percent)

    def told(self, model: Point) -> str:
        """The title of a point."""
        amount = self.kind.shown(model.amount).text
        return f"{model.label}: {model.share.description}, {self.unit}: {amount}"

    def numbers(self, model: Point) -> str:
        """The numbers of the models at the place of one, or so near that their points
        overlap: `1`, or `1, 2, 3`.
        """
        here = self.place(model)
        near = []
        for number, one in enumerate(self.models, 1):
            if dist(here, self.place(one)) < _OVERLAP:
                near.append(str(number))
        return ", ".join(near)

    @property
    def behind(self) -> View:
        """The table below the plot."""
        definition = Definition(
            "scatter",
            self.unit,
            [
                Column(
                    "model", "model", kinds.NAME, "the model", lambda one: one.label
                ),
                Column("amount", self.unit, self.kind, "", lambda one: one.amount),
                Column(
                    "correct",
                    "correct %",
                    kinds.PERCENT,
                    "correct answers",
                    lambda one: one.share,
                ),
            ],
        )
        table = definition.table(
            self.models,
            Level.PAGE,
            trials=lambda one: trials_of(Of(one.row, one.row.result)),
        )
        return view(table)


def scatters(
    rows: Sequence[ResultOfRun], neighbours: Collection[tuple[str, str]] = ()
) -> list[Scatter]:
    """A plot by cost for each task in which two models or more have a known cost, the
    mean of the replies with a cost.

    `neighbours` are labels of models with neighbouring values of a parameter; their
    tasks get a plot by tokens, too.
    """
    found = []
    for task in dict.fromkeys(row.result.task for row in rows):
        for unit, (amount_of, kind) in _AMOUNTS.items():
            models = []
            unknown = []
            for row in rows:
                if row.result.task != task:
                    continue
                correct = _correct(row.result)
                amount = amount_of(row.result)
                if correct and amount:
                    models.append(Point(row, correct, amount))
                else:
                    unknown.append(row.label)
            labels = {model.label for model in models}
            joined = [pair for pair in neighbours if labels.issuperset(pair)]
            if len(models) > 1 and (joined or amount_of is _dollars):
                found.append(_scatter(task, unit, kind, models, unknown, joined))
    return found


def _correct(result: Result) -> Share | None:
    """The percentage of correct answers that all tables show."""
    found = outcome(result, Outcome.CORRECT)
    if found is None:
        return None
    return share_of(found.trials, result.measured, found.percentage)


def _dollars(result: Result) -> float | None:
    priced = result.measured - result.unpriced
    if not result.cost_usd or priced <= 0:
        return None
    return _PER * result.cost_usd / priced


def _tokens(result: Result) -> float | None:
    amounts = result.spending["completion_tokens"]
    return amounts.sum / amounts.known if amounts else None


def _money(dollars: float) -> str:
    """Such as `$0.02`, `$1.50` or `$1,000`."""
    if dollars < 1:
        return f"${dollars:.2g}"
    return f"${dollars:,.2f}".removesuffix(".00")


_AMOUNTS: Mapping[str, tuple[Callable[[Result], float | None], Kind[float]]] = {
    f"$ per {_PER:,} trials": (_dollars, kinds.plain("number", _money)),
    "tokens per reply": (_tokens, kinds.plain("number", formatting.count)),
}


def _scatter(
    task: str,
    unit: str,
    kind: Kind[float],
    some: Iterable[Point],
    unknown: Sequence[str],
    neighbours: Iterable[tuple[str, str]],
) -> Scatter:
    models = sorted(some, key=lambda model: (model.amount, -model.share.percent))
    first = floor(log10(models[0].amount))
    last = max(ceil(log10(models[-1].amount)), first + 1)
    powers = [float(f"1e{exponent}") for exponent in range(first, last + 1)]
    x = Axis(powers[0], powers[-1], _LEFT, _RIGHT, logarithmic=True)
    y = Axis(0, 100, _BOTTOM, _TOP)
    places = {}
    for model in models:
        places[model.label] = (x.at(model.amount), y.at(model.share.percent))
    best = _best(models)
    lines = [path([places[label] for label in pair]) for pair in neighbours]
    return Scatter(
        task=short_name(task),
        unit=unit,
        kind=kind,
        x=x,
        y=y,
        x_ticks=[(x.at(power), kind.shown(power).text) for power in powers],
        y_ticks=percent_ticks(y),
        models=models,
        best=best,
        frontier=path([places[model.label] for model in best]),
        swept="".join(lines),
        unknown=unknown,
    )


def _best(models: Iterable[Point]) -> list[Point]:
    """The models that are better than all cheaper ones."""
    best: list[Point] = []
    for model in models:
        is_better = not best or model.share.percent > best[-1].share.percent
        if is_better and not model.missing:
            best.append(model)
    return best
