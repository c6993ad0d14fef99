"""Statistics against published examples, scipy, and simulated truth."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from random import Random
from statistics import mean, quantiles
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import optimize, stats

from pytest_llmarith.figures.shares import percentage_of_clusters
from pytest_llmarith.statistics.distributions import two_sided_p, two_sided_t
from pytest_llmarith.statistics.intervals import Interval, wilson
from pytest_llmarith.statistics.means import bootstrap_mean, quantile_of_sorted
from pytest_llmarith.statistics.pairs import (
    Pairs,
    compare_pairs,
    holm,
    mcnemar,
    mover,
    newcombe,
)
from pytest_llmarith.statistics.proportions import (
    Cell,
    Cluster,
    Depth,
    clustered,
    kappa,
    ninety_percent_to,
    overall,
    pass_at,
    percent,
)
from pytest_llmarith.statistics.strata import compare_strata

COUNTS = st.integers(1, 10**6).flatmap(
    lambda n: st.tuples(st.integers(0, n), st.just(n))
)
CLUSTERS = st.lists(
    st.integers(1, 8).flatmap(
        lambda n: st.builds(Cluster, st.integers(0, n), st.just(n))
    ),
    min_size=1,
    max_size=30,
)


def scipys_wilson(
    correct: int, trials: int, level: float = 0.95
) -> tuple[float, float]:
    interval = stats.binomtest(correct, trials).proportion_ci(level, method="wilson")
    return interval.low, interval.high


@given(COUNTS)
@example(
    (15, 148)
)  # 0.0624 to 0.1605: Newcombe, Statistics in Medicine 17 (1998), table I
def test_wilson_is_that_of_scipy(counts: tuple[int, int]) -> None:
    """It lies within 0 and 1 and contains the share."""
    interval = wilson(*counts)
    assert interval == pytest.approx(scipys_wilson(*counts), abs=1e-9)
    assert interval is not None
    assert 0 <= interval.low <= counts[0] / counts[1] <= interval.high <= 1


@given(COUNTS, st.integers(0, 8))
def test_percent_is_the_nearest_decimal(counts: tuple[int, int], decimals: int) -> None:
    part, whole = counts
    assert abs(
        Fraction(percent(part, whole, decimals)) - Fraction(100 * part, whole)
    ) <= Fraction(1, 2 * 10**decimals)


@given(st.lists(st.floats(-1e9, 1e9), min_size=2))
def test_quantiles_are_those_of_the_standard_library(values: list[float]) -> None:
    ordered = sorted(values)
    found = [
        quantile_of_sorted(ordered, percentile) for percentile in range(10, 100, 10)
    ]
    assert found == pytest.approx(
        quantiles(ordered, n=10, method="inclusive"), abs=1e-6
    )


def test_nothing_has_no_figure() -> None:
    assert percentage_of_clusters([]) is None
    assert pass_at(1, []) is None
    assert pass_at(3, [Cluster(1, 2)]) is None
    assert overall([Cell(0, 0, 10)]) is None
    assert bootstrap_mean([1.0] * 9) is None
    assert wilson(0, 0) is None
    assert (
        compare_pairs([(Cluster(2, 2), Cluster(3, 3))] * 9).interval is None
    )  # what does not vary has no interval


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((20, 5, 10, 15), 0.4),  # Wikipedia's article on Cohen's kappa
        ((45, 15, 25, 15), 0.1304),
        ((25, 35, 5, 35), 0.2593),
        ((0, 10, 10, 0), -1.0),
        ((10, 0, 0, 0), None),
    ],
)
def test_kappa_is_as_published(
    counts: tuple[int, int, int, int], expected: float | None
) -> None:
    assert kappa(*counts) == (
        expected if expected is None else pytest.approx(expected, abs=1e-4)
    )


def test_the_bootstrap_agrees_with_scipy() -> None:
    draw = Random(1)
    values = [min(1.0, max(0.0, draw.gauss(0.7, 0.6))) for _ in range(250)]
    theirs = stats.bootstrap(
        (values,),
        lambda sample, axis: sample.mean(axis=axis),
        method="percentile",
        random_state=0,
    ).confidence_interval
    assert bootstrap_mean(values) == pytest.approx((theirs.low, theirs.high), abs=0.006)


@pytest.mark.parametrize("degrees", [*range(1, 12), 100, 101, 999, 1_000, 1_001, 10**6])
def test_students_t_is_that_of_scipy(degrees: int) -> None:
    assert two_sided_t(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-5)
    for p in (0.1, 0.05, 0.01):
        assert two_sided_p(stats.t.ppf(1 - p / 2, degrees), degrees) == pytest.approx(
            p, rel=1e-4
        )


# --- shares over cells ----------------------------------------------------------------


def yan_and_su(cells: Sequence[Cell]) -> tuple[float, float]:
    """The formulas of the paper with fixed weights, the cells' intervals by scipy."""
    weights = [cell.asked / sum(each.asked for each in cells) for cell in cells]
    shares = [cell.successes / cell.answered for cell in cells]
    parts = [
        w**2 * p * (1 - p) / cell.answered
        for w, p, cell in zip(weights, shares, cells, strict=True)
    ]
    z = stats.norm.ppf(0.975) * sum(parts) ** 0.5 / sum(part**0.5 for part in parts)
    level = 2 * stats.norm.cdf(z) - 1
    ends = [scipys_wilson(cell.successes, cell.answered, level) for cell in cells]
    low, high = (
        sum(w * end[side] for w, end in zip(weights, ends, strict=True))
        for side in (0, 1)
    )
    return low, high


