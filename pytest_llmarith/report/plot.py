"""Figures for papers: the charts of the page as SVG, PDF or PNG."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Literal

from pytest_llmarith.installation import install_extra
from pytest_llmarith.report.charts import (
    MOST_TOGETHER,
    Chart,
    Whisker,
    differences_chart,
    heat_chart,
)
from pytest_llmarith.report.curves import curves_of, reliability_charts, scatters
from pytest_llmarith.report.page import rendered
from pytest_llmarith.report.page.differences import rankings
from pytest_llmarith.report.series import (
    PageRun,
    Series,
    results_of_runs,
    series_of,
)
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.loaded import files_of
from pytest_llmarith.results.run_files import UsageError, new_file
from pytest_llmarith.views.places import short_name

Kind = Literal["curves", "heatmap", "differences", "cost", "speed", "reliability"]
FORMATS = (".svg", ".pdf", ".png")
_Draw = Callable[[Sequence[PageRun], Sequence[Series]], list[Chart]]
_GAP, _LINE, _LETTER = 24, 18, 6.2  # pixels; of a letter about
_MARKS = "circles: not separated; squares: significant after Holm's correction for all models"


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
    shown = []
    for run in runs:
        asked = run.asked() if len(runs) > 1 else ()
        shown.append(PageRun(run.name, run.summary(), (), asked))
    series = [one._replace(label=_label(one)) for one in series_of(shown)]
    draw, columns, needs = _KINDS[kind]
    charts = draw(shown, series)
    if not charts:
        raise UsageError(
            f"--kind={kind}: these runs have nothing to draw; it needs {needs}"
        )
    names: Sequence[str] = ()
    if kind == "curves" and len(series) <= MOST_TOGETHER:
        names = [one.label for one in series]
    data = _converted(_figure(charts, names, columns), form)
    with new_file("--output", output, files_of(runs), force=force) as file:
        file.write(data)


def _figure(charts: Sequence[Chart], names: Sequence[str], columns: int) -> str:
    """Charts in rows below a legend, as SVG."""
    columns = min(columns, len(charts))
    cell = max(chart.width for chart in charts) + _GAP
    longest = 50 + _LETTER * max(map(len, names), default=0)
    width = max(columns * cell, longest)
    a_row = int(width / longest)
    legend = []
    for at, name in enumerate(names):
        legend.append(
            (12 + at % a_row * longest, 12 + at // a_row * _LINE, at + 1, name)
        )
    top: float = 12 + ceil(len(names) / a_row) * _LINE
    placed = []
    for first in range(0, len(charts), columns):
        heights = []
        for at, chart in enumerate(charts[first : first + columns]):
            placed.append((12 + at * cell, top, chart))
            lines = len(chart.numbered) + len(chart.notes)
            heights.append(chart.height + lines * _LINE + 2 * _GAP)
        top += max(heights)
    return rendered("figure.svg", width=width, height=top, legend=legend, charts=placed)


def _converted(svg: str, form: str) -> bytes:
    """SVG as it is, or as PDF or PNG."""
    if form == ".svg":
        return svg.encode("utf-8", "backslashreplace")
    try:
        import vl_convert
    except ImportError:
        raise UsageError(
            f"vl-convert-python is not installed, which makes {form[1:].upper()} of "
            f"SVG; run {install_extra('plot')}, or write --output=NAME.svg"
        ) from None
    if form == ".pdf":
        return bytes(vl_convert.svg_to_pdf(svg))
    return bytes(vl_convert.svg_to_png(svg, ppi=200))


def _label(one: Series) -> str:
    if any(result.facts.simulated for result in one.results):
        return f"{one.label} (simulated)"
    return one.label


def _curves(runs: Sequence[PageRun], series: Sequence[Series]) -> list[Chart]:
    charts: list[Chart] = []
    for one in curves_of(results_of_runs(runs, series)):
        charts += one.charts
    return charts


def _heatmaps(runs: Sequence[PageRun], series: Sequence[Series]) -> list[Chart]:
    """One for each model: rows are variants, columns depths."""
    charts = []
    for row in results_of_runs(runs, series):
        depths = row.grid_depths
        if not any(cell.measured for cell in row.grid):
            continue
        rows = {}
        for one in row.series:
            shares = [one._replace(depth=depth).mean_score for depth in depths]
            rows[short_name(one.name)] = shares
        axis = row.axis_title(row.result.facts.variants)
        title = f"{row.label}, mean score" if row.has_fractions else row.label
        charts.append(heat_chart(title, axis, depths, rows))
    return charts


def _differences(runs: Sequence[PageRun], series: Sequence[Series]) -> list[Chart]:
    """One for each task: each model and the first one or the baseline."""
    rows = results_of_runs(runs, series)
    found = [one for one in rankings(runs, series, rows) if one.places]
    ends = [10.0]
    shown = []
    for ranking in found:
        whiskers = {}
        for place in ranking.places:
            whisker = Whisker(0, 0, 0, "unclear")
            if place.compared:
                one = place.compared.difference
                low = place.points if one.low is None else one.low
                high = place.points if one.high is None else one.high
                whisker = Whisker(place.points, low, high, place.direction)
            whiskers[place.key] = whisker
            ends += [-whisker.low, whisker.high]
        shown.append((ranking.task, ranking.baseline, whiskers))
    reach = 10 * ceil(max(ends) / 10)
    charts = [differences_chart(*one, reach) for one in shown]
    if charts:
        charts[-1].notes = [_MARKS]
    return charts


def _against(what: str) -> _Draw:
    return lambda runs, series: scatters(results_of_runs(runs, series), shown=(what,))


def _reliability(runs: Sequence[PageRun], series: Sequence[Series]) -> list[Chart]:
    return reliability_charts(results_of_runs(runs, series))


# What draws a kind, how many charts stand beside each other, and what it needs.
_KINDS: Mapping[Kind, tuple[_Draw, int, str]] = {
    "curves": (_curves, 3, "a task with depths"),
    "heatmap": (_heatmaps, 2, "a task with variants and depths"),
    "differences": (_differences, 1, "two models that were asked the same questions"),
    "cost": (_against("cost"), 1, "two models with a known cost"),
    "reliability": (_reliability, 2, "answers with log probabilities (--llm-logprobs)"),
    "speed": (_against("speed"), 1, "two models whose servers tell their speed"),
}
