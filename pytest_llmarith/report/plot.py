"""Figures for papers, drawn by matplotlib: curves by depth, heatmaps, differences, and
accuracy against cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, isnan, nan
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

from pytest_llmarith.installation import install_extra
from pytest_llmarith.report.depths import axis_title
from pytest_llmarith.report.page.cells import cells_of, cells_of_models
from pytest_llmarith.report.page.differences import Place, rankings
from pytest_llmarith.report.page.scatters import scatters
from pytest_llmarith.report.render.html import HEAT, Heat
from pytest_llmarith.report.series import (
    PageRun,
    ResultOfRun,
    Series,
    results_of_runs,
    series_of,
    short_name,
)
from pytest_llmarith.report.shares import Curve, curve_of
from pytest_llmarith.results.files import UsageError, new_file
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.loaded import files_of
from pytest_llmarith.summaries import Cell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Kind = Literal["curves", "heatmap", "differences", "cost"]
FORMATS = (".svg", ".pdf", ".png")

# The colours of the page, for white paper.
_COLOURS = ("#0072b2", "#d55e00", "#007a5a", "#a3448a", "#8a6a00", "#3d4650")
_LINES = ("-", "--", ":", "-.")
_MARKS = "os^DvP"
_GREY = "#7b858f"
_PANEL_INCHES = 2.2
_PANELS_A_ROW = 4
_LONGEST_TITLE = 40  # above a heatmap
_LONGEST_AXIS_TITLE = 24  # below a panel
_MOST_BANDS = 4  # more of them merge
_DARK = 93  # % correct, from which white has more contrast than black: at least 4.5
_STYLE: Any = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dadfe4",
    "svg.hashsalt": "llmarith",  # the same figure is the same file
    "text.parse_math": False,  # dollars in names are not formulas
}
_UNDATED: Mapping[str, Mapping[str, None]] = {
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
_Draw = Callable[["Figure", Sequence[PageRun], Sequence[Series]], bool]


def plot(
    runs: Sequence[LoadedRun], kind: Kind, output: Path, *, force: bool = False
) -> None:
    """Write one figure.

    Raises UsageError if a run cannot be read or has nothing to draw.
    """
    form = output.suffix.lower()
    if form not in FORMATS:
        raise UsageError(
            f"--output={output}: write a name that ends with {' or '.join(FORMATS)}"
        )
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError(
            f"matplotlib is not installed; run {install_extra('plot')}"
        ) from None
    shown = [PageRun(run.name, run.summary(), (), run.asked()) for run in runs]
    series = [one._replace(label=_label(one)) for one in series_of(shown)]
    draw, needs = _KINDS[kind]
    with (
        matplotlib.rc_context(_STYLE),
        new_file("--output", output, files_of(runs), force=force) as file,
    ):
        figure = Figure(layout="constrained")
        if not draw(figure, shown, series):
            raise UsageError(
                f"--kind={kind}: these runs have nothing to draw; it needs {needs}"
            )
        # Without the time the same figure is the same file.
        undated = _UNDATED.get(form, {})
        figure.savefig(file, format=form[1:], dpi=200, metadata=undated)


def _label(one: Series) -> str:
    """The label of a series in a figure."""
    label = one.label
    if label.startswith("_"):
        label = f" {label}"  # matplotlib hides a label that begins with an underscore
    if any(result.simulated for result in one.results):
        label += " (simulated)"
    return label


# --- curves ---------------------------------------------------------------------------


def _curves(figure: Figure, runs: Sequence[PageRun], series: Sequence[Series]) -> bool:
    """A panel per variant with a line per model, and a band for each of a few."""
    rows = results_of_runs(runs, series)
    panels = _curves_of_variants(rows)
    if not panels:
        return False
    titles = _axis_titles(rows)
    labels = [one.label for one in series]
    inches = (_PANEL_INCHES, _PANEL_INCHES)
    axes = _axes(figure, len(panels), _PANELS_A_ROW, inches, sharey=True)
    for place, (variant, curves) in enumerate(panels.items()):
        axis = axes[place]
        for label, curve in curves.items():
            style = _style(labels.index(label))
            _draw_curve(axis, curve, label, style, has_band=len(labels) <= _MOST_BANDS)
        axis.set(title=variant, ylim=(-2, 102))
        axis.locator_params("x", integer=True)
        axis.set_xlabel(fill(titles[variant], _LONGEST_AXIS_TITLE))
        if place % _PANELS_A_ROW == 0:
            axis.set_ylabel("correct %")
    _name_series(figure)
    return True


def _curves_of_variants(rows: Sequence[ResultOfRun]) -> dict[str, dict[str, Curve]]:
    """The curves of each variant, or of a task without variants, by label."""
    panels: dict[str, dict[str, Curve]] = {}
    for row in rows:
        cells: dict[str, list[Cell]] = {}
        for cell in row.result.cells:
            cells.setdefault(cell.variant or row.result.task, []).append(cell)
        for name, some in cells.items():
            curve = curve_of(some)
            if curve:
                panels.setdefault(name, {})[row.label] = curve
    return panels


def _axis_titles(rows: Sequence[ResultOfRun]) -> dict[str, str]:
    """What the depths of each variant are, or of a task without variants."""
    titles = {}
    for row in rows:
        for cell in row.result.cells:
            variants = [cell.variant] if cell.variant else []
            title = axis_title(row.result, variants)
            titles[cell.variant or row.result.task] = title
    return titles


def _draw_curve(
    axis: Any, curve: Curve, label: str, style: Mapping[str, str], *, has_band: bool
) -> None:
    depths = list(curve)
    shares = list(curve.values())
    percents = [found.percent for found in shares]
    axis.plot(depths, percents, **style, label=label, markersize=3, linewidth=1)
    if has_band:
        lows = [found.low for found in shares]
        highs = [found.high for found in shares]
        colour = style["color"]
        axis.fill_between(depths, lows, highs, color=colour, alpha=0.15, linewidth=0)


def _axes(
    figure: Figure,
    count: int,
    columns: int,
    inches: tuple[float, float],
    *,
    sharey: bool = False,
) -> list[Any]:
    """The axes of panels of this size, in rows of at most `columns`."""
    columns = min(columns, count)
    rows = ceil(count / columns)
    figure.set_size_inches(inches[0] * columns, inches[1] * rows)
    axes: list[Any] = list(
        figure.subplots(rows, columns, squeeze=False, sharey=sharey).flat
    )
    for axis in axes[count:]:
        axis.remove()
    return axes[:count]


def _name_series(figure: Figure) -> None:
    """A legend above the panels, for which the figure grows; it has as many columns as
    fit with the longest name.
    """
    drawn: dict[str, Any] = {}
    for axis in figure.axes:
        handles, labels = axis.get_legend_handles_labels()
        drawn.update(zip(labels, handles, strict=True))
    fitting = int(figure.get_figwidth() / (0.4 + 0.065 * max(map(len, drawn))))
    columns = max(1, min(4, fitting))
    lines = ceil(len(drawn) / columns)
    figure.set_figheight(figure.get_figheight() + 0.2 + 0.2 * lines)
    figure.legend(
        list(drawn.values()),
        list(drawn),
        loc="outside upper center",
        ncols=columns,
        frameon=False,
    )


def _style(place: int) -> dict[str, str]:
    """Colour, line and mark of a model; a colour that is used again has another line
    and mark.
    """
    return {
        "color": _COLOURS[place % len(_COLOURS)],
        "linestyle": _LINES[place // len(_COLOURS) % len(_LINES)],
        "marker": _MARKS[(place + place // len(_COLOURS)) % len(_MARKS)],
    }


# --- heatmaps -------------------------------------------------------------------------


def _heatmaps(
    figure: Figure, runs: Sequence[PageRun], series: Sequence[Series]
) -> bool:
    """A heatmap per model: rows are variants, columns depths."""
    from matplotlib.colors import LinearSegmentedColormap

    found = cells_of_models(results_of_runs(runs, series))
    if not found:
        return False
    colours = LinearSegmentedColormap.from_list("llmarith", ["#ffffff", _COLOURS[0]])
    for axis, one in zip(_axes(figure, len(found), 2, (3.6, 2.2)), found, strict=True):
        table = cells_of(one.row)
        depths = [column.title for column in table.columns if column.kind is HEAT]
        variants = table.rows[:-1]  # the last row is of all variants
        shares = [_shares(row.values[1 : len(depths) + 1]) for row in variants]
        axis.imshow(shares, cmap=colours, vmin=0, vmax=100, aspect="auto")
        for y, line in enumerate(shares):
            for x, percent in enumerate(line):
                text = "-" if isnan(percent) else f"{percent:.0f}"
                colour = "white" if percent >= _DARK else "black"
                axis.text(x, y, text, ha="center", va="center", color=colour, size=6)
        axis.set_xticks(range(len(depths)), depths)
        names = [short_name(row.values[0]) for row in variants]
        axis.set_yticks(range(len(names)), names)
        variants_shown = [row.values[0] for row in variants]
        axis.set(
            title=fill(one.row.label, _LONGEST_TITLE),
            xlabel=axis_title(one.row.result, variants_shown),
        )
        axis.grid(False)
    return True


def _shares(cells: Sequence[Heat | None]) -> list[float]:
    return [cell.share.percent if cell else nan for cell in cells]


# --- differences ----------------------------------------------------------------------


def _differences(
    figure: Figure, runs: Sequence[PageRun], series: Sequence[Series]
) -> bool:
    """A forest plot per task: the difference of each model to the first one or the
    baseline, with its interval.
    """
    rows = results_of_runs(runs, series)
    panels = [one for one in rankings(runs, series, rows) if one.places]
    if not panels:
        return False
    figure.set_size_inches(6, sum(0.25 * len(one.places) + 0.8 for one in panels))
    heights = [len(one.places) + 2 for one in panels]
    grid = figure.subplots(
        len(panels), 1, squeeze=False, height_ratios=heights, sharex=True
    )
    for axis, ranking in zip(grid.flat, panels, strict=True):
        axis.axvline(0, color=_GREY, linewidth=1)
        for y, place in enumerate(ranking.places):
            _draw_difference(axis, y, place)
        names = [place.key for place in ranking.places]
        axis.set_yticks(range(len(names)), names)
        axis.set_ylim(len(names) - 0.5, -0.5)
        axis.tick_params(labelbottom=True)
        axis.set_title(ranking.task)
        told = f"points to {ranking.baseline}, with 95 % interval"
        axis.set_xlabel(told, loc="right")
    figure.supxlabel(
        "circles: not separated; squares: significant after Holm's correction for all "
        "models",
        size=8,
        color=_GREY,
    )
    return True


def _draw_difference(axis: Any, y: int, place: Place) -> None:
    if place.compared is None:
        axis.plot([0], [y], "D", color=_GREY, markersize=4)
        return
    found = place.compared.difference
    colour, mark = _COLOURS[1], "s"
    if place.direction == "unclear":
        colour, mark = _COLOURS[0], "o"
    if found.low is not None:
        axis.plot([found.low, found.high], [y, y], color=colour, linewidth=1.5)
    axis.plot([found.points], [y], mark, color=colour, markersize=4)


# --- cost -----------------------------------------------------------------------------


def _costs(figure: Figure, runs: Sequence[PageRun], series: Sequence[Series]) -> bool:
    """Correct % against the cost of a thousand questions, a panel per task."""
    from matplotlib.ticker import LogFormatter

    labels = [one.label for one in series]
    panels = scatters(results_of_runs(runs, series))
    if not panels:
        return False
    figure.set_size_inches(6, 3 * len(panels))
    grid = figure.subplots(len(panels), 1, squeeze=False)
    drawn = set()
    for axis, scatter in zip(grid.flat, panels, strict=True):
        for model in scatter.models:
            drawn.add(model.label)
            style = _style(labels.index(model.label)) | {"linestyle": "none"}
            amount, share = model.amount, model.share
            ends = [share.low, share.high]
            axis.plot([amount, amount], ends, color=style["color"], linewidth=1)
            percent = [share.percent]
            axis.plot([amount], percent, **style, label=model.label, markersize=5)
        axis.margins(x=0.1)
        axis.set(
            title=scatter.task,
            xscale="log",
            ylim=(-2, 102),
            xlabel="$ per 1,000 questions",
            ylabel="correct %",
        )
        axis.xaxis.set_major_formatter("{x:g}")
        axis.xaxis.set_minor_formatter(LogFormatter())  # without formulas
    unknown = [label for label in labels if label not in drawn]
    if unknown:
        told = f"not drawn, as cost or share is unknown: {', '.join(unknown)}"
        figure.supxlabel(fill(told, 100), size=8, color=_GREY)
    _name_series(figure)
    return True


_KINDS: Mapping[Kind, tuple[_Draw, str]] = {
    "curves": (_curves, "a task with depths"),
    "heatmap": (_heatmaps, "a task with variants and depths"),
    "differences": (_differences, "two models that were asked the same questions"),
    "cost": (_costs, "two models with a known cost"),
}
