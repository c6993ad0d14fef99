"""What models cost, and what a run may spend: the requests in flight, each at its worst case, fit into the caps.

Spent are replies at their price, the stored ones of the selection too, and the worst case of requests that may have
been billed without a reply. It lives on the broker's event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pytest_llmarith.models.provider_errors import may_be_billed
from pytest_llmarith.models.request import Client, most_tokens_sent, reply_limit
from pytest_llmarith.types import OVER_BUDGET, Fit, Model, ModelTerms, Price, Reply, RequestLimits

_FREE = Price(0.0, 0.0)
_USUAL_TIERS = ("auto", "default", "standard", "standard_only", "on_demand")
_TIER_PRICES = {"fast": "priority"}  # as litellm counts it
# litellm would ask a server of theirs to look them up by name.
_ASK_A_SERVER = ("huggingface", "lemonade", "ollama", "ollama_chat")
_PICODOLLARS = 10**12  # a token costs millions of them
_MOST = 10**18  # tokens: more than any cap has, and a float holds their price


class OverBudget(Exception):
    """A request could pass a cap; the message says which."""


# --- prices ---------------------------------------------------------------------------------------------------------


class Prices:
    """The terms of the models of a run. `own` is the user's price, for models that litellm has no price of."""

    def __init__(self, listed: Client, own: Price | None) -> None:
        self._listed = listed
        self._own = own
        self._known: dict[str, ModelTerms] = {}

    def terms(self, model: Model) -> ModelTerms:
        """What is known of a model; a limit of the reply that is sent along holds."""
        if model.simulated:
            return ModelTerms(_FREE)
        if model.name not in self._known:
            found = self._listed.terms(model)
            most = reply_limit(model) or found.most_tokens
            self._known[model.name] = ModelTerms(found.price or self._own, most, found.reasons)
        return self._known[model.name]

    def priced(self, model: Model, reply: Reply) -> Reply:
        """The reply at the user's price if it has tokens and no price. The store keeps it without."""
        if self._own is None or model.simulated or reply.cost_usd is not None:
            return reply
        cost = _cost_at(self._own, reply)
        return replace(reply, cost_usd=cost, own_price=cost is not None)


def tier_of(params: Mapping[str, Any], served: Any = None) -> str | None:
    """The service tier with a price of its own that a request asks for; None stands for the usual price.

    `served` is the tier that the provider names in its response, which counts if it is the usual one.
    """
    asked = params.get("service_tier")
    tiers = [tier.lower() for tier in (served, asked) if isinstance(tier, str)]
    return None if not isinstance(asked, str) or tiers[0] in _USUAL_TIERS else _TIER_PRICES.get(tiers[-1], tiers[-1])


def listed_terms(litellm: Any, target: str, tier: str | None = None) -> ModelTerms:
    """What litellm's list says of a model string. It fills in 0 for a missing price, so the entry itself is read."""
    provider = target.partition("/")[0]
    try:
        key = target if provider in _ASK_A_SERVER else litellm.get_model_info(target)["key"]
    except Exception:  # it raises a bare Exception for a model that is not listed
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
    reasoning = entry.get("output_cost_per_reasoning_token")  # a few models price it above the answer
    return Price(prompt * 1e6, max(completion, reasoning if isinstance(reasoning, int | float) else 0) * 1e6)


def _cost_at(price: Price, reply: Reply) -> float | None:
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    return price.of(reply.prompt_tokens, reply.completion_tokens)


# --- amounts --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Amount:
    """Money, in whole picodollars so that sums are exact, and tokens."""

    picodollars: int = 0
    tokens: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.picodollars + other.picodollars, self.tokens + other.tokens)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.picodollars - other.picodollars, self.tokens - other.tokens)


