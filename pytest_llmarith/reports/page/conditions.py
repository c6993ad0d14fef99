"""What conditions do to models, row by row with a picture of each difference. It does not know how that is counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_llmarith.records import Difference, Effect, RunSummary
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.keys import USUAL_NAME, label_of
from pytest_llmarith.reports.page.plots import Axis
from pytest_llmarith.reports.page.runs import Series, Whose, word
from pytest_llmarith.results.differences import SIGNIFICANT

_REACHES = (5, 10, 20, 30, 40, 60, 80)  # points on either side of none


@dataclass(frozen=True, slots=True)
class EffectRow:
    """A model in one condition beside another; `low`, `at` and `high` are places from 0 to 100 in its picture."""

    condition: str
    label: str
    beside: str
    task: str
    problems: str
    percent: str
    percent_beside: str
    points: str
    interval: str
    better: str
    worse: str
    p: str
    way: str
    low: float
    at: float
    high: float


@dataclass(frozen=True, slots=True)
class Conditions:
    """All of them on one scale, which reaches as many points to either side."""

    reach: int
    rows: Sequence[EffectRow]
    significant: float = SIGNIFICANT


def conditions(series: Sequence[Series], summaries: Sequence[RunSummary]) -> Conditions | None:
    """None where nothing was asked in several conditions."""
    effects = [(run, effect) for run, summary in enumerate(summaries) for effect in summary.effects]
    if not effects:
        return None
    reach = _reach(effect.difference for _, effect in effects)
    labels = {one.whose: one.label for one in series}
    return Conditions(reach, [_row(labels, run, effect, Axis(-reach, reach, 0, 100)) for run, effect in effects])


def _row(labels: Mapping[Whose, str], run: int, effect: Effect, axis: Axis) -> EffectRow:
    difference = effect.difference
    at = axis.at(difference.points)
    return EffectRow(
        condition=word(label_of(effect.condition) or USUAL_NAME),
        label=labels[run, effect.model, label_of(effect.condition)],
        beside=labels[run, effect.model, label_of(effect.beside)],
        task=word(effect.task),
        problems=f"{effect.problems:,}",
        percent=f"{effect.percent:.1f}",
        percent_beside=f"{effect.percent_beside:.1f}",
        points=figures.points_of(difference),
        interval=figures.interval_of(difference),
        better=f"{effect.better:,}",
        worse=f"{effect.worse:,}",
        p=figures.p_of(effect.p) + figures.star(effect.p_holm),
        way=_way(effect),
        low=at if difference.low is None else axis.at(difference.low),
        at=at,
        high=at if difference.high is None else axis.at(difference.high),
    )


def _way(effect: Effect) -> str:
    """What can be told from chance, all tests of the run considered."""
    if effect.p_holm >= SIGNIFICANT:
        return "unclear"
    return "better" if effect.difference.points > 0 else "worse"


def _reach(differences: Iterable[Difference]) -> int:
    """The smallest scale that holds all of them with their intervals."""
    ends = (end for one in differences for end in (one.points, one.low, one.high) if end is not None)
    farthest = max(map(abs, ends))
    return next((reach for reach in _REACHES if farthest <= reach), 100)
