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
from pytest_llmarith.results.keys import USUAL_NAME
from pytest_llmarith.results.questions import (
    AskedQuestions,
    CountedQuestion,
    Pair,
    pair,
)
from pytest_llmarith.statistics.intervals import in_percent
from pytest_llmarith.statistics.pairs import (
    FEWEST_TESTED,
    DifferenceOfShares,
    Sides,
    compare_means,
    compare_pairs,
    holm,
)
from pytest_llmarith.statistics.plans import detectable
from pytest_llmarith.statistics.proportions import Cluster
from pytest_llmarith.statistics.strata import compare_strata
from pytest_llmarith.summaries import (
    Effect,
    ModelDifference,
)


class Measured(Part):
    """The trials of one side.

    There are fewer `questions` than trials if some were asked several times.
    """

    correct: int
    measured: int
    questions: int
    percent: records.Percent | None


class ComparisonRow(Part):
    """One row of a comparison."""

    kind: str  # all, task, condition or variant
    task: str | None
    name: str | None
    first: Measured
    second: Measured
    # questions that the second side got right more often; null without pairing
    better: int | None
    worse: int | None
    difference: summaries.Difference | None
    p: records.Share | None  # null without a test
    p_holm: records.Share | None
    # the smallest difference that the pairs show with 80 % power
    shown: records.Points | None


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


def _groups_of(question: CountedQuestion) -> Iterator[_Group]:
    yield _ALL
    yield _Group("task", question.task, None)
    yield _Group("condition", question.task, question.condition or USUAL_NAME)
    if question.variant:
        yield _Group("variant", question.task, question.variant)


def _shown(groups: Mapping[_Group, Sequence[Pair]]) -> Iterator[_Group]:
    """All groups except those that repeat the row above them: the only task, condition
    or variant.
    """

    def order(group: _Group) -> tuple[int, str]:
        one, _ = groups[group][0]
        place = one.variant_place if group.kind == "variant" else 0
        return place, group.name or ""

    yield _ALL
    tasks = sorted({group.task for group in groups if group.task is not None})
    for task in tasks:
        if len(tasks) > 1:
            yield _Group("task", task, None)
        for kind in ("condition", "variant"):
            family = []
            for group in groups:
                if group.task == task and group.kind == kind:
                    family.append(group)
            if len(family) > 1:
                yield from sorted(family, key=order)


def rows_of(
    pairs: Iterable[Pair], *, paired: bool, other_tests: int = 0
) -> list[ComparisonRow]:
    """The rows for what both sides have answered; the first row is over all.

    The pairs are questions or, if not `paired`, cells in which the sides had different
    questions. `other_tests` are corrected together with those of the rows.
    """
    groups: defaultdict[_Group, list[Pair]] = defaultdict(list)
    for one, other in answered_pairs(pairs):
        for group in _groups_of(one):
            groups[group].append((one, other))
    rows = []
    compared: list[tuple[ComparisonRow, DifferenceOfShares]] = []
    for group in _shown(groups):
        sides = sides_of(groups[group])
        if not sides:
            rows.append(_row_of_nothing(group))
            continue
        found = _compared(sides, paired=paired)
        row = _row(group, sides, found, paired)
        rows.append(row)
        compared.append((row, found))
    tests = other_tests + sum(row.p is not None for row in rows)
    if paired:
        for row, found in compared:
            row.shown = _detectable(row.first.questions, found, tests)
    return rows


def scores_of(pairs: Iterable[Pair]) -> list[DifferenceOfScores]:
    """The scores of each task that has some between 0 and 1.

    The repeats and conditions of a problem are averaged.
    """
    tasks: defaultdict[str, list[Pair]] = defaultdict(list)
    for one, other in answered_pairs(pairs):
        tasks[one.task].append((one, other))
    rows = []
    for task, of_task in sorted(tasks.items()):
        if any(one.has_fractions or other.has_fractions for one, other in of_task):
            rows.append(_row_of_scores(task, of_task))
    return rows


