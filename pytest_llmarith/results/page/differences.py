"""Differences between models, which are ranked, and between conditions; both on a scale with their intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import ceil, fsum
from typing import NamedTuple

from pytest_llmarith.records import Difference, Effect, Result
from pytest_llmarith.results.differences import SIGNIFICANT, DifferenceOfShares, compare_pairs, holm
from pytest_llmarith.results.keys import label_of
from pytest_llmarith.results.page.charts import Axis, Share, overall_share, share
from pytest_llmarith.results.questions import Question
from pytest_llmarith.results.series import PageRun, Series, asked_in_runs, short_name
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


# --- models ---------------------------------------------------------------------------------------------------------

_Asked = Mapping[tuple[int, str], Question]  # by problem and condition


class Place(NamedTuple):
    """The place of a model, compared with the best one.

    `group` is counted from 1. A model is in the group of a better one, the best of that group, if their paired
    difference is not significant after Holm's correction. `pairs` is how many questions both have answered.
    """

    key: str  # of the model
    group: int
    pairs: int
    compared: DifferenceOfShares | None  # with the best of all; None for the best one itself
    p_holm: float | None

    @property
    def difference(self) -> Difference | None:
        return self.compared and self.compared.in_points

    @property
    def direction(self) -> str:
        return direction(self.difference, self.p_holm)


def rank(asked: Mapping[str, Collection[Question]]) -> tuple[list[Place], list[str]]:
    """The places of the models that were asked the same questions, best first, and all other models.

    If models were asked different questions, the most frequent set of questions counts, and of these the largest.
    """
    questions = {key: {(one.problem, one.condition): one for one in mine} for key, mine in asked.items()}
    sets = Counter(frozenset(mine) for mine in questions.values() if mine)
    same = max(sets, key=lambda one: (sets[one], len(one)), default=frozenset[tuple[int, str]]())
    alike = [key for key, mine in questions.items() if mine and mine.keys() == same]
    order = sorted(alike, key=lambda key: -_mean(questions[key]))
    order = [key for key in order if _have_same_prompts(questions[order[0]], questions[key])]
    others = [key for key in asked if key not in order]
    groups: dict[str, int] = {}
    while ungrouped := [key for key in order if key not in groups]:
        number, best = len(set(groups.values())) + 1, ungrouped[0]
        corrected = [p for _, _, p in _compared(questions, best, ungrouped)]
        groups[best] = number
        groups |= {key: number for key, p in zip(ungrouped[1:], corrected, strict=True) if p >= SIGNIFICANT}
    places = [Place(key, groups[key], 0, None, None) for key in order[:1]]
    for key, (pairs, difference, p) in zip(
        order[1:], _compared(questions, order[0], order) if order else (), strict=True
    ):
        places.append(Place(key, groups[key], pairs, difference, p))
    return sorted(places, key=lambda place: place.group), others


def _compared(
    questions: Mapping[str, _Asked], best: str, order: Sequence[str]
) -> list[tuple[int, DifferenceOfShares | None, float]]:
    """All others compared with the best one: pairs, the difference and Holm's p; without pairs p is 1."""
    found = []
    for key in order:
        if key != best:
            both = [(one, questions[key][place]) for place, one in questions[best].items()]
            pairs = [(one.measured, other.measured) for one, other in both if one.answered and other.answered]
            found.append((len(pairs), compare_pairs(pairs) if pairs else None))
    corrected = holm([difference.p if difference else 1.0 for _, difference in found])
    return [(pairs, difference, p) for (pairs, difference), p in zip(found, corrected, strict=True)]


def _mean(questions: _Asked) -> float:
    answered = [one for one in questions.values() if one.answered]
    return fsum(one.measured.share for one in answered) / max(1, len(answered))


def _have_same_prompts(first: _Asked, second: _Asked) -> bool:
    """Whether no prompt differs; an unknown one may be the same."""
    prompts = ((one.prompt, second[place].prompt) for place, one in first.items())
    return all(None in both or both[0] == both[1] for both in prompts)


class Ranking(NamedTuple):
    """The places of the models of one task, and the models with other questions.

    `matrix` has the share of each variant, the models in the order of the ranks.
    """

    task: str
    axis: Axis
    places: Sequence[Place]
    unranked: Sequence[str]
    correct: Mapping[str, Share | None]  # by model
    simulated: Collection[str]
    variants: Sequence[str]
    matrix: Sequence[tuple[str, Sequence[Share | None]]]


def rankings(runs: Sequence[PageRun], series: Sequence[Series]) -> list[Ranking]:
    """One for each task that two models or more were asked."""
    found, asked = [], asked_in_runs(runs, series)
    for task in dict.fromkeys(result.task for one in series for result in one.results if not result.searched):
        results = {one.label: result for one in series for result in one.results if result.task == task}
        if len(results) > 1:
            places, unranked = rank({one.model: list(one.questions) for one in asked if one.task == task})
            ranked = places if len(places) > 1 else []  # one alone is compared with itself
            found.append(_ranking(task, ranked, unranked if ranked else list(results), results))
    return found


def _ranking(task: str, places: Sequence[Place], unranked: Sequence[str], results: dict[str, Result]) -> Ranking:
    correct = {label: overall_share(result, Outcome.CORRECT) for label, result in results.items()}
    simulated = [label for label, result in results.items() if result.simulated]
    others = sorted(unranked, key=lambda label: -found.percent if (found := correct[label]) else 1)
    order = [*(place.key for place in places), *others]
    variants = list(dict.fromkeys(one.variant for label in order for one in results[label].variants))
    of_variants = ((label, one) for label in order for one in results[label].variants)
    shares = {(label, one.variant): share(one.correct, one.measured) for label, one in of_variants}
    matrix = [(label, [shares.get((label, variant)) for variant in variants]) for label in order]
    axis = _axis(place.difference for place in places if place.difference)
    return Ranking(short_name(task), axis, places, others, correct, simulated, variants, matrix if variants else ())


# --- conditions -----------------------------------------------------------------------------------------------------


class Effects(NamedTuple):
    """All effects on one scale, each with the labels of its model in the condition and in the other one."""

    axis: Axis
    rows: Sequence[tuple[str, str, Effect]]


def effects(runs: Sequence[PageRun], series: Sequence[Series]) -> Effects | None:
    """The effects of all runs; None if there are none."""
    labels = {one.key: one.label for one in series}
    rows = [
        (labels[number, one.model, label_of(one.condition)], labels[number, one.model, label_of(one.beside)], one)
        for number, run in enumerate(runs)
        for one in run.summary.effects
    ]
    return Effects(_axis(one.difference for _, _, one in rows), rows) if rows else None
