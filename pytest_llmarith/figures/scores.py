"""Scores between 0 and 1, by name and problem."""

from __future__ import annotations

import collections
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import fsum

from pytest_llmarith.figures.estimates import (
    Examples,
    Figure,
    Leaf,
    Measure,
    TaskFigures,
    Trial,
)
from pytest_llmarith.figures.shares import DECIMALS, percentages, share_with
from pytest_llmarith.statistics.intervals import Interval
from pytest_llmarith.statistics.means import error_of_mean, of_mean
from pytest_llmarith.types import Outcome

SCORE = "score"  # the name of the score by which a task grades
_Scores = dict[int, list[float]]  # of each problem


class ScoreCounter:
    """An unanswered trial has no scores; a reply without an answer counts 0 in all of
    them.
    """

    def __init__(self) -> None:
        self.scores: defaultdict[str, _Scores] = defaultdict(dict)
        self.no_answer = collections.Counter[int]()  # replies by problem, without names
        self.solved: dict[str, bool] = {}  # by question
        self.has_names = self.has_fractions = False
        self.of_task: TaskFigures | None = None  # with the first score

    def add(self, trial: Trial) -> None:
        record = trial.record
        grade = record.grade
        if grade is None or grade.score is None or record.reading is not None:
            return
        if trial.search is not None:
            return
        scores = grade.scores
        self.has_names |= bool(scores)
        self.has_fractions |= 0 < grade.score < 1
        self.of_task = trial.of_task
        problem = trial.problem
        self.scores[SCORE].setdefault(problem, []).append(grade.score)
        for name, score in scores.items():
            self.scores[name].setdefault(problem, []).append(score)
        if record.outcome is Outcome.NAN and not scores:
            self.no_answer[problem] += 1
        name_of = trial.of_task.name_of
        question = name_of(record) if name_of else record.problem.label
        is_solved = grade.score > 0 or any(scores.values())
        self.solved[question] = self.solved.get(question, False) or is_solved


def _of_task(leaves: Sequence[Leaf]) -> TaskFigures:
    found: list[TaskFigures] = [one.counted.of_task for one in leaves]
    return next(filter(None, found))


def _names(leaves: Sequence[Leaf]) -> list[str]:
    """The names of scores; none if all scores are 0 or 1, and have no name."""
    found: dict[str, None] = {}
    has_scores = False
    for leaf in leaves:
        counted: ScoreCounter = leaf.counted
        has_scores = has_scores or counted.has_names or counted.has_fractions
        found.update(dict.fromkeys(counted.scores))
    if not has_scores:
        return []
    names = [name for name in found if name != SCORE]
    # Of several limits, it is the score of the last one.
    if not _of_task(leaves).score_unit:
        names.insert(0, SCORE)
    return sorted(names, key=_number_or_place)


def _number_or_place(name: str) -> tuple[float, str]:
    """Limits by size; other names stay in their order."""
    try:
        return float(name), ""
    except ValueError:
        return 0.0, ""


def _scores_of(leaves: Sequence[Leaf], name: str) -> list[float]:
    """The score of each problem, which is the mean of its repeats; they are in order,
    so that sums and draws do not depend on that of the records.
    """
    found: _Scores = {}
    for leaf in leaves:
        for problem, scores in leaf.counted.scores[name].items():
            found.setdefault(problem, []).extend(scores)
        if name != SCORE:
            for problem, replies in leaf.counted.no_answer.items():
                found.setdefault(problem, []).extend([0.0] * replies)
    return sorted(fsum(each) / len(each) for each in found.values())


def _means(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    """With an interval by Student's t over problems, unless the task has another."""
    for name in _names(leaves):
        interval_of = _of_task(leaves).interval_of
        scores = _scores_of(leaves, name)
        mean, count = fsum(scores) / len(scores), len(scores)
        perfect = scores.count(1)
        if interval_of is not None:
            interval = interval_of(scores)
            figure = share_with(interval, mean, count, method="bootstrap")
        elif perfect + scores.count(0) == count:
            [figure] = percentages([Figure(perfect, n=count)])
        else:
            figure = share_with(_students_t(scores, mean), mean, count, method="t")
        yield figure._replace(by="score", at=name)


def _students_t(scores: Sequence[float], mean: float) -> Interval | None:
    error = error_of_mean(scores)
    if not error:
        return None
    (low, high), _ = of_mean(mean, error, len(scores) - 1)
    return Interval(max(0.0, low), min(1.0, high))


def _perfect(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    for name in _names(leaves):
        scores = _scores_of(leaves, name)
        yield Figure(scores.count(1), n=len(scores), by="score", at=name)


def _curves(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    """All scores, best first, as in arXiv 2411.04372, figure 2."""
    for name in _names(leaves):
        for rank, score in enumerate(reversed(_scores_of(leaves, name)), 1):
            yield Figure(round(score, DECIMALS), by=name, at=str(rank))


def _unsolved(leaves: Sequence[Leaf]) -> list[str]:
    """The problems whose scores are all 0."""
    solved: dict[str, bool] = {}
    if _names(leaves):
        for leaf in leaves:
            for question, is_solved in leaf.counted.solved.items():
                solved[question] = solved.get(question, False) or is_solved
    return sorted(question for question in solved if not solved[question])


def _count_unsolved(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    if _names(leaves):
        yield Figure(len(_unsolved(leaves)))


MEASURES = (
    Measure(
        "score",
        "mean score",
        "%",
        "mean score over n problems; that of a problem is the mean of its repeats, in "
        "which a reply without an answer counts 0",
        ScoreCounter,
        _means,
    ),
    Measure(
        "perfect",
        "perfect",
        "problems",
        "of n problems, those with the score 1",
        ScoreCounter,
        _perfect,
    ),
    Measure(
        "perfect_percentage",
        "perfect %",
        "%",
        "of n problems, those with the score 1",
        ScoreCounter,
        lambda leaves: percentages(_perfect(leaves)),
    ),
    Measure(
        "score_by_rank",
        "scores",
        "",
        "the scores of all problems, best first",
        ScoreCounter,
        _curves,
    ),
    Measure(
        "unsolved",
        "unsolved",
        "problems",
        "problems whose scores are all 0",
        ScoreCounter,
        _count_unsolved,
    ),
)
EXAMPLES = (
    Examples("unsolved", "problems whose scores are all 0", ScoreCounter, _unsolved),
)
