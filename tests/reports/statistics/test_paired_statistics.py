"""Two shares beside each other, against published values and scipy."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pytest_llmarith.reports.statistics import Interval, bootstrap_difference
from pytest_llmarith.reports.statistics.paired import (
    Pairs,
    holm,
    mcnemar,
    paired_difference,
)

COUNT = st.integers(0, 300)
PAIRS = st.builds(Pairs, COUNT, COUNT, COUNT, COUNT).filter(lambda pairs: pairs.total > 0)


def known(interval: Interval | None) -> Interval:
    assert interval is not None
    return interval


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        # Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13:91 (2013), airway hyper-responsiveness
        (1, 7, 0.0703),
        # toss by toss: five heads of five, both ways
        (0, 5, 0.0625),
        (5, 0, 0.0625),
        (0, 6, 0.03125),
        (3, 3, 1.0),
        (0, 1, 1.0),
        (0, 0, 1.0),
    ],
)
def test_mcnemar_is_as_published(first: int, second: int, p: float) -> None:
    """McNemar's exact p, two-sided, comes out as in published examples."""
    assert mcnemar(Pairs(9, first, second, 4)) == pytest.approx(p, abs=5e-5)


@given(st.integers(0, 3_000), st.integers(0, 3_000))
def test_mcnemar_is_the_binomial_test(first: int, second: int) -> None:
    """Scipy's binomial test of a fair coin says the same, however small the p."""
    expected = stats.binomtest(first, first + second).pvalue if first + second else 1.0
    assert mcnemar(Pairs(0, first, second, 0)) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(("first", "second"), [(1_000_000, 1_001_000), (0, 2_000_000)])
def test_mcnemar_of_millions(first: int, second: int) -> None:
    """It sums no more than matters, and what is too small for a float is 0."""
    expected = stats.binomtest(first, first + second).pvalue
    assert mcnemar(Pairs(0, first, second, 0)) == pytest.approx(expected, rel=1e-6, abs=1e-300)


@pytest.mark.parametrize(
    ("pairs", "low", "high"),
    [
        # Fagerland, Lydersen and Laake, Statistics in Medicine 33 (2014), airway hyper-responsiveness
        (Pairs(1, 1, 7, 12), 0.026, 0.507),
        # Altman, Machin, Bryant and Gardner, Statistics with Confidence (2000), page 52, where phi is corrected
        (Pairs(14, 5, 0, 22), -0.226, -0.011),
        # contingencytables 3.0, complete response (Cavo et al. 2012)
        (Pairs(59, 6, 16, 80), 0.0046, 0.1186),
        (Pairs(59, 16, 6, 80), -0.1186, -0.0046),
    ],
)
def test_a_paired_difference_is_as_published(pairs: Pairs, low: float, high: float) -> None:
    """The interval of a paired difference is that of Newcombe's examples for his method 10."""
    assert known(paired_difference(pairs)) == pytest.approx((low, high), abs=6e-4)


def test_nothing_compared_has_no_interval() -> None:
    """Where nothing was compared a difference has no interval."""
    assert paired_difference(Pairs(0, 0, 0, 0)) is None


@given(PAIRS)
def test_a_paired_interval_holds_the_difference(pairs: Pairs) -> None:
    """It lies within -1 and 1, holds what was measured, and is mirrored where the two change places."""
    interval = known(paired_difference(pairs))
    assert -1 <= interval.low <= (pairs.second - pairs.first) / pairs.total <= interval.high <= 1
    assert interval.low < interval.high
    back = known(paired_difference(Pairs(pairs.both, pairs.second, pairs.first, pairs.neither)))
    assert interval == pytest.approx((-back.high, -back.low), abs=1e-12)


@settings(max_examples=5)
@given(st.integers(5, 95), st.integers(0, 99))
def test_a_paired_interval_covers_the_truth(percent: int, seed: int) -> None:
    """Of 400 simulated comparisons of equal models, 95 % or about as many hold the true difference, which is 0."""
    draw, held = Random(seed), 0
    for _ in range(400):
        hits = [(draw.random() < percent / 100, draw.random() < percent / 100) for _ in range(60)]
        cells = [hits.count(cell) for cell in ((True, True), (True, False), (False, True), (False, False))]
        interval = known(paired_difference(Pairs(*cells)))
        held += interval.low <= 0 <= interval.high
    assert held >= 365


@pytest.mark.parametrize(
    ("given_p", "expected"),
    [
        # R's p.adjust(p, "holm")
        ([0.01, 0.02, 0.03, 0.04], [0.04, 0.06, 0.06, 0.06]),
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.9, 0.5, 1.0], [1.0, 1.0, 1.0]),
        ([0.03], [0.03]),
        ([], []),
    ],
)
def test_holm_is_as_published(given_p: list[float], expected: list[float]) -> None:
    """Holm's corrected p values are as published, in the order of the given ones."""
    assert holm(given_p) == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1))
def test_holm_corrects_upwards(given_p: list[float]) -> None:
    """No p gets smaller, the smallest is multiplied by their number, and their order stays."""
    corrected = holm(given_p)
    assert all(p <= its <= 1 for p, its in zip(given_p, corrected, strict=True))
    assert min(corrected) == min(1.0, len(given_p) * min(given_p))
    ranked = [its for _, its in sorted(zip(given_p, corrected, strict=True))]
    assert ranked == sorted(ranked)


def test_bootstrap_of_a_difference() -> None:
    """Around the difference of the means, as wide as the normal interval, and always the same."""
    first, second = [0.0] * 200 + [1.0] * 200, [0.0] * 100 + [1.0] * 300
    interval = known(bootstrap_difference(first, second))
    assert interval == bootstrap_difference(first, second)
    error = 1.96 * (0.25 / 400 + 0.1875 / 400) ** 0.5
    assert interval == pytest.approx((0.25 - error, 0.25 + error), abs=0.01)


def test_what_does_not_vary_has_no_bootstrap() -> None:
    """Equal values say nothing of their spread, and no values nothing at all."""
    assert bootstrap_difference([1.0, 1.0], [0.5]) is None
    assert bootstrap_difference([], [0.5, 1.0]) is None
    assert bootstrap_difference([1.0, 1.0], [0.5, 0.4]) is not None
