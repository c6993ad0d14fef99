"""The plots of correct answers: curves, heatmaps, and accuracy against cost; their
shares, axes and paths of SVG.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import ceil, dist, floor, log10
from typing import NamedTuple

from pytest_llmarith.report import formatting
from pytest_llmarith.report.axis import Axis
from pytest_llmarith.report.definitions.results import outcome
from pytest_llmarith.report.depths import depth_ranges, usual_size
from pytest_llmarith.report.formatting import interval, percent_of, with_interval
from pytest_llmarith.report.series import ResultOfRun, short_name
from pytest_llmarith.results.percentages import correct_percentage, percentage
from pytest_llmarith.summaries import (
    Cell,
    Cells,
    Percentage,
    Result,
)
from pytest_llmarith.types import Outcome

STEPS = 10  # of colour, from none to all
MOST_TOGETHER = 6  # lines of one panel that can be distinguished
_MOST_TICKS = 12
_LEFT, _RIGHT, _TOP, _BOTTOM = (
    34,
    330,
    10,
    186,
)  # of the plot within a panel of 340 by 220
_PER = 1000  # trials
_OVERLAP = 10  # the distance of two points, which are 15 high


class Share(Percentage):
    """A percentage with its interval, and its counts:

    `part` of `whole`, which is not 0.

    Over cells `percent` gives each cell the weight of its questions, so it may differ
    from `part` of `whole`.
    """

    percent: float
    low: float
    high: float
    part: int
    whole: int

    @property
    def rounded(self) -> str:
        """Such as `61`; only all of it is 100, and only nothing is 0."""
        if self.percent in (0, 100):
            return "100" if self.percent else "0"
        near = round(self.percent)
        return ">99" if near == 100 else "<1" if near == 0 else str(near)

    @property
    def step(self) -> int:
        """The colour step; the last one is only for all of it, the first one only for
        nothing.
        """
        if self.percent in (0, 100):
            return STEPS if self.percent else 0
        return min(STEPS - 1, max(1, round(STEPS * self.percent / 100)))

    @property
    def description(self) -> str:
        """Such as `49 of 80, 61.3 % (57.6-64.8)`, for the titles of a plot."""
        return (
            f"{self.part:,} of {self.whole:,}, {percent_of(self)} % ({interval(self)})"
        )


Shares = Mapping[int, Share]  # by depth, digits, carries or place in a sequence
Lines = Sequence[tuple[str, Shares]]  # with their labels


def share(part: int, whole: int) -> Share | None:
    """A share with Wilson's interval; None if nothing was measured."""
    return _share(part, whole, percentage(part, whole))


def overall_share(result: Result, name: Outcome) -> Share | None:
    """The overall percentage of an outcome as all tables show it; None if a cell has no
    reply.
    """
    found = outcome(result, name)
    if found is None:
        return None
    return _share(found.trials, result.measured, found.percentage)


def _pooled(many: Iterable[Cells]) -> Share | None:
    """The share of correct trials of several cells together; None if one of them has no
    reply.
    """
    cells = list(many)
    found = correct_percentage(cells)
    return _share(
        sum(cell.correct for cell in cells), sum(cell.measured for cell in cells), found
    )


def _share(part: int, whole: int, found: Percentage | None) -> Share | None:
    if (
        found is None
        or found.percent is None
        or found.low is None
        or found.high is None
    ):
        return None
    return Share(found.percent, found.low, found.high, part, whole)


# --- axes and paths -------------------------------------------------------------------

Points = Sequence[tuple[float, float]]
Ticks = Sequence[tuple[float, str]]  # positions on an axis, and their labels


def percent_ticks(axis: Axis) -> Ticks:
    """A tick at each quarter of an axis of percent."""
    return [(axis.at(percent), str(percent)) for percent in (0, 25, 50, 75, 100)]


def path(points: Points) -> str:
    """The `d` of a line through points; empty if there are none."""
    return "".join(
        f"{'L' if number else 'M'}{x:g} {y:g}" for number, (x, y) in enumerate(points)
    )


