"""Differences of models to one of them, between conditions, and between repeats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import NamedTuple

from msgspec import structs

from pytest_llmarith.report import kinds
from pytest_llmarith.report.axis import Axis
from pytest_llmarith.report.data_tables import effect_items
from pytest_llmarith.report.definitions.differences import DIFFERENCES, EFFECTS, Side
from pytest_llmarith.report.definitions.replies import REPEATS, repeat_items
from pytest_llmarith.report.definitions.results import correct_of, trials_of
from pytest_llmarith.report.page.charts import Share, share
from pytest_llmarith.report.render.html import View, view
from pytest_llmarith.report.series import (
    PageRun,
    ResultOfRun,
    Series,
    differences_between,
    short_name,
)
from pytest_llmarith.report.table import Level
from pytest_llmarith.statistics.pairs import SIGNIFICANT
from pytest_llmarith.summaries import Difference, ModelDifference, Result


def _axis(differences: Iterable[Difference]) -> Axis:
    """A scale with the same number of points on either side of 0 that holds all
    intervals.
    """
    ends = [
        end
        for one in differences
        for end in (one.points, one.low, one.high)
        if end is not None
    ]
    reach = max(10, 10 * ceil(max(map(abs, ends), default=0) / 10))
    return Axis(-reach, reach, 0, 100)


def direction(difference: Difference | None, p_holm: float | None) -> str:
    """`better` or `worse` if the difference is significant after Holm's correction,
    else `unclear`.
    """
    if difference is None or p_holm is None or p_holm >= SIGNIFICANT:
        return "unclear"
    return "better" if difference.points > 0 else "worse"


# --- models ---------------------------------------------------------------------------


class Place(NamedTuple):
    """The place of a model, with its comparison with the baseline, which has none
    itself.
    """

    key: str  # of the model
    compared: ModelDifference | None

    @property
    def direction(self) -> str:
        return (
            direction(self.compared.difference, self.compared.p_holm)
            if self.compared
            else "unclear"
        )


class Ranking(NamedTuple):
    """The models of one task that were asked the questions of the baseline, best first,
    and all others.

    `matrix` has the share of each variant, the models in the order of the ranks.
    """

    task: str
    baseline: str
    axis: Axis
    places: Sequence[Place]
    unranked: Sequence[str]
    shown: View
    variants: Sequence[str]
    matrix: Sequence[tuple[str, Sequence[Share | None]]]


def rankings(
    runs: Sequence[PageRun], series: Sequence[Series], rows: Sequence[ResultOfRun]
) -> list[Ranking]:
    """One for each task that two models or more were asked."""
    differences = differences_between(runs, series, rows)
    if len(runs) == 1:
        differences = _labelled(differences, series)
    found = []
    measured = [row for row in rows if not row.result.searched]
    for task in dict.fromkeys(row.result.task for row in measured):
        of_task = [one for one in differences if one.task == task]
        names = {name for one in of_task for name in (one.model, one.baseline)}
        results: dict[str, Result] = {}
        for row in measured:
            if row.result.task != task:
                continue
            # The models of one run are compared in all conditions together.
            in_all = row.label not in names and row.result.model in names
            name = row.result.model if in_all else row.label
            results.setdefault(name, row.result)
        if len(results) > 1:
            found.append(_ranking(task, of_task, results))
    return found


def _labelled(
    differences: Sequence[ModelDifference], series: Sequence[Series]
) -> list[ModelDifference]:
    """Differences between models of one run, with the labels of those that have no
    other condition.
    """
    labels: dict[str, list[str]] = {}
    for one in series:
        labels.setdefault(one.key[1], []).append(one.label)
    names = {model: some[0] for model, some in labels.items() if len(some) == 1}
    return [
        structs.replace(
            one,
            model=names.get(one.model, one.model),
            baseline=names.get(one.baseline, one.baseline),
        )
        for one in differences
    ]


def _ranking(
    task: str, differences: Sequence[ModelDifference], results: Mapping[str, Result]
) -> Ranking:
    compared: dict[str, ModelDifference | None] = {
        one.model: one for one in differences
    }
    baseline = differences[0].baseline if differences else ""
    if compared:
        compared[baseline] = None

    def by_share(label: str) -> float:
        found = correct_of(results[label])
        return -found.percent if found and found.percent is not None else 1

    places = [Place(label, compared[label]) for label in sorted(compared, key=by_share)]
    others = sorted((label for label in results if label not in compared), key=by_share)
    order = [*(place.key for place in places), *others]
    variants = list(
        dict.fromkeys(one.variant for label in order for one in results[label].variants)
    )
    of_variants = ((label, one) for label in order for one in results[label].variants)
    shares = {
        (label, one.variant): share(one.correct, one.measured)
        for label, one in of_variants
    }
    matrix = [
        (label, [shares.get((label, variant)) for variant in variants])
        for label in order
    ]
    return Ranking(
        task=short_name(task),
        baseline=baseline,
        axis=_axis(one.difference for one in differences),
        places=places,
        unranked=others,
        shown=_shown(places, task, baseline, results),
        variants=variants,
        matrix=matrix if variants else (),
    )


def _shown(
    places: Sequence[Place], task: str, baseline: str, results: Mapping[str, Result]
) -> View:
    """The table of differences, with a mark on the baseline."""
    items = []
    for place in places:
        result = results[place.key]
        marks = ("simulated",) if result.simulated else ()
        if place.compared is None:
            marks = (*marks, "baseline")
        model = kinds.Model(place.key, result.model, marks)
        items.append(Side(model, baseline, task, place.compared, correct_of(result)))
    table = DIFFERENCES.table(
        items, Level.PAGE, trials=lambda item: {"model": item.model.label}
    )
    return view(table.without("task"), [place.direction for place in places])


# --- conditions -----------------------------------------------------------------------


def effects(runs: Sequence[PageRun], series: Sequence[Series]) -> View | None:
    """The effects of the conditions of all runs; None if there are none."""
    items = list(effect_items(runs, series))
    if not items:
        return None
    table = EFFECTS.table(
        items,
        Level.PAGE,
        trials=lambda item: {
            "model": item.model.label,
            "task": short_name(item.task),
        },
    )
    directions = [direction(item.one.difference, item.one.p_holm) for item in items]
    return view(table, directions)


# --- repeats --------------------------------------------------------------------------


def repeats(rows: Sequence[ResultOfRun]) -> View | None:
    """The agreement of repeats; None if there are none."""
    items = repeat_items(rows)
    return view(REPEATS.table(items, Level.PAGE, trials=trials_of)) if items else None
