"""What a measured time says about a limit, and what a first measurement is not good enough for."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_llmarith.values import ProgramRun

# Shared caches and cores make a loaded machine that much slower, even when nobody waits for a processor.
_MARGIN = 0.2


def is_in_doubt(run: ProgramRun, limits: Sequence[float]) -> bool:
    """Whether a run that shared the machine does not tell on which side of a limit a term is.

    It came too close to one, or was not at work for so long: it slept, or something kept it that no count shows.
    """
    return any(_is_marginal(run.seconds, limit) or run.cpu_s <= limit < run.seconds for limit in limits)


def _is_marginal(seconds: float, limit: float) -> bool:
    return (1 - _MARGIN) * limit <= seconds <= (1 + _MARGIN) * limit


def beyond_margin_s(longest_s: float) -> float:
    """Where a run that shares the machine is stopped: a term that comes so far would be late alone, too."""
    return (1 + _MARGIN) * longest_s


def patience_s(longest_s: float) -> float:
    """The wall time after which a machine is too busy to judge a term."""
    return 3 * longest_s + 2