# --- curves ---------------------------------------------------------------------------


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
    x_ticks: Ticks
    y_ticks: Ticks
    lines: Sequence[Line]
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class Curves(NamedTuple):
    """The panels of one task; `legend` names the lines by slot."""

    what: str
    legend: Sequence[str]
    panels: Sequence[Panel]


def depth_curves(rows: Sequence[ResultOfRun]) -> Curves | None:
    """Variants by depth: a panel per variant and one of the models that answered all
    variants.
    """
    models = [
        (row.label, row.result.grid)
        for row in rows
        if any(one.measured for one in row.result.grid)
    ]
    variants = list(
        dict.fromkeys(cell.variant for _, cells in models for cell in cells)
    )
    every: list[tuple[str, Shares]] = []
    for label, cells in models:
        answered = {cell.variant for cell in cells if cell.measured}
        if len(models) > MOST_TOGETHER:
            name = (
                label
                if len(answered) == len(variants)
                else f"{label}, {len(answered)} of {len(variants)} variants"
            )
            every.append(
                (name, _by_depth(cell for cell in cells if cell.variant in answered))
            )
        else:
            every.append(
                (label, _by_depth(cells) if len(answered) == len(variants) else {})
            )
    if len(models) > MOST_TOGETHER:
        return _panel_per_model("depth", every)
    panels = [("all variants", every)] if len(variants) > 1 else []
    for variant in variants:
        of_variant = [
            (label, _by_depth(one for one in cells if one.variant == variant))
            for label, cells in models
        ]
        panels.append((variant, of_variant))
    shown = [
        panel(title, "depth", curves)
        for title, curves in panels
        if any(shares for _, shares in curves)
    ]
    return Curves("depth", [label for label, _ in models], shown) if models else None


def length_curves(rows: Sequence[ResultOfRun]) -> Curves | None:
    """Tasks without variants by depth."""
    ranges = depth_ranges(row.result for row in rows)
    names = {digits[0]: name for name, digits in ranges.items()}
    models = []
    for row in rows:
        shares = {}
        for digits in ranges.values():
            group = [one for one in row.result.depths if one.depth in digits]
            shares[digits[0]] = share(
                sum(one.correct for one in group), sum(one.measured for one in group)
            )
        if found := known(shares):
            models.append((row.label, found))
    if len(models) > MOST_TOGETHER:
        return _panel_per_model("depth", models, names.__getitem__)
    panels = (
        [panel(short_name(rows[0].result.task), "depth", models, names.__getitem__)]
        if models
        else []
    )
    return Curves("depth", [label for label, _ in models], panels) if models else None


def curves_of(rows: Sequence[ResultOfRun]) -> list[Curves]:
    """The curves of all tasks: those with variants together, others each."""
    found = [depth_curves(rows)]
    for task in dict.fromkeys(row.result.task for row in rows):
        found.append(length_curves([row for row in rows if row.result.task == task]))
    return [curves for curves in found if curves]


def _by_depth(some: Iterable[Cell]) -> Shares:
    cells = list(some)
    depths = sorted({cell.depth for cell in cells})
    return known(
        {
            depth: _pooled(cell for cell in cells if cell.depth == depth)
            for depth in depths
        }
    )


def known(shares: Mapping[int, Share | None]) -> Shares:
    """The shares that are known."""
    return {place: found for place, found in shares.items() if found}


def _panel_per_model(
    what: str, curves: Lines, name: Callable[[int], str] = str
) -> Curves:
    return Curves(
        what, (), [panel(one[0], what, [one], name) for one in curves if one[1]]
    )


