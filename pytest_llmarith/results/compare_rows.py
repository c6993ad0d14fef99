"""Computes comparisons: rows with differences and tests, effects of conditions,
differences between models.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

from pytest_llmarith import records, summaries
from pytest_llmarith.records import Part
from pytest_llmarith.results.keys import USUAL_NAME, neighbours
from pytest_llmarith.results.percentages import difference_of
from pytest_llmarith.results.questions import (
    Pair,
    Question,
    Questions,
    pair,
    with_other_prompts,
)
from pytest_llmarith.statistics.intervals import in_percent
from pytest_llmarith.statistics.pairs import (
    FEWEST_TESTED,
    DifferenceOfShares,
    Table,
    compare_means,
    compare_pairs,
    holm,
)
from pytest_llmarith.statistics.plans import detectable
from pytest_llmarith.statistics.ratios import MeanRatio, mean_ratio
from pytest_llmarith.statistics.shares import Cluster
from pytest_llmarith.statistics.strata import compare_strata
from pytest_llmarith.summaries import (
    Effect,
    ModelDifference,
    ReasoningRatio,
    SameWords,
)
from pytest_llmarith.types import Condition, Model


class Measured(Part):
    """The trials of one side.

    There are fewer `questions` than trials if some were asked several times.
    """

    correct: int
    measured: int
    questions: int
    percent: records.Percent | None


class Row(Part):
    """One row of a comparison."""

    kind: str  # all, task, condition or variant
    task: str | None
    name: str | None
    first: Measured
    second: Measured
    better: (
        int | None
    )  # questions that the second side got right more often; null without pairing
    worse: int | None
    difference: summaries.Difference | None
    p: records.Share | None  # null without a test
    p_holm: records.Share | None
    shown: (
        records.Points | None
    )  # the smallest difference that the pairs show with 80 % power


class DifferenceOfScores(Part):
    """The mean scores of a task on both sides, in percent, by problems that both have
    answered.
    """

    task: str
    problems: int
    first: records.Percent
    second: records.Percent
    better: int  # problems with a higher score on the second side
    worse: int
    difference: summaries.Difference
    p: records.Share | None  # of the paired t test over problems; null with few of them
    p_holm: records.Share | None = None


class _Group(NamedTuple):
    """The trials of a row: all, or those of a task, condition or variant."""

    kind: str
    task: str | None
    name: str | None


_ALL = _Group("all", None, None)


def _groups_of(question: Question) -> Iterator[_Group]:
    yield _ALL
    yield _Group("task", question.task, None)
    yield _Group("condition", question.task, question.condition or USUAL_NAME)
    if question.part:
        yield _Group("variant", question.task, question.part)


def _shown(groups: Mapping[_Group, Sequence[Pair]]) -> Iterator[_Group]:
    """All groups except those that repeat the row above them: the only task, condition
    or variant.
    """
    yield _ALL
    tasks = sorted({group.task for group in groups if group.task is not None})
    for task in tasks:
        if len(tasks) > 1:
            yield _Group("task", task, None)
        for kind in ("condition", "variant"):
            family = []
            for group, pairs in groups.items():
                if group.task == task and group.kind == kind:
                    one, _ = pairs[0]
                    place = one.variant_place if kind == "variant" else 0
                    family.append((place, group.name or "", group))
            if len(family) > 1:
                for _, _, group in sorted(family):
                    yield group


def rows_of(pairs: Iterable[Pair], *, paired: bool, other_tests: int = 0) -> list[Row]:
    """The rows for what both sides have answered; the first row is over all.

    The pairs are questions or, if not `paired`, cells in which the sides had different
    questions. `other_tests` are corrected together with those of the rows.
    """
    groups: defaultdict[_Group, list[Pair]] = defaultdict(list)
    for one, other in _answered(pairs):
        for group in _groups_of(one):
            groups[group].append((one, other))
    rows, found = [], []
    for group in _shown(groups):
        tables = _tables(groups[group])
        is_tested = not paired or group == _ALL or len(tables) >= FEWEST_TESTED
        compared = _compared(tables, paired=paired) if tables else None
        rows.append(_row(group, tables, compared, paired, is_tested))
        found.append(compared)
    tests = other_tests + sum(row.p is not None for row in rows)
    if paired:
        for row, compared in zip(rows, found, strict=True):
            row.shown = (
                _detectable(row.first.questions, compared, tests) if compared else None
            )
    return rows


def scores_of(pairs: Iterable[Pair]) -> list[DifferenceOfScores]:
    """The scores of each task that has some between 0 and 1.

    The repeats and conditions of a problem are averaged.
    """
    tasks: defaultdict[str, list[Pair]] = defaultdict(list)
    for one, other in _answered(pairs):
        tasks[one.task].append((one, other))
    rows = []
    for task, mine in sorted(tasks.items()):
        if not any(one.has_fractions or other.has_fractions for one, other in mine):
            continue
        problems: defaultdict[int, list[Pair]] = defaultdict(list)
        for one, other in mine:
            problems[one.problem].append((one, other))
        means = [
            (
                fmean(one.score / one.answered for one, _ in each),
                fmean(other.score / other.answered for _, other in each),
            )
            for each in problems.values()
        ]
        found = compare_means(means)
        p = found.p if len(means) >= FEWEST_TESTED else None
        first, second = in_percent(found.first), in_percent(found.second)
        row = DifferenceOfScores(
            task,
            len(means),
            first,
            second,
            found.better,
            found.worse,
            difference_of(found),
            p,
        )
        rows.append(row)
    return rows


def at_worst(pairs: Iterable[Pair], *, paired: bool) -> float:
    """The points over all if unanswered trials were correct on the first side and wrong
    on the second.
    """
    best = (
        (replace(one, answered=one.asked, correct=one.correct + one.unanswered), other)
        for one, other in pairs
    )
    found = [(one, replace(other, answered=other.asked)) for one, other in best]
    return (
        difference_of(_compared(_tables(found), paired=paired)).points if found else 0.0
    )


def _answered(pairs: Iterable[Pair]) -> list[Pair]:
    return [(one, other) for one, other in pairs if one.answered and other.answered]


def _tables(pairs: Iterable[Pair]) -> list[Table]:
    """The trials of each problem: all its conditions and repeats count as one question,
    as they are correlated.
    """
    problems: dict[int, Table] = {}
    for one, other in pairs:
        first, second = problems.get(one.problem, (Cluster(0, 0), Cluster(0, 0)))
        problems[one.problem] = (
            Cluster.of((first, one.measured)),
            Cluster.of((second, other.measured)),
        )
    return list(problems.values())


def _compared(tables: Collection[Table], *, paired: bool) -> DifferenceOfShares:
    return compare_pairs(tables) if paired else compare_strata(tables)


def _row(
    group: _Group,
    tables: Collection[Table],
    found: DifferenceOfShares | None,
    paired: bool,
    is_tested: bool,
) -> Row:
    """A row without what depends on the other ones: the corrected p and the smallest
    difference.
    """
    if found is None:
        nothing = Measured(0, 0, 0, None)
        return Row(*group, nothing, nothing, 0, 0, None, None, None, None)
    first, second = (Cluster.of(table[side] for table in tables) for side in (0, 1))
    return Row(
        *group,
        Measured(
            *first, len(tables) if paired else first.trials, in_percent(found.first)
        ),
        Measured(
            *second, len(tables) if paired else second.trials, in_percent(found.second)
        ),
        found.better if paired else None,
        found.worse if paired else None,
        difference_of(found),
        found.p if is_tested else None,
        None,
        None,
    )


def _detectable(questions: int, found: DifferenceOfShares, tests: int) -> float | None:
    smallest = detectable(questions, found, tests)
    return None if smallest is None else in_percent(smallest)


def correct_for_tests(
    rows: Iterable[
        Row | Effect | ModelDifference | ReasoningRatio | DifferenceOfScores
    ],
) -> None:
    """Set Holm's p in the rows that have a test."""
    tested = [(row, row.p) for row in rows if row.p is not None]
    for (row, _), p in zip(tested, holm([p for _, p in tested]), strict=True):
        row.p_holm = p


