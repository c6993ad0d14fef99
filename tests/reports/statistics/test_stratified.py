"""Percentages over fixed cells: against another implementation, against other rules, and against simulated truth."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pytest_llmarith.reports.statistics import Cell, overall, wilson

DOCUMENTATION = Path(__file__).parents[3] / "docs" / "statistics.md"
CELLS = st.lists(
    st.integers(0, 12).flatmap(
        lambda asked: st.integers(0, asked).flatmap(
            lambda answered: st.builds(Cell, st.integers(0, answered), st.just(answered), st.just(asked))
        )
    ),
    max_size=12,
)
# Seventy-two cells, as eight variants have at nine depths, in five ways in which models fare in them.
MODELS = {
    "all alike": [0.5] * 72,
    "all alike and good": [0.95] * 72,
    "half good, half bad": [0.98] * 36 + [0.05] * 36,
    "from good to bad": [(72 - place) / 73 for place in range(72)],
    "nearly perfect": [1.0] * 60 + [0.9] * 12,
}


def yan_and_su(cells: Sequence[Cell]) -> tuple[float, float]:
    """The formulas of the paper with fixed weights, the cells' intervals by scipy."""
    weights = [cell.asked / sum(each.asked for each in cells) for cell in cells]
    shares = [cell.successes / cell.answered for cell in cells]
    variances = [share * (1 - share) / cell.answered for share, cell in zip(shares, cells, strict=True)]
    parts = [weight**2 * variance for weight, variance in zip(weights, variances, strict=True)]
    z = stats.norm.ppf(0.975) * sum(parts) ** 0.5 / sum(part**0.5 for part in parts)
    level = 2 * stats.norm.cdf(z) - 1
    intervals = [stats.binomtest(cell.successes, cell.answered).proportion_ci(level, method="wilson") for cell in cells]
    return (
        sum(weight * interval.low for weight, interval in zip(weights, intervals, strict=True)),
        sum(weight * interval.high for weight, interval in zip(weights, intervals, strict=True)),
    )


@pytest.mark.parametrize(
    "cells",
    [
        [Cell(9, 10, 10), Cell(1, 10, 10)],
        [Cell(10, 10, 10), Cell(6, 10, 10), Cell(2, 10, 10)],
        [Cell(9, 10, 10), Cell(1, 4, 10)],
        [Cell(19, 20, 20), Cell(3, 9, 15), Cell(0, 5, 5), Cell(2, 30, 30)],
        [Cell(10, 10, 10)] * 30 + [Cell(5, 10, 10)] * 10 + [Cell(0, 10, 10)] * 30,
    ],
)
def test_the_interval_is_that_of_the_paper(cells: list[Cell]) -> None:
    """The weights are the parts of what was asked, also where a cell lacks some answers."""
    found = overall(cells)
    assert found is not None
    assert found.interval == pytest.approx(yan_and_su(cells), abs=1e-12)
    asked = sum(cell.asked for cell in cells)
    assert found.share == sum(Fraction(cell.successes * cell.asked, cell.answered * asked) for cell in cells)


@pytest.mark.parametrize(
    "cells",
    [
        [Cell(7, 10, 10)],  # one cell is no stratification
        [Cell(1, 1, 1)] * 5 + [Cell(0, 1, 1)] * 4,  # one answer says nothing of how a cell's answers vary
        [Cell(9, 10, 10), Cell(5, 10, 10), Cell(1, 1, 1)],
        [Cell(10, 10, 10)] * 3 + [Cell(0, 10, 10)],  # nothing varies within cells
        [Cell(10, 10, 10)] * 3,
        [Cell(10, 10, 10)] * 71 + [Cell(9, 10, 10)],  # the stratified one is twenty times as wide
    ],
)
def test_else_it_is_wilsons_of_all_answers(cells: list[Cell]) -> None:
    """Where the stratified interval is undefined or wider."""
    found = overall(cells)
    assert found is not None
    successes, answered = sum(cell.successes for cell in cells), sum(cell.answered for cell in cells)
    assert found.interval == pytest.approx(wilson(successes, answered), abs=1e-12)
    assert found.share == Fraction(successes, answered)


