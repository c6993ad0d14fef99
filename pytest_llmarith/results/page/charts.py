"""Curves and heatmaps of correct answers: shares with their intervals, axes, and paths of SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from types import MappingProxyType

from pytest_llmarith.records import Cell, Cells, Length, Percentage, Result
from pytest_llmarith.results import formatting
from pytest_llmarith.results.series import Results, short_name
from pytest_llmarith.results.statistics import correct_percentage, percentage
from pytest_llmarith.types import Outcome

STEPS = 10  # of colour, from none to all
MOST_TOGETHER = 6  # lines of one panel that can be distinguished
_LENGTHS_TOGETHER = 4
_MOST_TICKS = 12
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 330, 10, 186  # of the plot within a panel of 340 by 220


@dataclass(frozen=True, slots=True)
class Share:
    """`part` of `whole`, which is not 0; `low` and `high` are the ends of the 95 % interval, in percent.

    Over cells `percent` gives each cell the weight of its questions, so it may differ from `part` of `whole`.
    """

    part: int
    whole: int
    percent: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """Such as `61.3`; see `formatting.percent_text`."""
        return formatting.percent_text(self.percent)

    @property
    def rounded(self) -> str:
        """Such as `61`; only all of it is 100, and only nothing is 0."""
        if self.percent in (0, 100):
            return "100" if self.percent else "0"
        near = round(self.percent)
        return ">99" if near == 100 else "<1" if near == 0 else str(near)

    @property
    def interval(self) -> str:
        """Such as `57.6-64.8`."""
        return formatting.interval(Percentage(self.percent, self.low, self.high))

    @property
    def with_interval(self) -> str:
        """Such as `61.3 (57.6-64.8)`."""
        return f"{self.text} ({self.interval})"

    @property
    def step(self) -> int:
        """The colour step; the last one is only for all of it, the first one only for nothing."""
        if self.percent in (0, 100):
            return STEPS if self.percent else 0
        return min(STEPS - 1, max(1, round(STEPS * self.percent / 100)))

    @property
    def description(self) -> str:
        """Such as `49 of 80, 61.3 % (57.6-64.8)`, for the titles of a plot."""
        return f"{self.part:,} of {self.whole:,}, {self.text} % ({self.interval})"


Shares = Mapping[int, Share]  # by depth, digits, carries or place in a sequence


def share(part: int, whole: int) -> Share | None:
    """A share with Wilson's interval; None if nothing was measured."""
    return _share(part, whole, percentage(part, whole))


def overall_share(result: Result, outcome: Outcome) -> Share | None:
    """The overall percentage of an outcome as the summary has it; None if a cell has no reply."""
    return _share(getattr(result.outcomes, outcome), result.measured, result.percentages[outcome])


def _pooled(many: Iterable[Cells]) -> Share | None:
    """The share of correct trials of several cells together; None if one of them has no reply."""
    cells = list(many)
    found = correct_percentage(cells)
    return _share(sum(cell.correct for cell in cells), sum(cell.measured for cell in cells), found)


def _share(part: int, whole: int, found: Percentage | None) -> Share | None:
    if found is None or found.percent is None or found.low is None or found.high is None:
        return None
    return Share(part, whole, found.percent, found.low, found.high)


# --- axes and paths -------------------------------------------------------------------------------------------------

