"""The bounds of what a run may cost, and how they are told. It does not know what was spent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pytest_llmarith.models.spending.estimates import Amount, dollars, picodollars
from pytest_llmarith.models.spending.prices import tier_of
from pytest_llmarith.values import AskingLimits, Model


class Cap(NamedTuple):
    """One bound: how much there is, of what, and how it is said."""

    option: str
    most: int
    part: Callable[[Amount], int]
    said: Callable[[int], str]


def caps_of(limits: AskingLimits) -> Iterator[Cap]:
    """The bounds that somebody asked for, money first."""
    if (usd := limits.max_cost_usd) is not None:
        yield Cap(f"--llm-max-cost={usd:.10g}", picodollars(usd), lambda amount: amount.picodollars, dollars)
    if (tokens := limits.max_tokens) is not None:
        yield Cap(f"--llm-max-tokens={tokens}", tokens, lambda amount: amount.tokens, "{:,}".format)


def unpriced(model: Model) -> str:
    """What is wrong with a cap in dollars where nobody knows a price."""
    tier = tier_of(model.params)
    what = f"{model.target} at service_tier={tier}" if tier else model.target
    return f"--llm-max-cost: no price of {what} is known; give it as --llm-price=IN,OUT per million tokens"
