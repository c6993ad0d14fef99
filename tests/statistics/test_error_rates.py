"""How often tests are wrong and intervals miss: simulated models whose truth is
known.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from statistics import fmean, stdev

import pytest

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
