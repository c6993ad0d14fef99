"""What a condition does to a model: the same problems in two conditions, in pairs. It does not know what they are.

What both put in the same words is one request, whose reply stands in both: no evidence of what a condition does. Where
a problem was put several times, the shares of its repeats make one pair: repeats are alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from msgspec.structs import replace

from pytest_llmarith.records import Effect, SameWords
from pytest_llmarith.reports.counting.repeats import Put
from pytest_llmarith.reports.percents import in_percent, points_with
from pytest_llmarith.reports.statistics import Cluster, Interval, mean_difference
from pytest_llmarith.reports.statistics.paired import Pairs, holm, mcnemar, paired_difference

Problems = Mapping[int, Put]


def same_words(beside: Problems, problems: Problems) -> int:
    """How many problems with a reply in both were put in the same words."""
    return sum(problem in beside and beside[problem].words == one.words for problem, one in problems.items())


def effect_of(of: SameWords, beside: Problems, problems: Problems) -> Effect | None:
    """The second beside the first, over problems with a reply in both, to other words; None where there are none.

    `p_holm` is that of a run without other effects.
    """
    pairs = [
        (beside[problem].cluster, one.cluster)
        for problem, one in problems.items()
        if problem in beside and beside[problem].words != one.words
    ]
    if not pairs:
        return None
    differences = sorted(_share(other) - _share(one) for one, other in pairs)
    better, worse = sum(each > 0 for each in differences), sum(each < 0 for each in differences)
    p = mcnemar(Pairs(0, worse, better, len(pairs) - better - worse))
    return Effect(
        model=of.model,
        task=of.task,
        condition=of.condition,
        beside=of.beside,
        problems=len(pairs),
        percent=_percent([_share(other) for _, other in pairs]),
        percent_beside=_percent([_share(one) for one, _ in pairs]),
        difference=points_with(_interval(pairs, differences), _percent(differences)),
        better=better,
        worse=worse,
        p=p,
        p_holm=p,
    )


def corrected(effects: Sequence[Effect]) -> list[Effect]:
    """The effects, each with its p corrected for all tests of the run."""
    p_values = holm([effect.p for effect in effects])
    return [replace(effect, p_holm=p) for effect, p in zip(effects, p_values, strict=True)]


def _interval(pairs: Sequence[tuple[Cluster, Cluster]], differences: Sequence[float]) -> Interval | None:
    if any(cluster.trials > 1 for pair in pairs for cluster in pair):
        return mean_difference(differences)
    counts = [(bool(one.successes), bool(other.successes)) for one, other in pairs]
    return paired_difference(Pairs(*(counts.count(way) for way in _WAYS)))


_WAYS = ((True, True), (True, False), (False, True), (False, False))


def _share(cluster: Cluster) -> float:
    return cluster.successes / cluster.trials


def _percent(shares: Sequence[float]) -> float:
    return in_percent(fsum(shares) / len(shares))
