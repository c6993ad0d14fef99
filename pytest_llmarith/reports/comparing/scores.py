"""The mean scores of programs beside each other, per set, condition and limit, with bootstrap intervals.

It does not know how a program is scored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any

from pytest_llmarith.reports.comparing.asked import Asked
from pytest_llmarith.reports.percents import in_percent, points_with
from pytest_llmarith.reports.statistics import bootstrap_difference, bootstrap_mean

_Key = tuple[str, str, float]  # a set of sequences, the label of a condition, a limit in seconds


def paired_scores(pairs: Iterable[tuple[Asked, Asked]]) -> list[dict[str, Any]]:
    """Where both programs of a sequence have a score: sequences are drawn, and both their scores with them."""
    found: dict[_Key, list[tuple[float, float]]] = {}
    for first, second in pairs:
        its = dict(second.scores)
        for seconds, score in first.scores:
            if first.part is not None and seconds in its:
                key = first.part.name, first.condition, seconds
                found.setdefault(key, []).append((score, its[seconds]))
    return [_paired(key, sorted(found[key])) for key in sorted(found)]


def unpaired_scores(first: Iterable[Asked], second: Iterable[Asked]) -> list[dict[str, Any]]:
    """Where both runs have scores in a set: sequences of each side are drawn on their own."""
    one, other = _by_key(first), _by_key(second)
    return [_unpaired(key, one[key], other[key]) for key in sorted(one) if key in other]


def _paired(key: _Key, scores: Sequence[tuple[float, float]]) -> dict[str, Any]:
    first, second = [one for one, _ in scores], [other for _, other in scores]
    interval = bootstrap_mean(sorted(other - one for one, other in scores))
    return _entry(key, first, second) | {"difference": points_with(interval, 100 * (_mean(second) - _mean(first)))}


def _unpaired(key: _Key, first: Sequence[float], second: Sequence[float]) -> dict[str, Any]:
    interval = bootstrap_difference(first, second)
    return _entry(key, first, second) | {"difference": points_with(interval, 100 * (_mean(second) - _mean(first)))}


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
    found: dict[_Key, list[float]] = {}
    for trial in trials:
        for seconds, score in trial.scores:
            if trial.part is not None:
                found.setdefault((trial.part.name, trial.condition, seconds), []).append(score)
    return {key: sorted(scores) for key, scores in found.items()}


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