@pytest.mark.parametrize(
    "cells",
    [
        [Cell(9, 10, 10), Cell(1, 10, 10)],
        # the weights are the parts of what was asked
        [Cell(9, 10, 10), Cell(1, 4, 10)],
        [Cell(19, 20, 20), Cell(3, 9, 15), Cell(0, 5, 5), Cell(2, 30, 30)],
    ],
)
def test_the_interval_over_cells_is_that_of_the_paper(cells: list[Cell]) -> None:
    found, asked = overall(cells), sum(cell.asked for cell in cells)
    assert found is not None
    assert found.interval == pytest.approx(yan_and_su(cells), abs=1e-12)
    assert found.share == sum(
        Fraction(cell.successes * cell.asked, cell.answered * asked) for cell in cells
    )


@pytest.mark.parametrize(
    "cells",
    [
        [Cell(7, 10, 10)],
        # one answer tells nothing of how a cell's answers vary
        [Cell(9, 10, 10), Cell(5, 10, 10), Cell(1, 1, 1)],
        [Cell(10, 10, 10)] * 3 + [Cell(0, 10, 10)],  # nothing varies within cells
        [Cell(10, 10, 10)] * 71 + [Cell(9, 10, 10)],  # the stratified one is wider
    ],
)
def test_otherwise_it_is_wilsons_of_all_answers(cells: list[Cell]) -> None:
    found = overall(cells)
    assert found is not None
    expected = wilson(
        sum(cell.successes for cell in cells), sum(cell.answered for cell in cells)
    )
    assert found.interval == pytest.approx(expected, abs=1e-12)


def test_a_cell_without_an_answer_leaves_bounds() -> None:
    assert overall([Cell(9, 10, 10), Cell(3, 5, 10), Cell(0, 0, 10)]) == (
        None,
        (12 / 30, 27 / 30),
    )


# --- repeats --------------------------------------------------------------------------


@given(CLUSTERS)
def test_the_clustered_percentage_is_the_mean_of_the_clusters(
    clusters: list[Cluster],
) -> None:
    found: Any = percentage_of_clusters(clusters)
    assert found.value == pytest.approx(
        100 * mean(each.share for each in clusters), abs=1e-4
    )
    assert 0 <= found.low <= found.value <= found.high <= 100


def test_the_interval_of_few_clusters_is_by_students_t() -> None:
    """Two problems say little of how much problems differ."""
    found = clustered([Cluster(1, 2), Cluster(2, 2)])
    assert found is not None
    assert found[1].low < 0.05
    assert found[1].high > 0.99


@given(st.integers(1, 6), st.data())
def test_pass_at_k_is_that_of_all_choices(of: int, data: st.DataObject) -> None:
    right, k = data.draw(st.integers(0, of)), data.draw(st.integers(1, of))
    choices = [
        any(choice)
        for choice in combinations([True] * right + [False] * (of - right), k)
    ]
    assert pass_at(k, [Cluster(right, of)]) == pytest.approx(
        sum(choices) / len(choices)
    )


# --- differences ----------------------------------------------------------------------


