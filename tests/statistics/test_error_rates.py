"""How often tests are wrong and intervals miss: simulated models whose truth is
known.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from statistics import fmean, stdev

import pytest

from pytest_llmarith.figures.shares import percentage_of_clusters
from pytest_llmarith.statistics.pairs import compare_pairs
from pytest_llmarith.statistics.proportions import Cluster
from pytest_llmarith.statistics.strata import compare_strata

pytestmark = pytest.mark.proof

Draw = Callable[[Random], float]
ROUNDS = 500
# A true rate of 5 % gives more than this in one of a thousand simulations.
MOST = 40


def asked(random: Random, chance: float, trials: int) -> Cluster:
    return Cluster(sum(random.random() < chance for _ in range(trials)), trials)


@pytest.mark.parametrize("questions", [20, 72])
@pytest.mark.parametrize(
    "chance",
    [
        lambda random: 0.8,
        lambda random: 0.97,
        lambda random: random.betavariate(0.8, 0.2),
    ],
    ids=["0.8", "0.97", "skewed"],
)
@pytest.mark.parametrize(
    ("first", "second", "lost"),
    [(1, 3, 0), (3, 1, 0), (1, 10, 0), (3, 3, 0), (3, 3, 0.3), (1, 1, 0)],
)
def test_the_same_model_seldom_differs(
    first: int, second: int, lost: float, chance: Draw, questions: int
) -> None:
    random, found = Random(1), 0
    for _ in range(ROUNDS):
        tables = []
        for _ in range(questions):
            its = chance(random)
            kept = [
                sum(random.random() >= lost for _ in range(trials))
                for trials in (first, second)
            ]
            if all(kept):
                tables.append(
                    (asked(random, its, kept[0]), asked(random, its, kept[1]))
                )
        found += compare_pairs(tables).p < 0.05
    assert found <= MOST


@pytest.mark.parametrize(
    "cells",
    [
        [(0.8, 1, 300)],
        [(0.97, 5, 500)],
        [(0.97, 1, 60)] * 8,
        [(0.98 - 0.1 * number, 10, 10) for number in range(9)],
    ],
    ids=["1 and 300", "5 and 500", "1 and 60 in 8 cells", "10 and 10 in 9 cells"],
)
def test_equal_groups_seldom_differ(cells: list[tuple[float, int, int]]) -> None:
    random, found = Random(1), 0
    for _ in range(ROUNDS):
        tables = [
            (asked(random, chance, one), asked(random, chance, other))
            for chance, one, other in cells
        ]
        found += compare_strata(tables).p < 0.05
    assert found <= MOST


@pytest.mark.parametrize("lower", [0.0, 0.1, 0.3])
@pytest.mark.parametrize(
    ("chances", "trials", "widest"),
    [
        ([1, 0.9, 0.5, 0.2, 0.05, 0, 0, 0, 0], 10, 1.45),
        ([1, 1, 0.95, 0.9, 0.8, 0.6, 0.4, 0.2, 0.1], 10, 1.35),
        ([0.7] * 9, 10, 1.35),
        ([0.99] * 9, 30, 2.0),
        ([0.7] * 72, 1, 1.45),
    ],
    ids=["steep", "gentle", "flat", "easy", "one trial in 72 cells"],
)
def test_intervals_of_groups_hold_the_difference(
    chances: list[float], trials: int, widest: float, lower: float
) -> None:
    """In 95 % of comparisons or more, without being much wider than 1.96 standard
    errors; they agree with the test.
    """
    random, held, border = Random(1), 0, 0
    differences, half_widths = [], []
    others = [max(0, chance - lower) for chance in chances]
    true = fmean(others) - fmean(chances)
    for _ in range(300):
        pairs = zip(chances, others, strict=True)
        found = compare_strata(
            [
                (asked(random, one, trials), asked(random, other, trials))
                for one, other in pairs
            ]
        )
        assert found.interval is not None
        held += found.interval.low <= true <= found.interval.high
        border += 0.001 in (found.interval.low, -found.interval.high)
        differences.append(found.second - found.first)
        half_widths.append((found.interval.high - found.interval.low) / 2)
    assert held >= 0.92 * 300
    assert border <= 0.02 * 300
    assert fmean(half_widths) <= widest * 1.96 * stdev(differences)


@pytest.mark.parametrize(
    ("problems", "repeats"), [(30, 10), (10, 10), (100, 10), (30, 3)]
)
@pytest.mark.parametrize(
    ("chance", "mean"),
    [
        (lambda random: random.betavariate(0.95, 0.05), 0.95),
        (lambda random: 0.1 if random.random() < 0.05 else 0.995, 0.95025),
        (lambda random: 0.5 if random.random() < 0.1 else 1.0, 0.95),
        (lambda random: 0.95, 0.95),
        (lambda random: random.betavariate(1.6, 0.4), 0.8),
    ],
    ids=["very skewed", "a few hopeless", "a few hard", "all alike", "skewed"],
)
def test_clustered_intervals_hold_the_mean(
    problems: int, repeats: int, chance: Draw, mean: float
) -> None:
    """In about 95 % of runs, also if a few problems are much harder than the others."""
    random, held = Random(1), 0
    for _ in range(300):
        found = percentage_of_clusters(
            [asked(random, chance(random), repeats) for _ in range(problems)]
        )
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 100 * mean <= found.high
    assert held >= 0.91 * 300  # at 95 %, one of a thousand simulations has fewer
