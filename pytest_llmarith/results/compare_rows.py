"""Computes comparisons: rows with differences and tests, effects of conditions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from pytest_llmarith import records
from pytest_llmarith.records import Difference, Part, Percent, Points, SearchProblem, Share
from pytest_llmarith.results.differences import compare_pairs, compare_strata, count_pairs, holm, smallest_difference
from pytest_llmarith.results.keys import USUAL_NAME, variant_order
from pytest_llmarith.results.questions import Question, Questions, pair, with_other_prompts
from pytest_llmarith.results.statistics import Cluster, Interval, in_percent
from pytest_llmarith.types import Condition

_FEWEST_TESTED = 6  # questions of a part: with five, p is at least 0.0625


class Measured(Part):
    """The trials of one side. There are fewer `questions` than trials if some were asked several times."""

    correct: int
    measured: int
    questions: int
    percent: Percent | None


class PairCounts(Part):
    """Pairs by which side is correct."""

    both: int
    only_first: int
    only_second: int
    neither: int


class Changes(Part):
    """How many questions the second side got right more often, or less often."""

    compared: int
    better: int
    worse: int


class Row(Part):
    """One row of a comparison."""

    kind: str  # all, task, condition, variant or set
    task: str | None
    name: str | None
    first: Measured
    second: Measured
    pairs: PairCounts | None  # null without pairing, or if a question was asked several times
    questions: Changes | None  # null without pairing
    difference: Difference | None
    p: Share | None  # null without a test
    p_holm: Share | None
    shown: Points | None  # the smallest difference that the pairs show with 80 % power

    def show_power(self) -> None:
        """Compute `shown`; it stays null without pairing, and if so few pairs show no difference."""
        if self.questions and (pairs := self.questions.compared):
            found = smallest_difference(pairs, self.questions.better + self.questions.worse)
            self.shown = None if found is None else in_percent(found)


class _Group(NamedTuple):
    """The trials of a row: all, or those of a task, condition, variant or set."""

    kind: str
    task: str | None
    name: str | None


_ALL = _Group("all", None, None)


def _groups_of(question: Question) -> Iterator[_Group]:
    yield _ALL
    yield _Group("task", question.task, None)
    yield _Group("condition", question.task, question.condition or USUAL_NAME)
    if question.part:
        yield _Group("set" if question.task == "oeis" else "variant", question.task, question.part)


def _shown(groups: Collection[_Group]) -> Iterator[_Group]:
    """All groups except those that repeat the row above them: the only task, condition, variant or set."""
    yield _ALL
    tasks = sorted({group.task for group in groups if group.task is not None})
    for task in tasks:
        if len(tasks) > 1:
            yield _Group("task", task, None)
        for kinds in (("condition",), ("variant", "set")):
            family = [group for group in groups if group.task == task and group.kind in kinds]
            if len(family) > 1:
                yield from sorted(family, key=lambda group: variant_order(group.name or ""))


def paired_rows(pairs: Iterable[tuple[Question, Cluster, Cluster]]) -> list[Row]:
    """The rows for questions with the trials of both sides; the first row is over all.

    All conditions and repeats of a problem count as one question, as their trials are correlated.
    """
    nothing = Cluster(0, 0), Cluster(0, 0)
    groups: dict[_Group, dict[int, tuple[Cluster, Cluster]]] = {_ALL: {}}
    for question, first, second in pairs:
        for group in _groups_of(question):
            problems = groups.setdefault(group, {})
            one, other = problems.get(question.problem, nothing)
            problems[question.problem] = Cluster.of((one, first)), Cluster.of((other, second))
    return [_paired_row(group, list(groups[group].values())) for group in _shown(groups)]


def _paired_row(group: _Group, questions: Sequence[tuple[Cluster, Cluster]]) -> Row:
    if not questions:
        nothing = Measured(0, 0, 0, None)
        return Row(*group, nothing, nothing, PairCounts(0, 0, 0, 0), Changes(0, 0, 0), None, None, None, None)
    found = compare_pairs(questions)
    once = all(one.trials == other.trials == 1 for one, other in questions)
    return Row(
        *group,
        Measured(*Cluster.of(one for one, _ in questions), len(questions), in_percent(found.first)),
        Measured(*Cluster.of(other for _, other in questions), len(questions), in_percent(found.second)),
        PairCounts(*count_pairs(questions)) if once else None,
        Changes(len(questions), found.better, found.worse),
        _difference(found.interval, found.second - found.first),
        found.p if group == _ALL or len(questions) >= _FEWEST_TESTED else None,
        None,
        None,
    )


def unpaired_rows(cells: Iterable[tuple[Question, Cluster, Cluster]]) -> list[Row]:
    """The same for two groups with different questions: per cell one of its questions, and the trials of both."""
    groups: defaultdict[_Group, list[tuple[Cluster, Cluster]]] = defaultdict(list)
    for question, first, second in cells:
        for group in _groups_of(question):
            groups[group].append((first, second))
    rows = []
    for group in _shown(groups):
        found = compare_strata(groups[group])
        sides = []
        for side, share in enumerate((found.first, found.second)):
            whole = Cluster.of(stratum[side] for stratum in groups[group])
            sides.append(Measured(*whole, whole.trials, in_percent(share)))
        difference = _difference(found.interval, found.second - found.first)
        rows.append(Row(*group, sides[0], sides[1], None, None, difference, found.p, None, None))
    return rows


def correct_for_tests(rows: Iterable[Row]) -> int:
    """Set Holm's p in the rows that have a test; returns the number of tests."""
    tested = [(row, row.p) for row in rows if row.p is not None]
    for (row, _), p in zip(tested, holm([p for _, p in tested]), strict=True):
        row.p_holm = p
    return len(tested)


