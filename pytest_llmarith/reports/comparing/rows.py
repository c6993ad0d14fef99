"""The rows of a comparison: over all, each task, condition, variant and set of sequences, with difference and test.

It does not know how trials were paired, nor how many tests stand beside each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import starmap
from typing import Any, NamedTuple

from pytest_llmarith.records import as_dict
from pytest_llmarith.reports.comparing.asked import Asked
from pytest_llmarith.reports.comparing.groups import ALL, OVER_ALL, Group, groups_of, worth_a_row
from pytest_llmarith.reports.percents import in_percent, points_with
from pytest_llmarith.reports.statistics import Cluster, mean_difference
from pytest_llmarith.reports.statistics.intervals import Interval
from pytest_llmarith.reports.statistics.paired import Pairs, mcnemar, paired_difference
from pytest_llmarith.reports.statistics.unpaired import stratified_difference

# Five tosses of a coin that all fall alike have p 0.0625: a part of fewer can show nothing, and would only weaken the
# tests that are corrected together with it.
_FEWEST_TESTED = 6

Row = dict[str, Any]
Cell = tuple[str, str]
_Questions = Mapping[Cell, Collection[Cluster]]


class Share(NamedTuple):
    """How many of the measured trials were correct, of how many questions they are, and the share that is shown."""

    correct: int
    measured: int
    questions: int
    share: float | None


@dataclass(slots=True)
class Lead:
    """By how many of a question's pairs of trials the first is ahead."""

    ahead: int = 0
    pairs: int = 0

    def add(self, ahead: int) -> None:
        self.ahead += ahead
        self.pairs += 1


def paired_rows(pairs: Iterable[tuple[Asked, Asked]]) -> list[Row]:
    """The rows of pairs that have two answers."""
    counted: dict[Group, Counter[tuple[bool, bool]]] = {ALL: Counter()}
    leads: defaultdict[Group, defaultdict[bytes, Lead]] = defaultdict(lambda: defaultdict(Lead))
    for first, second in pairs:
        for group in groups_of(first):
            counted.setdefault(group, Counter())[first.correct, second.correct] += 1
            leads[group][first.question].add(first.correct - second.correct)
    return [_paired_row(group, _pairs(counted[group]), leads[group].values()) for group in worth_a_row(counted)]


def unpaired_rows(first: Iterable[Asked], second: Iterable[Asked]) -> list[Row]:
    """The rows of answered trials that are compared as two groups, cell by cell; both have the same cells."""
    one, other = _cells(first), _cells(second)
    return [_unpaired_row(group, one[group], other[group]) for group in worth_a_row(one)]


def cell_of(trial: Asked) -> Cell:
    """The variant and depth, or the set of sequences, and the condition: they decide in which rows a trial counts."""
    return trial.stratum, trial.condition


def repeats_questions(row: Mapping[str, Any]) -> bool:
    """Whether some of its questions have several pairs, or several trials of one side."""
    return any(row[side]["questions"] < row[side]["measured"] for side in ("first", "second"))


def _paired_row(group: Group, pairs: Pairs, leads: Collection[Lead]) -> Row:
    """A model that is asked the same again says the same again, so that a question is one toss of the test's coin,
    however often it was asked.
    """
    first, second = (
        Share(correct, pairs.total, len(leads), correct / pairs.total if pairs.total else None)
        for correct in (pairs.both + pairs.first, pairs.both + pairs.second)
    )
    table = {
        "both": pairs.both,
        "only_first": pairs.first,
        "only_second": pairs.second,
        "neither": pairs.neither,
    }
    worse, better = sum(lead.ahead > 0 for lead in leads), sum(lead.ahead < 0 for lead in leads)
    fewest = 1 if group.kind == OVER_ALL else _FEWEST_TESTED
    p = mcnemar(Pairs(0, worse, better, 0)) if len(leads) >= fewest else None
    questions = {"compared": len(leads), "better": better, "worse": worse}
    return _row(group, first, second, {"pairs": table, "questions": questions}, _interval(pairs, leads), p)


def _interval(pairs: Pairs, leads: Collection[Lead]) -> Interval | None:
    """Newcombe's, unless questions have several pairs: these are alike, so the interval is one over questions."""
    if all(lead.pairs == 1 for lead in leads):
        return paired_difference(pairs)
    mean, weight = (pairs.second - pairs.first) / pairs.total, len(leads) / pairs.total
    return mean_difference(sorted(mean - weight * (lead.ahead + lead.pairs * mean) for lead in leads))


def _unpaired_row(group: Group, first: _Questions, second: _Questions) -> Row:
    found = stratified_difference([(first[cell], second[cell]) for cell in first])
    counts = {"pairs": None, "questions": None}
    return _row(group, _share_of(first, found.first), _share_of(second, found.second), counts, found.interval, found.p)


def _share_of(cells: _Questions, share: float) -> Share:
    clusters = [each for questions in cells.values() for each in questions]
    return Share(sum(each.successes for each in clusters), sum(each.trials for each in clusters), len(clusters), share)


def _row(
    group: Group,
    first: Share,
    second: Share,
    counts: Mapping[str, Mapping[str, int] | None],
    interval: Interval | None,
    p: float | None,
) -> Row:
    points = None if first.share is None or second.share is None else 100 * (second.share - first.share)
    return {
        **group._asdict(),
        "first": _shown(first),
        "second": _shown(second),
        **counts,
        "difference": None if points is None else as_dict(points_with(interval, points)),
        "p": p,
        "p_holm": None,
    }


def _shown(share: Share) -> dict[str, Any]:
    counts = {"correct": share.correct, "measured": share.measured, "questions": share.questions}
    return counts | {"percent": None if share.share is None else in_percent(share.share)}


def _pairs(counts: Mapping[tuple[bool, bool], int]) -> Pairs:
    return Pairs(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def _cells(trials: Iterable[Asked]) -> dict[Group, dict[Cell, list[Cluster]]]:
    """How often each question of a group was answered rightly, of how many times, by cell."""
    counted: defaultdict[Group, defaultdict[Cell, defaultdict[bytes, list[int]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(lambda: [0, 0]))
    )
    for trial in trials:
        for group in groups_of(trial):
            counts = counted[group][cell_of(trial)][trial.question]
            counts[0] += trial.correct
            counts[1] += 1
    return {
        group: {cell: list(starmap(Cluster, questions.values())) for cell, questions in cells.items()}
        for group, cells in counted.items()
    }
