"""Prices, and what a run may spend: what may start, what waits, what is refused."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from pytest_llmarith.models.asking import ModelTerms
from pytest_llmarith.models.budget import Budget, OverBudget, Prices
from pytest_llmarith.models.client import Client
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Model, Price, RequestLimits
from tests.models.scripted import MODEL

MOST = 100  # tokens of a reply, each of which costs a dollar; a prompt costs nothing
DEAR = ModelTerms(Price(0.0, 1e6), MOST)
OWN, LISTED = Price(2.0, 8.0), ModelTerms(Price(1.0, 4.0), 1000, True)


class Known(Client):
    """A price list that knows all models but one."""

    def __init__(self, terms: ModelTerms = DEAR) -> None:
        self._terms = terms

    def terms(self, model: Model) -> ModelTerms:
        return ModelTerms() if model.target == "openai/mine" else self._terms


def prices(terms: ModelTerms, own: Price | None = None) -> Prices:
    return Prices(Known(terms), own)


def budget(terms: ModelTerms = DEAR, **limits: Any) -> Budget:
    return Budget(RequestLimits(**limits), prices(terms))


def reply(tokens: int | None) -> Reply:
    return Reply(
        "", prompt_tokens=None if tokens is None else 0, completion_tokens=tokens
    )


def refusals(spending: Budget, *outcomes: Reply | BaseException) -> list[str]:
    """Why some of these requests, one after the other, were refused."""

    async def run() -> list[str]:
        refused = []
        for outcome in outcomes:
            try:
                most = await spending.reserve(MODEL, "1 + 1")
            except OverBudget as refusal:
                refused.append(str(refusal))
                continue
            assert most is not None
            if isinstance(outcome, Reply):
                spending.pay(MODEL, most, outcome)
            else:
                spending.fail(MODEL, "1 + 1", outcome)
            spending.release(most)
        return refused

    return asyncio.run(run())


# --- prices ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "own", "terms"),
    [
        (MODEL, None, LISTED),
        (MODEL, OWN, LISTED),
        (
            replace(MODEL, params={"max_tokens": 50, "max_completion_tokens": 40}),
            None,
            replace(LISTED, max_reply_tokens=50),
        ),
        (
            replace(MODEL, params={"max_tokens": 0, "max_completion_tokens": "7"}),
            None,
            LISTED,
        ),
        (Model("m", "openai/mine"), OWN, ModelTerms(OWN)),
        (Model("m", "openai/mine"), None, ModelTerms()),
        (Model("m", "llmarith/sloppy"), OWN, ModelTerms(Price(0.0, 0.0))),
    ],
)
def test_terms(model: Model, own: Price | None, terms: ModelTerms) -> None:
    assert prices(LISTED, own).terms(model) == terms


def test_a_reply_at_the_users_price() -> None:
    known, half = (
        Reply("", prompt_tokens=1000, completion_tokens=500),
        Reply("", prompt_tokens=1000),
    )
    for own, reply, cost in (
        (OWN, known, 0.006),
        (Price(0, 0), known, 0.0),
        (OWN, structs.replace(known, cost_usd=1.5), 1.5),
        (OWN, half, None),
        (None, known, None),
    ):
        assert prices(LISTED, own).priced(MODEL, reply).cost_usd == cost


@pytest.mark.filterwarnings("ignore")  # as in the broker's process
@pytest.mark.parametrize(
    ("target", "tier", "expected"),
    [
        ("openai/gpt-4o-mini", None, (0.15, 0.6)),
        ("o4-mini", None, (1.1, 4.4)),
        ("o4-mini", "auto", (1.1, 4.4)),
        ("o4-mini", 7, (1.1, 4.4)),
        ("openai/o4-mini", "FLEX", (0.55, 2.2)),
        ("gpt-4o-mini", "flex", None),
        ("o4-mini", "scale", None),
        # its reasoning costs more than the answer
        ("dashscope/qwen-turbo", None, (0.05, 0.5)),
        ("openai/some", None, None),
        ("huggingface/foo/bar", None, None),
        ("ollama/no-such-model", None, None),
    ],
)
def test_what_litellms_list_says(
    target: str,
    tier: object,
    expected: tuple[float, float] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A service tier has a price of its own; what is not listed is unknown, and is not
    looked up over the network.
    """
    client = Client()
    client.prepare()
    monkeypatch.setattr(
        "socket.getaddrinfo",
        lambda *arguments, **more: pytest.fail(f"looked up {arguments[0]}"),
    )
    terms = client.terms(
        Model("m", target, {} if tier is None else {"service_tier": tier})
    )
    found = terms.price and (terms.price.prompt_usd, terms.price.completion_usd)
    assert found == (expected and pytest.approx(expected))
    assert terms.reasons == (
        target in ("o4-mini", "openai/o4-mini", "dashscope/qwen-turbo")
    )


