"""Up to which depth a model can be relied on, and how many trials it takes to say so.

It does not know what is asked at a depth.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from math import ceil, sqrt
from typing import NamedTuple

from pytest_llmarith.reports.statistics.intervals import two_sided_z, wilson

RELIABLE = 0.9


class Depth(NamedTuple):
    """What was measured at one depth."""

    depth: int
    correct: int
    measured: int


class ReliableDepth(NamedTuple):
    """The deepest that can be relied on; where there is none, the fewest trials that could show one."""

    depth: int | None
    needs: int | None


def reliable_depth(depths: Iterable[Depth]) -> ReliableDepth:
    """The largest depth whose accuracy, pooled with all depths before it, is 90 % or more by its Wilson lower bound.

    What is needed where there is none are trials at the first depth: those that went wrong there stay wrong, and all
    others have to be correct.
    """
    measured = sorted(depth for depth in depths if depth.measured)
    deepest, correct, trials = None, 0, 0
    for depth in measured:
        correct, trials = correct + depth.correct, trials + depth.measured
        if _is_reliable(correct, trials):
            deepest = depth.depth
    wrong = measured[0].measured - measured[0].correct if measured else 0
    return ReliableDepth(deepest, trials_needed(wrong) if deepest is None else None)


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