Points = Sequence[tuple[float, float]]
Ticks = Sequence[tuple[float, str]]  # positions on an axis, and their labels


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps `low` to `high` onto `start` to `end`, which may run backwards; logarithmic if values span decades."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """The position of a value, with one decimal."""
        low, high, here = (log10(number) if self.logarithmic else number for number in (self.low, self.high, value))
        part = 0.5 if high == low else (here - low) / (high - low)
        return round(self.start + part * (self.end - self.start), 1)


def percent_ticks(axis: Axis) -> Ticks:
    """A tick at each quarter of an axis of percent."""
    return [(axis.at(percent), str(percent)) for percent in (0, 25, 50, 75, 100)]


def decades(low: float, high: float) -> list[float]:
    """The powers of ten around two values, at least two powers."""
    first, last = floor(log10(low)), ceil(log10(high))
    return [float(f"1e{exponent}") for exponent in range(first, max(last, first + 1) + 1)]


def path(points: Points) -> str:
    """The `d` of a line through points; empty if there are none."""
    return "".join(f"{'L' if number else 'M'}{x:g} {y:g}" for number, (x, y) in enumerate(points))


# --- curves ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """A curve with its band and its dots, each with a description; `slot` chooses colour, dashes and mark."""

    slot: int
    path: str
    band: str = ""
    dots: Sequence[tuple[float, float, str]] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """One small plot, and the table below it."""

    title: str
    x_ticks: Ticks
    y_ticks: Ticks
    lines: Sequence[Line]
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Curves:
    """The panels of one task; `legend` names the lines by slot."""

    what: str
    legend: Sequence[str]
    panels: Sequence[Panel]


def depth_curves(results: Results) -> Curves | None:
    """Arithmetic by depth: a panel per variant, or per model if there are many models."""
    models = [(label, result.cells) for label, result in results if _by_depth(result.cells)]
    if not models:
        return None
    variants: list[str | None] = list(dict.fromkeys(cell.variant for _, cells in models for cell in cells))
    answered = {label: len({cell.variant for cell in cells if cell.measured}) for label, cells in models}
    lacking = {
        label: f"{count} of {len(variants)} variants answered"
        for label, count in answered.items()
        if count < len(variants)
    }
    if len(models) > MOST_TOGETHER:
        return _panel_per_model("depth", [(label, _by_depth(cells)) for label, cells in models], notes=lacking)
    panels = []
    for variant in [None, *variants] if len(variants) > 1 else variants:
        curves = [(label, _by_depth(cells, variant)) for label, cells in models]
        if any(shares for _, shares in curves):
            notes = () if variant else [f"{label}: {note}" for label, note in lacking.items()]
            panels.append(panel(variant or "all variants", "depth", curves, notes=notes))
    return Curves("depth", [label for label, _ in models], panels)


def length_curves(results: Results) -> Curves | None:
    """Integer addition by the digits of the longer operand."""
    models = [(label, shares) for label, result in results if (shares := _by_length(result.lengths))]
    if not models:
        return None
    if len(models) > MOST_TOGETHER:
        return _panel_per_model("digits", models, _lengths)
    return Curves("digits", [label for label, _ in models], [panel("addition", "digits", models, _lengths)])


def _by_depth(cells: Sequence[Cell], variant: str | None = None) -> Shares:
    """The shares of one variant, or of all variants with a reply."""
    answered = {cell.variant for cell in cells if cell.measured}
    wanted = [cell for cell in cells if cell.variant in answered and variant in (None, cell.variant)]
    depths = sorted({cell.depth for cell in wanted})
    shares = {depth: _pooled(cell for cell in wanted if cell.depth == depth) for depth in depths}
    return {depth: found for depth, found in shares.items() if found}


def _by_length(lengths: Sequence[Length]) -> Shares:
    """The shares of groups of lengths, by the shortest length of each group."""
    groups: dict[int, list[Length]] = {}
    for length in lengths:
        shortest = max(1, (length.digits - 2) // _LENGTHS_TOGETHER * _LENGTHS_TOGETHER + 2)
        groups.setdefault(shortest, []).append(length)
    shares = {
        digits: share(sum(one.correct for one in group), sum(one.measured for one in group))
        for digits, group in sorted(groups.items())
    }
    return {digits: found for digits, found in shares.items() if found}


def _lengths(digits: int) -> str:
    return f"{digits}-{digits + _LENGTHS_TOGETHER - 1}" if digits > 1 else "1"


def _panel_per_model(
    what: str,
    curves: Sequence[tuple[str, Shares]],
    name: Callable[[int], str] = str,
    notes: Mapping[str, str] = MappingProxyType({}),
) -> Curves:
    """A panel for each model."""
    found = {label: [notes[label]] if label in notes else [] for label, _ in curves}
    return Curves(what, (), [panel(label, what, [(label, shares)], name, found[label]) for label, shares in curves])


def panel(
    title: str,
    what: str,
    curves: Sequence[tuple[str, Shares]],
    name: Callable[[int], str] = str,
    notes: Sequence[str] = (),
) -> Panel:
    """A panel of curves with at least one point; `name` gives the label of an x value."""
    places = sorted({place for _, shares in curves for place in shares})
    x, y = Axis(places[0], places[-1], _LEFT + 12, _RIGHT - 8), Axis(0, 100, _BOTTOM, _TOP)
    lines = []
    for slot, (label, shares) in enumerate(curves, 1):
        points = [(x.at(place), y.at(found.percent)) for place, found in shares.items()]
        upper = [(x.at(place), y.at(found.high)) for place, found in shares.items()]
        lower = [(x.at(place), y.at(found.low)) for place, found in shares.items()]
        told = (f"{label}, {what} {name(place)}: {found.description}" for place, found in shares.items())
        dots = [(*point, description) for point, description in zip(points, told, strict=True)]
        if shares:
            lines.append(Line(slot, path(points), path([*upper, *reversed(lower)]) + "Z", dots))
    cells = [[of[place].with_interval if place in of else "-" for place in places] for _, of in curves]
    return Panel(
        title=title,
        x_ticks=[(x.at(place), name(place)) for place in places[:: ceil(len(places) / _MOST_TICKS)]],
        y_ticks=percent_ticks(y),
        lines=lines,
        header=[what, *(f"{label}: correct % (95 %)" for label, _ in curves)],
        rows=[list(row) for row in zip(map(name, places), *cells, strict=True)],
        notes=notes,
    )


def score_panel(title: str, curves: Sequence[tuple[str, Sequence[float]]]) -> Panel:
    """The scores of all sequences of a set, one step each, the best first."""
    longest = max(len(scores) for _, scores in curves)
    x, y = Axis(0, longest, _LEFT + 4, _RIGHT - 4), Axis(0, 1, _BOTTOM, _TOP)
    stairs = (
        [(x.at(end), y.at(score)) for rank, score in enumerate(scores) for end in (rank, rank + 1)]
        for _, scores in curves
    )
    return Panel(
        title=title,
        x_ticks=[(x.at(count), str(count)) for count in sorted({0, longest // 2, longest})],
        y_ticks=percent_ticks(Axis(0, 100, _BOTTOM, _TOP)),
        lines=[Line(slot, path(points)) for slot, points in enumerate(stairs, 1)],
        header=["rank", *(f"{label}: score" for label, _ in curves)],
        rows=[
            [str(rank + 1), *(f"{scores[rank]:.4f}" if rank < len(scores) else "-" for _, scores in curves)]
            for rank in range(longest)
        ],
    )


# --- heatmaps -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A variant at all depths, and its reliable depth."""

    variant: str
    shares: Sequence[Share | None]
    all: Share | None
    reliable: str


