"""litellm's list of models and prices, read as a file, because importing litellm takes
seconds.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pytest_llmarith.types import ModelTerms, Price

_FILE = "model_prices_and_context_window_backup.json"
_USUAL_TIERS = (
    *("", "auto", "default", "standard", "standard_only", "on_demand"),
    *("regular", "batch"),  # a batch has a price of its own
)
# A longer prompt has another price with some models.
_LONG_PROMPT = 100_000


@cache
def listed() -> Mapping[str, Mapping[str, Any]]:
    """The entries of the list by model; empty if this version of litellm has none."""
    spec = find_spec("litellm")
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / _FILE
        if path.is_file():
            entries: dict[str, dict[str, Any]] = json.loads(path.read_bytes())
            return entries
    return {}


def of_openai(name: str) -> Mapping[str, Any]:
    """The entry of a model of OpenAI, by its name without the provider; empty if it is
    not listed.
    """
    for key in (f"openai/{name}", name):
        entry = listed().get(key, {})
        if entry.get("litellm_provider") == "openai":
            return entry
    return {}


def tier_of(params: Mapping[str, Any]) -> str | None:
    """The separately priced service tier that a request asks for; None means the
    default price.
    """
    return _named_tier(params.get("service_tier"))


def tiers_of(params: Mapping[str, Any], served: str | None) -> set[str | None]:
    """The tiers that a request asked for and that was served, if the server says it."""
    asked = tier_of(params)
    return {asked} if served is None else {asked, _named_tier(served)}


def _named_tier(tier: Any) -> str | None:
    """The separately priced tier of this name; None means the default price."""
    if not isinstance(tier, str) or tier.lower() in _USUAL_TIERS:
        return None
    return tier.lower()


def terms_in(entry: Mapping[str, Any], tier: str | None) -> ModelTerms:
    """The terms in an entry. litellm's functions return 0 for a missing price, so the
    entry itself is read.
    """
    most = entry.get("max_output_tokens") or entry.get("max_tokens")
    batch_price = None
    if tier is None:
        batch_price = _price(entry, "batches")
    return ModelTerms(
        price=_price(entry, tier),
        batch_price=batch_price,
        usual_price=_price(entry, None),
        max_reply_tokens=most if isinstance(most, int) else None,
        reasons=bool(entry.get("supports_reasoning")),
    )


def cost_in(
    entry: Mapping[str, Any],
    tiers: Collection[str | None],
    prompt_tokens: int,
    cached_tokens: int,
    to_cache: int,
    completion_tokens: int,
) -> float | None:
    """The cost of a reply in US dollars by an entry, at the dearest of some
    tiers; None if it is unknown.
    """
    tokens = prompt_tokens, cached_tokens, to_cache, completion_tokens
    costs = [_cost_at(entry, tier, *tokens) for tier in tiers]
    known = [cost for cost in costs if cost is not None]
    return max(known) if len(known) == len(costs) else None


def _cost_at(
    entry: Mapping[str, Any],
    tier: str | None,
    prompt_tokens: int,
    cached_tokens: int,
    to_cache: int,
    completion_tokens: int,
) -> float | None:
    prompt_usd, completion_usd = _rates(entry, tier)
    if prompt_usd is None or completion_usd is None:
        return None
    if prompt_tokens > _LONG_PROMPT and any("_above_" in name for name in entry):
        return None
    cached_usd = _rate(entry, "cache_read_input_token_cost", tier)
    if cached_usd is None:
        cached_usd = prompt_usd
    to_cache_usd = _rate(entry, "cache_creation_input_token_cost", tier) or 0.0
    sent_usd = (prompt_tokens - cached_tokens) * prompt_usd + cached_tokens * cached_usd
    sent_usd += to_cache * max(0.0, to_cache_usd - prompt_usd)
    cost_usd = sent_usd + completion_tokens * completion_usd
    return cost_usd or None  # a price of 0 means that there is none


def _price(entry: Mapping[str, Any], tier: str | None) -> Price | None:
    prompt_usd, completion_usd = _rates(entry, tier)
    if prompt_usd is None or completion_usd is None:
        return None
    # Of a few models, reasoning costs more.
    reasoning_usd = _rate(entry, "output_cost_per_reasoning_token", None)
    if reasoning_usd is not None:
        completion_usd = max(completion_usd, reasoning_usd)
    return Price(prompt_usd * 1e6, completion_usd * 1e6)


def _rates(
    entry: Mapping[str, Any], tier: str | None
) -> tuple[float | None, float | None]:
    prompt_usd = _rate(entry, "input_cost_per_token", tier)
    completion_usd = _rate(entry, "output_cost_per_token", tier)
    return prompt_usd, completion_usd


def _rate(entry: Mapping[str, Any], name: str, tier: str | None) -> float | None:
    """US dollars per token."""
    usd = entry.get(f"{name}_{tier}" if tier else name)
    return usd if isinstance(usd, int | float) else None