# --- in the summary of a run ----------------------------------------------------------


class OfCondition(NamedTuple):
    """The questions of one model and task in one condition; None is the usual
    condition.
    """

    model: str
    task: str
    condition: Condition | None
    questions: Questions


def model_differences(
    results: Iterable[OfCondition], baseline: str
) -> list[ModelDifference]:
    """Each other model compared with the baseline by the questions that both have
    answered, one row per task.

    Models that share less than half of their questions are left out.
    """
    asked: defaultdict[tuple[str, str], list[Question]] = defaultdict(list)
    for each in results:
        asked[each.task, each.model] += each.questions
    found: list[ModelDifference] = []
    tests: list[DifferenceOfShares] = []
    for (task, model), questions in asked.items():
        first = asked.get((task, baseline), [])
        pairs = pair(first, questions)[0] if model != baseline else []
        tables = _tables(_answered(pairs))
        if tables and 2 * len(pairs) >= min(len(first), len(questions)):
            test = compare_pairs(tables)
            figures = difference_of(test), test.better, test.worse, test.p, test.p, None
            found.append(ModelDifference(model, baseline, task, len(tables), *figures))
            tests.append(test)
    correct_for_tests(found)
    for row, test in zip(found, tests, strict=True):
        row.shown = _detectable(row.pairs, test, len(tests))
    return found


