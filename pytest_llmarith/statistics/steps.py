"""The chance that a step fails, of answers that need several independent steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import exp, expm1, fsum, log, log1p
from operator import add
from typing import NamedTuple

from pytest_llmarith.statistics.distributions import Z, chi_squared_tail
from pytest_llmarith.statistics.intervals import Interval
from pytest_llmarith.statistics.proportions import Cluster

_HALVINGS = 50
_MOST = 1 - 1e-12  # chance, so that its logarithms are finite
_FEWEST = 5  # expected right and wrong answers of a group


class StepFailure(NamedTuple):
    """The chance that a step fails, and whether it explains the answers: p of a test of
    fit and its degrees of freedom, or None if there is nothing to test.
    """

    chance: float
    interval: Interval
    fit: tuple[float, int] | None

    def share(self, steps: int) -> float:
        """The share of right answers among those that need this many steps."""
        return float((1 - self.chance) ** steps)


def step_failure(answers: Mapping[int, Cluster]) -> StepFailure | None:
    """The likeliest chance p that a step fails if an answer of n steps is right with
    probability (1 - p)^n; `answers` are by n. None without an answer that needs a step.

    The 95 % interval has each p whose likelihood ratio is not rejected (Wilks 1938,
    Annals of Mathematical Statistics 9, 60-62). The test of fit is Pearson's chi
    squared; groups of neighbouring n have at least five right and five wrong answers
    by this law (Cochran 1954, Biometrics 10, 417-451).
    """
    needed = {steps: answers[steps] for steps in sorted(answers) if steps}
    if not any(one.trials for one in needed.values()):
        return None

    def is_below(chance: float) -> bool:
        """Whether the likelihood rises with the chance."""
        right = log1p(-chance)
        slopes = []
        for steps, (successes, trials) in needed.items():
            odds = exp(steps * right) / -expm1(steps * right)
            slopes.append(steps * ((trials - successes) * odds - successes))
        return fsum(slopes) > 0

    def likelihood(chance: float) -> float:
        right = log1p(-chance)
        parts = []
        for steps, (successes, trials) in needed.items():
            parts.append(successes * steps * right)
            if successes < trials:
                parts.append((trials - successes) * log(-expm1(steps * right)))
        return fsum(parts)

    chance = _edge(is_below, 0.0, _MOST)
    least = likelihood(chance) - Z**2 / 2
    low, high = (
        _edge(lambda one: likelihood(one) >= least, chance, end) for end in (0.0, _MOST)
    )
    found = StepFailure(chance, Interval(low, high), None)
    return found._replace(fit=_fit(found, needed))


def _edge(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """How far from `inside` to `outside` it holds."""
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if holds(middle):
            inside = middle
        else:
            outside = middle
    return inside


def _fit(found: StepFailure, needed: Mapping[int, Cluster]) -> tuple[float, int] | None:
    """The test of fit; None with fewer than two groups."""
    groups = []  # right answers beyond those expected, expected ones, variance
    some = [0.0] * 4
    for steps, (successes, trials) in needed.items():
        share = found.share(steps)
        right = trials * share
        more = successes - right, right, trials - right, right * (1 - share)
        some = _sums(some, more)
        if min(some[1:3]) >= _FEWEST:
            groups.append(some)
            some = [0.0] * 4
    if len(groups) < 2:
        return None
    groups[-1] = _sums(groups[-1], some)
    square = fsum(excess**2 / variance for excess, _, _, variance in groups)
    degrees = len(groups) - 1  # one is spent on the chance
    return chi_squared_tail(square, degrees), degrees


def _sums(one: Iterable[float], other: Iterable[float]) -> list[float]:
    return list(map(add, one, other))
