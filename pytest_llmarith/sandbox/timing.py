"""What a measured time says about a limit, and what a first measurement is not good enough for."""

from __future__ import annotations

from collections.abc import Sequence

# Shared caches and cores make a loaded machine that much slower, even when nobody waits for a processor.
MARGIN = 0.2


def is_marginal(seconds: float, limits: Sequence[float]) -> bool:
    """Whether it is too close to a limit to be judged from a run that shared the machine."""
    return any((1 - MARGIN) * limit <= seconds <= (1 + MARGIN) * limit for limit in limits)


def beyond_margin_s(longest_s: float) -> float:
    """Where a run that shares the machine is stopped: a term that comes so far would be late alone, too."""
    return (1 + MARGIN) * longest_s


def patience_s(longest_s: float) -> float:
    """The wall time after which a machine is too busy to judge a term."""
    return 3 * longest_s + 2