def panel(
    title: str, what: str, curves: Lines, name: Callable[[int], str] = str
) -> Panel:
    """A panel of curves with at least one point; `name` gives the label of an x
    value.
    """
    places = sorted({place for _, shares in curves for place in shares})
    x, y = (
        Axis(places[0], places[-1], _LEFT + 12, _RIGHT - 8),
        Axis(0, 100, _BOTTOM, _TOP),
    )
    lines = []
    for slot, (label, shares) in enumerate(curves, 1):
        points = [(x.at(place), y.at(found.percent)) for place, found in shares.items()]
        upper = [(x.at(place), y.at(found.high)) for place, found in shares.items()]
        lower = [(x.at(place), y.at(found.low)) for place, found in shares.items()]
        told = (
            f"{label}, {what} {name(place)}: {found.description}"
            for place, found in shares.items()
        )
        dots = [
            (*point, description)
            for point, description in zip(points, told, strict=True)
        ]
        if shares:
            lines.append(
                Line(slot, path(points), path([*upper, *reversed(lower)]) + "Z", dots)
            )
    cells = [
        [with_interval(of[place]) if place in of else "-" for place in places]
        for _, of in curves
    ]
    return Panel(
        title=title,
        x_ticks=[
            (x.at(place), name(place))
            for place in places[:: ceil(len(places) / _MOST_TICKS)]
        ],
        y_ticks=percent_ticks(y),
        lines=lines,
        header=[what, *(f"{label}: correct % (95 %)" for label, _ in curves)],
        rows=[list(row) for row in zip(map(name, places), *cells, strict=True)],
    )


