"""What a measured time says about a limit, and what a first measurement is not good enough for."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_llmarith.sandbox.inside import wire
from pytest_llmarith.values import ProgramRun

# Shared caches and cores make a loaded machine that much slower, even when nobody waits for a processor.
_MARGIN = 0.2


def is_in_doubt(run: ProgramRun, limits: Sequence[float]) -> bool:
    """Whether a run that shared the machine came too close to a limit to tell on which side of it the term is."""
    return any((1 - _MARGIN) * limit <= run.seconds <= (1 + _MARGIN) * limit for limit in limits)


def beyond_margin_s(longest_s: float) -> float:
    """Where a run that shares the machine is stopped: a term that comes so far would be late alone, too."""
    return (1 + _MARGIN) * longest_s


def patience_s(longest_s: float) -> float:
    """The wall time after which a term is inconclusive if too little of it counted, see `wire.SLOWEST`."""
    return 3 * longest_s + 2


def longest_wall_s(longest_s: float) -> float:
    """The wall time that one measurement of a term takes at most."""
    return max(patience_s(longest_s), wire.SLOWEST * beyond_margin_s(longest_s))
