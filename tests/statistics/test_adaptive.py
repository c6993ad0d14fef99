"""Adaptive asking for D50, with simulated models: whether the intervals hold D50, and
how few questions it needs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import inf
from random import Random
from typing import NamedTuple

import pytest

from pytest_llmarith.statistics.depth_chooser import DepthChooser
from pytest_llmarith.statistics.proportions import Depth
from pytest_llmarith.statistics.thresholds import Fit, fit
from tests.statistics.curves import CURVES, Curve, d50_of, logistic

DEPTHS = range(2, 31)
SHALLOW = range(2, 13)


class Model(NamedTuple):
    """A simulated model."""

    random: Random
    curve: Curve

    def is_right(self, depth: int) -> bool:
        return self.random.random() < self.curve(depth)


class Measured(NamedTuple):
    """What adaptive asking found out."""

    questions: int
    reached: bool
    found: Fit

    @property
    def width(self) -> float:
        if self.found.low is None or self.found.high is None:
            return inf
        return self.found.high - self.found.low

    def holds(self, d50: float) -> bool:
        low, high = self.found.low, self.found.high
        return (low is None or low <= d50) and (high is None or d50 <= high)


def measure(
    model: Model, half_width: float, most: int, depths: Sequence[int] = DEPTHS
) -> Measured:
    answers = defaultdict[int, list[bool]](list)
    chooser, depth, questions = (
        DepthChooser(depths, half_width),
        depths[len(depths) // 2],
        0,
    )
    while depth and questions < most:
        answers[depth].append(model.is_right(depth))
        chooser.add(depth, is_right=answers[depth][-1])
        depth, questions = chooser.next_depth() or 0, questions + 1
    measured = tuple(
        Depth(depth, sum(right), len(right)) for depth, right in sorted(answers.items())
    )
    found = fit(measured, (depths[0], depths[-1]))
    assert found is not None
    return Measured(questions, not depth, found)


@pytest.mark.proof
@pytest.mark.parametrize("name", CURVES)
def test_coverage(name: str) -> None:
    curve = CURVES[name]
    found = [
        measure(Model(Random(f"{name} {number}"), curve), 1, 60, SHALLOW)
        for number in range(60)
    ]
    assert (
        sum(one.holds(d50_of(curve)) for one in found) >= 53
    )  # at 93 %, one of 50 simulations has fewer


def test_a_few_simulations() -> None:
    found = [
        measure(Model(Random(seed), logistic(6.5, 2)), 1, 60, SHALLOW)
        for seed in range(20)
    ]
    assert all(one.width <= 2 for one in found if one.reached)
    assert sum(one.reached for one in found) >= 16
    assert sum(one.holds(6.5) for one in found) >= 17


@pytest.mark.parametrize(("d50", "place"), [(-50, -1), (99, 1)])
@pytest.mark.parametrize(
    "depths", [DEPTHS, range(2, 11), [2, 5, 20], range(2, 500)], ids=str
)
def test_outside_of_the_depths(depths: Sequence[int], d50: float, place: int) -> None:
    found = measure(Model(Random(1), logistic(d50 * 20, 4)), 0.5, 100, depths)
    assert found.reached
    assert found.questions <= 20
    low, high = (None, depths[0]) if place < 0 else (depths[-1], None)
    assert found.found[:3] == (None, low, high)


@pytest.mark.parametrize("half_width", [0.1, 1, 10])
@pytest.mark.parametrize("depths", [[2, 3], [1, 30, 1000], range(2, 11)], ids=str)
def test_any_answers(depths: Sequence[int], half_width: float) -> None:
    for shown in range(2, 6):
        chooser, depth = DepthChooser(depths, half_width), depths[0]
        for number in range(20):
            chooser.add(depth, is_right=number % shown == 0 or depth == depths[-1])
            if (following := chooser.next_depth()) is None:
                break
            assert following in depths
            depth = following
