"""Up to which depth a model can be relied on, and how many trials it takes to say so.

It does not know what is asked at a depth.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from math import ceil, sqrt
from typing import NamedTuple

from pytest_llmarith.reports.statistics.intervals import two_sided_z, wilson
from pytest_llmarith.reports.statistics.stratified import Cell, overall

RELIABLE = 0.9


class Depth(NamedTuple):
    """What was measured at one depth."""

    depth: int
    correct: int
    measured: int


class ReliableDepth(NamedTuple):
    """The deepest that is proven to be reliable, and the deepest that looks so, which is no less.

    Where none is proven, `at_most` is the upper end of the interval of all trials, if that is less than 90 %, else
    `needs` the fewest trials that could prove one.
    """

    depth: int | None
    observed: int | None
    needs: int | None
    at_most: float | None


def reliable_depth(depths: Iterable[Depth]) -> ReliableDepth:
    """The largest depth up to which all trials, pooled, are at least 90 % correct by their Wilson lower bound.

    The first depth whose own upper bound is under 90 % ends the search. The observed depth is the same by the share
    that was correct. The trials needed are those of the first depth: what went wrong there stays wrong, and all others
    have to be correct.
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
    """The fewest trials that show 90 % with so many wrong ones among them; with none it is 35.

    Wilson's lower bound is p where n - wrong - n p = z sqrt(n p (1 - p)), which is a quadratic equation of sqrt(n).
    """
    miss, spread = 1 - RELIABLE, two_sided_z() * sqrt(RELIABLE * (1 - RELIABLE))
    root = (spread + sqrt(spread * spread + 4 * miss * wrong)) / (2 * miss)
    return next(n for n in count(max(wrong, ceil(root * root) - 1)) if _is_reliable(n - wrong, n))


def _is_reliable(correct: int, measured: int) -> bool:
    interval = wilson(correct, measured)
    return interval is not None and interval.low >= RELIABLE
