"""The chance that a step fails, against scipy and simulated answers."""

from __future__ import annotations

import random
from collections.abc import Mapping
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from pytest_llmarith.statistics.proportions import Cluster
from pytest_llmarith.statistics.steps import StepFailure, step_failure

_SOME = st.integers(1, 300).flatmap(
    lambda n: st.builds(Cluster, st.integers(0, n), st.just(n))
)
ANSWERS = st.dictionaries(st.integers(0, 12), _SOME, min_size=1, max_size=8)


def found_in(answers: Mapping[int, Cluster]) -> StepFailure:
    found = step_failure(answers)
    assert found is not None
    return found


def loss(answers: Mapping[int, Cluster], chance: float) -> float:
    """Minus the logarithm of the likelihood, written as the law says it."""
    total = 0.0
    for steps, (right, trials) in answers.items():
        share = (1 - chance) ** steps
        total -= right * log(share) if right else 0
        total -= (trials - right) * log(1 - share) if right < trials else 0
    return total


@given(ANSWERS)
def test_the_chance_is_the_likeliest(answers: dict[int, Cluster]) -> None:
    """By scipy; the ends of the interval are 1.92 less likely."""
    needed = {steps: one for steps, one in answers.items() if steps}
    right = sum(one.successes for one in needed.values())
    if not needed:
        assert step_failure(answers) is None
        return
    found = found_in(answers)
    low, high = found.interval
    assert 0 <= low <= found.chance <= high <= 1
    if 0 < right < sum(one.trials for one in needed.values()):
        best = optimize.minimize_scalar(
            lambda chance: loss(needed, chance),
            bounds=(1e-9, 1 - 1e-9),
            method="bounded",
            options={"xatol": 1e-10},
        )
        assert loss(needed, found.chance) <= best.fun + 1e-6
        for end in (low, high):
            less = loss(needed, end) - loss(needed, found.chance)
            assert less == pytest.approx(1.9207, abs=1e-3)


@pytest.mark.parametrize(
    ("answers", "chance", "low", "high"),
    [
        # By the binomial likelihood: 1.92 = 100 log(1 / (1 - p)).
        ({1: (100, 100)}, 0, 0, 0.0190),
        ({2: (50, 50)}, 0, 0, 0.0190),
        ({1: (0, 100)}, 1, 0.9810, 1),
        ({3: (0, 1)}, 1, 0.0514, 1),
        ({1: (900, 1000), 2: (810, 1000), 3: (729, 1000)}, 0.1, 0.0923, 0.1081),
        (
            {0: (1, 50), 1: (90, 100)},
            0.1,
            0.0514,
            0.1688,
        ),  # what needs none says nothing
    ],
)
def test_chances(
    answers: dict[int, tuple[int, int]], chance: float, low: float, high: float
) -> None:
    found = found_in({steps: Cluster(*one) for steps, one in answers.items()})
    assert found.chance == pytest.approx(chance, abs=1e-6)
    assert found.interval == pytest.approx((low, high), abs=2e-4)


@pytest.mark.parametrize(
    "answers",
    [
        {2: (50, 100)},  # one number of steps
        {1: (100, 100), 2: (100, 100)},  # all right
        {1: (0, 100), 2: (0, 100)},  # none right
        {1: (9, 10), 2: (8, 10), 3: (7, 10)},  # too few
        {0: (5, 10), 1: (50, 100)},
    ],
)
def test_without_two_groups_there_is_no_test_of_fit(
    answers: dict[int, tuple[int, int]],
) -> None:
    found = found_in({steps: Cluster(*one) for steps, one in answers.items()})
    assert found.fit is None


@pytest.mark.parametrize(
    ("shares", "is_rejected"),
    [
        ([0.9, 0.81, 0.729, 0.656], False),
        ([0.7, 0.7, 0.7, 0.7], True),  # the steps do not matter
        ([0.95, 0.95, 0.5, 0.2], True),  # the first ones are easier
        ([0.5, 0.45, 0.4, 0.36], True),  # half fails for another reason
    ],
)
def test_a_misfit_is_detected(shares: list[float], is_rejected: bool) -> None:
    answers = {}
    for steps, share in enumerate(shares, 1):
        answers[steps] = Cluster(round(200 * share), 200)
    fit = found_in(answers).fit
    assert fit is not None
    p, degrees = fit
    assert degrees == 3
    assert (p < 0.01) is is_rejected


def test_the_test_of_fit_is_pearsons() -> None:
    """By scipy, of groups that are large enough."""
    answers = {1: Cluster(80, 100), 2: Cluster(75, 100), 4: Cluster(40, 100)}
    found = found_in(answers)
    square = 0.0
    for steps, (right, trials) in answers.items():
        expected = trials * (1 - found.chance) ** steps
        observed = [right, trials - right]
        square += stats.chisquare(observed, [expected, trials - expected]).statistic
    p = stats.chi2.sf(square, 2)
    assert found.fit == pytest.approx((p, 2), rel=0.05)


def test_of_simulated_runs_95_percent_hold_the_chance() -> None:
    """And the test of fit rejects about one of twenty."""
    draw = random.Random(0)
    holds = rejected = 0
    for _ in range(400):
        answers = {}
        for steps, trials in ((0, 15), (1, 30), (2, 30), (3, 20), (4, 10), (6, 3)):
            right = sum(draw.random() < 0.85**steps for _ in range(trials))
            answers[steps] = Cluster(right, trials)
        found = found_in(answers)
        holds += found.interval.low <= 0.15 <= found.interval.high
        rejected += found.fit is not None and found.fit[0] < 0.05
    assert 0.93 <= holds / 400 <= 0.98
    assert rejected / 400 <= 0.07
