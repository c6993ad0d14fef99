"""What a request may cost at most, and how amounts are shown."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmarith.models.spending.estimates import Amount, amount_of, dollars, picodollars, worst_case
from pytest_llmarith.models.spending.prices import Prices
from pytest_llmarith.models.tokens import most_tokens_sent
from pytest_llmarith.values import Model, Price, Reply, Terms

MODEL = Model("m", "openai/some")
PROMPT = "x" * 100


class Known:
    def __init__(self, terms: Terms) -> None:
        self._terms = terms

    def terms(self, model: Model) -> Terms:
        return self._terms


PRICES = Prices(Known(Terms(Price(1.0, 2.0), 1000)), None)


@pytest.mark.parametrize(
    ("params", "replied"), [({}, 1000), ({"max_tokens": 50}, 50), ({"n": 3}, 3000), ({"n": 3, "max_tokens": 50}, 150)]
)
def test_the_worst_case_of_a_request(params: dict[str, Any], replied: int) -> None:
    """The whole prompt, and for each reply as many tokens as the request or else the model allows."""
    model = Model(f"m{params}", "openai/some", params)
    sent = most_tokens_sent(model, PROMPT)
    assert worst_case(PRICES, model, PROMPT) == Amount(picodollars((sent * 1.0 + replied * 2.0) / 1e6), sent + replied)


@pytest.mark.parametrize("params", [{"max_tokens": 10**400}, {"n": 10**400}])
def test_a_request_for_more_tokens_than_a_float_holds(params: dict[str, Any]) -> None:
    """A request for more tokens than a float holds fits into no cap."""
    most = worst_case(PRICES, Model(f"m{params}"[:20], "openai/some", params), PROMPT)
    assert most.picodollars > picodollars(1e9)
    assert most.tokens > 10**15


def reply(prompt_tokens: int | None, completion_tokens: int | None, cost_usd: float | None = None) -> Reply:
    return Reply("", prompt_tokens=prompt_tokens, completion_tokens=completion_tokens, cost_usd=cost_usd)


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
    """Its own cost, else its tokens at the model's price; without tokens the amount is unknown."""
    assert amount_of(PRICES, MODEL, answer) == amount


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
