"""Two shares of clusters that nobody shares: against independent trials, and against simulated truth."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.reports.statistics import Cluster
from pytest_llmarith.reports.statistics.paired import fisher, unpaired_difference
from pytest_llmarith.reports.statistics.unpaired import clustered_difference

CLUSTERS = st.lists(
    st.integers(1, 8).flatmap(lambda n: st.builds(Cluster, st.integers(0, n), st.just(n))), min_size=1, max_size=20
)


@given(CLUSTERS, CLUSTERS)
def test_the_interval_holds_the_difference(first: Sequence[Cluster], second: Sequence[Cluster]) -> None:
    """That of all trials, as it is shown; the other way round everything is the mirror of it."""
    found, mirrored = clustered_difference(first, second), clustered_difference(second, first)
    assert found is not None
    assert mirrored is not None
    share, its = (sum(each.successes for each in side) / sum(each.trials for each in side) for side in (first, second))
    assert -1 <= found.interval.low <= its - share + 1e-9
    assert its - share - 1e-9 <= found.interval.high <= 1
    assert 0 < found.p <= 1
    assert mirrored.p == pytest.approx(found.p)
    assert (-mirrored.interval.high, -mirrored.interval.low) == pytest.approx(tuple(found.interval))


@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 12), st.integers(1, 12), st.integers(1, 30))
def test_clusters_of_one_mind_count_once(right: int, wrong: int, its_right: int, its_wrong: int, trials: int) -> None:
    """However many trials they have: the test is Fisher's of clusters, and the interval no narrower than theirs."""
    yes, no = Cluster(trials, trials), Cluster(0, trials)
    found = clustered_difference([yes] * right + [no] * wrong, [yes] * its_right + [no] * its_wrong)
    counts = right, right + wrong, its_right, its_right + its_wrong
    alone = unpaired_difference(*counts)
    assert found is not None
    assert alone is not None
    if trials > 1:
        assert found.p == pytest.approx(fisher(*counts))
    assert found.interval.low <= alone.low + 1e-9
    assert found.interval.high >= alone.high - 1e-9


def test_clusters_that_do_not_differ_are_worth_all_their_trials() -> None:
    """Half of ten trials of each here, nine of ten there: nothing lies between the clusters of a side."""
    found = clustered_difference([Cluster(5, 10)] * 20, [Cluster(9, 10)] * 20)
    assert found is not None
    assert found.p == pytest.approx(fisher(100, 200, 180, 200))
    assert found.interval == pytest.approx(unpaired_difference(100, 200, 180, 200), abs=0.005)


def test_one_cluster_on_each_side_is_one_trial() -> None:
    """One cluster on each side, however large, is no evidence, as nobody knows how another would differ."""
    found = clustered_difference([Cluster(100, 100)], [Cluster(0, 100)])
    assert found is not None
    assert found.p == 1
    assert found.interval.high > 0


def test_nothing_has_no_difference() -> None:
    """Where one side was not measured there is no difference."""
    assert clustered_difference([], [Cluster(1, 2)]) is None
    assert clustered_difference([Cluster(1, 2)], []) is None


@pytest.mark.parametrize(("alpha", "beta"), [(0.2, 0.2), (2, 2), (9, 1), (1, 0.05)])
@pytest.mark.parametrize(("sizes", "repeats"), [((6, 30), (3, 3)), ((30, 30), (10, 10)), ((20, 60), (5, 1))])
def test_equal_models_seldom_differ(
    sizes: tuple[int, int], repeats: tuple[int, int], alpha: float, beta: float
) -> None:
    """In about 5 of 100 simulated comparisons at most, also of few problems, unequal sides, and rare failures."""
    draw = Random(f"{sizes}/{repeats}/{alpha}/{beta}")
    runs, missed, significant = 300, 0, 0
    for _ in range(runs):
        first, second = (
            [_simulated(draw, trials, draw.betavariate(alpha, beta)) for _ in range(size)]
            for size, trials in zip(sizes, repeats, strict=True)
        )
        found = clustered_difference(first, second)
        assert found is not None
        significant += found.p < 0.05
        missed += not found.interval.low <= 0 <= found.interval.high
    assert significant <= 0.08 * runs
    assert missed <= 0.09 * runs


def _simulated(draw: Random, trials: int, chance: float) -> Cluster:
    return Cluster(sum(draw.random() < chance for _ in range(trials)), trials)
