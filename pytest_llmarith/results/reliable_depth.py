"""Up to which depth a model can be relied on, and how many trials are needed to show it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from math import ceil, sqrt
from typing import NamedTuple

from pytest_llmarith.results.statistics import Cell, overall, two_sided_z, wilson

RELIABLE = 0.9


class Depth(NamedTuple):
    """The trials at one depth."""

    depth: int
    correct: int
    measured: int


class ReliableDepth(NamedTuple):
    """The deepest depth that is shown to be reliable, and the deepest that looks so.

    If none is shown to be, `at_most` is the upper bound of all trials if that is below 90 %, else `needs` is the fewest
    trials of the first depth that could show it.
    """

    depth: int | None
    observed: int | None
    needs: int | None
    at_most: float | None


def reliable_depth(depths: Iterable[Depth]) -> ReliableDepth:
    """The largest depth up to which all trials together are at least 90 % correct, by Wilson's lower bound.

    The search ends before the first depth whose own upper bound is below 90 %. `observed` is the same by the share.
    """
    measured = sorted(depth for depth in depths if depth.measured)
    proven, observed, correct, trials = None, None, 0, 0
    for depth in measured:
        own = wilson(depth.correct, depth.measured)
        if own is not None and own.high < RELIABLE:
            break
        correct, trials = correct + depth.correct, trials + depth.measured
        if _is_reliable(correct, trials):
            proven = depth.depth
        if correct / trials >= RELIABLE:
            observed = depth.depth
    if proven is not None:
        return ReliableDepth(proven, observed, None, None)
    whole = overall([Cell(depth.correct, depth.measured, depth.measured) for depth in measured])
    if whole is not None and whole.interval.high < RELIABLE:
        return ReliableDepth(None, observed, None, whole.interval.high)
    wrong = measured[0].measured - measured[0].correct if measured else 0
    return ReliableDepth(None, observed, trials_needed(wrong), None)


def trials_needed(wrong: int) -> int:
    """The fewest trials that show 90 %, if this many of them are wrong: 35 if none is.

    Wilson's lower bound is p if n - wrong - n p = z sqrt(n p (1 - p)), a quadratic equation of sqrt(n).
    """
    miss, spread = 1 - RELIABLE, two_sided_z() * sqrt(RELIABLE * (1 - RELIABLE))
    root = (spread + sqrt(spread * spread + 4 * miss * wrong)) / (2 * miss)
    return next(n for n in count(max(wrong, ceil(root * root) - 1)) if _is_reliable(n - wrong, n))


def _is_reliable(correct: int, measured: int) -> bool:
    interval = wilson(correct, measured)
    return interval is not None and interval.low >= RELIABLE
