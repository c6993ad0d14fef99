"""Figures for papers, drawn by matplotlib: curves by depth, heatmaps, differences, and accuracy against cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_llmarith.records import Percentage
from pytest_llmarith.results.export import files_of
from pytest_llmarith.results.files import UsageError, new_file
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.ranking import rank
from pytest_llmarith.results.series import PageRun, Series, questions_of, series_of
from pytest_llmarith.types import Outcome

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
_MOST_DARK_BANDS = 3
_PER = 1_000  # questions
_STYLE: Any = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dadfe4",
    "svg.hashsalt": "llmarith",  # the same figure is the same file
}
_Curve = list[tuple[int, Percentage]]


def plot(runs: Sequence[LoadedRun], kind: Kind, output: Path, *, force: bool = False) -> None:
    """Write one figure. Raises UsageError if a run cannot be read or has nothing to draw."""
    if output.suffix.lower() not in FORMATS:
        raise UsageError(f"--output={output}: write a name that ends with {' or '.join(FORMATS)}")
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("matplotlib is not installed; run pip install 'pytest-llmarith[plot]'") from None
    shown = [PageRun(run.name, run.summary(), (), run.asked()) for run in runs]
    series = [
        replace(one, label=f"{one.label} (simulated)") if any(result.simulated for result in one.results) else one
        for one in series_of(shown)
    ]
    with matplotlib.rc_context(_STYLE), new_file("--output", output, files_of(runs), force=force) as file:
        figure = Figure(layout="constrained")
        draw: Callable[[Figure], bool] = {
            "curves": lambda figure: _curves(figure, series),
            "heatmap": lambda figure: _heatmaps(figure, series),
            "differences": lambda figure: _differences(figure, shown, series),
            "cost": lambda figure: _costs(figure, series),
        }[kind]
        if not draw(figure):
            raise UsageError(f"--kind={kind}: these runs have nothing to draw; {_NEEDS[kind]}")
        figure.savefig(file, format=output.suffix[1:].lower(), dpi=200, metadata=_undated(output.suffix.lower()))


_NEEDS = {
    "curves": "it needs arithmetic or integer addition",
    "heatmap": "it needs arithmetic",
    "differences": "it needs two models that were asked the same questions",
    "cost": "it needs two models with a known cost",
}


def _undated(suffix: str) -> dict[str, None]:
    """The metadata without the time, so that the same figure is the same file."""
    return {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix, {})


def _curves(figure: Figure, series: Sequence[Series]) -> bool:
    """A panel per variant with a line and a band per model."""
    panels: dict[str, dict[str, _Curve]] = {}
    for one in series:
        for result in one.results:
            for cell in result.cells:
                if cell.correct_percentage:
                    curve = panels.setdefault(cell.variant, {}).setdefault(one.label, [])
                    curve.append((cell.depth, cell.correct_percentage))
            if lengths := [(one.digits, one.correct_percentage) for one in result.lengths if one.correct_percentage]:
                panels.setdefault(result.task, {})[one.label] = lengths
    columns = min(4, len(panels))
    if not panels:
        return False
    rows = ceil(len(panels) / columns)
    figure.set_size_inches(_PANEL_INCHES * columns, _PANEL_INCHES * rows + 0.4)
    labels = [one.label for one in series]
    band = 0.15 if len(labels) <= _MOST_DARK_BANDS else 0.05
    axes: list[Any] = list(figure.subplots(rows, columns, squeeze=False, sharey=True).flat)
    for place, (axis, (variant, curves)) in enumerate(zip(axes, panels.items(), strict=False)):
        for label, curve in curves.items():
            style = _style(labels.index(label))
            places = [depth for depth, _ in curve]
            axis.plot(places, [shown.percent for _, shown in curve], **style, label=label, markersize=3, linewidth=1)
            lows, highs = ([getattr(shown, end) for _, shown in curve] for end in ("low", "high"))
            axis.fill_between(places, lows, highs, color=style["color"], alpha=band, linewidth=0)
        axis.set(title=variant, ylim=(-2, 102))
        axis.locator_params("x", integer=True)
        if place + columns >= len(panels):
            axis.set_xlabel("digits")
        if place % columns == 0:
            axis.set_ylabel("correct %")
    for axis in axes[len(panels) :]:
        axis.remove()
    _name_series(figure)
    return True


def _name_series(figure: Figure) -> None:
    """A legend above the panels, which fits beside the longest name."""
    drawn = {
        label: handle for axis in figure.axes for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    fitting = int(figure.get_figwidth() / (0.4 + 0.065 * max(map(len, drawn))))
    figure.legend(
        drawn.values(), drawn.keys(), loc="outside upper center", ncols=max(1, min(4, fitting)), frameon=False
    )


def _style(place: int) -> dict[str, str]:
    """Colour, line and mark of a model; a colour that is used again has another line and mark."""
    return {
        "color": _COLOURS[place % len(_COLOURS)],
        "linestyle": _LINES[place // len(_COLOURS) % len(_LINES)],
        "marker": _MARKS[(place + place // len(_COLOURS)) % len(_MARKS)],
    }


def _heatmaps(figure: Figure, series: Sequence[Series]) -> bool:
    """A heatmap per model: rows are variants, columns depths."""
    from matplotlib.colors import LinearSegmentedColormap

    found = [(one.label, result.cells) for one in series for result in one.results if result.cells]
    if not found:
        return False
    columns = min(2, len(found))
    rows = ceil(len(found) / columns)
    figure.set_size_inches(3.6 * columns, 2.2 * rows)
    colours = LinearSegmentedColormap.from_list("llmarith", ["#ffffff", _COLOURS[0]])
    axes: list[Any] = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axis, (label, cells) in zip(axes, found, strict=False):
        variants = list(dict.fromkeys(cell.variant for cell in cells))
        depths = sorted({cell.depth for cell in cells})
        shown = {(one.variant, one.depth): one.correct_percentage.percent for one in cells if one.correct_percentage}
        grid = [[shown.get((variant, depth)) for depth in depths] for variant in variants]
        values = [[float("nan") if one is None else one for one in row] for row in grid]
        axis.imshow(values, cmap=colours, vmin=0, vmax=100, aspect="auto")
        for y, row in enumerate(grid):
            for x, percent in enumerate(row):
                text = "-" if percent is None else f"{percent:.0f}"
                axis.text(
                    x, y, text, ha="center", va="center", color="white" if (percent or 0) > 60 else "black", size=6
                )
        axis.set_xticks(range(len(depths)), depths)
        axis.set_yticks(range(len(variants)), variants)
        axis.set(title=label, xlabel="digits")
        axis.grid(False)
    for axis in axes[len(found) :]:
        axis.remove()
    return True


def _differences(figure: Figure, runs: Sequence[PageRun], series: Sequence[Series]) -> bool:
    """A forest plot per task: the difference of each model to the best one, with its interval."""
    panels = []
    for task in dict.fromkeys(result.task for one in series for result in one.results if not result.breaking_points):
        places, _ = rank(questions_of(runs, series, task))
        if len(places) > 1:
            panels.append((task, places))
    if not panels:
        return False
    figure.set_size_inches(6, sum(0.25 * len(places) + 0.8 for _, places in panels))
    heights = [len(places) + 2 for _, places in panels]
    axes: list[Any] = list(figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights).flat)
    for axis, (task, places) in zip(axes, panels, strict=True):
        axis.axvline(0, color=_GREY, linewidth=1)
        for row, place in enumerate(places[1:], 1):
            found = place.difference
            if found is None:
                continue
            points, colour = 100 * (found.second - found.first), _COLOURS[0 if place.group == 1 else 1]
            if found.interval:
                axis.plot(
                    [100 * found.interval.low, 100 * found.interval.high], [row, row], color=colour, linewidth=1.5
                )
            axis.plot([points], [row], "o" if place.group == 1 else "s", color=colour, markersize=4)
        axis.plot([0], [0], "D", color=_GREY, markersize=4)
        axis.set_yticks(range(len(places)), [place.key for place in places])
        axis.set_ylim(len(places) - 0.5, -0.5)
        axis.set(title=task, xlabel=f"points to {places[0].key}, with 95 % interval")
    figure.supxlabel("circles: not separated; squares: worse, after Holm's correction", size=8, color=_GREY)
    return True


def _costs(figure: Figure, series: Sequence[Series]) -> bool:
    """Correct % against the cost of a thousand questions, a panel per task."""
    panels: dict[str, list[tuple[int, str, float, Percentage]]] = {}
    for place, one in enumerate(series):
        for result in one.results:
            correct, priced = result.percentages[Outcome.CORRECT], result.measured - result.unpriced
            if correct and correct.percent is not None and result.cost_usd and priced:
                panels.setdefault(result.task, []).append((place, one.label, _PER * result.cost_usd / priced, correct))
    panels = {task: points for task, points in panels.items() if len(points) > 1}
    if not panels:
        return False
    figure.set_size_inches(6, 3 * len(panels) + 0.2 * len(series))
    for axis, (task, points) in zip(figure.subplots(len(panels), 1, squeeze=False).flat, panels.items(), strict=True):
        for place, label, dollars, correct in points:
            style = _style(place) | {"linestyle": "none"}
            axis.plot([dollars, dollars], [correct.low, correct.high], color=style["color"], linewidth=1)
            axis.plot([dollars], [correct.percent], **style, label=label, markersize=5)
        axis.margins(x=0.1)
        axis.set(title=task, xscale="log", ylim=(-2, 102), xlabel=f"$ per {_PER:,} questions", ylabel="correct %")
        axis.xaxis.set_major_formatter("{x:g}")
    _name_series(figure)
    return True