# --- the budget -----------------------------------------------------------------------


def test_a_request_has_to_fit_at_its_worst_case() -> None:
    assert len(refusals(budget(max_cost_usd=150.0), *[reply(1)] * 100)) == 49
    assert (
        len(
            refusals(
                budget(ModelTerms(Price(0.0, 0.1e6), 1), max_cost_usd=1.0),
                *[reply(1)] * 12,
            )
        )
        == 2
    )
    refused = refusals(budget(max_cost_usd=200.0), *[reply(80)] * 5)
    assert len(refused) == 3
    (message,) = set(refused)
    assert message.startswith("--llm-max-cost=200: $160.00 spent")
    assert (
        len(
            refusals(budget(ModelTerms(None, MOST), max_tokens=1000), *[reply(400)] * 4)
        )
        == 2
    )


@pytest.mark.parametrize(
    ("terms", "limits", "word"),
    [
        (ModelTerms(None, MOST), {"max_cost_usd": 5.0}, "--llm-price"),
        (ModelTerms(Price(0.0, 1.0)), {"max_cost_usd": 5.0}, "max_completion_tokens"),
        (ModelTerms(None), {"max_tokens": 5000}, "max_completion_tokens"),
        (ModelTerms(Price(0.0, 0.0)), {"max_cost_usd": 5.0}, None),
        (ModelTerms(), {}, None),
    ],
)
def test_what_has_no_bound_is_not_asked_under_a_cap(
    terms: ModelTerms, limits: dict[str, Any], word: str | None
) -> None:
    """The refusal says which option or parameter bounds it; a free model cannot pass a
    cap in dollars.
    """
    refused = refusals(budget(terms, **limits), reply(1))
    assert len(refused) == (word is not None)
    assert all(str(word) in message for message in refused)


@pytest.mark.parametrize(
    ("outcome", "spent"),
    [
        (reply(None), MOST),
        (TimeoutError(), MOST),
        (asyncio.CancelledError(), MOST),
        (ConnectionRefusedError(), 0),
        (reply(0), 0),
    ],
)
def test_what_may_have_been_billed_counts_with_its_worst_case(
    outcome: Reply | BaseException, spent: int
) -> None:
    """A provider may go on after a timeout, and unknown tokens are not 0; a refused
    connection costs nothing.
    """
    assert len(refusals(budget(max_cost_usd=199.0), outcome, reply(1))) == (spent > 0)


@given(
    cap=st.integers(1, 1000),
    at_once=st.integers(1, 64),
    steps=st.lists(
        st.tuples(st.integers(0, MOST), st.integers(0, 5), st.booleans()), max_size=80
    ),
)
def test_no_cap_is_ever_passed(
    cap: int, at_once: int, steps: list[tuple[int, int, bool]]
) -> None:
    """What is spent, and the worst case of all in flight, stay within the cap; all
    requests come to an end.

    A step is a reply's tokens, how long it takes, and whether it is lost and may have
    been billed.
    """

    async def run() -> None:
        spending, places = budget(max_cost_usd=float(cap)), asyncio.Semaphore(at_once)
        paid = in_flight = 0

        async def one(tokens: int, turns: int, lost: bool) -> None:
            nonlocal paid, in_flight
            async with places:
                try:
                    most = await spending.reserve(MODEL, "")
                except OverBudget:
                    assert paid + MOST > cap
                    return
                assert most is not None
                in_flight += 1
                assert paid + MOST * in_flight <= cap
                for _ in range(turns):
                    await asyncio.sleep(0)
                spending.fail(MODEL, "", TimeoutError()) if lost else spending.pay(
                    MODEL, most, reply(tokens)
                )
                spending.release(most)
                paid += MOST if lost else tokens
                in_flight -= 1

        await asyncio.wait_for(asyncio.gather(*(one(*step) for step in steps)), 60)
        assert paid <= cap

    asyncio.run(run())
