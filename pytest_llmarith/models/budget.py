"""Prices of models, and the budget of a run: each request reserves its worst case before it is sent.

Replies count at their price, stored replies of the selected questions included. Requests that may have been billed
without a reply count with their worst case. The budget belongs to the broker's event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pytest_llmarith.models.provider_errors import may_be_billed
from pytest_llmarith.models.request import Client, max_tokens_sent, reply_limit
from pytest_llmarith.types import OVER_BUDGET, Fit, Model, ModelTerms, Price, Reply, RequestLimits

_FREE = Price(0.0, 0.0)
_USUAL_TIERS = ("auto", "default", "standard", "standard_only", "on_demand")
_TIER_PRICES = {"fast": "priority"}  # litellm's name for it
# litellm would send a request to these providers to look up a model.
_ASK_A_SERVER = ("huggingface", "lemonade", "ollama", "ollama_chat")
_PICODOLLARS = 10**12  # the price of a token is millions of them
_MAX_COUNT = 10**18  # tokens: more than any budget, and a float can hold their price


class OverBudget(Exception):
    """A request could exceed the budget; the message says which option."""


# --- prices ---------------------------------------------------------------------------------------------------------


class Prices:
    """The terms of the models of a run. `own` is the price of --llm-price, for models without a listed price."""

    def __init__(self, listed: Client, own: Price | None) -> None:
        self._listed = listed
        self._own = own
        self._known: dict[str, ModelTerms] = {}

    def terms(self, model: Model) -> ModelTerms:
        """The terms of a model. A reply limit in its request parameters replaces the listed one."""
        if model.simulated:
            return ModelTerms(_FREE)
        if model.name not in self._known:
            found = self._listed.terms(model)
            most = reply_limit(model) or found.max_reply_tokens
            self._known[model.name] = ModelTerms(found.price or self._own, most, found.reasons)
        return self._known[model.name]

    def priced(self, model: Model, reply: Reply) -> Reply:
        """The reply with its cost at --llm-price, if it has tokens and no cost. The store does not keep that cost."""
        if self._own is None or model.simulated or reply.cost_usd is not None:
            return reply
        cost = _cost_at(self._own, reply)
        return replace(reply, cost_usd=cost, own_price=cost is not None)


def tier_of(params: Mapping[str, Any], served: Any = None) -> str | None:
    """The separately priced service tier of a request; None means the default price.

    `served` is the tier in the provider's response; if it is a default tier, it overrides the requested one.
    """
    asked = params.get("service_tier")
    tiers = [tier.lower() for tier in (served, asked) if isinstance(tier, str)]
    return None if not isinstance(asked, str) or tiers[0] in _USUAL_TIERS else _TIER_PRICES.get(tiers[-1], tiers[-1])


def listed_terms(litellm: Any, target: str, tier: str | None = None) -> ModelTerms:
    """The terms in litellm's list. Its functions return 0 for a missing price, so the entry itself is read."""
    provider = target.partition("/")[0]
    try:
        key = target if provider in _ASK_A_SERVER else litellm.get_model_info(target)["key"]
    except Exception:  # litellm raises a bare Exception for an unlisted model
        return ModelTerms()
    entry: Mapping[str, Any] = litellm.model_cost.get(key) or {}
    most = entry.get("max_output_tokens") or entry.get("max_tokens")
    return ModelTerms(
        _price(entry, tier), most if isinstance(most, int) else None, bool(entry.get("supports_reasoning"))
    )


def _price(entry: Mapping[str, Any], tier: str | None) -> Price | None:
    suffix = f"_{tier}" if tier else ""
    prompt, completion = (entry.get(f"{way}_cost_per_token{suffix}") for way in ("input", "output"))
    if not isinstance(prompt, int | float) or not isinstance(completion, int | float):
        return None
    reasoning = entry.get("output_cost_per_reasoning_token")  # higher than the answer's price for a few models
    return Price(prompt * 1e6, max(completion, reasoning if isinstance(reasoning, int | float) else 0) * 1e6)


def _cost_at(price: Price, reply: Reply) -> float | None:
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    return price.of(reply.prompt_tokens, reply.completion_tokens)


# --- amounts --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Amount:
    """Money and tokens; money in integer picodollars, so that sums are exact."""

    picodollars: int = 0
    tokens: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.picodollars + other.picodollars, self.tokens + other.tokens)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.picodollars - other.picodollars, self.tokens - other.tokens)


