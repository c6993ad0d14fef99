"""Models that were asked the same questions: their places, their groups, and what a number of pairs can show."""

from __future__ import annotations

from math import comb, fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.results.differences import SIGNIFICANT, mcnemar, mcnemar_power, smallest_difference
from pytest_llmarith.results.page.differences import rank
from pytest_llmarith.results.questions import Question, Questions
from tests.results.made import sums


def asked(outcomes: str, **named: Any) -> list[Question]:
    """The questions of a model, a letter each."""
    found = Questions({})
    for one in sums(outcomes, **named):
        found.add(one)
    return list(found)


def test_places_and_groups() -> None:
    """A model is in the group of a better one from which it is not separated."""
    models = {"worst": asked("d" * 40), "best": asked("c" * 40), "close": asked("d" + "c" * 39)}
    places, others = rank(models)
    assert [(one.key, one.group) for one in places] == [("best", 1), ("close", 1), ("worst", 2)]
    assert [one.pairs for one in places] == [0, 40, 40]
    assert others == []
    assert [one.pairs for one in rank({"a": asked("cccc"), "b": asked("ccdu")})[0]] == [0, 3]  # unanswered: no pair
    difference = places[1].compared
    assert difference is not None
    assert round(difference.in_points.points, 1) == -2.5
    assert (difference.better, difference.worse) == (0, 1)
    assert places[2].p_holm == 2 * mcnemar(0, 40)  # one of two comparisons


def test_other_questions_are_not_ranked() -> None:
    """Neither fewer questions nor other problems nor other prompts are compared."""
    other_prompts = {"prompts": [*asked("c" * 9)]}
    for one in other_prompts["prompts"]:
        one.prompt = 1
    places, others = rank(
        {"a": asked("c" * 9), "b": asked("d" * 9), "fewer": asked("c" * 8), "others": asked("c" * 9, first=50)}
        | other_prompts
    )
    assert [one.key for one in places] == ["a", "b"]
    assert others == ["fewer", "others", "prompts"]
    assert rank({}) == ([], [])


@given(st.lists(st.text("cd", min_size=12, max_size=12), min_size=1, max_size=6))
def test_groups_are_those_of_the_rule(models: list[str]) -> None:
    """Every model has one place, groups begin with their best, and no model is better than the first."""
    places, others = rank({str(number): asked(outcomes) for number, outcomes in enumerate(models)})
    assert (sorted(int(one.key) for one in places), others) == (list(range(len(models))), [])
    assert [one.group for one in places] == sorted(one.group for one in places)
    rights = [models[int(one.key)].count("c") for one in places]
    assert rights[0] == max(rights)
    for place in places[1:]:
        assert place.p_holm is not None
        assert (place.group == 1) == (place.p_holm >= SIGNIFICANT)


def exact_power(pairs: int, discordant: float, difference: float) -> float:
    """The same by the sum over all numbers of discordant pairs and of wins."""
    wins = (1 + difference / discordant) / 2
    return fsum(
        comb(pairs, d) * discordant**d * (1 - discordant) ** (pairs - d) * comb(d, w) * wins**w * (1 - wins) ** (d - w)
        for d in range(pairs + 1)
        for w in range(d + 1)
        if mcnemar(w, d - w) < SIGNIFICANT
    )


@pytest.mark.parametrize(("pairs", "discordant", "difference"), [(40, 0.3, 0.2), (60, 0.1, 0.1), (80, 0.5, 0.05)])
def test_the_power_is_exact(pairs: int, discordant: float, difference: float) -> None:
    assert mcnemar_power(pairs, discordant, difference) == pytest.approx(
        exact_power(pairs, discordant, difference), abs=0.002
    )


@pytest.mark.parametrize(("pairs", "share"), [(463, 0.05), (920, 0.1), (1800, 0.2)])
def test_three_points(pairs: int, share: float) -> None:
    """So many pairs show a difference of 3 points, by the share of them that only one side gets right."""
    assert smallest_difference(pairs, round(pairs * share)) == pytest.approx(0.03, abs=0.0006)


def test_few_pairs_show_nothing() -> None:
    assert smallest_difference(5, 2) is None
    assert smallest_difference(100_000, 0) == pytest.approx(0.0005, abs=0.0005)