@given(st.integers(0, 3_000), st.integers(0, 3_000))
@example(
    1,
    7,
    # p is 0.0703: Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13:91
    # (2013)
)
def test_mcnemar_is_the_binomial_test_of_scipy(first: int, second: int) -> None:
    expected = stats.binomtest(first, first + second).pvalue if first + second else 1.0
    assert mcnemar(first, second) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(
    ("pairs", "low", "high"),
    [
        # Fagerland, Lydersen and Laake, Statistics in Medicine 33 (2014)
        (Pairs(1, 1, 7, 12), 0.026, 0.507),
        # Altman et al., Statistics with Confidence (2000), page 52
        (Pairs(14, 5, 0, 22), -0.226, -0.011),
        # contingencytables 3.0, complete response (Cavo et al. 2012)
        (Pairs(59, 6, 16, 80), 0.0046, 0.1186),
        (Pairs(59, 16, 6, 80), -0.1186, -0.0046),
    ],
)
def test_newcombe_is_as_published(pairs: Pairs, low: float, high: float) -> None:
    assert newcombe(pairs) == pytest.approx((low, high), abs=6e-4)


def test_mover_is_as_published() -> None:
    """56 of 70 and 48 of 80:

    Newcombe 1998, Statistics in Medicine 17, 873-890, method 10, is a case of it.
    """
    difference, interval = mover(
        0.6, Interval(*scipys_wilson(48, 80)), 0.8, Interval(*scipys_wilson(56, 70))
    )
    assert (difference, *interval) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


@given(st.builds(Pairs, *[st.integers(0, 300)] * 4).filter(any))
def test_newcombe_contains_the_difference(pairs: Pairs) -> None:
    """It stays within -1 and 1, and is mirrored if the sides change places."""
    interval, mirrored = (
        newcombe(pairs),
        newcombe(pairs._replace(first=pairs.second, second=pairs.first)),
    )
    assert interval is not None
    assert mirrored is not None
    assert (
        -1
        <= interval.low
        <= (pairs.second - pairs.first) / sum(pairs)
        <= interval.high
        <= 1
    )
    assert interval == pytest.approx((-mirrored.high, -mirrored.low), abs=1e-12)


def test_with_repeats_the_test_is_that_of_the_mean_difference() -> None:
    """By scipy's t test over questions, if these differ by more than by chance."""
    random = Random(1)
    tables = [(Cluster(0, 8), Cluster(random.choice((0, 2, 8)), 8)) for _ in range(30)]
    found = compare_pairs(tables)
    reference = stats.ttest_1samp(
        [other.share - one.share for one, other in tables], 0.0
    )
    assert found.p == pytest.approx(reference.pvalue)
    assert found.interval == pytest.approx(tuple(reference.confidence_interval()))


def test_changes_that_are_all_equal_may_be_chance() -> None:
    """If no question changes more than another one, the error is that of repeats that
    are right by chance.
    """
    found = compare_pairs([(Cluster(1, 2), Cluster(2, 2))] * 8)
    assert found.error == pytest.approx(
        (3 / 4 * 1 / 4 * 4 / 3 * (1 / 2 + 1 / 2) / 8) ** 0.5
    )
    assert found.interval is not None
    assert found.interval.low < 0.5 < found.interval.high


def test_one_wrong_repeat_of_several_is_no_loss() -> None:
    """A question that was asked three times is more often wrong at least once than one
    that was asked once.
    """
    wrong_once = [(Cluster(1, 1), Cluster(2, 3))] * 12
    found = compare_pairs(
        [
            *wrong_once,
            *[(Cluster(0, 1), Cluster(3, 3))] * 4,
            *[(Cluster(1, 1), Cluster(3, 3))] * 14,
        ]
    )
    assert (found.first, found.second) == pytest.approx((26 / 30, 26 / 30))
    assert found.p == pytest.approx(1)


@given(
    st.lists(st.sampled_from([(0, 0), (0, 1), (1, 0), (1, 1)]), min_size=1, max_size=60)
)
@example(
    [(1, 0)] * 13 + [(0, 1)] * 4 + [(1, 1)] * 55
)  # p is 0.049, and Newcombe's interval holds 0
def test_test_and_interval_agree(pairs: list[tuple[int, int]]) -> None:
    """0 is in the interval exactly if p is 0.05 or more; also for two groups."""
    tables = [(Cluster(one, 1), Cluster(other, 1)) for one, other in pairs]
    groups = [
        (
            Cluster(sum(one for one, _ in pairs), len(pairs)),
            Cluster(sum(two for _, two in pairs), len(pairs)),
        )
    ]
    for found in (compare_pairs(tables), compare_strata(groups)):
        assert found.interval is not None
        assert (found.interval.low <= 0 <= found.interval.high) == (found.p >= 0.05)
        assert found.interval.low <= found.second - found.first <= found.interval.high
        if found.p < 0.05:  # a table shows no end as 0.0
            assert max(found.interval.low, -found.interval.high) >= 0.001


