"""D50: published runs, simulated models, and the edges."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.cli import main
from pytest_llmarith.records import Threshold, as_dict, convert
from pytest_llmarith.results.statistics import Depth
from pytest_llmarith.results.thresholds import fit, probability, threshold

TRANSCRIPTS = Path(__file__).parents[3] / "shared" / "transcripts"
SETTINGS = [
    *((range(2, 11), d50, slope) for d50 in (2, 5, 8) for slope in (0.3, 1, 4)),
    *((range(2, 31), d50, slope) for d50 in (10, 20) for slope in (0.3, 1, 4)),
]


@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="the transcripts are not beside the project")
@pytest.mark.parametrize(("file", "published"), [("gpt-4.1", (3.4, 3.0, 3.8)), ("gpt-4o-mini", (2.7, 2.4, 3.0))])
def test_published_runs(file: str, published: tuple[float, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """What a report shows of integer products in two runs is within 0.3 digits."""
    assert main(["report", "-v", "--format=markdown", str(TRANSCRIPTS / f"{file}.jsonl")]) == 0
    lines = capsys.readouterr().out.partition("D50 by model and variant")[2].splitlines()
    header, _, row = ([cell.strip() for cell in line.split("|")] for line in lines[:8] if line[:1] == "|")
    shown = row[header.index("int_mul")]
    assert re.fullmatch(r"[\d.]+ \([\d.]+ to [\d.]+\)", shown)
    assert list(map(float, re.findall(r"[\d.]+", shown))) == pytest.approx(published, abs=0.3)


@pytest.mark.proof
@pytest.mark.parametrize(("depths", "d50", "slope"), SETTINGS)
def test_coverage(depths: range, d50: float, slope: float) -> None:
    """Of 2,000 simulated models with 10 answers at each depth, 90 % of the intervals hold the true D50."""
    random, held, rounds = Random(f"{d50} {slope}"), 0, 2_000
    shares = [probability(depth - d50, slope, 0) for depth in depths]
    for _ in range(rounds):
        answers = [sum(random.random() < share for _ in range(10)) for share in shares]
        found = fit(tuple(Depth(depth, correct, 10) for depth, correct in zip(depths, answers, strict=True)))
        assert found is not None
        held += found.interval.low <= d50 <= found.interval.high
    assert held / rounds >= 0.9


@pytest.mark.parametrize(
    ("answers", "place"),
    [
        ([10, 10, 10], "above"),
        ([10, 10, 9], "above"),
        ([0, 0, 0], "below"),
        ([1, 0, 0], "below"),
        ([10, 5, 0], "within"),
        ([6, 4, 5], "within"),
    ],
)
def test_outside_of_the_depths(answers: list[int], place: str) -> None:
    """D50 below or above all depths is no number."""
    depths = [Depth(depth, correct, 10) for depth, correct in zip((2, 6, 10), answers, strict=True)]
    found = threshold("int_mul", [*depths, Depth(12, 0, 0)])
    assert found is not None
    assert (found.place, found.first, found.last, found.questions) == (place, 2, 10, 30)
    assert (found.d50 is None, found.interval is None) == (place != "within", place != "within")


def test_lack_of_fit() -> None:
    """Accuracy that falls twice is not described by the curve; one that falls once is."""
    falls_twice = [Depth(depth, 20 * (depth in (2, 3, 7, 8)), 20) for depth in range(2, 11)]
    falls_once = [Depth(depth, 20 * (depth < 6), 20) for depth in range(2, 11)]
    found = [threshold("int_mul", depths) for depths in (falls_twice, falls_once)]
    assert [one and one.fits for one in found] == [False, True]


def test_many_answers_give_narrow_intervals() -> None:
    """With 100,000 answers at each depth the interval is a hundredth of a digit, and the curve still fits."""
    counts = {depth: round(100_000 * probability(depth - 5.3, 1.1, 0.02)) for depth in range(2, 11)}
    found = fit(tuple(Depth(depth, correct, 100_000) for depth, correct in counts.items()))
    assert found is not None
    assert found.interval.low < 5.3 < found.interval.high
    assert found.interval.high - found.interval.low < 0.05
    assert found.p > 0.01


def test_what_has_no_threshold() -> None:
    """A curve needs two depths, of at most 1,000 digits."""
    assert threshold("int_mul", [Depth(3, 5, 10), Depth(4, 0, 0)]) is None
    assert threshold("int_mul", [Depth(3, 5, 10), Depth(10**15, 0, 10)]) is None


@given(
    st.dictionaries(st.integers(1, 40), st.tuples(st.integers(0, 10**4), st.integers(1, 10**4)), min_size=2, max_size=6)
)
def test_every_result_has_a_valid_threshold(counts: dict[int, tuple[int, int]]) -> None:
    """D50 is in its interval, and a summary may hold it, whatever the answers are."""
    found = threshold(
        "int_mul", [Depth(depth, min(right, trials), trials) for depth, (right, trials) in counts.items()]
    )
    assert found is not None
    assert convert(as_dict(found), Threshold) == found
    assert found.d50 is None or (found.interval and found.interval[0] <= found.d50 <= found.interval[1])
