"""Differences of models to one of them, and between conditions; both on a scale with
their intervals.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import ceil
from typing import NamedTuple

from pytest_llmarith.report.axis import Axis
from pytest_llmarith.report.page.charts import Share, overall_share, share
from pytest_llmarith.report.series import PageRun, Series, asked_in_runs, short_name
from pytest_llmarith.results.compare_rows import model_differences
from pytest_llmarith.results.keys import label_of
from pytest_llmarith.statistics.pairs import SIGNIFICANT
from pytest_llmarith.summaries import (
    Difference,
    Effect,
    ModelDifference,
    Result,
)
from pytest_llmarith.types import Outcome


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
    correct: Mapping[str, Share | None]  # by model
    simulated: Collection[str]
    variants: Sequence[str]
    matrix: Sequence[tuple[str, Sequence[Share | None]]]


def rankings(runs: Sequence[PageRun], series: Sequence[Series]) -> list[Ranking]:
    """One for each task that two models or more were asked.

    Models are compared with the baseline of the first run, else with its first model,
    and not with the best one: of equal models the one that is best by chance would seem
    to be better than others. All tests are corrected together.
    """
    baseline = _baseline(runs, series)
    differences = model_differences(asked_in_runs(runs, series), baseline)
    found = []
    for task in dict.fromkeys(
        result.task for one in series for result in one.results if not result.searched
    ):
        results = {
            one.label: result
            for one in series
            for result in one.results
            if result.task == task
        }
        if len(results) > 1:
            found.append(
                _ranking(
                    task,
                    baseline,
                    [one for one in differences if one.task == task],
                    results,
                )
            )
    return found


def _baseline(runs: Sequence[PageRun], series: Sequence[Series]) -> str:
    """The label of the model with which all others are compared."""
    for one in series:
        run, model, condition = one.key
        if run == 0 and model == runs[0].summary.run.baseline and not condition:
            return one.label
    return series[0].label if series else ""


def _ranking(
    task: str,
    baseline: str,
    differences: Sequence[ModelDifference],
    results: dict[str, Result],
) -> Ranking:
    correct = {
        label: overall_share(result, Outcome.CORRECT)
        for label, result in results.items()
    }
    simulated = [label for label, result in results.items() if result.simulated]
    compared: dict[str, ModelDifference | None] = {
        one.model: one for one in differences
    }
    if compared:
        compared[baseline] = None

    def by_share(label: str) -> float:
        found = correct[label]
        return -found.percent if found else 1

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
    axis = _axis(one.difference for one in differences)
    shown = matrix if variants else ()
    return Ranking(
        short_name(task),
        baseline,
        axis,
        places,
        others,
        correct,
        simulated,
        variants,
        shown,
    )


# --- conditions -----------------------------------------------------------------------


class Effects(NamedTuple):
    """All effects on one scale, each with the labels of its model in the condition and
    in the other one.
    """

    axis: Axis
    rows: Sequence[tuple[str, str, Effect]]


def effects(runs: Sequence[PageRun], series: Sequence[Series]) -> Effects | None:
    """The effects of all runs; None if there are none."""
    labels = {one.key: one.label for one in series}
    rows = [
        (
            labels[number, one.model, label_of(one.condition)],
            labels[number, one.model, label_of(one.beside)],
            one,
        )
        for number, run in enumerate(runs)
        for one in run.summary.effects
    ]
    return Effects(_axis(one.difference for _, _, one in rows), rows) if rows else None