def test_holm_is_as_published() -> None:
    """As in R's p.adjust(p, "holm")."""
    assert holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert (holm([0.9, 0.5, 1.0]), holm([])) == ([1.0, 1.0, 1.0], [])


def strata(*tables: tuple[int, int, int, int]) -> list[tuple[Cluster, Cluster]]:
    return [(Cluster(a, n1), Cluster(b, n2)) for a, n1, b, n2 in tables]


def test_mantel_haenszel_is_as_published() -> None:
    """Rothman, Greenland and Lash, Modern Epidemiology (2008), table 15-1: by metafor
    0.0349, error 0.0319.
    """
    found = compare_strata(strata((5, 120, 8, 106), (16, 85, 22, 98)))
    assert found.interval is not None
    assert found.second - found.first == pytest.approx(0.0349, abs=5e-5)
    width = (
        found.interval.high - found.interval.low - 1 / 101.8
    )  # the correction for continuity, by all weights
    assert width / (2 * stats.norm.ppf(0.975)) == pytest.approx(0.0319, rel=0.05)


@pytest.mark.parametrize(
    "tables",
    [
        [(56, 70, 48, 80)],
        [(10, 10, 10, 10), (9, 10, 7, 10), (5, 10, 2, 10), (0, 10, 0, 10)],
        [(3, 3, 20, 30), (0, 1, 1, 1), (1, 4, 60, 300)],
    ],
)
def test_the_interval_of_groups_is_that_of_the_score_test(
    tables: list[tuple[int, int, int, int]],
) -> None:
    """At its ends the difference is 1.96 errors away, by the likeliest shares
    (Miettinen and Nurminen 1985).
    """
    found = compare_strata(strata(*tables))
    assert found.interval is not None
    for end in found.interval:
        weights, variance = 0.0, 0.0
        for a, n1, b, n2 in tables:

            def unlikely(share: float) -> float:
                return float(
                    -stats.binom.logpmf(a, n1, share)  # noqa: B023
                    - stats.binom.logpmf(b, n2, share + end)  # noqa: B023
                )

            bounds = (max(0.0, -end), min(1.0, 1.0 - end))
            share = optimize.minimize_scalar(
                unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-10}
            ).x
            weight = n1 * n2 / (n1 + n2)
            of_cell = share * (1 - share) / n1 + (share + end) * (1 - share - end) / n2
            weights += weight
            variance += weight**2 * of_cell * (n1 + n2) / (n1 + n2 - 1)
        away = abs(found.second - found.first - end) * weights - 0.5
        assert away / variance**0.5 == pytest.approx(1.96, abs=1e-3)


def test_the_exact_test_is_close_to_the_published_one_for_many_trials() -> None:
    """Admissions to Berkeley, 1973 (Bickel et al. 1975):

    R's mantelhaen.test with a correction has 1.4269.
    """
    men = (512, 825), (353, 560), (120, 325), (138, 417), (53, 191), (22, 373)
    women = (89, 108), (17, 25), (202, 593), (131, 375), (94, 393), (24, 341)
    found = compare_strata(
        strata(*((*one, *other) for one, other in zip(men, women, strict=True)))
    )
    assert found.p == pytest.approx(stats.chi2.sf(1.4269, 1), abs=0.004)


@given(
    st.lists(
        st.tuples(*[st.integers(0, 9), st.integers(1, 9)] * 2), min_size=1, max_size=4
    )
)
def test_the_exact_test_is_that_of_scipys_distributions(
    tables: list[tuple[int, int, int, int]],
) -> None:
    """The sum of hypergeometric numbers; twice the smaller tail."""
    known = [(min(a, n1), n1, min(b, n2), n2) for a, n1, b, n2 in tables]
    chances = {0: 1.0}
    for a, n1, b, n2 in known:
        its = {
            correct: stats.hypergeom.pmf(correct, n1 + n2, a + b, n2)
            for correct in range(n2 + 1)
        }
        sums: dict[int, float] = {}
        for (one, chance), (more, other) in product(chances.items(), its.items()):
            sums[one + more] = sums.get(one + more, 0.0) + chance * other
        chances = sums
    correct = sum(b for _, _, b, _ in known)
    tails = [
        sum(
            chance
            for value, chance in chances.items()
            if sign * value >= sign * correct
        )
        for sign in (1, -1)
    ]
    assert compare_strata(strata(*known)).p == pytest.approx(
        min(1.0, 2 * min(tails)), abs=1e-9
    )