class Cap(NamedTuple):
    """One cap: how much there is, of what, and how it is shown."""

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
    """Picodollars for people, such as `$0.0123`; small amounts have more decimals, at most eight."""
    whole, rest = divmod(amount, _PICODOLLARS)
    decimals = f"{rest:012d}"[: 4 if amount >= _PICODOLLARS // 100 else 8]
    return f"${whole:,}.{decimals.rstrip('0').ljust(2, '0')}"


# --- the budget -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reservation:
    """Room for one request; `most` is nothing if the run has no cap."""

    model: Model
    prompt: str
    most: Amount


class Budget:
    """Lets requests through while they fit, makes them wait while they may fit later, and refuses them otherwise."""

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
        """Let no further request through."""
        self._halted = True
        self._wake()

    def count(self, key: str, model: Model, prompt: str, reply: Reply) -> None:
        """Count a stored reply, once; without token counts it is its worst case."""
        if self._caps and key not in self._counted and not model.simulated:
            self._counted.add(key)
            amount = Amount(_picodollars(reply.cost_usd or 0.0), reply.tokens or 0)
            self._spent += amount if reply.tokens is not None else self._worst_case(model, prompt)

    def unbounded(self, model: Model) -> str | None:
        """Why a cap cannot be kept for a model: its price or the length of its longest reply is unknown."""
        if model.simulated or not self._caps:
            return None
        terms = self._prices.terms(model)
        costs = self._limits.max_cost_usd is not None
        if costs and _searches_the_web(model):
            return (
                f"--llm-max-cost: {model.target} searches the web, which is billed beside its tokens, so the cap "
                "cannot be kept; write --llm-max-tokens=N"
            )
        if costs and terms.price is None:
            tier = tier_of(model.params)
            what = f"{model.target} at service_tier={tier}" if tier else model.target
            return f"--llm-max-cost: no price of {what} is known; give it as --llm-price=IN,OUT per million tokens"
        if terms.most_tokens is None and (
            self._limits.max_tokens is not None or (terms.price and terms.price.completion_usd)
        ):
            option = "--llm-max-cost" if costs else "--llm-max-tokens"
            limit = "max_completion_tokens=4000"
            where = f"?{limit} behind its name" if model.judge else f"--llm-param {limit}"
            return (
                f"{option}: it is not known how long a reply of {model.target} can be; bound it, for example with "
                f"{where}"
            )
        return None

    def fits(self, requests: Iterable[tuple[Model, str]]) -> list[Fit]:
        """How many of these requests fit at once, for each cap."""
        real = [(model, prompt) for model, prompt in requests if not model.simulated] if self._caps else []
        return [self._fit(cap, real) for cap in self._caps if real]

    async def reserve(self, model: Model, prompt: str) -> Reservation | None:
        """Wait until a request fits; None if the run ends meanwhile. Raises OverBudget if it never will fit."""
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
        """A reply arrived; one whose tokens are unknown counts with its worst case."""
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
        """No reply arrived. If the request may have been billed, count its worst case, and return that in dollars."""
        if reservation.model.simulated or not may_be_billed(error):
            return None
        most = self._worst_case(reservation.model, reservation.prompt)
        self._lost += 1
        self._spent += most
        return most.picodollars / _PICODOLLARS

    def release(self, reservation: Reservation) -> None:
        """The request has ended."""
        if self._caps and not reservation.model.simulated:
            self._reserved -= reservation.most
            self._in_flight -= 1
            self._wake()

    def _worst_case(self, model: Model, prompt: str, reply_tokens: int | None = None) -> Amount:
        """The most that a request costs whose reply has this many tokens, or else as many as it can have.

        An unknown price or length counts as nothing: `unbounded` refuses these models.
        """
        terms = self._prices.terms(model)
        sent = most_tokens_sent(model, prompt)
        most = terms.most_tokens or 0 if reply_tokens is None else reply_tokens
        n = model.params.get("n")  # a server writes this many replies, and all of them are billed
        replied = min(most * (max(n, 1) if type(n) is int else 1), _MOST)
        return Amount(_picodollars((terms.price or _FREE).of(sent, replied)), sent + replied)

    def _in_the_way(self, more: Amount) -> Cap | None:
        """The first cap that this much more could pass."""
        total = self._spent + self._reserved + more
        return next((cap for cap in self._caps if cap.part(total) > cap.most), None)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _refusal(self, cap: Cap, model: Model) -> str:
        """The same words for all questions to a model, so that they can be counted."""
        lost = f" (with {self._lost:,} requests without a reply, which may have been billed)" if self._lost else ""
        most = self._prices.terms(model).most_tokens or 0
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
        """How many tokens a reply may have if its request takes no more than a share of what is left."""

        def part(reply_tokens: int) -> int:
            return cap.part(self._worst_case(model, prompt, reply_tokens))

        most = self._prices.terms(model).most_tokens or 0
        if part(0) > share or part(most) <= share:
            return 0 if part(0) > share else most
        bound = most * (share - part(0)) // (part(most) - part(0))
        return bound - (part(bound) > share)  # amounts are rounded


def _searches_the_web(model: Model) -> bool:
    """Whether a provider bills searches: OpenAI's search models and Perplexity's always search, others if asked to."""
    always = "-search-" in model.target or model.target.startswith("perplexity/")
    return always or "web_search_options" in model.params or "search" in str(model.params.get("tools", "")).lower()
