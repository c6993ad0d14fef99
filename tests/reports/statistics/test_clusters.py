"""Shares of trials that come in clusters: against what was worked out otherwise, and against simulated truth."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from random import Random
from statistics import mean

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.reports.statistics import Cluster, clustered_share, mean_difference, pass_at, wilson

CLUSTERS = st.lists(
    st.integers(1, 8).flatmap(lambda n: st.builds(Cluster, st.integers(0, n), st.just(n))), min_size=1, max_size=30
)


@given(CLUSTERS)
def test_the_share_is_the_mean_of_the_clusters(clusters: Sequence[Cluster]) -> None:
    """The share is the mean of the clusters' shares, and lies in its interval, within 0 and 1."""
    share = clustered_share(clusters)
    assert share is not None
    assert share.value == pytest.approx(mean(each.successes / each.trials for each in clusters))
    assert 0 <= share.interval.low <= share.value <= share.interval.high <= 1


@given(st.integers(0, 40), st.integers(1, 40), st.integers(1, 5))
def test_copies_say_no_more_than_one(right: int, more: int, repeats: int) -> None:
    """Where all trials of a cluster say the same, the interval is no narrower than Wilson's of the clusters."""
    clusters = [Cluster(repeats, repeats)] * right + [Cluster(0, repeats)] * more
    share, alone = clustered_share(clusters), wilson(right, right + more)
    assert share is not None
    assert alone is not None
    assert share.interval.low <= alone.low + 1e-9
    assert share.interval.high >= alone.high - 1e-9


def test_nothing_is_nothing() -> None:
    """Without a cluster there is no share, and none at more trials than there are."""
    assert clustered_share([]) is None
    assert pass_at(1, []) is None
    assert pass_at(3, [Cluster(1, 2)]) is None


@pytest.mark.parametrize(("alpha", "beta"), [(0.2, 0.2), (2, 2), (20, 20), (9, 1)])
@pytest.mark.parametrize(("problems", "repeats"), [(10, 5), (60, 3)])
def test_the_interval_holds_the_truth(problems: int, repeats: int, alpha: float, beta: float) -> None:
    """In about 95 of 100 simulated runs, however alike repeats are; Wilson's of all trials does not where they are."""
    draw = Random(f"{problems}/{repeats}/{alpha}/{beta}")
    truth = alpha / (alpha + beta)
    held = 0
    for _ in range(400):
        chances = [draw.betavariate(alpha, beta) for _ in range(problems)]
        clusters = [Cluster(sum(draw.random() < chance for _ in range(repeats)), repeats) for chance in chances]
        share = clustered_share(clusters)
        assert share is not None
        held += share.interval.low <= truth <= share.interval.high
    assert held / 400 > 0.92


@pytest.mark.parametrize(("right", "of"), [(0, 4), (1, 4), (3, 7), (5, 5)])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_pass_at_k_is_that_of_all_choices(right: int, of: int, k: int) -> None:
    """Of all ways to take k of the trials, so many hold one that succeeded: the definition that is estimated."""
    trials = [True] * right + [False] * (of - right)
    choices = [any(choice) for choice in combinations(trials, k)]
    assert pass_at(k, [Cluster(right, of)]) == pytest.approx(sum(choices) / len(choices))


@given(CLUSTERS)
def test_more_tries_are_no_worse(clusters: Sequence[Cluster]) -> None:
    """Of clusters that have as many trials, pass@k grows with k."""
    several = [each for each in clusters if each.trials >= 3]
    shares = [pass_at(k, several) for k in (1, 2, 3)]
    assert shares == [None] * 3 or shares == sorted(share for share in shares if share is not None)


@pytest.mark.parametrize("differences", [(0.0, 1.0), (0.1, 0.2, 0.0), (0.05, -0.05, 0.1, 0.3, 0.2), (0.5, 0.25) * 20])
def test_a_difference_lies_where_students_t_has_it(differences: Sequence[float]) -> None:
    """However few clusters there are; it cannot be more than everything."""
    interval = mean_difference(differences)
    reference = scipy.stats.ttest_1samp(differences, 0.0).confidence_interval()
    assert interval == pytest.approx((max(-1.0, reference.low), min(1.0, reference.high)))
