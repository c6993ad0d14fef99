"""Effects of conditions on answers, and of the values of a parameter on reasoning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from pytest_llmarith.results.compare_rows import (
    answered_pairs,
    correct_for_tests,
    sides_of,
)
from pytest_llmarith.results.keys import neighbours
from pytest_llmarith.results.percentages import difference_of
from pytest_llmarith.results.questions import (
    AskedQuestions,
    Question,
    pair,
    with_other_prompts,
)
from pytest_llmarith.statistics.intervals import in_percent
from pytest_llmarith.statistics.pairs import compare_pairs
from pytest_llmarith.statistics.ratios import MeanRatio, mean_ratio
from pytest_llmarith.summaries import Effect, ReasoningRatio, SameWords
from pytest_llmarith.types import Model


def effects(results: Iterable[AskedQuestions]) -> tuple[list[Effect], list[SameWords]]:
    """Each condition of a model and task compared with the first one, and how many
    prompts are the same in both.
    """
    families: defaultdict[tuple[str, str], list[AskedQuestions]] = defaultdict(list)
    for each in results:
        families[each.model, each.task].append(each)
    found, alike = [], []
    for (model, task), (beside, *others) in families.items():
        for other in others:
            pairs, _, _ = pair(beside.questions, other.questions, any_prompt=True)
            differing, same = with_other_prompts(answered_pairs(pairs))
            whose = model, task, other.condition, beside.condition
            if same:
                alike.append(SameWords(*whose, problems=len(same)))
            sides = sides_of(differing)
            if not sides:
                continue
            test = compare_pairs(sides)
            found.append(
                Effect(
                    *whose,
                    problems=len(sides),
                    percent=in_percent(test.second),
                    percent_beside=in_percent(test.first),
                    difference=difference_of(test),
                    better=test.better,
                    worse=test.worse,
                    p=test.p,
                    p_holm=test.p,  # until the tests are corrected
                )
            )
    correct_for_tests(found)
    return found, alike


def reasoning_ratios(
    models: Sequence[Model], results: Iterable[AskedQuestions]
) -> list[ReasoningRatio]:
    """The reasoning tokens of models with neighbouring values of a parameter, and of
    the last with the first value.

    They are over the questions of all tasks. One is added to each count, as it may be
    0. If no reply has reasoning tokens, or their number is unknown, there is no ratio.
    The conditions and repeats of a problem are one question, and have one ratio, their
    mean. All tests are corrected together.
    """
    asked: defaultdict[str, list[Question]] = defaultdict(list)
    for each in results:
        asked[each.model] += each.questions
    found: list[ReasoningRatio] = []
    means: list[MeanRatio] = []
    for parameter, before, model in _steps_and_sweeps(models):
        pairs, _, _ = pair(asked[before.name], asked[model.name])
        has_reasoning, truncated = False, 0
        logarithms: defaultdict[int, list[float]] = defaultdict(list)
        for one, other in pairs:
            if not one.counted or not other.counted:
                continue
            if one.truncated or other.truncated:
                truncated += 1
                continue
            if one.reasoning or other.reasoning:
                has_reasoning = True
            ratio = other.reasoning / other.counted - one.reasoning / one.counted
            logarithms[one.problem].append(ratio)
        if not has_reasoning:
            continue
        mean = mean_ratio([fmean(each) for each in logarithms.values()], truncated)
        means.append(mean)
        found.append(
            ReasoningRatio(
                model=model.name,
                beside=before.name,
                parameter=parameter,
                questions=len(logarithms),
                truncated=truncated,
                ratio=mean.ratio,
                low=mean.low,
                high=mean.high,
                effect="cannot tell",  # until the tests are corrected
                p=mean.p,
            )
        )
    correct_for_tests(found)
    for row, mean in zip(found, means, strict=True):
        row.effect = mean.effect(row.p_holm)
    return found


def _steps_and_sweeps(models: Sequence[Model]) -> list[tuple[str, Model, Model]]:
    """A parameter, and two models that differ in it: neighbours, then the first and the
    last one of each sweep.
    """
    steps = list(neighbours(models))
    firsts: dict[tuple[str, str], Model] = {}  # by parameter and last model so far
    lasts: dict[tuple[str, str], Model] = {}
    for parameter, before, model in steps:
        firsts[parameter, model.name] = firsts.pop((parameter, before.name), before)
        lasts[parameter, model.name] = model
    found = list(steps)
    for (parameter, name), first in firsts.items():
        sweep = parameter, first, lasts[parameter, name]
        if sweep not in steps:
            found.append(sweep)
    return found
