"""Figures for papers, drawn by matplotlib: curves by depth, heatmaps, differences, and
accuracy against cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

from pytest_llmarith.report.page.charts import heatmaps, scatters
from pytest_llmarith.report.page.differences import rankings
from pytest_llmarith.report.series import PageRun, Series, results_of_runs, series_of
from pytest_llmarith.results.files import UsageError, new_file
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.loaded import files_of
from pytest_llmarith.summaries import Percentage

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
_Curve = list[tuple[int, Percentage]]


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
            "matplotlib is not installed; run pip install 'pytest-llmarith[plot]'"
        ) from None
    shown = [PageRun(run.name, run.summary(), (), run.asked()) for run in runs]
    series = [
        # Without a space, matplotlib would hide a label that begins with an underscore.
        one._replace(label=" " * one.label.startswith("_") + one.label + simulated)
        for one in series_of(shown)
        for simulated in [
            " (simulated)" * any(result.simulated for result in one.results)
        ]
    ]
    draw, needs = {
        "curves": (_curves, "a task with depths"),
        "heatmap": (_heatmaps, "a task with variants and depths"),
        "differences": (_differences, "two models that were asked the same questions"),
        "cost": (_costs, "two models with a known cost"),
    }[kind]
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
        undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(form, {})
        figure.savefig(file, format=form[1:], dpi=200, metadata=undated)


def _curves(figure: Figure, runs: Sequence[PageRun], series: Sequence[Series]) -> bool:
    """A panel per variant with a line per model, and a band for each of a few."""
    panels: dict[str, dict[str, _Curve]] = {}
    for one in series:
        for result in one.results:
            for cell in result.grid:
                if cell.correct_percentage:
                    curve = panels.setdefault(cell.variant, {}).setdefault(
                        one.label, []
                    )
                    curve.append((cell.depth, cell.correct_percentage))
            if depths := [
                (cell.depth, cell.correct_percentage)
                for cell in result.depths
                if cell.correct_percentage
            ]:
                panels.setdefault(result.task, {})[one.label] = depths
    if not panels:
        return False
    labels = [one.label for one in series]
    axes = _axes(
        figure, len(panels), _PANELS_A_ROW, (_PANEL_INCHES, _PANEL_INCHES), sharey=True
    )
    for place, (axis, (variant, curves)) in enumerate(
        zip(axes, panels.items(), strict=True)
    ):
        for label, curve in curves.items():
            style = _style(labels.index(label))
            places = [depth for depth, _ in curve]
            axis.plot(
                places,
                [shown.percent for _, shown in curve],
                **style,
                label=label,
                markersize=3,
                linewidth=1,
            )
            if len(labels) <= _MOST_BANDS:
                lows, highs = (
                    [getattr(shown, end) for _, shown in curve]
                    for end in ("low", "high")
                )
                axis.fill_between(
                    places, lows, highs, color=style["color"], alpha=0.15, linewidth=0
                )
        axis.set(title=variant, ylim=(-2, 102))
        axis.locator_params("x", integer=True)
        if place + _PANELS_A_ROW >= len(panels):
            axis.set_xlabel("digits")
        if place % _PANELS_A_ROW == 0:
            axis.set_ylabel("correct %")
    _name_series(figure)
    return True


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
    drawn = {
        label: handle
        for axis in figure.axes
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    fitting = int(figure.get_figwidth() / (0.4 + 0.065 * max(map(len, drawn))))
    columns = max(1, min(4, fitting))
    figure.set_figheight(
        figure.get_figheight() + 0.2 + 0.2 * ceil(len(drawn) / columns)
    )
    figure.legend(
        drawn.values(),
        drawn.keys(),
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


def _heatmaps(
    figure: Figure, runs: Sequence[PageRun], series: Sequence[Series]
) -> bool:
    """A heatmap per model: rows are variants, columns depths."""
    from matplotlib.colors import LinearSegmentedColormap

    found = heatmaps(results_of_runs(runs, series))
    if not found:
        return False
    colours = LinearSegmentedColormap.from_list("llmarith", ["#ffffff", _COLOURS[0]])
    for axis, heatmap in zip(
        _axes(figure, len(found), 2, (3.6, 2.2)), found, strict=True
    ):
        grid = [
            [share.percent if share else float("nan") for share in row.shares]
            for row in heatmap.rows
        ]
        axis.imshow(grid, cmap=colours, vmin=0, vmax=100, aspect="auto")
        for y, row in enumerate(heatmap.rows):
            for x, share in enumerate(row.shares):
                colour = "white" if share and share.percent >= _DARK else "black"
                text = f"{share.percent:.0f}" if share else "-"
                axis.text(x, y, text, ha="center", va="center", color=colour, size=6)
        axis.set_xticks(range(len(heatmap.depths)), heatmap.depths)
        axis.set_yticks(range(len(heatmap.rows)), [row.variant for row in heatmap.rows])
        axis.set(title=fill(heatmap.label, _LONGEST_TITLE), xlabel="digits")
        axis.grid(False)
    return True


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
    axes: list[Any] = list(grid.flat)
    for axis, ranking in zip(axes, panels, strict=True):
        axis.axvline(0, color=_GREY, linewidth=1)
        for y, place in enumerate(ranking.places):
            if place.compared is None:
                axis.plot([0], [y], "D", color=_GREY, markersize=4)
                continue
            found, is_unclear = place.compared.difference, place.direction == "unclear"
            colour = _COLOURS[0 if is_unclear else 1]
            if found.low is not None:
                axis.plot([found.low, found.high], [y, y], color=colour, linewidth=1.5)
            axis.plot(
                [found.points],
                [y],
                "o" if is_unclear else "s",
                color=colour,
                markersize=4,
            )
        names = [place.key for place in ranking.places]
        axis.set_yticks(range(len(names)), names)
        axis.set_ylim(len(names) - 0.5, -0.5)
        axis.tick_params(labelbottom=True)
        axis.set_title(ranking.task)
        axis.set_xlabel(
            f"points to {ranking.baseline}, with 95 % interval", loc="right"
        )
    figure.supxlabel(
        "circles: not separated; squares: significant after Holm's correction for all "
        "models",
        size=8,
        color=_GREY,
    )
    return True


def _costs(figure: Figure, runs: Sequence[PageRun], series: Sequence[Series]) -> bool:
    """Correct % against the cost of a thousand questions, a panel per task."""
    from matplotlib.ticker import LogFormatter

    labels = [one.label for one in series]
    panels = scatters(results_of_runs(runs, series))
    if not panels:
        return False
    figure.set_size_inches(6, 3 * len(panels))
    for axis, scatter in zip(
        figure.subplots(len(panels), 1, squeeze=False).flat, panels, strict=True
    ):
        for model in scatter.models:
            style, share = (
                _style(labels.index(model.label)) | {"linestyle": "none"},
                model.share,
            )
            axis.plot(
                [model.amount] * 2,
                [share.low, share.high],
                color=style["color"],
                linewidth=1,
            )
            axis.plot(
                [model.amount],
                [share.percent],
                **style,
                label=model.label,
                markersize=5,
            )
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
    drawn = {model.label for scatter in panels for model in scatter.models}
    if unknown := ", ".join(label for label in labels if label not in drawn):
        figure.supxlabel(
            fill(f"not drawn, as cost or share is unknown: {unknown}", 100),
            size=8,
            color=_GREY,
        )
    _name_series(figure)
    return True
