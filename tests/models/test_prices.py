"""What models cost: litellm's list, the user's price, and nobody's."""

from __future__ import annotations

import pytest

from pytest_llmarith.models.budget import Prices
from pytest_llmarith.models.client import Client
from pytest_llmarith.values import Model, Price, Reply, Terms

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the broker's process
OWN = Price(2.0, 8.0)
LISTED = Price(1.0, 4.0)


class Listed:
    """A list that knows one model, and counts how often it is looked at."""

    def __init__(self) -> None:
        self.looked = 0

    def terms(self, model: Model) -> Terms:
        self.looked += 1
        return Terms(LISTED, 1000, True) if model.target == "openai/listed" else Terms()


@pytest.mark.parametrize(
    ("target", "own", "terms"),
    [
        ("openai/listed", None, Terms(LISTED, 1000, True)),
        ("openai/listed", OWN, Terms(LISTED, 1000, True)),
        ("openai/mine", OWN, Terms(OWN)),
        ("openai/mine", None, Terms()),
        ("llmarith/sloppy", OWN, Terms(Price(0.0, 0.0))),
    ],
)
def test_whose_price_counts(target: str, own: Price | None, terms: Terms) -> None:
    """litellm's price counts before the user's, and simulated models are free."""
    assert Prices(Listed(), own).terms(Model("m", target)) == terms


@pytest.mark.parametrize(
    ("params", "most"),
    [
        ({}, 1000),
        ({"max_tokens": 50}, 50),
        ({"max_completion_tokens": 2000}, 2000),
        ({"max_tokens": 50, "max_completion_tokens": 40}, 50),
        ({"max_tokens": "50"}, 1000),
        ({"max_tokens": 0}, 1000),
        ({"max_tokens": None}, 1000),
    ],
)
def test_the_most_tokens_of_a_reply(params: dict[str, object], most: int) -> None:
    """A reply has as many tokens at most as its request says, or else as its model can write."""
    assert Prices(Listed(), None).terms(Model("m", "openai/listed", params)).most_tokens == most


MINE = Model("m", "openai/mine")


@pytest.mark.parametrize(
    ("own", "model", "reply", "cost"),
    [
        (OWN, MINE, Reply("", prompt_tokens=1000, completion_tokens=500), 0.006),
        (OWN, MINE, Reply("", prompt_tokens=0, completion_tokens=0), 0.0),
        (Price(0, 0), MINE, Reply("", prompt_tokens=1000, completion_tokens=500), 0.0),
        (OWN, MINE, Reply("", prompt_tokens=1000, completion_tokens=500, cost_usd=1.5), 1.5),
        (OWN, MINE, Reply("", prompt_tokens=1000), None),
        (OWN, MINE, Reply(""), None),
        (OWN, Model("m", "llmarith/exact"), Reply("", prompt_tokens=1000, completion_tokens=500), None),
        (None, MINE, Reply("", prompt_tokens=1000, completion_tokens=500), None),
    ],
)
def test_a_reply_at_the_users_price(own: Price | None, model: Model, reply: Reply, cost: float | None) -> None:
    """Where nobody else knows one; without tokens there is no price, and silence is not 0."""
    listed = Listed()
    assert Prices(listed, own).priced(model, reply).cost_usd == (cost if cost is None else pytest.approx(cost))
    assert listed.looked == 0  # a replay imports nothing


@pytest.mark.parametrize(
    ("target", "price", "reasons"),
    [
        ("openai/gpt-4o-mini", True, False),
        ("gpt-4o-mini", True, False),
        ("o4-mini", True, True),
        ("openai/some", False, False),
        ("nobody/some", False, False),
        ("huggingface/foo/bar", False, False),
        ("ollama/nobody-has-this", False, False),
    ],
)
def test_what_litellm_knows(target: str, price: bool, reasons: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked over the network; a price that a list does not hold is unknown, not 0."""
    client = Client()
    client.prepare()
    monkeypatch.setattr("socket.getaddrinfo", lambda *arguments, **more: pytest.fail(f"looked up {arguments[0]}"))
    terms = client.terms(Model("m", target))
    assert (terms.price is not None, terms.reasons) == (price, reasons)
    assert (terms.most_tokens or 0) >= (16_000 if price else 0)


def test_reasoning_that_costs_more_than_the_answer_sets_the_price() -> None:
    """A cap counts a reply at its worst case, which may be all reasoning."""
    terms = Client().terms(Model("m", "dashscope/qwen-turbo"))
    assert terms.price is not None
    assert terms.price.completion_usd == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("target", "tier", "prices"),
    [
        ("o4-mini", None, (1.1, 4.4)),
        ("o4-mini", "auto", (1.1, 4.4)),
        ("o4-mini", "default", (1.1, 4.4)),
        ("o4-mini", 7, (1.1, 4.4)),
        ("o4-mini", "flex", (0.55, 2.2)),
        ("openai/o4-mini", "FLEX", (0.55, 2.2)),
        ("o4-mini", "priority", (2.0, 8.0)),
        ("o4-mini", "fast", (2.0, 8.0)),
        ("gpt-4o-mini", "flex", None),
        ("o4-mini", "scale", None),
        ("openai/some", "flex", None),
    ],
)
def test_a_service_tier_has_a_price_of_its_own(target: str, tier: object, prices: tuple[float, float] | None) -> None:
    """The price of the tier is that of the list; a tier that the list does not have has none."""
    price = Client().terms(Model("m", target, {} if tier is None else {"service_tier": tier})).price
    assert (price and (price.prompt_usd, price.completion_usd)) == (prices and pytest.approx(prices))
