"""D50: published runs, simulated models, and the edges."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.cli import main
from pytest_llmarith.figures.searches import Threshold, threshold
from pytest_llmarith.records import as_dict, convert
from pytest_llmarith.statistics.proportions import Depth
from pytest_llmarith.statistics.thresholds import Fit, fit
from pytest_llmarith.views.kinds import D50
from tests.statistics.curves import CURVES, Curve, d50_of, logistic

TRANSCRIPTS = Path(__file__).parents[3] / "shared" / "transcripts"
GRID = range(2, 11)


@pytest.mark.skipif(
    not TRANSCRIPTS.is_dir(), reason="the transcripts are not beside the project"
)
@pytest.mark.parametrize(
    ("file", "published"),
    [("gpt-4.1", (3.4, 3.0, 3.8)), ("gpt-4o-mini", (2.7, 2.4, 3.0))],
)
def test_published_runs(
    file: str, published: tuple[float, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """What a report shows of integer products in two runs is within 0.3 digits."""
    assert (
        main(["report", "-v", "--format=markdown", str(TRANSCRIPTS / f"{file}.jsonl")])
        == 0
    )
    said = capsys.readouterr().out.partition("D50 by variant")[2]
    shown = said.partition("| `int_mul` |")[2].partition(" |")[0].strip()
    assert re.fullmatch(r"[\d.]+ \([\d.]+ to [\d.]+\)", shown)
    assert list(map(float, re.findall(r"[\d.]+", shown))) == pytest.approx(
        published, abs=0.3
    )


def answers(curve: Curve, trials: int, random: Random) -> tuple[Depth, ...]:
    return tuple(
        Depth(
            digits, sum(random.random() < curve(digits) for _ in range(trials)), trials
        )
        for digits in GRID
    )


def holds(found: Fit | None, d50: float) -> bool:
    assert found is not None
    return (found.low is None or found.low <= d50) and (
        found.high is None or d50 <= found.high
    )


@pytest.mark.proof
@pytest.mark.parametrize("trials", [10, 30])
@pytest.mark.parametrize("name", CURVES)
def test_coverage(name: str, trials: int) -> None:
    random, curve = Random(name), CURVES[name]
    held = sum(
        holds(fit(answers(curve, trials, random)), d50_of(curve)) for _ in range(200)
    )
    assert held >= 0.93 * 200


def test_a_few_of_each_curve() -> None:
    random = Random(1)
    held = [
        holds(fit(answers(curve, 20, random)), d50_of(curve))
        for curve in CURVES.values()
        for _ in range(5)
    ]
    assert sum(held) >= 0.93 * len(held)


DOCUMENT = Path(__file__).parents[2] / "docs" / "statistics.md"
SHAPES = re.findall(
    r"^\| ([^|]+) \| (\d+: \d[^|]+) \| (`[^`]+`|none) \|$",
    DOCUMENT.read_text(),
    re.MULTILINE,
)


def d50_of_threshold(found: Threshold) -> str:
    """D50 with its interval and remarks, such as `9.1 (8.2 to >10), not reached`."""
    text, interval, notes, _ = D50.shown(found)
    if interval:
        text += f" ({interval})"
    return ", ".join([text, *notes])


def test_each_shape_prints_what_the_document_says() -> None:
    """Also curves that do not fall, and answers that say nothing."""
    assert len(SHAPES) >= 18
    found = []
    for name, cells, _ in SHAPES:
        numbers = [map(int, re.findall(r"\d+", cell)) for cell in cells.split(",")]
        one = threshold("int_mul", [Depth(*each) for each in numbers])
        found.append((name, cells, f"`{d50_of_threshold(one)}`" if one else "none"))
    assert found == SHAPES


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        # all of it could be beyond the next depth, or before it
        (Depth(6, 10, 10), "unknown (6.0 to >10)"),
        (Depth(6, 0, 10), "unknown (<2 to 6.0)"),
        (Depth(6, 3, 3), "unknown (any depth)"),
        (Depth(6, 5, 10), "6.0 (any depth)"),
        (Depth(10, 10, 10), "> 10"),
        (Depth(2, 0, 10), "< 2"),
        (Depth(2, 1, 1), "unknown (any depth)"),
    ],
    ids=str,
)
def test_adaptive_asking_of_one_depth(answers: Depth, text: str) -> None:
    """Depths that were offered and not asked may have D50."""
    found = threshold("int_mul", [answers], [2, 10])
    assert found is not None
    assert d50_of_threshold(found) == text


@pytest.mark.parametrize("trials", [1, 2, 10, 30])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.35, 0.65, 0.95, 1.0])
def test_flat_curves(share: float, trials: int) -> None:
    """The interval holds that D50 is beyond the depths, in 93 % of 100 models; it is
    on no wrong side if nearly all is right or wrong.
    """
    random, held = Random(1), 0
    for _ in range(100):
        found = fit(answers(lambda _: share, trials, random))
        assert found is not None
        held += (found.high if share > 0.5 else found.low) is None
        if not 0.1 < share < 0.9:
            assert found.place != ("below" if share > 0.5 else "above")
    assert held >= 93


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
    depths = [
        Depth(depth, correct, 10)
        for depth, correct in zip((2, 6, 10), answers, strict=True)
    ]
    found = threshold("int_mul", [*depths, Depth(12, 0, 0)])
    assert found is not None
    assert (found.place, found.first, found.last, found.questions) == (place, 2, 10, 30)
    assert (found.d50 is None) == (place != "within")


def test_a_bound_beside_a_d50_outside() -> None:
    """`> 10` says from where on D50 can be; if it is shown to be beyond the depths,
    nothing more.
    """
    seldom_right = [
        Depth(depth, correct, 30)
        for depth, correct in ((2, 30), (6, 29), (9, 20), (10, 16))
    ]
    found = threshold("int_mul", seldom_right)
    assert found is not None
    low, high = found.interval
    assert low is not None
    assert 8.5 < low < 10
    assert high is None
    assert d50_of_threshold(found) == f"> 10 ({low:.1f} to >10)"
    always = threshold("int_mul", [Depth(depth, 30, 30) for depth in (2, 10)])
    never = threshold("int_mul", [Depth(depth, 0, 30) for depth in (2, 10)])
    assert always is not None
    assert never is not None
    assert [d50_of_threshold(one) for one in (always, never)] == ["> 10", "< 2"]


def test_what_is_known_between_two_depths() -> None:
    """If all is right at 5 digits and wrong at 6, D50 is between, and nothing says
    where.
    """
    found = fit(tuple(Depth(depth, 30 * (depth < 6), 30) for depth in GRID))
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert 5 <= found.low < 5.1
    assert 5.9 < found.high <= 6
    assert found.d50 == pytest.approx(5.5, abs=0.1)


def test_depths_that_the_answers_chose_have_a_wider_interval() -> None:
    """A question that follows from an answer is no independent one."""
    share = {4: 28, 6: 18, 8: 9, 10: 2}
    measured = tuple(Depth(depth, correct, 30) for depth, correct in share.items())
    fixed, chosen = fit(measured), fit(measured, (4, 10))
    assert fixed is not None
    assert chosen is not None
    assert chosen.d50 == fixed.d50
    assert None not in (fixed.low, fixed.high, chosen.low, chosen.high)
    assert chosen.low < fixed.low  # type: ignore[operator]
    assert chosen.high > fixed.high  # type: ignore[operator]


def test_lack_of_fit() -> None:
    """Accuracy that falls twice is not described by the curve; one that falls once
    is.
    """
    falls_twice = [
        Depth(depth, 20 * (depth in (2, 3, 7, 8)), 20) for depth in range(2, 11)
    ]
    falls_once = [Depth(depth, 20 * (depth < 6), 20) for depth in range(2, 11)]
    found = [threshold("int_mul", depths) for depths in (falls_twice, falls_once)]
    assert [one and one.fits for one in found] == [False, True]


def test_many_answers_give_narrow_intervals() -> None:
    """With 100,000 answers at each depth the interval is what the unknown curve between
    two depths leaves open.
    """
    curve = logistic(5.3, 1.1)
    found = fit(
        tuple(Depth(depth, round(100_000 * curve(depth)), 100_000) for depth in GRID)
    )
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert 5.1 < found.low < 5.3 < found.high < 5.5
    assert found.p > 0.01


def test_what_has_no_threshold() -> None:
    """A curve needs two depths, of at most 1,000 digits."""
    assert threshold("int_mul", [Depth(3, 5, 10), Depth(4, 0, 0)]) is None
    assert threshold("int_mul", [Depth(3, 5, 10), Depth(10**15, 0, 10)]) is None
    # as a record may say that was not written here
    assert threshold("int_mul", [Depth(3, 5, 10)], [3]) is None
    assert threshold("int_mul", [Depth(3, 0, 10)], [5, 5]) is None


@given(
    st.dictionaries(
        st.integers(1, 40),
        st.tuples(st.integers(0, 10**4), st.integers(1, 10**4)),
        min_size=2,
        max_size=6,
    )
)
def test_every_result_has_a_valid_threshold(counts: dict[int, tuple[int, int]]) -> None:
    found = threshold(
        "int_mul",
        [
            Depth(depth, min(right, trials), trials)
            for depth, (right, trials) in counts.items()
        ],
    )
    assert found is not None
    assert convert(as_dict(found), Threshold) == found
    low, high = found.interval
    if found.d50 is not None:
        assert (low or 0) <= found.d50 <= (high or 1_000)
    assert low is None or high is None or low <= high
