"""The rows of a comparison: over all, each task, condition, variant and set of sequences, with difference and test.

It does not know how trials were paired, nor how many tests stand beside each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import starmap
from typing import Any, NamedTuple

from pytest_llmarith.reports.comparing.asked import Asked
from pytest_llmarith.reports.comparing.groups import ALL, OVER_ALL, Group, groups_of, worth_a_row
from pytest_llmarith.reports.percents import points_with
from pytest_llmarith.reports.statistics import Cluster, mean_difference, percent
from pytest_llmarith.reports.statistics.intervals import Interval
from pytest_llmarith.reports.statistics.paired import Pairs, fisher, mcnemar, paired_difference, unpaired_difference
from pytest_llmarith.reports.statistics.unpaired import clustered_difference

# Five tosses of a coin that all fall alike have p 0.0625: a part of fewer can show nothing, and would only weaken the
# tests that are corrected together with it.
_FEWEST_TESTED = 6

Row = dict[str, Any]


class Share(NamedTuple):
    """How many of the measured trials were correct, and of how many questions they are."""

    correct: int
    measured: int
    questions: int


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
    """The rows of answered trials that are compared as two groups."""
    one, other = _questions(first), _questions(second)
    both = [group for group in one if group in other]
    return [_unpaired_row(group, one[group], other[group]) for group in worth_a_row(both)]


def repeats_questions(row: Mapping[str, Any]) -> bool:
    """Whether some of its questions have several pairs, or several trials of one side."""
    return any(row[side]["questions"] < row[side]["measured"] for side in ("first", "second"))


def lower_by(row: Mapping[str, Any]) -> Fraction | None:
    """By how many percentage points the second is lower than the first, exactly; None where nothing was measured."""
    first, second = row["first"], row["second"]
    if not first["measured"] or not second["measured"]:
        return None
    difference = Fraction(first["correct"], first["measured"]) - Fraction(second["correct"], second["measured"])
    return 100 * difference


def _paired_row(group: Group, pairs: Pairs, leads: Collection[Lead]) -> Row:
    """A model that is asked the same again says the same again, so that a question is one toss of the test's coin,
    however often it was asked.
    """
    first, second = (Share(pairs.both + only, pairs.total, len(leads)) for only in (pairs.first, pairs.second))
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


def _unpaired_row(group: Group, first: Collection[Cluster], second: Collection[Cluster]) -> Row:
    interval, p = _of_groups(first, second)
    return _row(group, _share_of(first), _share_of(second), {"pairs": None, "questions": None}, interval, p)


def _of_groups(first: Collection[Cluster], second: Collection[Cluster]) -> tuple[Interval | None, float | None]:
    """The interval and the p of trials; of clusters where questions have several trials, as these are alike."""
    if any(each.trials > 1 for side in (first, second) for each in side):
        return clustered_difference(first, second) or (None, None)
    counts = (sum(each.successes for each in first), len(first), sum(each.successes for each in second), len(second))
    return unpaired_difference(*counts), fisher(*counts) if first and second else None


def _share_of(questions: Collection[Cluster]) -> Share:
    return Share(sum(each.successes for each in questions), sum(each.trials for each in questions), len(questions))


def _row(
    group: Group,
    first: Share,
    second: Share,
    counts: Mapping[str, Mapping[str, int] | None],
    interval: Interval | None,
    p: float | None,
) -> Row:
    row: Row = {**group._asdict(), "first": _share(first), "second": _share(second), **counts}
    lower = lower_by(row)
    return row | {
        "difference": None if lower is None else points_with(interval, float(-lower)),
        "p": p,
        "p_holm": None,
    }


def _share(share: Share) -> dict[str, Any]:
    shown = float(percent(share.correct, share.measured, 4)) if share.measured else None
    return share._asdict() | {"percent": shown}


def _pairs(counts: Mapping[tuple[bool, bool], int]) -> Pairs:
    return Pairs(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def _questions(trials: Iterable[Asked]) -> dict[Group, list[Cluster]]:
    """How often each question of a group was answered rightly, of how many times."""
    counted: dict[Group, defaultdict[bytes, list[int]]] = {ALL: defaultdict(lambda: [0, 0])}
    for trial in trials:
        for group in groups_of(trial):
            counts = counted.setdefault(group, defaultdict(lambda: [0, 0]))[trial.question]
            counts[0] += trial.correct
            counts[1] += 1
    return {group: list(starmap(Cluster, questions.values())) for group, questions in counted.items()}
