"""Differences between models, which are ranked, and between conditions; both on a scale with their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from pytest_llmarith.records import Difference, Effect, Result
from pytest_llmarith.results.differences import SIGNIFICANT
from pytest_llmarith.results.keys import USUAL_NAME, label_of
from pytest_llmarith.results.page.charts import Axis, Share, overall_share, share
from pytest_llmarith.results.ranking import Place, rank
from pytest_llmarith.results.series import PageRun, Series, questions_of, short_name
from pytest_llmarith.types import Outcome


def _axis(differences: Iterable[Difference]) -> Axis:
    """A scale with the same number of points on either side of 0 that holds all intervals."""
    ends = [end for one in differences for end in (one.points, one.low, one.high) if end is not None]
    reach = max(10, 10 * ceil(max(map(abs, ends), default=0) / 10))
    return Axis(-reach, reach, 0, 100)


def direction(difference: Difference | None, p_holm: float | None) -> str:
    """`better` or `worse` if the difference is significant after Holm's correction, else `unclear`."""
    if difference is None or p_holm is None or p_holm >= SIGNIFICANT:
        return "unclear"
    return "better" if difference.points > 0 else "worse"


@dataclass(frozen=True, slots=True)
class RankedModel:
    """The place of a model, and its difference to the best model; None for the best one itself."""

    place: Place
    difference: Difference | None
    correct: Share | None
    is_first: bool  # of its group
    simulated: bool

    @property
    def direction(self) -> str:
        return direction(self.difference, self.place.p_holm)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranked models of one task, and the models with other questions.

    `matrix` has the share of each variant, the models in the order of the ranks.
    """

    task: str
    axis: Axis
    rows: Sequence[RankedModel]
    unranked: Sequence[str]
    variants: Sequence[str]
    matrix: Sequence[tuple[str, Sequence[Share | None]]]


def rankings(runs: Sequence[PageRun], series: Sequence[Series]) -> list[Ranking]:
    """One for each task that two models or more were asked."""
    found = []
    for task in dict.fromkeys(result.task for one in series for result in one.results if not result.breaking_points):
        results = {one.label: result for one in series for result in one.results if result.task == task}
        if len(results) > 1:
            places, unranked = rank(questions_of(runs, series, task))
            ranked = places if len(places) > 1 else []  # one alone is compared with itself
            found.append(_ranking(task, ranked, unranked if ranked else list(results), results))
    return found


def _ranking(task: str, places: Sequence[Place], unranked: Sequence[str], results: dict[str, Result]) -> Ranking:
    correct = {label: overall_share(result, Outcome.CORRECT) for label, result in results.items()}
    rows = [
        RankedModel(
            place,
            place.difference.in_points if place.difference else None,
            correct[place.key],
            is_first=number == 0 or places[number - 1].group != place.group,
            simulated=results[place.key].simulated,
        )
        for number, place in enumerate(places)
    ]
    others = sorted(unranked, key=lambda label: -found.percent if (found := correct[label]) else 1)
    order = [*(place.key for place in places), *others]
    variants = list(dict.fromkeys(one.variant for label in order for one in results[label].variants))
    matrix = []
    for label in order:
        shares = {one.variant: share(one.correct, one.measured) for one in results[label].variants}
        matrix.append((label, [shares.get(variant) for variant in variants]))
    axis = _axis(row.difference for row in rows if row.difference)
    return Ranking(short_name(task), axis, rows, others, variants, matrix if variants else ())


@dataclass(frozen=True, slots=True)
class EffectRow:
    """The effect of a condition, compared with the same model in another condition."""

    condition: str
    label: str
    beside: str
    effect: Effect


@dataclass(frozen=True, slots=True)
class Effects:
    """All effects on one scale."""

    axis: Axis
    rows: Sequence[EffectRow]


def effects(runs: Sequence[PageRun], series: Sequence[Series]) -> Effects | None:
    """The effects of all runs; None if there are none."""
    labels = {one.key: one.label for one in series}
    rows = [
        EffectRow(
            short_name(label_of(effect.condition) or USUAL_NAME),
            labels[number, effect.model, label_of(effect.condition)],
            labels[number, effect.model, label_of(effect.beside)],
            effect,
        )
        for number, run in enumerate(runs)
        for effect in run.summary.effects
    ]
    return Effects(_axis(row.effect.difference for row in rows), rows) if rows else None