@dataclass(frozen=True, slots=True)
class Heatmap:
    """The correct answers of one model by variant and depth; most cells have `usual` trials."""

    label: str
    usual: int
    depths: Sequence[int]
    rows: Sequence[HeatRow]
    totals: Sequence[Share | None]
    all: Share | None


def heatmaps(results: Results) -> list[Heatmap]:
    """A heatmap for each model with cells."""
    return [_heatmap(label, result) for label, result in results if result.cells]


def _heatmap(label: str, result: Result) -> Heatmap:
    cells = {(cell.variant, cell.depth): share(cell.correct, cell.measured) for cell in result.cells}
    depths = sorted({cell.depth for cell in result.cells})
    sizes = Counter(cell.measured for cell in result.cells if cell.measured).most_common(1)
    reliable = {one.variant: formatting.reliable(one.reliable_depth) for one in result.variants if one.measured}
    return Heatmap(
        label=label,
        usual=sizes[0][0] if sizes else 0,
        depths=depths,
        rows=[
            HeatRow(
                short_name(variant),
                [cells.get((variant, depth)) for depth in depths],
                _pooled(cell for cell in result.cells if cell.variant == variant),
                reliable.get(variant, formatting.UNKNOWN),
            )
            for variant in dict.fromkeys(cell.variant for cell in result.cells)
        ],
        totals=[_pooled(cell for cell in result.cells if cell.depth == depth) for depth in depths],
        all=_pooled(result.cells),
    )