def _row_of_scores(task: str, pairs: Iterable[Pair]) -> DifferenceOfScores:
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
    found = compare_means(means)
    return DifferenceOfScores(
        task,
        problems=len(means),
        first=in_percent(found.first),
        second=in_percent(found.second),
        better=found.better,
        worse=found.worse,
        difference=difference_of(found),
        p=found.p if len(means) >= FEWEST_TESTED else None,
    )


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
    return difference_of(_compared(sides_of(worst), paired=paired)).points


def answered_pairs(pairs: Iterable[Pair]) -> list[Pair]:
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


def _compared(sides: Collection[Sides], *, paired: bool) -> DifferenceOfShares:
    if paired:
        return compare_pairs(sides)
    return compare_strata(sides)


def _row(
    group: _Group, sides: Collection[Sides], found: DifferenceOfShares, paired: bool
) -> ComparisonRow:
    """A row without what depends on the other ones: the corrected p and the smallest
    difference.
    """
    first = Cluster.of(one for one, _ in sides)
    second = Cluster.of(other for _, other in sides)
    row = ComparisonRow(
        *group,
        first=Measured(*first, first.trials, in_percent(found.first)),
        second=Measured(*second, second.trials, in_percent(found.second)),
        better=None,
        worse=None,
        difference=difference_of(found),
        p=found.p,
        p_holm=None,
        shown=None,
    )
    if paired:
        row.first.questions = row.second.questions = len(sides)
        row.better, row.worse = found.better, found.worse
        if group != _ALL and len(sides) < FEWEST_TESTED:
            row.p = None
    return row


def _row_of_nothing(group: _Group) -> ComparisonRow:
    nothing = Measured(0, 0, 0, None)
    return ComparisonRow(*group, nothing, nothing, 0, 0, None, None, None, None)


def _detectable(questions: int, found: DifferenceOfShares, tests: int) -> float | None:
    """The smallest difference that so many questions show, in points."""
    smallest = detectable(questions, found, tests)
    if smallest is None:
        return None
    return in_percent(smallest)


def correct_for_tests(
    rows: Iterable[ComparisonRow | Effect | ModelDifference | DifferenceOfScores],
) -> None:
    """Set Holm's p in the rows that have a test."""
    tested, p_values = [], []
    for row in rows:
        if row.p is not None:
            tested.append(row)
            p_values.append(row.p)
    for row, p in zip(tested, holm(p_values), strict=True):
        row.p_holm = p


def difference_of(found: DifferenceOfShares) -> summaries.Difference:
    """The second minus the first, in percentage points."""
    low = high = None
    if found.interval is not None:
        low, high = in_percent(found.interval.low), in_percent(found.interval.high)
    return summaries.Difference(in_percent(found.second - found.first), low, high)


# --- in the summary of a run ----------------------------------------------------------


def model_differences(
    results: Iterable[AskedQuestions], baseline: str
) -> list[ModelDifference]:
    """Each other model compared with the baseline by the questions that both have
    answered, one row per task.

    Models that share less than half of their questions are left out.
    """
    asked: defaultdict[tuple[str, str], list[CountedQuestion]] = defaultdict(list)
    for each in results:
        asked[each.task, each.model] += each.questions
    found: list[ModelDifference] = []
    tests: list[DifferenceOfShares] = []
    for (task, model), questions in asked.items():
        first = asked.get((task, baseline))
        if first is None or model == baseline:
            continue
        pairs, _, _ = pair(first, questions)
        sides = sides_of(answered_pairs(pairs))
        if not sides or 2 * len(pairs) < min(len(first), len(questions)):
            continue
        test = compare_pairs(sides)
        found.append(
            ModelDifference(
                model,
                baseline,
                task,
                pairs=len(sides),
                percent=in_percent(test.second),
                percent_baseline=in_percent(test.first),
                difference=difference_of(test),
                better=test.better,
                worse=test.worse,
                p=test.p,
                p_holm=test.p,  # until the tests are corrected
                shown=None,
            )
        )
        tests.append(test)
    correct_for_tests(found)
    for row, test in zip(found, tests, strict=True):
        row.shown = _detectable(row.pairs, test, len(tests))
    return found
