"""Prices of models, and the budget of a run.

Each request reserves its worst case before it is sent. Replies count at their price,
stored replies of the selected questions included. Requests that may have been billed
without a reply count with their worst case. The budget belongs to the broker's event
loop.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import structs

from pytest_llmarith.models.asking import ModelTerms
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.provider_errors import may_be_billed
from pytest_llmarith.models.providers import tier_of
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Model, Price, Prompt, RequestLimits

_FREE = Price(0.0, 0.0)
_PICODOLLARS = 10**12  # the price of a token is millions of them
_MAX_COUNT = 10**18  # tokens: more than any budget, and a float can hold their price
_TOKENS_PER_MESSAGE = 16  # tokens that name the role of a message
_TOKENS_PER_REQUEST = 128  # tokens of the lines that a server's chat template adds


class OverBudget(Exception):
    """A request could exceed the budget; the message says which option."""


# --- prices ---------------------------------------------------------------------------


class Prices:
    """The terms of the models of a run.

    `own` is the price of --llm-price, for models without a listed price.
    """

    def __init__(self, client: Client, own: Price | None) -> None:
        self._client = client
        self._own = own
        self._known: dict[str, ModelTerms] = {}

    def terms(self, model: Model) -> ModelTerms:
        """The terms of a model.

        A reply limit in its request parameters replaces the listed one.
        """
        if model.simulated:
            return ModelTerms(_FREE)
        if model.name not in self._known:
            found = self._client.terms(model)
            most = model.reply_limit or found.max_reply_tokens
            price = model.price or found.price or self._own
            usual = None if model.price else found.usual_price
            terms = ModelTerms(price, most, found.reasons, usual_price=usual)
            self._known[model.name] = terms
        return self._known[model.name]

    def priced(self, model: Model, reply: Reply) -> Reply:
        """The reply with its cost at --llm-price, if it has tokens and no cost, or at
        the model's own price.

        The store does not keep that cost.
        """
        own = model.price
        if own is None and reply.cost_usd is None:
            own = self._own
        if own is None or model.simulated:
            return reply
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            return reply
        cost = own.of(reply.prompt_tokens, reply.completion_tokens)
        return structs.replace(reply, cost_usd=cost, own_price=True)


# --- amounts --------------------------------------------------------------------------


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
    """One budget: its option, its maximum, and the part of an amount that counts.

    `said` formats a part.
    """

    option: str
    most: int
    part: Callable[[Amount], int]
    said: Callable[[int], str]


def _caps(limits: RequestLimits) -> Iterator[Cap]:
    usd, tokens = limits.max_cost_usd, limits.max_tokens
    if usd is not None:
        yield Cap(
            f"--llm-max-cost={usd:.10g}",
            _picodollars(usd),
            lambda amount: amount.picodollars,
            _dollars,
        )
    if tokens is not None:
        yield Cap(
            f"--llm-max-total-tokens={tokens}",
            tokens,
            lambda amount: amount.tokens,
            "{:,}".format,
        )


def _picodollars(usd: float) -> int:
    return round(usd * _PICODOLLARS)


def _dollars(amount: int) -> str:
    """Picodollars such as `$0.0123`; less than a cent has up to eight decimals."""
    whole, rest = divmod(amount, _PICODOLLARS)
    digits = 4 if amount >= _PICODOLLARS // 100 else 8
    decimals = f"{rest:012d}"[:digits].rstrip("0").ljust(2, "0")
    return f"${whole:,}.{decimals}"


def worst_case(terms: ModelTerms, model: Model, prompt: Prompt) -> Amount:
    """The maximum cost of a request: a token per byte, and the longest reply.

    An unknown price or length counts as 0: `Budget.unbounded` refuses these models.
    """
    said = [message["content"] for message in model.messages(prompt)]
    said.append(json.dumps(dict(model.params)))
    sent = _TOKENS_PER_REQUEST
    for text in said:
        sent += len(text.encode()) + _TOKENS_PER_MESSAGE
    replied = min(terms.max_reply_tokens or 0, _MAX_COUNT)
    prices = (terms.price or _FREE, terms.usual_price or _FREE)
    cost = max(price.of(sent, replied) for price in prices)
    return Amount(_picodollars(cost), sent + replied)


# --- the budget -----------------------------------------------------------------------


class Budget:
    """Admits requests that fit, delays those that may fit later, and refuses others."""

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

    def count(self, key: str, model: Model, prompt: Prompt, reply: Reply) -> None:
        """Count a reply of the store, once.

        Without token counts it counts at its worst case. A stored reply of unknown cost
        counts no dollars.
        """
        if not self._caps or model.simulated or key in self._counted:
            return
        self._counted.add(key)
        if reply.stored:
            reply = structs.replace(reply, cost_usd=reply.cost_usd or 0.0)
        most = Amount()
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            most = self._worst_case(model, prompt)
        self.pay(model, most, reply)

    def unbounded(self, model: Model) -> str | None:
        """Why the budget cannot be enforced for a model, or None.

        Its price or its maximum reply length may be unknown.
        """
        if model.simulated or not self._caps:
            return None
        terms = self._prices.terms(model)
        limits_cost = self._limits.max_cost_usd is not None
        if limits_cost and searches_the_web(model):
            return (
                f"--llm-max-cost: {model.target} bills web searches, too, so use "
                f"--llm-max-total-tokens=N"
            )
        if limits_cost and terms.price is None:
            what = model.target
            tier = tier_of(model.params)
            if tier:
                what += f" at service_tier={tier}"
            return (
                f"--llm-max-cost: the price of {what} is unknown; set "
                f"--llm-price=IN,OUT in dollars per million tokens"
            )
        if terms.max_reply_tokens is not None:
            return None
        is_free = terms.price is not None and not terms.price.completion_usd
        if is_free and self._limits.max_tokens is None:
            return None
        option = "--llm-max-cost" if limits_cost else "--llm-max-total-tokens"
        where = "--llm-param max_completion_tokens=4000"
        if model.grades:
            where = "?max_completion_tokens=4000 after its name"
        return (
            f"{option}: the maximum reply length of {model.target} is unknown; "
            f"limit it, for example with {where}"
        )

    def too_small(self, requests: Iterable[tuple[Model, Prompt]]) -> Iterator[str]:
        """Why a budget admits none of these requests."""
        if not self._caps:
            return
        worst = []
        for model, prompt in requests:
            if not model.simulated:
                worst.append(self._worst_case(model, prompt))
        if not worst:
            return
        for cap in self._caps:
            least = min(cap.part(amount) for amount in worst)
            if least > cap.most:
                yield (
                    f"{cap.option}: a request may take up to {cap.said(least)}, so "
                    f"none can be sent; raise the limit, or shorten the replies with "
                    f"--llm-param max_completion_tokens=N"
                )

    async def reserve(self, model: Model, prompt: Prompt) -> Amount | None:
        """Wait until a request fits at its worst case, and reserve that.

        `release` has to follow. Returns None if the run ends meanwhile. Raises
        OverBudget if the request cannot fit any more.
        """
        why = self.unbounded(model)
        if why is not None:
            raise OverBudget(why)
        most = Amount()
        if self._caps:
            most = self._worst_case(model, prompt)
        while not self._halted:
            cap = self._in_the_way(most)
            if cap is None:
                self._reserved += most
                if most != Amount():
                    self._in_flight += 1
                return most
            if not self._in_flight:
                raise OverBudget(self._refusal(cap, model))
            await self._changed.wait()
        return None

    def pay(self, model: Model, most: Amount, reply: Reply) -> None:
        """Count a reply; if its tokens are unknown, at its worst case."""
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            self._spent += most
            return
        if model.simulated:
            return
        cost = reply.cost_usd
        if cost is None:
            price = self._prices.terms(model).price or _FREE
            cost = price.of(reply.prompt_tokens, reply.completion_tokens)
        tokens = reply.prompt_tokens + reply.completion_tokens
        self._spent += Amount(_picodollars(cost), tokens)

    def fail(self, model: Model, prompt: Prompt, error: BaseException) -> float | None:
        """Count a failed request at its worst case if it may have been billed.

        Returns that in dollars.
        """
        is_free = model.simulated or (model.is_function and model.price is None)
        if is_free or not may_be_billed(error):
            return None
        most = self._worst_case(model, prompt)
        self._lost += 1
        self._spent += most
        return most.picodollars / _PICODOLLARS

    def release(self, most: Amount) -> None:
        """Release the reservation of a request that has ended."""
        self._reserved -= most
        if most != Amount():
            self._in_flight -= 1
        self._wake()

    def _worst_case(self, model: Model, prompt: Prompt) -> Amount:
        if model.simulated:
            return Amount()
        return worst_case(self._prices.terms(model), model, prompt)

    def _in_the_way(self, more: Amount) -> Cap | None:
        """The first budget that this additional amount could exceed."""
        total = self._spent + self._reserved + more
        for cap in self._caps:
            if cap.part(more) and cap.part(total) > cap.most:
                return cap
        return None

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _refusal(self, cap: Cap, model: Model) -> str:
        """The reason of a refusal.

        It is identical for all questions to a model, so that reasons can be counted.
        """
        lost = ""
        if self._lost:
            lost = (
                f" (with {self._lost:,} requests without a reply, which may have been "
                f"billed)"
            )
        spent = cap.said(cap.part(self._spent))
        most = self._prices.terms(model).max_reply_tokens or 0
        return (
            f"{cap.option}: {spent} spent{lost}, and a request whose reply "
            f"has up to {most:,} tokens may take more than is left"
        )


def searches_the_web(model: Model) -> bool:
    """Whether web searches are billed.

    OpenAI's search models and Perplexity's always search, others on request.
    """
    if "-search-" in model.target or model.target.startswith("perplexity/"):
        return True
    tools = str(model.params.get("tools", "")).lower()
    return "web_search_options" in model.params or "search" in tools