def _difference(interval: Interval | None, share: float) -> Difference:
    low, high = (in_percent(interval.low), in_percent(interval.high)) if interval else (None, None)
    return Difference(in_percent(share), low, high)


class OfCondition(NamedTuple):
    """The questions of one model and task in one condition; None is the usual condition."""

    model: str
    task: str
    condition: Condition | None
    questions: Questions


def model_differences(results: Iterable[OfCondition], baseline: str) -> list[records.ModelDifference]:
    """Each other model compared with the baseline by the questions that both have answered, one row per task.

    Models that share less than half of their questions are left out.
    """
    asked: defaultdict[tuple[str, str], list[Question]] = defaultdict(list)
    for each in results:
        if each.task != SearchProblem.__struct_config__.tag:  # outcomes of searches are not shares of questions
            asked[each.task, each.model] += each.questions
    found = []
    for (task, model), questions in asked.items():
        first = asked.get((task, baseline), [])
        pairs = pair(first, questions)[0] if model != baseline else []
        if 2 * len(pairs) < min(len(first), len(questions)):
            continue  # they were not asked the same questions
        answered = [(one, one.measured, other.measured) for one, other in pairs if one.answered and other.answered]
        if answered:
            row: Any = paired_rows(answered)[0]
            row.show_power()
            changes = row.questions
            found.append(
                records.ModelDifference(
                    *(model, baseline, task, changes.compared, row.difference, changes.better, changes.worse, row.p),
                    p_holm=row.p,
                    shown=row.shown,
                )
            )
    for difference, p in zip(found, holm([each.p for each in found]), strict=True):
        difference.p_holm = p
    return found


def effects(results: Iterable[OfCondition]) -> tuple[list[records.Effect], list[records.SameWords]]:
    """Each condition of a model and task compared with the first one, and how many prompts are the same in both."""
    families: defaultdict[tuple[str, str], list[OfCondition]] = defaultdict(list)
    for each in results:
        families[each.model, each.task].append(each)
    found, alike = [], []
    for (model, task), (beside, *others) in families.items():
        for other in others:
            pairs, _, _ = pair(beside.questions, other.questions, any_prompt=True)
            differing, same = with_other_prompts((a, b) for a, b in pairs if a.answered and b.answered)
            if same:
                alike.append(records.SameWords(model, task, other.condition, beside.condition, len(same)))
            if differing:
                row: Any = paired_rows([(one, one.measured, another.measured) for one, another in differing])[0]
                found.append(  # in a row of pairs these figures are never null
                    records.Effect(
                        *(model, task, other.condition, beside.condition, row.questions.compared),
                        percent=row.second.percent,
                        percent_beside=row.first.percent,
                        difference=row.difference,
                        better=row.questions.better,
                        worse=row.questions.worse,
                        p=row.p,
                        p_holm=row.p,
                    )
                )
    for effect, p in zip(found, holm([each.p for each in found]), strict=True):
        effect.p_holm = p
    return found, alike
