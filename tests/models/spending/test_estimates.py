"""What a request may cost, before and after others of its kind."""

from __future__ import annotations

import pytest

from pytest_llmarith.models.spending.estimates import UNKNOWN_MOST_TOKENS, Amount, Estimates, dollars, picodollars
from pytest_llmarith.models.spending.prices import Prices
from pytest_llmarith.values import Model, Price, Reply, Terms

MODEL = Model("m", "openai/some")
SHORT, LONG = "x" * 100, "x" * 1000


class Known:
    def __init__(self, terms: Terms) -> None:
        self._terms = terms

    def terms(self, model: Model) -> Terms:
        return self._terms


def estimates(terms: Terms = Terms(Price(1.0, 2.0), 1000)) -> Estimates:  # noqa: B008  # it is frozen
    return Estimates(Prices(Known(terms), None))


def reply(prompt_tokens: int | None, completion_tokens: int | None, cost_usd: float | None = None) -> Reply:
    return Reply("", prompt_tokens=prompt_tokens, completion_tokens=completion_tokens, cost_usd=cost_usd)


def test_the_first_of_a_kind_may_be_as_long_as_its_model_allows() -> None:
    """A first estimate takes every byte for a token, and the longest reply that the model gives."""
    assert estimates().of(MODEL, SHORT) == Amount(picodollars((116 * 1.0 + 1000 * 2.0) / 1e6), 1116)
    assert estimates().of(MODEL, "×" * 50).tokens == 1116
    assert estimates(Terms()).of(MODEL, SHORT) == Amount(0, 116 + UNKNOWN_MOST_TOKENS)


def test_later_ones_are_as_dear_as_the_dearest() -> None:
    """An average would let those pass a cap that are dearer."""
    learning = estimates()
    for completion in (10, 30, 20):
        learning.learn(MODEL, SHORT, reply(5, completion))
    assert learning.of(MODEL, SHORT) == Amount(picodollars((5 * 1.0 + 30 * 2.0) / 1e6), 35)


def test_kinds_are_models_and_lengths_of_prompts() -> None:
    """A sum says nothing of a program, and a model nothing of another."""
    learning = estimates()
    learning.learn(MODEL, SHORT, reply(5, 10))
    assert learning.is_learned(MODEL, "x" * 32)
    assert learning.is_learned(MODEL, "x" * 127)
    assert not learning.is_learned(MODEL, "x" * 128)
    assert not learning.is_learned(MODEL, LONG)
    assert not learning.is_learned(Model("other", MODEL.target), SHORT)


def test_a_system_prompt_makes_a_kind_of_its_own() -> None:
    """It is paid for like any message; beside a long one, prompts are told apart as ever."""
    learning = estimates()
    learning.learn(MODEL, SHORT, reply(5, 10))
    heavy = Model("m", MODEL.target, system_prompt="y" * 45_000)
    assert not learning.is_learned(heavy, SHORT)
    assert learning.of(heavy, SHORT).tokens == 45_016 + 1116
    learning.learn(heavy, SHORT, reply(11_000, 10))
    assert learning.is_learned(heavy, SHORT)
    assert not learning.is_learned(heavy, LONG)
    assert learning.of(MODEL, SHORT).tokens == 15


@pytest.mark.parametrize(
    ("answer", "amount"),
    [
        (reply(10, 5, cost_usd=0.5), Amount(picodollars(0.5), 15)),
        (reply(10, 5), Amount(picodollars((10 * 1.0 + 5 * 2.0) / 1e6), 15)),
        (reply(10, None), None),
        (reply(None, None, cost_usd=0.5), None),
    ],
)
def test_what_a_reply_comes_to(answer: Reply, amount: Amount | None) -> None:
    """Its own cost, else its tokens at the model's price; nobody's silence is learned from."""
    learning = estimates()
    assert learning.learn(MODEL, SHORT, answer) == amount
    assert learning.is_learned(MODEL, SHORT) == (amount is not None)


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (0, "$0.00"),
        (5, "$5.00"),
        (1234.5, "$1,234.50"),
        (0.0123, "$0.0123"),
        (0.00000305, "$0.00000305"),
        (4.99125, "$4.9912"),
        (1e-12, "$0.00"),
    ],
)
def test_dollars(usd: float, shown: str) -> None:
    """Amounts of dollars are short, and small ones are not shown as nothing."""
    assert dollars(picodollars(usd)) == shown
