"""Money and tokens of a run: what may start, what waits, what is refused."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.models.budget import Budget, OverBudget, Prices
from pytest_llmarith.models.request import most_tokens_sent
from pytest_llmarith.values import AskingLimits, Fit, Model, Price, Reply, Terms

MODEL = Model("m", "openai/some")
# One token of a reply costs a dollar, a prompt nothing.
MOST = 100
DEAR = Terms(Price(0.0, 1e6), MOST)
PROMPT = "x" * 40


class Known:
    def __init__(self, terms: Terms = DEAR) -> None:
        self._terms = terms

    def terms(self, model: Model) -> Terms:
        return self._terms


def budget(terms: Terms = DEAR, **limits: Any) -> Budget:
    return Budget(AskingLimits(**limits), Prices(Known(terms), None))


def reply(tokens: int | None) -> Reply:
    return Reply("", prompt_tokens=None if tokens is None else 0, completion_tokens=tokens)


async def ask(spending: Budget, outcome: Reply | BaseException, model: Model = MODEL) -> str | None:
    """One request that comes to this; why it was refused, if it was."""
    try:
        room = await spending.reserve(model, PROMPT)
    except OverBudget as refusal:
        return str(refusal)
    assert room is not None
    await asyncio.sleep(0)
    if isinstance(outcome, Reply):
        spending.pay(room, outcome)
    else:
        spending.fail(room, outcome)
    spending.release(room)
    return None


def refusals(spending: Budget, *outcomes: Reply | BaseException) -> list[str]:
    """Requests one after the other, and the refusals among them."""

    async def run() -> list[str | None]:
        return [await ask(spending, outcome) for outcome in outcomes]

    return [refusal for refusal in asyncio.run(run()) if refusal is not None]


def test_cheap_replies_make_no_request_cheaper() -> None:
    """After a hundred short replies, a long one may still come: its worst case has to fit."""
    spending = budget(max_cost_usd=150.0)
    assert len(refusals(spending, *[reply(1)] * 100)) == 49


def test_all_refusals_of_a_model_have_the_same_words() -> None:
    """They are counted by their words; the option, what was spent, and the longest reply are among them."""
    refused = refusals(budget(max_cost_usd=200.0), *[reply(80)] * 5)
    assert len(refused) == 3
    (message,) = set(refused)
    assert message.startswith("budget: --llm-max-cost=200: $160.00 spent")
    assert "100 tokens" in message


def test_what_fits_exactly_is_asked() -> None:
    """A request that fills the cap exactly is asked, as sums are exact: ten times 0.1 is 1."""
    spending = budget(Terms(Price(0.0, 0.1e6), 1), max_cost_usd=1.0)
    assert len(refusals(spending, *[reply(1)] * 12)) == 2


def test_tokens_are_capped_too() -> None:
    """Tokens are capped whatever they cost, and if no price is known."""
    most = MOST + most_tokens_sent(MODEL, PROMPT)
    spending = budget(Terms(None, MOST), max_tokens=2 * most)
    assert len(refusals(spending, *[reply(most)] * 3)) == 1


@pytest.mark.parametrize(
    ("terms", "limits", "word"),
    [
        (Terms(None, MOST), {"max_cost_usd": 5.0}, "--llm-price"),
        (Terms(Price(0.0, 1.0)), {"max_cost_usd": 5.0}, "max_completion_tokens"),
        (Terms(Price(0.0, 1.0)), {"max_tokens": 5000}, "max_completion_tokens"),
        (Terms(None), {"max_tokens": 5000}, "max_completion_tokens"),
        (Terms(Price(0.0, 0.0)), {"max_cost_usd": 5.0}, None),
        (Terms(), {}, None),
    ],
)
def test_what_has_no_bound_is_not_asked_under_a_cap(terms: Terms, limits: dict[str, Any], word: str | None) -> None:
    """The refusal says which option or parameter bounds it; a free model cannot pass a cap in dollars."""
    refused = refusals(budget(terms, **limits), reply(1))
    assert [word in message for message in refused if word] == [True] * (word is not None)
    assert len(refused) == (word is not None)


def test_a_reply_without_token_counts_counts_with_its_worst_case() -> None:
    """The tokens are unknown, not 0."""
    (refusal,) = refusals(budget(max_cost_usd=249.0), reply(50), reply(None), reply(50))
    assert "$150.00 spent" in refusal


@pytest.mark.parametrize(
    ("error", "spent"), [(TimeoutError(), MOST), (asyncio.CancelledError(), MOST), (ConnectionRefusedError(), 0)]
)
def test_a_failure_costs_its_worst_case_if_it_may_have_been_billed(error: BaseException, spent: int) -> None:
    """A provider may go on after a timeout; a refused connection costs nothing."""
    assert len(refusals(budget(max_cost_usd=199.0), error, reply(1))) == (spent > 0)


def test_a_request_that_does_not_fit_waits_for_those_in_flight() -> None:
    """A reply that is cheaper than its worst case makes room for the next request."""

    async def run() -> list[bool]:
        spending = budget(max_cost_usd=150.0)
        room = await spending.reserve(MODEL, PROMPT)
        assert room is not None
        waiting = asyncio.create_task(spending.reserve(MODEL, PROMPT))
        await asyncio.sleep(0.01)
        states = [waiting.done()]
        spending.pay(room, reply(10))
        spending.release(room)
        await asyncio.wait_for(waiting, 60)
        return [*states, waiting.done()]

    assert asyncio.run(run()) == [False, True]


def test_a_request_that_waits_is_told_of_the_end() -> None:
    """If a run ends, a request that waits for money is not begun."""

    async def run() -> None:
        spending = budget(max_cost_usd=150.0)
        await spending.reserve(MODEL, PROMPT)
        waiting = asyncio.create_task(spending.reserve(MODEL, PROMPT))
        await asyncio.sleep(0.01)
        spending.halt()
        assert await waiting is None

    asyncio.run(run())


# --- what fits at once ---------------------------------------------------------------------------------------------


def test_how_many_fit_at_once() -> None:
    """Each at its worst case; a shorter limit of replies lets all of them fit."""
    requests = [(MODEL, PROMPT)] * 20
    (fit,) = budget(max_cost_usd=350.0, concurrency=16).fits(requests)
    assert fit == Fit("--llm-max-cost=350", at_once=3, wanted=16, most="$100.00", bound=21)
    (fit,) = budget(max_cost_usd=1600.0, concurrency=16).fits(requests)
    assert (fit.at_once, fit.wanted, fit.bound) == (16, 16, None)
    (fit,) = budget(max_cost_usd=99.0).fits(requests)
    assert (fit.at_once, fit.bound) == (0, 99)
    (fit,) = budget(max_tokens=10).fits(requests)
    assert (fit.at_once, fit.bound) == (0, None)
    assert budget().fits(requests) == []


@given(
    cap=st.floats(1e-6, 1.0),
    prices=st.tuples(st.floats(0.0, 100.0), st.floats(0.001, 500.0)),
    most=st.integers(1, 200_000),
    length=st.integers(0, 5000),
    wanted=st.integers(1, 64),
)
def test_the_limit_that_the_forecast_names_lets_them_fit(
    cap: float, prices: tuple[float, float], most: int, length: int, wanted: int
) -> None:
    """With the limit that the forecast names all requests fit at once, and with one token more they would not."""
    limits = {"max_cost_usd": cap, "concurrency": wanted}
    requests = [(MODEL, "x" * length)] * wanted
    (fit,) = budget(Terms(Price(*prices), most), **limits).fits(requests)
    if fit.bound is not None:
        bounded = replace(MODEL, params={"max_tokens": fit.bound})
        (fitting,) = budget(Terms(Price(*prices), most), **limits).fits([(bounded, "x" * length)] * wanted)
        assert fitting.at_once >= (wanted if fit.at_once else 1)


# --- whatever happens ----------------------------------------------------------------------------------------------

Steps = list[tuple[int, int, bool]]


@given(
    cap=st.integers(1, 1000),
    at_once=st.integers(1, 64),
    steps=st.lists(st.tuples(st.integers(0, MOST), st.integers(0, 5), st.booleans()), max_size=80),
)
def test_no_cap_is_ever_passed(cap: int, at_once: int, steps: Steps) -> None:
    """What is spent, and the worst case of all in flight, stay within the cap; all requests come to an end.

    A step is a reply's tokens, how long it takes, and whether it is lost and may have been billed.
    """

    async def run() -> None:
        spending, places = budget(max_cost_usd=float(cap)), asyncio.Semaphore(at_once)
        paid = in_flight = 0

        async def one(tokens: int, turns: int, lost: bool) -> None:
            nonlocal paid, in_flight
            async with places:
                try:
                    room = await spending.reserve(MODEL, PROMPT)
                except OverBudget:
                    assert paid + MOST > cap
                    return
                assert room is not None
                in_flight += 1
                assert paid + MOST * in_flight <= cap
                for _ in range(turns):
                    await asyncio.sleep(0)
                if lost:
                    spending.fail(room, TimeoutError())
                else:
                    spending.pay(room, reply(tokens))
                spending.release(room)
                paid += MOST if lost else tokens
                in_flight -= 1

        await asyncio.wait_for(asyncio.gather(*(one(*step) for step in steps)), 60)
        assert paid <= cap

    asyncio.run(run())