def test_with_one_trial_on_each_side_it_is_mcnemars() -> None:
    pairs = [(1, 1, 0, 1)] * 9 + [(0, 1, 1, 1)] * 2 + [(1, 1, 1, 1)] * 5
    assert compare_strata(strata(*pairs)).p == pytest.approx(mcnemar(9, 2))


def test_equal_models_seldom_differ_if_hard_questions_are_lost() -> None:
    """Ten trials in each of 40 cells, from easy to hard; an outage takes 60 % of the
    second run's in hard cells.
    """
    draw, found = Random(60), []
    for _ in range(100):
        tables = []
        for chance in (0.98 - 0.024 * cell for cell in range(40)):
            kept = 10 if chance > 0.5 else sum(draw.random() >= 0.6 for _ in range(10))
            first, second = (
                sum(draw.random() < chance for _ in range(trials))
                for trials in (10, kept)
            )
            tables += [(first, 10, second, kept)] if kept else []
        found.append(compare_strata(strata(*tables)))
    assert sum(each.p < 0.05 for each in found) <= 0.08 * 100
    missed = sum(
        each.interval is None or not each.interval.low <= 0 <= each.interval.high
        for each in found
    )
    assert missed <= 0.09 * 100


# --- the digits up to which 90 % are correct ------------------------------------------


@pytest.mark.parametrize(
    ("depths", "shown", "possible"),
    [
        ([(2, 10, 10)], None, 2),  # 10 of 10 show 72 %, 35 of 35 show 90 %
        ([(2, 35, 35)], 2, 2),
        # depths are pooled
        ([(2, 10, 10), (3, 10, 10), (4, 10, 10), (5, 10, 10)], 5, 5),
        ([(2, 8, 10)], None, 2),
        ([(2, 7, 10), (3, 10, 10)], None, None),  # of 7 of 10, the upper bound is 89 %
        # of 32 of 40 together, too
        ([(depth, 8, 10) for depth in range(2, 11)], None, 4),
        ([(2, 100, 100), (3, 7, 10), (4, 100, 100)], 2, 2),
        ([(4, 10, 10), (3, 0, 0), (2, 40, 40)], 4, 4),
        ([(2, 5, 10), *((depth, 0, 10) for depth in range(3, 11))], None, None),
        ([(2, 0, 0)], None, None),
        ([], None, None),
    ],
)
def test_ninety_percent_to(
    depths: list[tuple[int, int, int]], shown: int | None, possible: int | None
) -> None:
    found = ninety_percent_to([Depth(*one) for one in depths])
    assert (found.shown, found.possible) == (shown, possible)


def test_one_answer_of_ninety_changes_little() -> None:
    """81 of 90 are 90 %, and 80 are not; neither shows anything."""
    nine_of_ten = [Depth(depth, 9, 10) for depth in range(2, 11)]
    eight = [Depth(4, 8, 10) if one.depth == 4 else one for one in nine_of_ten]
    assert [ninety_percent_to(depths).possible for depths in (nine_of_ten, eight)] == [
        10,
        10,
    ]


@given(
    st.dictionaries(
        st.integers(1, 30), COUNTS.map(lambda c: (c[0] % 80, 80)), max_size=6
    )
)
def test_ninety_percent_to_is_what_its_definition_says(
    counts: dict[int, tuple[int, int]],
) -> None:
    """By scipy: the opposite is shown by an upper bound, of a depth or of all up to it;
    the rest by a lower bound.
    """
    shown = possible = None
    right, of = 0, 0
    for depth, (correct, measured) in sorted(counts.items()):
        right, of = right + correct, of + measured
        if min(scipys_wilson(correct, measured)[1], scipys_wilson(right, of)[1]) < 0.9:
            break
        possible = depth
        if scipys_wilson(right, of)[0] >= 0.9:
            shown = depth
    found = ninety_percent_to([Depth(depth, *pair) for depth, pair in counts.items()])
    assert (found.shown, found.possible) == (shown, possible)
