"""Reliable depth: how deep a model can go, and how many trials it takes to say so."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pytest_llmarith.reports.counting.summary import Summary
from pytest_llmarith.reports.opening import opened
from pytest_llmarith.reports.statistics import Depth, ReliableDepth, reliable_depth, trials_needed
from tests.runs_on_disk import asked

TRANSCRIPT = Path(__file__).parents[4] / "shared" / "transcripts" / "gpt-4.1.jsonl"
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "statistics.md"
DEPTHS = st.dictionaries(
    st.integers(1, 30), st.integers(0, 80).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=6
).map(lambda counts: [Depth(depth, *pair) for depth, pair in counts.items()])


@pytest.mark.parametrize(
    ("depths", "expected"),
    [
        # Ten of ten is no more than 72 %, thirty-five of thirty-five are 90 %.
        ([(2, 10, 10)], (None, 35)),
        ([(2, 34, 34)], (None, 35)),
        ([(2, 35, 35)], (2, None)),
        # Depths are pooled: forty of forty say more than ten of ten.
        ([(2, 10, 10), (3, 10, 10), (4, 10, 10), (5, 10, 10)], (5, None)),
        ([(2, 10, 10), (3, 10, 10), (4, 10, 10), (5, 9, 10)], (None, 35)),
        # The largest depth that holds counts, whatever did not hold before it.
        ([(2, 9, 10), (3, 100, 100), (4, 0, 50)], (3, None)),
        ([(2, 50, 50), (3, 50, 50), (4, 44, 50)], (4, None)),
        ([(2, 50, 50), (3, 50, 50), (4, 40, 50)], (3, None)),
        # Depths may come in any order, and begin anywhere; what nobody measured is no depth.
        ([(4, 0, 50), (2, 100, 100)], (2, None)),
        ([(20, 40, 40)], (20, None)),
        ([(2, 40, 40), (3, 0, 0)], (2, None)),
        # What went wrong at the first depth has to be made up for.
        ([(2, 9, 10)], (None, 53)),
        ([(2, 0, 10), (3, 10, 10)], (None, 179)),
        ([], (None, 35)),
        ([(2, 0, 0)], (None, 35)),
    ],
)
def test_reliable_depth(depths: list[tuple[int, int, int]], expected: tuple[int | None, int | None]) -> None:
    """The reliable depth is the deepest that holds, or else how many trials it takes to know."""
    assert reliable_depth([Depth(*depth) for depth in depths]) == ReliableDepth(*expected)


@given(DEPTHS)
def test_it_is_what_its_definition_says(depths: list[Depth]) -> None:
    """Among the measured depths it is the largest whose pooled accuracy has a lower bound of 90 %, by scipy."""
    holding = [
        one.depth
        for one in depths
        if one.measured
        and _low(
            sum(other.correct for other in depths if other.depth <= one.depth),
            sum(other.measured for other in depths if other.depth <= one.depth),
        )
        >= 0.9
    ]
    found = reliable_depth(depths)
    assert found.depth == max(holding, default=None)
    assert (found.needs is None) == bool(holding)


@pytest.mark.parametrize("wrong", [*range(30), 100, 1_000])
def test_the_trials_needed_are_the_fewest(wrong: int) -> None:
    """So many trials show 90 % with so many wrong, and one less does not."""
    needed = trials_needed(wrong)
    assert _low(needed - wrong, needed) >= 0.9
    assert needed == wrong + 1 or _low(needed - wrong - 1, needed - 1) < 0.9


def test_what_is_needed_is_enough() -> None:
    """With the trials that it asked for, all correct, a depth is reliable."""
    needs = reliable_depth([Depth(2, 7, 10)]).needs
    assert needs is not None
    assert reliable_depth([Depth(2, needs - 3, needs)]).depth == 2
    assert reliable_depth([Depth(2, needs - 4, needs - 1)]).depth is None


@pytest.mark.skipif(not TRANSCRIPT.exists(), reason="the transcripts of llm_arithmetic are not here")
def test_a_published_run() -> None:
    """What 720 replies of gpt-4.1 say of its variants is what the documentation shows."""
    (run,) = opened(TRANSCRIPT)
    (result,) = run.summary()["results"]
    document = DOCUMENTATION.read_text("utf-8")
    for one in result["variants"]:
        depth, needs = one["reliable_depth"]["depth"], one["reliable_depth"]["needs"]
        percentage = one["correct_percentage"]
        shown = f"{one['correct']} of {one['measured']} | {percentage['low']:.1f} to {percentage['high']:.1f}"
        assert f"| `{one['variant']}` | {shown} | {depth or f'-, needs {needs} trials'} |" in document


def test_repeats_are_no_further_evidence() -> None:
    """Four problems that are right ten times each are four problems, not forty; the first time counts."""
    summary = Summary()
    for repeat in range(10):
        for trial in range(4):
            text = "7" if (trial, repeat) == (3, 0) else "{}"
            summary.add(asked(text, trial=trial) | {"repeat": repeat})
    (variant,) = summary.as_dict({})["results"][0]["variants"]
    assert (variant["correct"], variant["measured"]) == (39, 40)
    assert variant["reliable_depth"] == {"depth": None, "needs": trials_needed(1)}


def _low(correct: int, measured: int) -> float:
    return float(stats.binomtest(correct, measured).proportion_ci(0.95, method="wilson").low)
