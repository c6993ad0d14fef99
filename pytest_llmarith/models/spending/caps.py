"""The caps of a run, and which models they cannot be kept for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pytest_llmarith.models.spending.estimates import Amount, dollars, picodollars
from pytest_llmarith.models.spending.prices import tier_of
from pytest_llmarith.values import AskingLimits, Model, Terms


class Cap(NamedTuple):
    """One cap: how much there is, of what, and how it is shown."""

    option: str
    most: int
    part: Callable[[Amount], int]
    said: Callable[[int], str]


def caps_of(limits: AskingLimits) -> Iterator[Cap]:
    """The caps of the options, money first."""
    if (usd := limits.max_cost_usd) is not None:
        yield Cap(f"--llm-max-cost={usd:.10g}", picodollars(usd), lambda amount: amount.picodollars, dollars)
    if (tokens := limits.max_tokens) is not None:
        yield Cap(f"--llm-max-tokens={tokens}", tokens, lambda amount: amount.tokens, "{:,}".format)


def unbounded(limits: AskingLimits, model: Model, terms: Terms) -> str | None:
    """Why the caps of a run cannot be kept for a model: its price or the length of its longest reply is unknown."""
    if model.simulated:
        return None
    if limits.max_cost_usd is not None and _searches_the_web(model):
        return (
            f"--llm-max-cost: {model.target} searches the web, which is billed beside its tokens, so the cap cannot be "
            "kept; write --llm-max-tokens=N"
        )
    if limits.max_cost_usd is not None and terms.price is None:
        tier = tier_of(model.params)
        what = f"{model.target} at service_tier={tier}" if tier else model.target
        return f"--llm-max-cost: no price of {what} is known; give it as --llm-price=IN,OUT per million tokens"
    if terms.most_tokens is None and (limits.max_tokens is not None or (terms.price and terms.price.completion_usd)):
        option = "--llm-max-cost" if limits.max_cost_usd is not None else "--llm-max-tokens"
        where = (
            "?max_completion_tokens=4000 behind its name" if model.judge else "--llm-param max_completion_tokens=4000"
        )
        return (
            f"{option}: it is not known how long a reply of {model.target} can be; bound it, for example with {where}"
        )
    return None


def _searches_the_web(model: Model) -> bool:
    """Whether a provider bills searches: OpenAI's search models and Perplexity's always search, others if asked to."""
    always = "-search-" in model.target or model.target.startswith("perplexity/")
    return always or "web_search_options" in model.params or "search" in str(model.params.get("tools", "")).lower()