def score_panel(title: str, curves: Sequence[tuple[str, Sequence[float]]]) -> Panel:
    """The scores of all sequences of a set, one step each, the best first."""
    longest = max(len(scores) for _, scores in curves)
    x, y = Axis(0, longest, _LEFT + 4, _RIGHT - 4), Axis(0, 1, _BOTTOM, _TOP)
    stairs = (
        [
            (x.at(end), y.at(score))
            for rank, score in enumerate(scores)
            for end in (rank, rank + 1)
        ]
        for _, scores in curves
    )
    return Panel(
        title=title,
        x_ticks=[
            (x.at(count), str(count)) for count in sorted({0, longest // 2, longest})
        ],
        y_ticks=percent_ticks(Axis(0, 100, _BOTTOM, _TOP)),
        lines=[Line(slot, path(points)) for slot, points in enumerate(stairs, 1)],
        header=["rank", *(f"{label}: score" for label, _ in curves)],
        rows=[
            [
                str(rank + 1),
                *(
                    f"{scores[rank]:.4f}" if rank < len(scores) else "-"
                    for _, scores in curves
                ),
            ]
            for rank in range(longest)
        ],
    )


# --- heatmaps -------------------------------------------------------------------------


class HeatRow(NamedTuple):
    """A variant at all depths, and the digits up to which 90 % are correct."""

    variant: str
    shares: Sequence[Share | None]
    all: Share | None
    ninety_percent_to: str


class Heatmap(NamedTuple):
    """The correct answers of one model by variant and depth; most cells have `usual`
    trials.
    """

    label: str
    usual: int
    depths: Sequence[int]
    rows: Sequence[HeatRow]
    totals: Sequence[Share | None]
    all: Share | None


def heatmaps(rows: Iterable[ResultOfRun]) -> list[Heatmap]:
    """A heatmap for each model with cells."""
    found = []
    for row in rows:
        result = row.result
        cells = {
            (cell.variant, cell.depth): share(cell.correct, cell.measured)
            for cell in result.grid
        }
        usual = usual_size(result)
        depths = sorted({cell.depth for cell in result.grid})
        variants = [
            HeatRow(
                short_name(one.variant),
                [cells.get((one.variant, depth)) for depth in depths],
                _share(one.correct, one.measured, one.correct_percentage),
                formatting.ninety_percent_to(one.ninety_percent_to)
                if one.measured and one.ninety_percent_to
                else formatting.UNKNOWN,
            )
            for one in result.series
        ]
        totals = [
            _pooled(cell for cell in result.grid if cell.depth == depth)
            for depth in depths
        ]
        if variants:
            found.append(
                Heatmap(
                    row.label,
                    usual,
                    depths,
                    variants,
                    totals,
                    overall_share(result, Outcome.CORRECT),
                )
            )
    return found


# --- accuracy against cost and tokens -------------------------------------------------


class ModelInScatter(NamedTuple):
    """A model with a known amount.

    `missing` names the cells of other models that it has no reply for.
    """

    label: str
    share: Share
    amount: float
    missing: str


class Scatter(NamedTuple):
    """The plot of one task: models by an amount, the `best` of which are on the line
    `frontier`.

    `swept` is the path between models with neighbouring values of a parameter. `show`
    makes a text of an amount, such as `$0.02`, `$1.50` or `$1,000`.
    """

    task: str
    unit: str
    show: Callable[[float], str]
    x: Axis
    y: Axis
    x_ticks: Ticks
    y_ticks: Ticks
    models: Sequence[ModelInScatter]
    best: Sequence[ModelInScatter]
    frontier: str
    swept: str
    unknown: Sequence[str]

    @property
    def header(self) -> list[str]:
        return ["model", self.unit, "correct % (95 %)"]

    def numbers(self, x: float, y: float) -> str:
        """The numbers of the models at a place, or so near that their points overlap:

        `1`, or `1, 2, 3`.
        """
        near = [
            dist((x, y), (self.x.at(one.amount), self.y.at(one.share.percent)))
            < _OVERLAP
            for one in self.models
        ]
        return ", ".join(
            str(number) for number, is_near in enumerate(near, 1) if is_near
        )

    @property
    def rows(self) -> list[list[str]]:
        """The table below the plot."""
        return [
            [one.label, self.show(one.amount), with_interval(one.share)]
            for one in self.models
        ]


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
        for unit, (amount_of, show) in _AMOUNTS.items():
            models, unknown = [], []
            for row in (row for row in rows if row.result.task == task):
                correct, amount = (
                    overall_share(row.result, Outcome.CORRECT),
                    amount_of(row.result),
                )
                if correct and amount:
                    models.append(
                        ModelInScatter(row.label, correct, amount, row.missing)
                    )
                else:
                    unknown.append(row.label)
            labels = {model.label for model in models}
            joined = [pair for pair in neighbours if labels.issuperset(pair)]
            if len(models) > 1 and (joined or amount_of is _dollars):
                found.append(_scatter(task, unit, show, models, unknown, joined))
    return found


def _dollars(result: Result) -> float | None:
    priced = result.measured - result.unpriced
    return _PER * result.cost_usd / priced if result.cost_usd and priced > 0 else None


def _tokens(result: Result) -> float | None:
    known = result.spending["completion_tokens"]
    return known.sum / known.known if known else None


def _money(dollars: float) -> str:
    return f"${dollars:.2g}" if dollars < 1 else f"${dollars:,.2f}".removesuffix(".00")


_AMOUNTS = {
    f"$ per {_PER:,} trials": (_dollars, _money),
    "tokens per reply": (_tokens, formatting.count),
}


def _scatter(
    task: str,
    unit: str,
    show: Callable[[float], str],
    some: Iterable[ModelInScatter],
    unknown: Sequence[str],
    neighbours: Iterable[tuple[str, str]],
) -> Scatter:
    models = sorted(some, key=lambda model: (model.amount, -model.share.percent))
    first, last = floor(log10(models[0].amount)), ceil(log10(models[-1].amount))
    powers = [
        float(f"1e{exponent}") for exponent in range(first, max(last, first + 1) + 1)
    ]
    x, y = (
        Axis(powers[0], powers[-1], 40, 620, logarithmic=True),
        Axis(0, 100, 352, 28),
    )  # of 640 by 400
    best: list[ModelInScatter] = []
    for model in models:
        if not model.missing and (
            not best or model.share.percent > best[-1].share.percent
        ):
            best.append(model)
    places = {
        model.label: (x.at(model.amount), y.at(model.share.percent)) for model in models
    }
    frontier = path([places[model.label] for model in best])
    swept = "".join(path([places[label] for label in pair]) for pair in neighbours)
    x_ticks = [(x.at(power), show(power)) for power in powers]
    return Scatter(
        short_name(task),
        unit,
        show,
        x,
        y,
        x_ticks,
        percent_ticks(y),
        models,
        best,
        frontier,
        swept,
        unknown,
    )
