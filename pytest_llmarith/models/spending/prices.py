"""What models cost, by whoever knows: litellm's list, or else the user. It does not know what was spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from pytest_llmarith.models.tokens import sent_bound
from pytest_llmarith.values import Model, Price, Reply, Terms

FREE = Terms(Price(0.0, 0.0))
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


def listed_terms(litellm: Any, target: str) -> Terms:
    """What litellm's list says of a model string. It fills in 0 where a list has no price, so the entry is read."""
    provider = target.partition("/")[0]
    try:
        key = target if provider in _ASK_A_SERVER else litellm.get_model_info(target)["key"]
    except Exception:  # it raises a bare Exception for a model that is not listed
        return Terms()
    entry: Mapping[str, Any] = litellm.model_cost.get(key) or {}
    most = entry.get("max_output_tokens") or entry.get("max_tokens")
    return Terms(_price(entry), most if isinstance(most, int) else None, bool(entry.get("supports_reasoning")))


def _price(entry: Mapping[str, Any]) -> Price | None:
    per_token = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    prompt, completion = per_token
    if not isinstance(prompt, int | float) or not isinstance(completion, int | float):
        return None
    return Price(prompt * 1e6, completion * 1e6)