class Cap(NamedTuple):
    """One budget: its option, its maximum, the part of an amount that counts, and how to format it."""

    option: str
    most: int
    part: Callable[[Amount], int]
    said: Callable[[int], str]


def _caps(limits: RequestLimits) -> Iterator[Cap]:
    if (usd := limits.max_cost_usd) is not None:
        yield Cap(f"--llm-max-cost={usd:.10g}", _picodollars(usd), lambda amount: amount.picodollars, _dollars)
    if (tokens := limits.max_tokens) is not None:
        yield Cap(f"--llm-max-tokens={tokens}", tokens, lambda amount: amount.tokens, "{:,}".format)


def _picodollars(usd: float) -> int:
    return round(usd * _PICODOLLARS)


def _dollars(amount: int) -> str:
    """Format picodollars, such as `$0.0123`; small amounts have up to eight decimals."""
    whole, rest = divmod(amount, _PICODOLLARS)
    decimals = f"{rest:012d}"[: 4 if amount >= _PICODOLLARS // 100 else 8]
    return f"${whole:,}.{decimals.rstrip('0').ljust(2, '0')}"


# --- the budget -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reservation:
    """The budget reserved for one request: its worst case, 0 if the run has no budget."""

    model: Model
    prompt: str
    most: Amount


class Budget:
    """Admits requests that fit, delays those that may fit later, and refuses all others."""

    def __init__(self, limits: RequestLimits, prices: Prices) -> None:
        self._limits = limits
        self._prices = prices
        self._caps = list(_caps(limits))
        self._spent = Amount()
        self._reserved = Amount()
        self._in_flight = 0
        self._counted: set[str] = set()
        self._lost = 0
        self._halted = False
        self._changed = asyncio.Event()

    def halt(self) -> None:
        """Admit no further request."""
        self._halted = True
        self._wake()

    def count(self, key: str, model: Model, prompt: str, reply: Reply) -> None:
        """Count a stored reply, once; without token counts, at its worst case."""
        if self._caps and key not in self._counted and not model.simulated:
            self._counted.add(key)
            amount = Amount(_picodollars(reply.cost_usd or 0.0), reply.tokens or 0)
            self._spent += amount if reply.tokens is not None else self._worst_case(model, prompt)

    def unbounded(self, model: Model) -> str | None:
        """Why the budget cannot be enforced for a model: its price or its maximum reply length is unknown."""
        if model.simulated or not self._caps:
            return None
        terms = self._prices.terms(model)
        costs = self._limits.max_cost_usd is not None
        if costs and _searches_the_web(model):
            return (
                f"--llm-max-cost: {model.target} searches the web, which is billed in addition to tokens, so the "
                "budget cannot be enforced; use --llm-max-tokens=N"
            )
        if costs and terms.price is None:
            tier = tier_of(model.params)
            what = f"{model.target} at service_tier={tier}" if tier else model.target
            return (
                f"--llm-max-cost: the price of {what} is unknown; set --llm-price=IN,OUT in dollars per million tokens"
            )
        if terms.max_reply_tokens is None and (
            self._limits.max_tokens is not None or (terms.price and terms.price.completion_usd)
        ):
            option = "--llm-max-cost" if costs else "--llm-max-tokens"
            limit = "max_completion_tokens=4000"
            where = f"?{limit} after its name" if model.judge else f"--llm-param {limit}"
            return (
                f"{option}: the maximum reply length of {model.target} is unknown; limit it, for example with {where}"
            )
        return None

    def fits(self, requests: Iterable[tuple[Model, str]]) -> list[Fit]:
        """How many of these requests fit at the same time, for each budget."""
        real = [(model, prompt) for model, prompt in requests if not model.simulated] if self._caps else []
        return [self._fit(cap, real) for cap in self._caps if real]

    async def reserve(self, model: Model, prompt: str) -> Reservation | None:
        """Wait until a request fits; None if the run ends meanwhile. Raises OverBudget if it cannot fit any more."""
        if model.simulated or not self._caps:
            return Reservation(model, prompt, Amount())
        if (why := self.unbounded(model)) is not None:
            raise OverBudget(f"{OVER_BUDGET}{why}")
        most = self._worst_case(model, prompt)
        while not self._halted and (cap := self._in_the_way(most)) is not None:
            if not self._in_flight:
                raise OverBudget(self._refusal(cap, model))
            await self._changed.wait()
        if self._halted:
            return None
        self._reserved += most
        self._in_flight += 1
        return Reservation(model, prompt, most)

    def pay(self, reservation: Reservation, reply: Reply) -> None:
        """Count a reply; if its tokens are unknown, at its worst case."""
        if not self._caps or reservation.model.simulated:
            return
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            self._spent += reservation.most
            return
        cost = reply.cost_usd
        if cost is None and (price := self._prices.terms(reservation.model).price) is not None:
            cost = _cost_at(price, reply)
        self._spent += Amount(_picodollars(cost or 0.0), reply.prompt_tokens + reply.completion_tokens)

    def fail(self, reservation: Reservation, error: BaseException) -> float | None:
        """Count a failed request at its worst case if it may have been billed, and return that in dollars."""
        if reservation.model.simulated or not may_be_billed(error):
            return None
        most = self._worst_case(reservation.model, reservation.prompt)
        self._lost += 1
        self._spent += most
        return most.picodollars / _PICODOLLARS

    def release(self, reservation: Reservation) -> None:
        """Release the reservation of a request that has ended."""
        if self._caps and not reservation.model.simulated:
            self._reserved -= reservation.most
            self._in_flight -= 1
            self._wake()

    def _worst_case(self, model: Model, prompt: str, reply_tokens: int | None = None) -> Amount:
        """The maximum cost of a request whose reply has this many tokens, by default the maximum number.

        An unknown price or length counts as 0: `unbounded` refuses these models.
        """
        terms = self._prices.terms(model)
        sent = max_tokens_sent(model, prompt)
        most = terms.max_reply_tokens or 0 if reply_tokens is None else reply_tokens
        n = model.params.get("n")  # the server writes this many replies, all of them billed
        replied = min(most * (max(n, 1) if type(n) is int else 1), _MAX_COUNT)
        return Amount(_picodollars((terms.price or _FREE).of(sent, replied)), sent + replied)

    def _in_the_way(self, more: Amount) -> Cap | None:
        """The first budget that this additional amount could exceed."""
        total = self._spent + self._reserved + more
        return next((cap for cap in self._caps if cap.part(total) > cap.most), None)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _refusal(self, cap: Cap, model: Model) -> str:
        """The reason of a refusal, identical for all questions to a model, so that reasons can be counted."""
        lost = f" (with {self._lost:,} requests without a reply, which may have been billed)" if self._lost else ""
        most = self._prices.terms(model).max_reply_tokens or 0
        return (
            f"{OVER_BUDGET}{cap.option}: {cap.said(cap.part(self._spent))} spent{lost}, "
            f"and a request whose reply has up to {most:,} tokens may take more than is left"
        )

    def _fit(self, cap: Cap, requests: Sequence[tuple[Model, str]]) -> Fit:
        wanted = min(self._limits.concurrency, len(requests))
        left = cap.most - cap.part(self._spent)
        worst = [cap.part(self._worst_case(*request)) for request in requests]
        most = max(worst)
        at_once = max(int(min(worst) <= left), min(wanted, left // most if most else wanted))
        share = left // (wanted if at_once else 1)
        bound = None if at_once == wanted else min(self._bound(cap, share, *request) for request in requests)
        return Fit(cap.option, at_once, wanted, cap.said(most), bound if bound and bound > 0 else None)

    def _bound(self, cap: Cap, share: int, model: Model, prompt: str) -> int:
        """The maximum reply length in tokens if the request may take this share of the remaining budget."""

        def part(reply_tokens: int) -> int:
            return cap.part(self._worst_case(model, prompt, reply_tokens))

        most = self._prices.terms(model).max_reply_tokens or 0
        if part(0) > share or part(most) <= share:
            return 0 if part(0) > share else most
        bound = most * (share - part(0)) // (part(most) - part(0))
        return bound - (part(bound) > share)  # amounts are rounded


def _searches_the_web(model: Model) -> bool:
    """Whether web searches are billed: OpenAI's search models and Perplexity's always search, others on request."""
    always = "-search-" in model.target or model.target.startswith("perplexity/")
    return always or "web_search_options" in model.params or "search" in str(model.params.get("tools", "")).lower()
