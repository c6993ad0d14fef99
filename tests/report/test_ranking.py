"""Models that were asked the same questions: their places, and what a number of pairs
can show.
"""

from __future__ import annotations

from math import comb, fsum
from typing import Any

import pytest

from pytest_llmarith.report.page.differences import Ranking, rankings
from pytest_llmarith.report.series import PageRun, results_of_runs, series_of
from pytest_llmarith.statistics.pairs import SIGNIFICANT, mcnemar
from pytest_llmarith.statistics.plans import mcnemar_power, smallest_difference
from pytest_llmarith.types import Condition, NumberFormat
from tests.results.made import run, said, sums


def page_run(name: str, *models: tuple[str, str], **named: Any) -> PageRun:
    """A run in which each model has sums, a letter each."""
    made = run(
        *(sums(outcomes, model=model, **named) for model, outcomes in models), name=name
    )
    return PageRun(name, made.summary(), (), made.asked())


def ranked(*runs: PageRun) -> Ranking:
    series = series_of(runs)
    (found,) = rankings(runs, series, results_of_runs(runs, series))
    return found


def test_models_are_compared_with_the_first_one() -> None:
    """The best one is on top, but is compared like all others, and all tests are
    corrected together.
    """
    found = ranked(
        page_run(
            "one", ("first", "d" + "c" * 39), ("best", "c" * 40), ("worst", "d" * 40)
        )
    )
    assert (found.baseline, found.unranked) == ("first", [])
    assert [one.key for one in found.places] == ["best", "first", "worst"]
    assert [one.direction for one in found.places] == ["unclear", "unclear", "worse"]
    better, itself, worse = (one.compared for one in found.places)
    assert itself is None
    assert better is not None
    assert [better.value(name) for name in ("better", "worse")] == [1, 0]
    assert better.questions == 40
    assert worse is not None
    assert worse.value("p_holm") == 2 * mcnemar(0, 39)


def test_other_questions_are_not_compared() -> None:
    """Neither other problems nor other prompts."""
    found = ranked(
        page_run("one", ("a", "c" * 9), ("b", "d" * 9)),
        page_run("two", ("others", "c" * 9), first=50),
        page_run("three", ("prompts", "c" * 9), prompt="in other words"),
    )
    assert [one.key for one in found.places] == ["a", "b"]
    assert sorted(found.unranked) == ["others", "prompts"]


@pytest.mark.parametrize("conditions", [1, 2])
def test_a_row_is_about_one_set_of_questions(conditions: int) -> None:
    """The percentages of a row are of the pairs of its difference, in all conditions,
    of which a problem has the mean; rows of the matrix have one condition each.
    """
    usual = [("a", "cccccccccd"), ("b", "cdddcccuuu")]
    comma = [("a", "dddddddddd"), ("b", "cccccccddd")]
    trials = [sums(text, model=model) for model, text in usual]
    if conditions == 2:
        named: dict[str, Any] = {
            "condition": Condition(NumberFormat.COMMA),
            "prompt": said("with commas"),
        }
        trials += [sums(text, model=model, **named) for model, text in comma]
        trials += [sums(text, "mul", model=model) for model, text in usual]
    made = run(*trials)
    found = ranked(PageRun("one", made.summary(), (), made.asked()))
    assert {one.key for one in found.places} == {"a", "b"}
    titles = [head.title for head in found.shown.heads]
    (line,) = [line for line in found.shown.lines if line.model == "b"]
    shown = dict(zip(titles, (cell.shown.text for cell in line.cells), strict=True))
    right, baseline = float(shown["correct %"]), float(shown["baseline %"])
    assert right - baseline == pytest.approx(float(shown["difference"]), abs=0.1)
    assert (right, baseline) == ((57.1, 100.0) if conditions == 1 else (55.9, 61.8))
    assert ("all conditions" in found.shown.explanation) == (conditions == 2)
    assert len(found.matrix.lines if found.matrix else ()) == (
        4 if conditions == 2 else 0
    )


def exact_power(pairs: int, discordant: float, difference: float, tests: int) -> float:
    """The same by the sum over all numbers of discordant pairs and of wins."""
    wins = (1 + difference / discordant) / 2
    return fsum(
        comb(pairs, d)
        * discordant**d
        * (1 - discordant) ** (pairs - d)
        * comb(d, w)
        * wins**w
        * (1 - wins) ** (d - w)
        for d in range(pairs + 1)
        for w in range(d + 1)
        if mcnemar(w, d - w) < SIGNIFICANT / tests
    )


@pytest.mark.parametrize("tests", [1, 9])
@pytest.mark.parametrize(
    ("pairs", "discordant", "difference"),
    [(40, 0.3, 0.2), (60, 0.1, 0.1), (80, 0.5, 0.05)],
)
def test_the_power_is_exact(
    pairs: int, discordant: float, difference: float, tests: int
) -> None:
    expected = exact_power(pairs, discordant, difference, tests)
    assert mcnemar_power(pairs, discordant, difference, tests) == pytest.approx(
        expected, abs=0.002
    )


@pytest.mark.parametrize(("pairs", "share"), [(463, 0.05), (920, 0.1), (1800, 0.2)])
def test_three_points(pairs: int, share: float) -> None:
    """So many pairs show a difference of 3 points, by the share of them that only one
    side gets right.
    """
    assert smallest_difference(pairs, round(pairs * share)) == pytest.approx(
        0.03, abs=0.0006
    )


def test_few_pairs_show_nothing() -> None:
    assert smallest_difference(5, 2) is None
    assert smallest_difference(100_000, 0) == pytest.approx(0.0005, abs=0.0005)
