"""The mean scores of programs beside each other, per set, condition and limit, with bootstrap intervals.

A sequence that was asked several times is one, with the mean of its scores. It does not know how a program is scored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum
from typing import Any

from pytest_llmarith.records import as_dict
from pytest_llmarith.reports.comparing.asked import Asked
from pytest_llmarith.reports.percents import in_percent, points_with
from pytest_llmarith.reports.statistics import bootstrap_difference, bootstrap_mean

_Key = tuple[str, str, float]  # a set of sequences, the label of a condition, a limit in seconds
_BySequence = defaultdict[_Key, defaultdict[bytes, list[float]]]


def paired_scores(pairs: Iterable[tuple[Asked, Asked]]) -> list[dict[str, Any]]:
    """Where both programs of a sequence have a score: sequences are drawn, and both their scores with them."""
    one, other = _none(), _none()
    for first, second in pairs:
        its = dict(second.scores)
        for key, score in _keyed(first):
            if (seconds := key[-1]) in its:
                one[key][first.question].append(score)
                other[key][first.question].append(its[seconds])
    return [_paired(key, sorted(zip(_means(one[key]), _means(other[key]), strict=True))) for key in sorted(one)]


def unpaired_scores(first: Iterable[Asked], second: Iterable[Asked]) -> list[dict[str, Any]]:
    """Where both runs have scores in a set: sequences of each side are drawn on their own."""
    one, other = _by_key(first), _by_key(second)
    return [_unpaired(key, one[key], other[key]) for key in sorted(one) if key in other]


def _paired(key: _Key, scores: Sequence[tuple[float, float]]) -> dict[str, Any]:
    first, second = [one for one, _ in scores], [other for _, other in scores]
    interval = bootstrap_mean(sorted(other - one for one, other in scores))
    return _entry(key, first, second) | {
        "difference": as_dict(points_with(interval, 100 * (_mean(second) - _mean(first))))
    }


def _unpaired(key: _Key, first: Sequence[float], second: Sequence[float]) -> dict[str, Any]:
    interval = bootstrap_difference(first, second)
    return _entry(key, first, second) | {
        "difference": as_dict(points_with(interval, 100 * (_mean(second) - _mean(first))))
    }


def _entry(key: _Key, first: Sequence[float], second: Sequence[float]) -> dict[str, Any]:
    name, condition, seconds = key
    return {
        "set": name,
        "condition": condition or None,
        "seconds": seconds,
        "first": {"sequences": len(first), "percent": in_percent(_mean(first))},
        "second": {"sequences": len(second), "percent": in_percent(_mean(second))},
    }


def _by_key(trials: Iterable[Asked]) -> dict[_Key, list[float]]:
    """Sorted, as neither a sum nor a draw may depend on which sequence was judged first."""
    found = _none()
    for trial in trials:
        for key, score in _keyed(trial):
            found[key][trial.question].append(score)
    return {key: sorted(_means(scores)) for key, scores in found.items()}


def _none() -> _BySequence:
    return defaultdict(lambda: defaultdict(list))


def _keyed(trial: Asked) -> Iterator[tuple[_Key, float]]:
    """The scores of a program, and where each belongs."""
    if trial.part is not None:
        for seconds, score in trial.scores:
            yield (trial.part.name, trial.condition, seconds), score


def _means(scores: Mapping[bytes, Sequence[float]]) -> list[float]:
    """One per sequence, in the order in which these were met."""
    return [_mean(of_one) for of_one in scores.values()]


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
