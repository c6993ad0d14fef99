"""The search for the simplest wrong answer, against models with planted faults."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_llmarith.evaluate_search import SearchEngine, replies_within_limit
from pytest_llmarith.records import Reply, Request, Usage, as_dict
from pytest_llmarith.tasks.search_questions import CONFIRMATIONS, Draws, PairSpace
from pytest_llmarith.types import Message, SearchEnd

BUDGET = 120
SPACE = PairSpace(lambda left, right: None)  # type: ignore[arg-type,return-value]  # no question is made


class Told(NamedTuple):
    """What a planted model said."""

    wrong: bool


Model = Callable[[Draws, int], Any]


def carry_lost(draws: Draws, before: int) -> Any:
    """A carry out of the third digit is lost."""
    return Told(draws[0] % 1000 + draws[1] % 1000 >= 1000)


def fourth_digit_dropped(draws: Draws, before: int) -> Any:
    return Told(max(draws) >= 1000)


def noisy(seed: str, share: float = 0.1, least: float = float("inf")) -> Model:
    """Wrong by chance, one time in ten; and always from the number `least` on."""
    return lambda draws, before: Told(
        max(draws) >= least or Random(f"{seed}/{draws}/{before}").random() < share
    )


def searched(model: Model, budget: int = BUDGET, seed: str = "a") -> SearchEngine:
    search = SearchEngine(model, budget, seed, SPACE)
    search.run()
    return search


@pytest.mark.parametrize(
    ("model", "digits"),
    [(carry_lost, 3), (fourth_digit_dropped, 4), (noisy("a", least=1000), 4)],
)
def test_a_fault_is_found_in_its_simplest_form(model: Model, digits: int) -> None:
    """Also among errors by chance: no shorter numbers have the fault, and the search
    comes down to them.
    """
    for seed in "ab":
        search = searched(model, seed=seed)
        assert search.minimum is not None
        assert len(str(max(search.minimum))) == digits


def test_models_that_are_always_right_or_always_wrong() -> None:
    """Nothing is found, and the budget is left for confirmations; or the first
    question, which is confirmed.
    """
    right = searched(lambda draws, before: Told(False))
    assert right.minimum is None
    assert right.ending == SearchEnd.NOTHING_FOUND
    assert right.not_reproduced == 0
    assert right.questions == BUDGET - CONFIRMATIONS
    wrong = searched(lambda draws, before: Told(True))
    assert wrong.minimum == (0, 0)
    assert wrong.ending == SearchEnd.SHRUNK
    assert wrong.questions == 1 + CONFIRMATIONS


@pytest.mark.proof
def test_200_searches_of_chance_find_nothing() -> None:
    """The simulation of docs/breaking-point.md: 80 questions, one error in ten at
    random, no fault.
    """
    ends = Counter(
        searched(noisy(str(seed)), 80, str(seed)).ending for seed in range(200)
    )
    assert ends == {SearchEnd.NOT_REPRODUCED: 200}


def test_an_outage_ends_the_search() -> None:
    """It is no wrong answer: it goes through as it came, and what was answered is
    kept.
    """

    def breaks_down(draws: Draws, before: int) -> Any:
        if len(search.answers) == 10:
            raise KeyboardInterrupt
        return Told(False)

    search = SearchEngine(breaks_down, BUDGET, "a", SPACE)
    with pytest.raises(KeyboardInterrupt):
        search.run()
    assert (search.questions, search.ending) == (10, SearchEnd.UNANSWERED)


def test_a_task_that_raises_shows_its_own_line() -> None:
    """The frames of the search are hidden, also those of a shrunk question."""

    def raises(draws: Draws, before: int) -> Any:
        if max(draws) > 9:
            raise ZeroDivisionError
        return Told(False)

    search = SearchEngine(raises, BUDGET, "a", SPACE)
    with pytest.raises(ZeroDivisionError) as raised:
        search.run()
    frames = {str(entry.path) for entry in raised.traceback.filter(raised)}
    assert frames == {__file__}


@given(
    seed=st.text("ab", min_size=8),
    share=st.sampled_from([0.0, 0.05, 0.5]),
    budget=st.integers(1 + CONFIRMATIONS, 25),
)
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.nested_given]
)
def test_no_model_is_asked_more_than_the_budget_or_anything_twice(
    seed: str, share: float, budget: int
) -> None:
    """Whatever it answers: a question is asked once, and again only as long as it is
    wrong.
    """
    asked: Counter[tuple[Draws, int]] = Counter()

    def model(draws: Draws, before: int) -> Any:
        asked[draws, before] += 1
        return Told(Random(f"{seed}/{draws}/{before}").random() < share)

    search = searched(model, budget, seed)
    assert asked.total() == search.questions <= budget
    assert set(asked.values()) == {1}
    assert all(answer.wrong for told in search.answers.values() for answer in told[:-1])
    failing = sorted(
        (draws for draws, told in search.answers.items() if told[-1].wrong),
        key=SPACE.simplicity,
    )
    assert all(len(search.answers[draws]) >= 2 for draws in failing)
    assert (search.minimum is None) == (failing == [])
    assert search.minimum in (*failing[:1], None) or search.questions == budget


ROOM = 4_000_000
USAGE_AND_KEYS = 600  # characters of what stands for a reply that found no room


def many(
    text: str, reasoning: str | None = None, count: int = 80, **facts: object
) -> list[Reply]:
    paid = {
        "prompt_tokens": 10,
        "completion_tokens": 9,
        "cost_usd": 0.25,
        "latency_s": 1.5,
    } | facts
    return [Reply(text, reasoning, **paid)] * count  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "replies",
    [
        many("7", reasoning="\x01" * 1_000_000),
        many("7", served_model="\x1b" * 1_000_000),
        many("7", sent=Request("m", None, [Message("user", "\u202e" * 1_000_000)], {})),
        many("7" * 99_000, count=1_000),
    ],
    ids=["reasoning", "name", "sent", "many"],
)
def test_a_trail_can_be_read_again(replies: list[Reply]) -> None:
    """However long replies are and whatever in them is long, as JSON they are no longer
    than the room they have.
    """
    written = json.dumps(
        [
            as_dict(part)
            for parts in replies_within_limit(replies)
            for part in parts
            if part
        ]
    )
    assert len(written) <= ROOM + len(replies) * USAGE_AND_KEYS


def test_a_reply_without_room_keeps_what_it_cost() -> None:
    """It has no words, and says of itself whatever its sums are made of."""
    ((reply, usage),) = replies_within_limit(
        many(
            "7" * ROOM, count=1, served_model="m", asked_at="2026-11-22T00:31:07+00:00"
        )
    )
    assert reply is None
    assert usage == Usage(
        served_model="m",
        prompt_tokens=10,
        completion_tokens=9,
        cost_usd=0.25,
        latency_s=1.5,
        asked_at="2026-11-22T00:31:07+00:00",
    )


def test_the_simplest_pair_has_few_digits_and_small_ones_on_the_left() -> None:
    """The left number counts first in each column."""
    draws = [(10, 0), (0, 10), (9, 9), (1, 0), (0, 1), (0, 0)]
    found = sorted(draws, key=SPACE.simplicity)
    assert found == [(0, 0), (0, 1), (1, 0), (9, 9), (0, 10), (10, 0)]