@pytest.mark.parametrize(
    ("cells", "low", "high"),
    [
        ([Cell(9, 10, 10), Cell(0, 0, 10)], 9 / 20, 19 / 20),
        ([Cell(9, 10, 10), Cell(3, 5, 10), Cell(0, 0, 10)], 12 / 30, 27 / 30),
        ([Cell(0, 1, 1), Cell(0, 0, 9)], 0.0, 0.9),
    ],
)
def test_a_cell_without_an_answer_leaves_a_bound(cells: list[Cell], low: float, high: float) -> None:
    """There is no percentage: all that is unanswered may be wrong, or right."""
    assert overall(cells) == (None, (low, high))


@pytest.mark.parametrize("cells", [[], [Cell(0, 0, 0)], [Cell(0, 0, 10)]])
def test_nothing_is_known_of_no_answers(cells: list[Cell]) -> None:
    """Where nothing was answered there is neither a share nor an interval."""
    assert overall(cells) is None


@given(CELLS)
def test_the_interval_holds_the_share(cells: list[Cell]) -> None:
    """Both lie within 0 and 1, successes and failures mirror each other, and cells that were not asked are nothing."""
    found = overall(cells)
    mirrored = overall([cell._replace(successes=cell.answered - cell.successes) for cell in cells])
    if found is None or mirrored is None:
        assert found is mirrored
        return
    assert 0 <= found.interval.low <= found.interval.high <= 1
    assert (1 - found.interval.high, 1 - found.interval.low) == pytest.approx(mirrored.interval, abs=1e-9)
    assert found == overall([*cells, Cell(0, 0, 0)])
    if found.share is not None and mirrored.share is not None:
        assert found.interval.low - 1e-12 <= found.share <= found.interval.high + 1e-12
        assert found.share + mirrored.share == 1


@given(CELLS.filter(lambda cells: all(cell.answered for cell in cells)))
def test_nothing_missing_is_what_was_counted(cells: list[Cell]) -> None:
    """If everything is answered, the weighted share is that of all answers."""
    whole = [cell._replace(asked=cell.answered) for cell in cells]
    found = overall(whole)
    assert (found and found.share) == (
        Fraction(sum(cell.successes for cell in whole), sum(cell.answered for cell in whole)) if whole else None
    )


@pytest.mark.parametrize("trials", [1, 5, 10])
@pytest.mark.parametrize("model", MODELS)
def test_the_interval_holds_the_truth(model: str, trials: int) -> None:
    """In 92 to 100 of 100 simulated runs, and it is not wider than Wilson's of all answers."""
    held, width, wilsons = simulated(MODELS[model], trials, runs=250)
    assert held > 0.88  # 0.925 at least, less three standard errors
    assert width <= wilsons + 1e-9


@pytest.mark.proof
@pytest.mark.parametrize("model", MODELS)
def test_the_documentation_has_these_figures(model: str) -> None:
    """How often the interval holds the truth, and how wide both are, in 4,000 simulated runs."""
    shown = []
    for trials in (1, 5, 10):
        held, width, wilsons = simulated(MODELS[model], trials, runs=4_000)
        shown.append(f"{100 * held:.1f}, {100 * width:.1f} ({100 * wilsons:.1f})")
        assert held > 0.92
    assert f"| {model} | {' | '.join(shown)} |" in DOCUMENTATION.read_text("utf-8")


def test_a_lost_reply_moves_no_percentage() -> None:
    """Of a model that is right in easy cells only, half of the hard questions are lost: the share stays, as it does
    not where all answers count the same.
    """
    draw = Random(12)
    shares = []
    for _ in range(200):
        hard = [sum(draw.random() < 0.05 for _ in range(5)) for _ in range(36)]
        found = overall([Cell(10, 10, 10)] * 36 + [Cell(right, 5, 10) for right in hard])
        assert found is not None
        assert found.share is not None
        shares.append(found.share)
    assert float(sum(shares) / len(shares)) == pytest.approx(0.525, abs=0.002)


def simulated(chances: Sequence[float], trials: int, runs: int) -> tuple[float, float, float]:
    """In which part of the runs the interval holds the truth, how wide it is on average, and how wide Wilson's is."""
    draw = Random(f"{chances}/{trials}")
    truth = sum(chances) / len(chances)
    held, width, wilsons = 0, 0.0, 0.0
    for _ in range(runs):
        cells = [Cell(sum(draw.random() < chance for _ in range(trials)), trials, trials) for chance in chances]
        found, plain = overall(cells), wilson(sum(cell.successes for cell in cells), trials * len(cells))
        assert found is not None
        assert plain is not None
        held += found.interval.low <= truth <= found.interval.high
        width += found.interval.high - found.interval.low
        wilsons += plain.high - plain.low
    return held / runs, width / runs, wilsons / runs
