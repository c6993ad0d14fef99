"""What is compared with what: models, conditions, and the two sides of `compare`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from statistics import fmean
from typing import NamedTuple

from pytest_llmarith.figures.contrasts import (
    DIFFERENCE,
    SCORES,
    Compared,
    Contrast,
    rows,
)
from pytest_llmarith.figures.estimates import Place
from pytest_llmarith.results.keys import USUAL_NAME, condition_name, label_of
from pytest_llmarith.results.questions import (
    AskedQuestions,
    CountedQuestion,
    Pair,
    pair,
    with_other_prompts,
)
from pytest_llmarith.statistics.intervals import in_percent
from pytest_llmarith.statistics.pairs import FEWEST_TESTED, Sides, compare_pairs
from pytest_llmarith.statistics.proportions import Cluster
from pytest_llmarith.statistics.strata import compare_strata

# --- of a run -------------------------------------------------------------------------


def model_differences(
    results: Iterable[AskedQuestions], baseline: str
) -> list[Compared]:
    """Each other model compared with the baseline by the questions that both have
    answered, one row per task.

    Models that share less than half of their questions are left out.
    """
    asked = by_model(results)
    family = []
    for (task, model), of_model in asked.items():
        if model == baseline or (task, baseline) not in asked:
            continue
        # Not all models at once: of a large run these are many.
        first = [*chain.from_iterable(asked[task, baseline])]
        questions = [*chain.from_iterable(of_model)]
        pairs, _, _ = pair(first, questions)
        sides = sides_of(answered(pairs))
        if sides and 2 * len(pairs) >= min(len(first), len(questions)):
            place = Place(model, task, None)
            family.append(Contrast(DIFFERENCE, place, "model", baseline, sides))
    return rows(family)


def by_model(
    results: Iterable[AskedQuestions],
) -> Mapping[tuple[str, str], Sequence[Iterable[CountedQuestion]]]:
    """The questions of all conditions, by task and model."""
    asked: defaultdict[tuple[str, str], list[Iterable[CountedQuestion]]]
    asked = defaultdict(list)
    for each in results:
        asked[each.task, each.model].append(each.questions)
    return asked


def effects(results: Iterable[AskedQuestions]) -> list[Compared]:
    """Each condition of a model and task compared with the first one, by problems whose
    prompts differ.
    """
    asked: defaultdict[tuple[str, str], list[AskedQuestions]] = defaultdict(list)
    for each in results:
        asked[each.model, each.task].append(each)
    family = []
    for (model, task), (beside, *others) in asked.items():
        for other in others:
            pairs, _, _ = pair(beside.questions, other.questions, any_prompt=True)
            differing, same = with_other_prompts(answered(pairs))
            if not differing and not same:
                continue
            contrast = Contrast(
                DIFFERENCE,
                Place(model, task, label_of(other.condition)),
                "condition",
                condition_name(beside.condition),
                sides_of(differing),
                same_prompts=len(same),
            )
            family.append(contrast)
    return rows(family)


# --- of two sides ---------------------------------------------------------------------


class _Group(NamedTuple):
    """The trials of a row: all, or those of a task, condition or variant."""

    task: str | None = None
    condition: str | None = None
    variant: str | None = None


def parts_of(pairs: Iterable[Pair], model: str, beside: str) -> list[Contrast]:
    """All that both sides have answered, and each task, condition and variant of it.

    The pairs are questions or cells. Parts that repeat what they belong to are left
    out: the only task, condition or variant.
    """
    groups: defaultdict[_Group, list[Pair]] = defaultdict(list)
    for each in answered(pairs):
        one, _ = each
        of_condition = _Group(one.task, one.condition or USUAL_NAME)
        of_variant = _Group(one.task, variant=one.variant or None)
        for group in {_Group(), _Group(one.task), of_condition, of_variant}:
            groups[group].append(each)
    family = []
    for group in _shown(groups):
        family.append(
            Contrast(
                DIFFERENCE,
                Place(model, *group),
                "side",
                beside,
                sides_of(groups.get(group, ())),
                fewest=FEWEST_TESTED if group.task else 1,
            )
        )
    return family


def _shown(groups: Mapping[_Group, Sequence[Pair]]) -> Iterator[_Group]:
    """The groups without those that repeat another one, in order."""

    def order(group: _Group) -> tuple[int, str]:
        one, _ = groups[group][0]
        if group.variant:
            return one.variant_place, group.variant
        return 0, group.condition or ""

    yield _Group()
    tasks = sorted({group.task for group in groups if group.task})
    for task in tasks:
        if len(tasks) > 1:
            yield _Group(task)
        of_task = [group for group in groups if group.task == task]
        conditions = [group for group in of_task if group.condition]
        variants = [group for group in of_task if group.variant]
        for parts in (conditions, variants):
            if len(parts) > 1:
                yield from sorted(parts, key=order)


def scores_of(pairs: Iterable[Pair], model: str, beside: str) -> list[Contrast]:
    """The mean scores of each task that has some between 0 and 1.

    The repeats and conditions of a problem are averaged.
    """
    tasks: defaultdict[str, list[Pair]] = defaultdict(list)
    for one, other in answered(pairs):
        tasks[one.task].append((one, other))
    family = []
    for task, of_task in sorted(tasks.items()):
        if any(one.has_fractions or other.has_fractions for one, other in of_task):
            sides = _mean_scores(of_task)
            place = Place(model, task, None)
            family.append(Contrast(SCORES, place, "side", beside, sides, FEWEST_TESTED))
    return family


def _mean_scores(pairs: Iterable[Pair]) -> list[tuple[float, float]]:
    """The scores of each problem on both sides."""
    problems: defaultdict[int, list[Pair]] = defaultdict(list)
    for one, other in pairs:
        problems[one.problem].append((one, other))
    means = []
    for of_problem in problems.values():
        firsts, seconds = [], []
        for one, other in of_problem:
            firsts.append(one.score / one.answered)
            seconds.append(other.score / other.answered)
        means.append((fmean(firsts), fmean(seconds)))
    return means


def at_worst(pairs: Iterable[Pair], *, paired: bool) -> float:
    """The points over all if unanswered trials were correct on the first side and wrong
    on the second.
    """
    worst = []
    for one, other in pairs:
        all_correct = one.correct + one.unanswered
        first = replace(one, answered=one.asked, correct=all_correct)
        worst.append((first, replace(other, answered=other.asked)))
    if not worst:
        return 0.0
    test = compare_pairs if paired else compare_strata
    found = test(sides_of(worst))
    return in_percent(found.second - found.first)


# --- pairs ----------------------------------------------------------------------------


def answered(pairs: Iterable[Pair]) -> list[Pair]:
    return [(one, other) for one, other in pairs if one.answered and other.answered]


def sides_of(pairs: Iterable[Pair]) -> list[Sides]:
    """The trials of each problem: all its conditions and repeats count as one question,
    as they are correlated.
    """
    problems: dict[int, Sides] = {}
    for one, other in pairs:
        first, second = problems.get(one.problem, (Cluster(0, 0), Cluster(0, 0)))
        problems[one.problem] = (
            Cluster.of((first, one.measured)),
            Cluster.of((second, other.measured)),
        )
    return list(problems.values())