def effects(results: Iterable[OfCondition]) -> tuple[list[Effect], list[SameWords]]:
    """Each condition of a model and task compared with the first one, and how many
    prompts are the same in both.
    """
    families: defaultdict[tuple[str, str], list[OfCondition]] = defaultdict(list)
    for each in results:
        families[each.model, each.task].append(each)
    found, alike = [], []
    for (model, task), (beside, *others) in families.items():
        for other in others:
            pairs, _, _ = pair(beside.questions, other.questions, any_prompt=True)
            differing, same = with_other_prompts(_answered(pairs))
            if same:
                alike.append(
                    SameWords(model, task, other.condition, beside.condition, len(same))
                )
            if tables := _tables(differing):
                test = compare_pairs(tables)
                percents = in_percent(test.second), in_percent(test.first)
                figures = (
                    *percents,
                    difference_of(test),
                    test.better,
                    test.worse,
                    test.p,
                    test.p,
                )
                found.append(
                    Effect(
                        model,
                        task,
                        other.condition,
                        beside.condition,
                        len(tables),
                        *figures,
                    )
                )
    correct_for_tests(found)
    return found, alike


def reasoning_ratios(
    models: Sequence[Model], results: Iterable[OfCondition]
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
    steps = [*neighbours(models)]
    sweeps: dict[
        tuple[str, str], tuple[str, Model, Model]
    ] = {}  # the ends, by parameter and last model
    for parameter, before, model in steps:
        _, first, _ = sweeps.pop((parameter, before.name), (parameter, before, before))
        sweeps[parameter, model.name] = parameter, first, model
    for parameter, before, model in (
        *steps,
        *(sweep for sweep in sweeps.values() if sweep not in steps),
    ):
        pairs = pair(asked[before.name], asked[model.name])[0]
        known = [(one, other) for one, other in pairs if one.counted and other.counted]
        finished = [
            (one, other)
            for one, other in known
            if not one.truncated and not other.truncated
        ]
        if not any(one.reasoning or other.reasoning for one, other in finished):
            continue
        logarithms: defaultdict[int, list[float]] = defaultdict(list)
        for one, other in finished:
            logarithms[one.problem].append(
                other.reasoning / other.counted - one.reasoning / one.counted
            )
        truncated = len(known) - len(finished)
        mean = mean_ratio([fmean(each) for each in logarithms.values()], truncated)
        means.append(mean)
        counts = len(logarithms), truncated
        found.append(
            ReasoningRatio(
                *(model.name, before.name, parameter, *counts),
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
