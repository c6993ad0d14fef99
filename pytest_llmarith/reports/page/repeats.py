"""What repeats of problems say together: a row per model, and what trying again is worth as a curve.

It does not know how that is counted, nor how a picture is laid out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_llmarith.records import Percentage, Repeats
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.page.curves import BOTTOM, LEFT, MOST_TOGETHER, RIGHT, TOP, Line, Panel, legend, line
from pytest_llmarith.reports.page.plots import Axis, Tick, percent_ticks
from pytest_llmarith.reports.page.runs import Series, word

_MOST_EVEN = 10  # tries on an even scale; more of them stand on one of powers

_Curve = tuple[str, dict[int, float]]


@dataclass(frozen=True, slots=True)
class PercentageCell:
    """A percentage and its interval, as text and as places from 0 to 100 in a picture."""

    text: str
    interval: str
    percent: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RepeatRow:
    """One model's problems, each put `k` times."""

    label: str
    k: str
    problems: str
    consistency: PercentageCell | None
    pass_at_1: PercentageCell | None
    most: str
    most_k: str
    majority: PercentageCell | None


@dataclass(frozen=True, slots=True)
class RepeatedTask:
    """One task: its rows, and pass@k as curves, which `legend` names where there are several.

    More of them than can be told apart are not `drawn`: then it is the table of the panel that counts.
    """

    task: str
    rows: Sequence[RepeatRow]
    legend: Sequence[tuple[int, str]]
    panel: Panel | None
    drawn: bool


def repeated_tasks(series: Sequence[Series]) -> list[RepeatedTask]:
    """Nothing where every problem was put once."""
    found: dict[str, list[tuple[str, Repeats]]] = {}
    for one in series:
        for task, result in one.results.items():
            if repeats := result.repeats:
                found.setdefault(task, []).append((one.label, repeats))
    return [_task(word(task), of) for task, of in found.items()]


def _task(task: str, of: Sequence[tuple[str, Repeats]]) -> RepeatedTask:
    curves = [(label, {one.k: one.percent for one in repeats.pass_at_k}) for label, repeats in of]
    curves = [(label, shares) for label, shares in curves if len(shares) > 1]
    return RepeatedTask(
        task=task,
        rows=[_row(label, repeats) for label, repeats in of],
        legend=legend(label for label, _ in curves) if len(curves) > 1 else (),
        panel=_panel(f"pass@k, {task}", curves) if curves else None,
        drawn=len(curves) <= MOST_TOGETHER,
    )


def _row(label: str, repeats: Repeats) -> RepeatRow:
    most = repeats.pass_at_k[-1] if repeats.pass_at_k else None
    return RepeatRow(
        label=label,
        k=f"{repeats.k:,}",
        problems=f"{repeats.problems:,}",
        consistency=_percentage_cell(repeats.consistency),
        pass_at_1=_percentage_cell(repeats.pass_at_1),
        most=f"{most.percent:.1f}" if most else figures.UNKNOWN,
        most_k=f"{most.k:,}" if most else "",
        majority=_percentage_cell(repeats.majority),
    )


def _percentage_cell(share: Percentage | None) -> PercentageCell | None:
    """Where there is no interval, it is the share alone."""
    if share is None or share.percent is None:
        return None
    percent, low, high = share.percent, share.low, share.high
    if low is None or high is None:
        return PercentageCell(f"{percent:.1f}", figures.UNKNOWN, percent, percent, percent)
    return PercentageCell(f"{percent:.1f}", figures.interval(share), percent, low, high)


def _panel(title: str, curves: Sequence[_Curve]) -> Panel:
    places = sorted({k for _, shares in curves for k in shares})
    x = Axis(places[0], places[-1], LEFT + 12, RIGHT - 8, logarithmic=places[-1] > _MOST_EVEN)
    y = Axis(0, 100, BOTTOM, TOP)
    return Panel(
        title=title,
        notes=(),
        x_ticks=[Tick(x.at(k), str(k)) for k in places],
        y_ticks=percent_ticks(y),
        lines=[_line(slot, label, shares, x, y) for slot, (label, shares) in enumerate(curves, 1)],
        context="",
        header=["k", *(f"{label}: pass@k %" for label, _ in curves)],
        rows=[[str(k), *(f"{shares[k]:.1f}" if k in shares else "-" for _, shares in curves)] for k in places],
    )


def _line(slot: int, label: str, shares: Mapping[int, float], x: Axis, y: Axis) -> Line:
    points = [(x.at(k), y.at(percent)) for k, percent in shares.items()]
    descriptions = (f"{label}, one of {k}: {percent:.1f} %" for k, percent in shares.items())
    return line(slot, label, points, descriptions)
