"""Numbers with their uncertainty, against published values and against scipy."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from random import Random
from statistics import mean, median, quantiles
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pytest_llmarith.reports.statistics import (
    bootstrap_mean,
    kappa,
    median_of_decimals,
    median_of_floats,
    percent,
    quantile_of_sorted,
    two_sided_z,
    wilson,
)

COUNTS = st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
HUGE = st.decimals(allow_nan=False, allow_infinity=False) | st.just(Decimal("1e+5000000"))


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, score method without continuity correction
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        # R's prop.test(7, 10, correct=FALSE)
        (7, 10, 0.3968, 0.8922),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
    ],
)
def test_wilson_is_as_published(successes: int, n: int, low: float, high: float) -> None:
    """The interval equals the published one to its four decimals."""
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


@given(COUNTS)
def test_wilson_is_that_of_scipy(counts: tuple[int, int]) -> None:
    """For any counts the interval is the one that the reference implementation computes."""
    expected = stats.binomtest(*counts).proportion_ci(0.95, method="wilson")
    assert wilson(*counts) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(("confidence", "z"), [(0.90, 1.644854), (0.95, 1.959964), (0.99, 2.575829)])
def test_standard_errors_on_either_side(confidence: float, z: float) -> None:
    """The quantiles are those of every table of the normal distribution."""
    assert two_sided_z(confidence) == pytest.approx(z, abs=5e-7)


def test_nothing_measured_has_no_interval() -> None:
    """Where nothing was measured Wilson's interval is unknown."""
    assert wilson(0, 0) is None


@given(COUNTS)
def test_wilson_holds_the_proportion(counts: tuple[int, int]) -> None:
    """The interval lies within 0 and 1 and holds what was measured."""
    successes, n = counts
    interval = wilson(successes, n)
    assert interval is not None
    assert 0 <= interval.low <= successes / n <= interval.high <= 1
    assert interval.low < interval.high


@given(COUNTS)
def test_wilson_is_symmetric(counts: tuple[int, int]) -> None:
    """Failures have the mirrored interval of successes."""
    successes, n = counts
    there, back = wilson(successes, n), wilson(n - successes, n)
    assert there is not None
    assert back is not None
    assert there == pytest.approx((1 - back.high, 1 - back.low), abs=1e-12)


@given(COUNTS, st.integers(0, 8))
def test_percent_is_the_nearest_decimal(counts: tuple[int, int], decimals: int) -> None:
    """A percentage is off by half a unit of its last decimal at most."""
    part, whole = counts
    shown = percent(part, whole, decimals)
    assert abs(Fraction(shown) - Fraction(100 * part, whole)) <= Fraction(1, 2 * 10**decimals)
    assert -shown.as_tuple().exponent == decimals  # type: ignore[operator]


@given(st.lists(st.floats(-1e300, 1e300), min_size=1))
def test_median_of_floats_is_the_median(values: list[float]) -> None:
    """The median of floats is what the standard library says."""
    assert median_of_floats(values) == median(values)


@given(st.lists(HUGE, min_size=1))
def test_median_of_decimals_lies_in_the_middle(values: list[Decimal]) -> None:
    """No value is too large, and at most half of them lie on either side."""
    middle = median_of_decimals(values)
    assert middle is not None
    assert sum(value < middle for value in values) <= len(values) / 2
    assert sum(value > middle for value in values) <= len(values) / 2


@pytest.mark.parametrize(
    ("values", "percentile", "expected"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 90, 9.1),  # R's quantile(1:10, 0.9), numpy's percentile
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 50, 5.5),
        ([15, 20, 35, 40, 50], 40, 29.0),  # Wikipedia's article on percentiles, second variant
        ([7], 90, 7),
        ([7, 7], 90, 7),
        ([1, 2], 0, 1),
        ([1, 2], 100, 2),
        ([], 90, None),
    ],
)
def test_quantiles(values: list[float], percentile: int, expected: float | None) -> None:
    """Published examples of the seventh definition of Hyndman and Fan."""
    assert quantile_of_sorted(values, percentile) == (expected if expected is None else pytest.approx(expected))


@given(st.lists(st.floats(-1e9, 1e9), min_size=2))
def test_quantiles_are_those_of_the_standard_library(values: list[float]) -> None:
    """Every tenth is the standard library's, and none lies outside of the values."""
    ordered = sorted(values)
    found = [quantile_of_sorted(ordered, percentile) for percentile in range(10, 100, 10)]
    assert found == pytest.approx(quantiles(ordered, n=10, method="inclusive"), abs=1e-6)
    assert all(one is not None and ordered[0] <= one <= ordered[-1] for one in found)


def test_nothing_has_no_median() -> None:
    """Where there are no values there is no median."""
    assert median_of_floats([]) is None
    assert median_of_decimals([]) is None


def test_bootstrap_of_a_mean() -> None:
    """Within the values, around the mean, and always the same; equal values say nothing of their spread."""
    values = [0.0] * 30 + [1.0] * 60 + [0.5] * 10
    interval = bootstrap_mean(values)
    assert interval is not None
    assert interval == bootstrap_mean(values)
    assert 0.5 < interval.low < 0.65 < interval.high < 0.8
    assert bootstrap_mean([1.0] * 9) is None
    assert bootstrap_mean([0.5]) is None
    assert bootstrap_mean([]) is None


def test_bootstrap_agrees_with_the_normal_interval() -> None:
    """For many values of a known spread the percentile interval is the mean plus or minus 1.96 standard errors."""
    values = [number % 2 for number in range(400)]
    interval = bootstrap_mean(values)
    assert interval is not None
    assert interval.low == pytest.approx(0.5 - 1.96 * 0.5 / 20, abs=0.006)
    assert interval.high == pytest.approx(0.5 + 1.96 * 0.5 / 20, abs=0.006)


def test_bootstrap_agrees_with_scipy() -> None:
    """Scores as models have them, many perfect and many zero: the ends are those of scipy but for the draw."""
    draw = Random(1)
    values = [min(1.0, max(0.0, draw.gauss(0.7, 0.6))) for _ in range(250)]
    ours = bootstrap_mean(values)
    theirs = stats.bootstrap((values,), _means, method="percentile", random_state=0).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.006)
    assert ours is not None
    assert ours.low < mean(values) < ours.high


def _means(values: Any, axis: int) -> Any:
    return values.mean(axis=axis)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((20, 5, 10, 15), 0.4),  # the example of Wikipedia's article on Cohen's kappa
        ((45, 15, 25, 15), 0.1304),
        ((25, 35, 5, 35), 0.2593),
        ((10, 0, 0, 10), 1.0),
        ((0, 10, 10, 0), -1.0),
        ((10, 0, 0, 0), None),
        ((0, 0, 0, 0), None),
    ],
)
def test_kappa(counts: tuple[int, int, int, int], expected: float | None) -> None:
    """Published examples; undefined where everything is the same to both."""
    assert kappa(*counts) == (expected if expected is None else pytest.approx(expected, abs=1e-4))
