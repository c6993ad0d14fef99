"""Adaptive asking for D50, with simulated models: whether the intervals hold D50, and how few questions it needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from random import Random
from statistics import fmean
from typing import NamedTuple

import pytest

from pytest_llmarith.results.statistics import Depth
from pytest_llmarith.results.thresholds import DepthChooser, Fit, fit, probability

DEPTHS = range(2, 31)
SETTINGS = list(product((2, 8, 20), (0.3, 1, 4)))  # D50 and slope


class Model(NamedTuple):
    """A simulated model."""

    random: Random
    d50: float
    slope: float

    def is_right(self, depth: int) -> bool:
        return self.random.random() < probability(depth - self.d50, self.slope, 0)


class Measured(NamedTuple):
    """What adaptive asking found out."""

    questions: int
    reached: bool
    found: Fit

    @property
    def width(self) -> float:
        return self.found.interval.high - self.found.interval.low

    def holds(self, d50: float) -> bool:
        return self.found.interval.low <= d50 <= self.found.interval.high


def measure(model: Model, half_width: float, most: int, depths: Sequence[int] = DEPTHS) -> Measured:
    answers = defaultdict[int, list[bool]](list)
    chooser, depth, questions = DepthChooser(depths, half_width), depths[len(depths) // 2], 0
    while depth and questions < most:
        answers[depth].append(model.is_right(depth))
        chooser.add(depth, is_right=answers[depth][-1])
        depth, questions = chooser.next_depth() or 0, questions + 1
    measured = tuple(Depth(depth, sum(right), len(right)) for depth, right in sorted(answers.items()))
    found = fit(measured, (depths[0], depths[-1]))
    assert found is not None
    return Measured(questions, not depth, found)


def fewest_of_even_grid(model: Model, width: float) -> int:
    """Questions with which an even grid has no interval as narrow as this yet, but has it with a fifth more."""
    right, asked, checked = dict.fromkeys(DEPTHS, 0), 0, 0
    while True:
        for _ in range(trials := max(1, asked // 5)):
            right = {depth: correct + model.is_right(depth) for depth, correct in right.items()}
        asked += trials
        found = fit(tuple(Depth(depth, correct, asked) for depth, correct in right.items()))
        assert found is not None
        if found.interval.high - found.interval.low <= width:
            return len(DEPTHS) * (checked + 1)
        checked = asked


@pytest.mark.proof
@pytest.mark.timeout(3600)
def test_coverage_and_questions() -> None:
    """In 2,000 simulations of each setting, three minutes in all; the questions of even grids in 4 of each."""
    coverage, share = [], []
    for d50, slope in SETTINGS:
        model = Model(Random(f"{d50} {slope}"), d50, slope)
        found = [measure(model, 1, 60) for _ in range(2_000)]
        coverage.append(fmean(one.holds(d50) for one in found))
        grids = [fewest_of_even_grid(model, one.width) for one in found[:4]]
        share.append(fmean(one.questions for one in found) / fmean(grids))
    assert min(coverage) >= 0.9, coverage
    assert 0.93 <= fmean(coverage) <= 0.97, coverage
    assert fmean(share) <= 0.6, share


def test_a_few_simulations() -> None:
    """Intervals that are reached are as narrow as wanted, and nearly all hold D50."""
    found = [measure(Model(Random(seed), 6.5, 1.5), 0.75, 100, range(2, 13)) for seed in range(60)]
    assert all(one.width <= 1.5 for one in found if one.reached)
    assert sum(one.reached for one in found) >= 50
    assert sum(one.holds(6.5) for one in found) >= 54
    assert fmean(one.questions for one in found) < 50


@pytest.mark.parametrize(("d50", "place"), [(-50, -1), (99, 1)])
@pytest.mark.parametrize("depths", [DEPTHS, range(2, 11), [2, 5, 20], range(2, 500)], ids=str)
def test_outside_of_the_depths(depths: Sequence[int], d50: float, place: int) -> None:
    """A model that is always right, or never, is asked few questions."""
    found = measure(Model(Random(1), d50 * 20, 4), 0.5, 100, depths)
    assert found.reached
    assert found.questions <= 20
    assert found.found.d50 < depths[0] if place < 0 else found.found.d50 > depths[-1]


@pytest.mark.parametrize("half_width", [0.1, 1, 10])
@pytest.mark.parametrize("depths", [[2, 3], [1, 30, 1000], range(2, 11)], ids=str)
def test_any_answers(depths: Sequence[int], half_width: float) -> None:
    """Also answers that no curve describes lead to a depth, or to an end."""
    for shown in range(2, 6):
        chooser, depth = DepthChooser(depths, half_width), depths[0]
        for number in range(60):
            chooser.add(depth, is_right=number % shown == 0 or depth == depths[-1])
            if (following := chooser.next_depth()) is None:
                break
            assert following in depths
            depth = following
