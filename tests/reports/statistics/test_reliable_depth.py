"""Reliable depth: how deep a model can go, and how many trials it takes to say so."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pytest_llmarith.reports import figures
from pytest_llmarith.reports.opening import opened
from pytest_llmarith.reports.statistics import Depth, Interval, reliable_depth, trials_needed
from tests.runs_on_disk import asked, counted

TRANSCRIPT = Path(__file__).parents[4] / "shared" / "transcripts" / "gpt-4.1.jsonl"
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "statistics.md"
DEPTHS = st.dictionaries(
    st.integers(1, 30), st.integers(0, 80).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=6
).map(lambda counts: [Depth(depth, *pair) for depth, pair in counts.items()])


@pytest.mark.parametrize(
    ("depths", "depth", "observed", "needs", "at_most"),
    [
        # Ten of ten is no more than 72 %, thirty-five of thirty-five are 90 %.
        ([(2, 10, 10)], None, 2, 35, None),
        ([(2, 34, 34)], None, 2, 35, None),
        ([(2, 35, 35)], 2, 2, None, None),
        # Depths are pooled: forty of forty say more than ten of ten.
        ([(2, 10, 10), (3, 10, 10), (4, 10, 10), (5, 10, 10)], 5, 5, None, None),
        ([(2, 10, 10), (3, 10, 10), (4, 10, 10), (5, 9, 10)], None, 5, 35, None),
        # Ten trials of each depth seldom prove a depth, and show which one they reached.
        ([(2, 10, 10), (3, 7, 10), (4, 10, 10)], None, 2, 35, None),
        ([(2, 9, 10), (3, 8, 10), (4, 8, 10)], None, 2, 53, None),
        ([(2, 10, 10), (3, 8, 10), (4, 0, 70)], None, 3, None, 0.25639),
        # A depth that is shown to be unreliable by itself ends it, whatever was right before and after it.
        ([(depth, 10, 10) for depth in range(2, 29)] + [(29, 0, 10)], 28, 28, None, None),
        ([(depth, 10, 10) for depth in range(2, 29)] + [(29, 7, 10), (30, 10, 10)], 28, 28, None, None),
        ([(depth, 10, 10) for depth in range(2, 29)] + [(29, 8, 10)], 29, 29, None, None),
        ([(2, 0, 1), *((depth, 1, 1) for depth in range(3, 60))], None, None, 53, None),
        # The largest depth that holds counts, whatever did not hold before it.
        ([(2, 9, 10), (3, 100, 100), (4, 0, 50)], 3, 3, None, None),
        ([(2, 50, 50), (3, 50, 50), (4, 44, 50)], 4, 4, None, None),
        ([(2, 50, 50), (3, 50, 50), (4, 40, 50)], 3, 3, None, None),
        # Depths may come in any order, and begin anywhere; one without a measurement is left out.
        ([(4, 0, 50), (2, 100, 100)], 2, 2, None, None),
        ([(20, 40, 40)], 20, 20, None, None),
        ([(2, 40, 40), (3, 0, 0)], 2, 2, None, None),
        # What went wrong at the first depth has to be made up for.
        ([(2, 9, 10)], None, 2, 53, None),
        # A variant that is shown to be unreliable needs no further trials.
        ([(2, 8, 10)], None, None, 69, None),
        ([(2, 5, 10), *((depth, 0, 10) for depth in range(3, 11))], None, None, None, 0.12354),
        ([(2, 7, 10)], None, None, None, 0.89221),
        ([], None, None, 35, None),
        ([(2, 0, 0)], None, None, 35, None),
    ],
)
def test_reliable_depth(
    depths: list[tuple[int, int, int]],
    depth: int | None,
    observed: int | None,
    needs: int | None,
    at_most: float | None,
) -> None:
    """The deepest that is proven, the deepest that was observed, and what it would take where none is proven."""
    found = reliable_depth([Depth(*one) for one in depths])
    assert (found.depth, found.observed, found.needs) == (depth, observed, needs)
    assert found.at_most == (None if at_most is None else pytest.approx(at_most, abs=1e-5))


@given(DEPTHS)
def test_it_is_what_its_definition_says(depths: list[Depth]) -> None:
    """Before the first depth that is shown to be unreliable, by scipy: the largest of which all trials up to it have
    a lower bound of 90 %, and the largest of which 90 % were correct.
    """
    measured = sorted(one for one in depths if one.measured)
    before = list(takewhile(lambda one: _bounds(one.correct, one.measured).high >= 0.9, measured))
    pooled = {
        one.depth: (sum(each.correct for each in before[: at + 1]), sum(each.measured for each in before[: at + 1]))
        for at, one in enumerate(before)
    }
    found = reliable_depth(depths)
    assert found.depth == max((depth for depth, counts in pooled.items() if _bounds(*counts).low >= 0.9), default=None)
    observed = (depth for depth, (correct, trials) in pooled.items() if 10 * correct >= 9 * trials)
    assert found.observed == max(observed, default=None)
    assert [found.depth, found.needs, found.at_most].count(None) == 2


@pytest.mark.parametrize("wrong", [*range(30), 100, 1_000])
def test_the_trials_needed_are_the_fewest(wrong: int) -> None:
    """So many trials show 90 % with so many wrong, and one less does not."""
    needed = trials_needed(wrong)
    assert _bounds(needed - wrong, needed).low >= 0.9
    assert needed == wrong + 1 or _bounds(needed - wrong - 1, needed - 1).low < 0.9


def test_what_is_needed_is_enough() -> None:
    """With the trials that it asked for, all correct, a depth is reliable."""
    needs = reliable_depth([Depth(2, 8, 10)]).needs
    assert needs is not None
    assert reliable_depth([Depth(2, needs - 2, needs)]).depth == 2
    assert reliable_depth([Depth(2, needs - 3, needs - 1)]).depth is None


@pytest.mark.skipif(not TRANSCRIPT.exists(), reason="the transcripts of llm_arithmetic are not here")
def test_a_published_run() -> None:
    """What 720 replies of gpt-4.1 say of its variants is what the documentation shows."""
    (run,) = opened(TRANSCRIPT)
    (result,) = run.summary().results
    document = DOCUMENTATION.read_text("utf-8")
    for one in result.variants:
        percentage = one.correct_percentage
        shown = f"{one.correct} of {one.measured} | {figures.low(percentage)} to {figures.high(percentage)}"
        assert f"| `{one.variant}` | {shown} | {figures.reliable(one.reliable_depth)} |" in document


def test_repeats_are_no_further_evidence() -> None:
    """Four problems that are right ten times each are four problems, not forty; the first time counts."""
    records = [
        asked("7" if (trial, repeat) == (3, 0) else "{}", trial=trial) | {"repeat": repeat}
        for repeat in range(10)
        for trial in range(4)
    ]
    (variant,) = counted(records)["results"][0]["variants"]
    assert (variant["correct"], variant["measured"]) == (39, 40)
    assert variant["reliable_depth"] == {"depth": None, "observed": None, "needs": trials_needed(1), "at_most": None}


def _bounds(correct: int, measured: int) -> Interval:
    return Interval(*stats.binomtest(correct, measured).proportion_ci(0.95, method="wilson"))
