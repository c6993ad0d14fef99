"""Two groups of trials over strata: against published values, scipy, and simulated truth."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pytest_llmarith.reports.statistics import Cluster
from pytest_llmarith.reports.statistics.unpaired import Difference, Stratum, stratified_difference

YES, NO = Cluster(1, 1), Cluster(0, 1)
CLUSTERS = st.lists(
    st.integers(1, 8).flatmap(lambda n: st.builds(Cluster, st.integers(0, n), st.just(n))), min_size=1, max_size=20
)
STRATA = st.lists(st.tuples(CLUSTERS, CLUSTERS), min_size=1, max_size=5)
Counts = tuple[int, int, int, int]


def of_counts(*tables: Counts) -> Difference:
    """The difference of trials that are all independent: successes and trials of the first, then of the second."""
    return stratified_difference([(_trials(*table[:2]), _trials(*table[2:])) for table in tables])


def _trials(successes: int, trials: int) -> list[Cluster]:
    return [YES] * successes + [NO] * (trials - successes)


def test_the_difference_and_its_interval_are_as_published() -> None:
    """Rothman, Greenland and Lash, Modern Epidemiology (2008), table 15-1, with the 90 % interval of metafor's test of
    it, -0.0176 to 0.0874: a standard error of 0.0319.
    """
    found = of_counts((5, 120, 8, 106), (16, 85, 22, 98))
    assert found.interval is not None
    assert found.second - found.first == pytest.approx(0.0349, abs=5e-5)
    assert (found.interval.high - found.interval.low) / (2 * stats.t.ppf(0.975, 407)) == pytest.approx(0.0319, abs=5e-5)


def test_the_test_is_as_published() -> None:
    """Admissions to Berkeley, 1973, by department (Bickel et al. 1975): R's mantelhaen.test has 1.5246 with one degree
    of freedom (correct=FALSE). Pooled, the difference would be 14 points, with p below 1e-20.
    """
    men = (512, 825), (353, 560), (120, 325), (138, 417), (53, 191), (22, 373)
    women = (89, 108), (17, 25), (202, 593), (131, 375), (94, 393), (24, 341)
    found = of_counts(*((*one, *other) for one, other in zip(men, women, strict=True)))
    assert found.p == pytest.approx(stats.chi2.sf(1.5246, 1), abs=1e-4)
    assert abs(found.second - found.first) < 0.02


@given(st.lists(st.integers(1, 30).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=8))
def test_the_test_has_the_moments_of_scipys_hypergeometric(groups: Sequence[tuple[int, int]]) -> None:
    """Given all successes of a stratum, those of one group are hypergeometric."""
    tables = [(*one, *other) for one, other in zip(groups[::2], groups[1::2], strict=False)]
    excess = variance = 0.0
    for a, n1, b, n2 in tables:
        chances = stats.hypergeom.pmf(range(n2 + 1), n1 + n2, a + b, n2)
        mean = sum(count * chance for count, chance in enumerate(chances))
        excess += b - mean
        variance += sum((count - mean) ** 2 * chance for count, chance in enumerate(chances))
    trials = sum(n1 + n2 for _, n1, _, n2 in tables)
    expected = 2 * stats.t.sf(abs(excess) / variance**0.5, max(1, trials - 2)) if variance > 1e-9 else 1
    assert of_counts(*tables).p == pytest.approx(expected, abs=1e-6)


@given(STRATA)
def test_the_interval_holds_the_difference(strata: Sequence[Stratum]) -> None:
    """The other way round everything is the mirror of it."""
    found, mirrored = stratified_difference(strata), stratified_difference([(other, one) for one, other in strata])
    assert (mirrored.first, mirrored.second, mirrored.p) == pytest.approx((found.second, found.first, found.p))
    assert 0 <= found.p <= 1
    if found.interval is not None:
        assert mirrored.interval is not None
        assert -1 <= found.interval.low <= found.second - found.first + 1e-9
        assert found.second - found.first - 1e-9 <= found.interval.high <= 1
        assert (-mirrored.interval.high, -mirrored.interval.low) == pytest.approx(tuple(found.interval))


@pytest.mark.parametrize("share", [0, 10])
def test_what_does_not_vary_has_no_interval(share: int) -> None:
    """All right in both, or all wrong in both: there is no difference, and nothing to estimate its error from."""
    found = of_counts((share, 10, share, 10), (share, 10, share, 10))
    assert (found.second - found.first, found.interval, found.p) == (0, None, 1)


@pytest.mark.parametrize("lost", [30, 60])
def test_equal_models_seldom_differ_where_hard_questions_are_lost(lost: int) -> None:
    """Ten trials in each of 40 cells, from easy to hard; an outage takes so many per cent of the second run's trials in
    the harder cells. Pooled over cells, these groups differ significantly in most simulations.
    """
    draw, runs = Random(lost), 300
    chances = [0.98 - 0.024 * cell for cell in range(40)]
    found = []
    for _ in range(runs):
        strata = []
        for chance in chances:
            kept = 10 if chance > 0.5 else sum(100 * draw.random() >= lost for _ in range(10))
            if kept:
                strata.append((_drawn(draw, 10, chance), _drawn(draw, kept, chance)))
        found.append(stratified_difference(strata))
    assert sum(each.p < 0.05 for each in found) <= 0.08 * runs
    missed = sum(each.interval is None or not each.interval.low <= 0 <= each.interval.high for each in found)
    assert 0.01 * runs <= missed <= 0.09 * runs


def _drawn(draw: Random, trials: int, chance: float) -> list[Cluster]:
    return _trials(sum(draw.random() < chance for _ in range(trials)), trials)


@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 12), st.integers(1, 12), st.integers(1, 30))
def test_clusters_of_one_mind_count_once(right: int, wrong: int, its_right: int, its_wrong: int, trials: int) -> None:
    """However many trials they have."""
    yes, no = Cluster(trials, trials), Cluster(0, trials)
    found = stratified_difference([([yes] * right + [no] * wrong, [yes] * its_right + [no] * its_wrong)])
    once = of_counts((right, right + wrong, its_right, its_right + its_wrong))
    assert found.p == pytest.approx(once.p)
    assert (found.interval is None) == (once.interval is None)
    if found.interval and once.interval:
        assert tuple(found.interval) == pytest.approx(tuple(once.interval))


def test_clusters_that_do_not_differ_are_worth_all_their_trials() -> None:
    """Half of ten trials of each here, nine of ten there: nothing lies between the clusters of a group."""
    found = stratified_difference([([Cluster(5, 10)] * 20, [Cluster(9, 10)] * 20)])
    alone = of_counts((100, 200, 180, 200))
    assert found.p == pytest.approx(alone.p, abs=1e-8)
    assert found.interval is not None
    assert alone.interval is not None
    assert tuple(found.interval) == pytest.approx(tuple(alone.interval), abs=0.005)


def test_one_cluster_in_each_group_is_one_trial() -> None:
    """However large it is, as another one might differ."""
    assert stratified_difference([([Cluster(100, 100)], [Cluster(0, 100)])]).p > 0.1


@pytest.mark.parametrize(("alpha", "beta"), [(0.2, 0.2), (2, 2), (9, 1), (1, 0.05)])
@pytest.mark.parametrize(("sizes", "repeats"), [((6, 30), (3, 3)), ((30, 30), (10, 10)), ((20, 60), (5, 1))])
def test_equal_models_seldom_differ_where_questions_are_repeated(
    sizes: tuple[int, int], repeats: tuple[int, int], alpha: float, beta: float
) -> None:
    """In about 5 of 100 simulated comparisons at most, also of few problems, unequal sides, and rare failures."""
    draw, runs = Random(f"{sizes}/{repeats}/{alpha}/{beta}"), 300
    significant = 0
    for _ in range(runs):
        first, second = (
            [_repeated(draw, trials, draw.betavariate(alpha, beta)) for _ in range(size)]
            for size, trials in zip(sizes, repeats, strict=True)
        )
        significant += stratified_difference([(first, second)]).p < 0.05
    assert significant <= 0.08 * runs


def _repeated(draw: Random, trials: int, chance: float) -> Cluster:
    return Cluster(sum(draw.random() < chance for _ in range(trials)), trials)
