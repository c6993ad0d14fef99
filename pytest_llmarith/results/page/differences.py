"""The part Differences: models that were asked the same questions, ranked, with a forest plot of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_llmarith.records import Difference, Result
from pytest_llmarith.results.differences import SIGNIFICANT
from pytest_llmarith.results.page.charts import Axis, Share, overall_share, share
from pytest_llmarith.results.ranking import Place, rank
from pytest_llmarith.results.series import PageRun, Series, questions_of, short_name
from pytest_llmarith.types import Outcome

_SCALES = (5, 10, 20, 30, 40, 60, 80)  # points on either side of 0


@dataclass(frozen=True, slots=True)
class RankedModel:
    """A model, its group, and its difference to the best model; None for the best one itself."""

    label: str
    group: int
    is_first: bool  # of its group
    correct: Share | None
    difference: Difference | None
    pairs: int
    p: float | None
    p_holm: float | None
    simulated: bool

    @property
    def direction(self) -> str:
        """`worse` if the difference is significant after Holm's correction, else `unclear`."""
        return "worse" if self.p_holm is not None and self.p_holm < SIGNIFICANT else "unclear"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranked models of one task, with differences up to `reach` points, and the models with other questions."""

    task: str
    best: str
    reach: int
    axis: Axis
    rows: Sequence[RankedModel]
    unranked: Sequence[str]
    variants: Sequence[str]
    matrix: Sequence[tuple[str, Sequence[Share | None]]]  # the share of each variant, in the order of the ranks


def rankings(runs: Sequence[PageRun], series: Sequence[Series]) -> list[Ranking]:
    """One for each task that two models or more were asked."""
    found = []
    for task in dict.fromkeys(result.task for one in series for result in one.results if not result.breaking_points):
        results = {one.label: result for one in series for result in one.results if result.task == task}
        if len(results) > 1:
            places, unranked = rank(questions_of(runs, series, task))
            found.append(_ranking(task, places, unranked, results))
    return found


def _ranking(task: str, places: Sequence[Place[str]], unranked: Sequence[str], results: dict[str, Result]) -> Ranking:
    rows = []
    for number, place in enumerate(places):
        found, result = place.difference, results[place.key]
        rows.append(
            RankedModel(
                label=place.key,
                group=place.group,
                is_first=number == 0 or places[number - 1].group != place.group,
                correct=overall_share(result, Outcome.CORRECT),
                difference=found and found.in_points,
                pairs=place.pairs,
                p=found.p if found else None,
                p_holm=place.p_holm,
                simulated=result.simulated,
            )
        )
    ends = [end for row in rows if (one := row.difference) for end in (one.points, one.low, one.high)]
    farthest = max((abs(end) for end in ends if end is not None), default=0)
    reach = next((reach for reach in _SCALES if farthest <= reach), 100)
    if len(rows) == 1:  # with itself
        rows, unranked = [], list(results)
    others = sorted(unranked, key=lambda label: -_percent(results[label]))
    order = [*(row.label for row in rows), *others]
    variants = list(dict.fromkeys(one.variant for label in order for one in results[label].variants))
    matrix = []
    for label in order:
        shares = {one.variant: share(one.correct, one.measured) for one in results[label].variants}
        matrix.append((label, [shares.get(variant) for variant in variants]))
    return Ranking(
        task=short_name(task),
        best=rows[0].label if rows else "",
        reach=reach,
        axis=Axis(-reach, reach, 0, 100),
        rows=rows,
        unranked=others,
        variants=variants,
        matrix=matrix if variants else (),
    )


def _percent(result: Result) -> float:
    """Correct answers, -1 if a cell has no reply."""
    correct = overall_share(result, Outcome.CORRECT)
    return correct.percent if correct else -1
