"""What models cost, by whoever knows: litellm's list, or else the user. It does not know what was spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from pytest_llmarith.models.tokens import sent_bound
from pytest_llmarith.values import Model, Price, Reply, Terms

FREE = Terms(Price(0.0, 0.0))
_USUAL_TIERS = ("auto", "default", "standard", "standard_only", "on_demand")
_TIER_PRICES = {"fast": "priority"}  # as litellm counts it
# Their entries in litellm's list are not looked up by name alone: litellm would ask a server of theirs.
_ASK_A_SERVER = ("huggingface", "lemonade", "ollama", "ollama_chat")


class Catalogue(Protocol):
    """Whoever knows what litellm knows."""

    def terms(self, model: Model) -> Terms: ...


class Prices:
    """The terms of the models of a run. `own` is the user's price, for models whose price nobody else knows."""

    def __init__(self, catalogue: Catalogue, own: Price | None) -> None:
        self._catalogue = catalogue
        self._own = own
        self._known: dict[str, Terms] = {}

    def terms(self, model: Model) -> Terms:
        """What is known of a model; a bound on tokens that is sent along holds."""
        if model.simulated:
            return FREE
        if model.name not in self._known:
            found = self._catalogue.terms(model)
            self._known[model.name] = Terms(
                found.price or self._own, sent_bound(model) or found.most_tokens, found.reasons
            )
        return self._known[model.name]

    def priced(self, model: Model, reply: Reply) -> Reply:
        """The reply at the user's price, where it has tokens and no price. The store keeps it without."""
        if self._own is None or model.simulated or reply.cost_usd is not None:
            return reply
        cost = cost_at(self._own, reply)
        return replace(reply, cost_usd=cost, own_price=cost is not None)


def cost_at(price: Price, reply: Reply) -> float | None:
    """What a reply costs at a price; None where nobody counted its tokens."""
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    return price.of(reply.prompt_tokens, reply.completion_tokens)


def tier_of(params: Mapping[str, Any], served: Any = None) -> str | None:
    """The service tier with a price of its own that a request asks for; None stands for the usual price.

    `served` is the tier that the provider names in its response, which counts if it is the usual one.
    """
    asked = params.get("service_tier")
    tiers = [tier.lower() for tier in (served, asked) if isinstance(tier, str)]
    return None if not isinstance(asked, str) or tiers[0] in _USUAL_TIERS else _TIER_PRICES.get(tiers[-1], tiers[-1])


def listed_terms(litellm: Any, target: str, tier: str | None = None) -> Terms:
    """What litellm's list says of a model string. It fills in 0 where a list has no price, so the entry is read.

    A service tier has the price that is listed for it; without one its price is unknown.
    """
    provider = target.partition("/")[0]
    try:
        key = target if provider in _ASK_A_SERVER else litellm.get_model_info(target)["key"]
    except Exception:  # it raises a bare Exception for a model that is not listed
        return Terms()
    entry: Mapping[str, Any] = litellm.model_cost.get(key) or {}
    most = entry.get("max_output_tokens") or entry.get("max_tokens")
    return Terms(_price(entry, tier), most if isinstance(most, int) else None, bool(entry.get("supports_reasoning")))


def _price(entry: Mapping[str, Any], tier: str | None) -> Price | None:
    of_tier = f"_{tier}" if tier else ""
    per_token = entry.get(f"input_cost_per_token{of_tier}"), entry.get(f"output_cost_per_token{of_tier}")
    prompt, completion = per_token
    if not isinstance(prompt, int | float) or not isinstance(completion, int | float):
        return None
    reasoning = entry.get("output_cost_per_reasoning_token")  # a few models price it above the answer
    return Price(prompt * 1e6, max(completion, reasoning if isinstance(reasoning, int | float) else 0) * 1e6)
