"""Prices of models, and the budget of a run: each request reserves its worst case
before it is sent.

Replies count at their price, stored replies of the selected questions included.
Requests that may have been billed without a reply count with their worst case. The
budget belongs to the broker's event loop.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import structs

from pytest_llmarith.models.client import Client
from pytest_llmarith.models.price_list import tier_of
from pytest_llmarith.models.provider_errors import may_be_billed
from pytest_llmarith.records import Reply
from pytest_llmarith.types import (
    OVER_BUDGET,
    Model,
    ModelTerms,
    Price,
    Prompt,
    RequestLimits,
)

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
        self._known: dict[tuple[str, bool], ModelTerms] = {}

    def terms(self, model: Model) -> ModelTerms:
        """The terms of a model.

        A reply limit in its request parameters replaces the listed one.
        """
        if model.simulated:
            return ModelTerms(_FREE)
        key = model.name, model.batched
        if key not in self._known:
            found = self._client.terms(model)
            most = model.reply_limit or found.max_reply_tokens
            price = found.batch_price if model.batched else found.price
            self._known[key] = ModelTerms(price or self._own, most, found.reasons)
        return self._known[key]

    def priced(self, model: Model, reply: Reply) -> Reply:
        """The reply with its cost at --llm-price, if it has tokens and no cost.

        The store does not keep that cost.
        """
        known = reply.prompt_tokens is not None and reply.completion_tokens is not None
        if (
            self._own is None
            or model.simulated
            or reply.cost_usd is not None
            or not known
        ):
            return reply
        cost = self._own.of(reply.prompt_tokens or 0, reply.completion_tokens or 0)
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
    """One budget: its option, its maximum, the part of an amount that counts, and how
    to format it.
    """

    option: str
    most: int
    part: Callable[[Amount], int]
    said: Callable[[int], str]


def _caps(limits: RequestLimits) -> Iterator[Cap]:
    if (usd := limits.max_cost_usd) is not None:
        yield Cap(
            f"--llm-max-cost={usd:.10g}",
            _picodollars(usd),
            lambda amount: amount.picodollars,
            _dollars,
        )
    if (tokens := limits.max_tokens) is not None:
        yield Cap(
            f"--llm-max-total-tokens={tokens}",
            tokens,
            lambda amount: amount.tokens,
            "{:,}".format,
        )


def _picodollars(usd: float) -> int:
    return round(usd * _PICODOLLARS)


def _dollars(amount: int) -> str:
    """Format picodollars, such as `$0.0123`; small amounts have up to eight
    decimals.
    """
    whole, rest = divmod(amount, _PICODOLLARS)
    decimals = f"{rest:012d}"[: 4 if amount >= _PICODOLLARS // 100 else 8]
    return f"${whole:,}.{decimals.rstrip('0').ljust(2, '0')}"


# --- the budget -----------------------------------------------------------------------


class Budget:
    """Admits requests that fit, delays those that may fit later, and refuses all
    others.
    """

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
        """Count a reply of the store or a batch, once; without token counts, at its
        worst case.

        A stored reply of unknown cost counts no dollars.
        """
        if self._caps and key not in self._counted and not model.simulated:
            self._counted.add(key)
            has_tokens = (
                reply.prompt_tokens is not None and reply.completion_tokens is not None
            )
            most = Amount() if has_tokens else self._worst_case(model, prompt)
            self.pay(
                model,
                most,
                structs.replace(reply, cost_usd=reply.cost_usd or 0.0)
                if reply.stored
                else reply,
            )

    def unbounded(self, model: Model) -> str | None:
        """Why the budget cannot be enforced for a model: its price or its maximum reply
        length is unknown.
        """
        if model.simulated or not self._caps:
            return None
        terms = self._prices.terms(model)
        costs = self._limits.max_cost_usd is not None
        if costs and _searches_the_web(model):
            return (
                f"--llm-max-cost: {model.target} bills web searches, too, so use "
                f"--llm-max-total-tokens=N"
            )
        if costs and terms.price is None:
            tier = tier_of(model.params)
            what = f"{model.target} in batches" if model.batched else model.target
            what += f" at service_tier={tier}" if tier else ""
            return (
                f"--llm-max-cost: the price of {what} is unknown; set "
                f"--llm-price=IN,OUT in dollars per million tokens"
            )
        is_free = terms.price is not None and not terms.price.completion_usd
        if terms.max_reply_tokens is None and (
            self._limits.max_tokens is not None or not is_free
        ):
            option = "--llm-max-cost" if costs else "--llm-max-total-tokens"
            limit = "max_completion_tokens=4000"
            where = (
                f"?{limit} after its name" if model.judge else f"--llm-param {limit}"
            )
            return (
                f"{option}: the maximum reply length of {model.target} is unknown; "
                f"limit it, for example with {where}"
            )
        return None

    def too_small(self, requests: Iterable[tuple[Model, Prompt]]) -> Iterator[str]:
        """Why a budget admits none of these requests."""
        if not self._caps:
            return
        worst = [
            self._worst_case(model, prompt)
            for model, prompt in requests
            if not model.simulated
        ]
        for cap in self._caps if worst else ():
            if (least := min(map(cap.part, worst))) > cap.most:
                yield (
                    f"{cap.option}: a request may take up to {cap.said(least)}, so "
                    f"none can be sent; raise "
                    "the limit, or shorten the replies with --llm-param "
                    "max_completion_tokens=N"
                )

    def too_small_for_all(
        self, requests: Iterable[tuple[Model, Prompt]]
    ) -> Iterator[str]:
        """Why a budget does not admit all of these requests together, and the budget
        that does.
        """
        most = sum(
            (self._worst_case(model, prompt) for model, prompt in requests), self._spent
        )
        for cap in self._caps:
            if (needed := cap.part(most)) > cap.most:
                option, _, _ = cap.option.partition("=")
                enough = (
                    needed if "token" in option else f"{-(-needed // 10**10) / 100:.2f}"
                )  # rounded up
                yield (
                    f"{cap.option}: the batches may take up to {cap.said(needed)}, "
                    f"with what is spent; write "
                    f"{option}={enough}, or shorten the replies with --llm-param "
                    f"max_completion_tokens=N"
                )

    def hold(self, model: Model, prompt: Prompt) -> None:
        """Reserve the worst case of a question that is in a batch when the run goes on
        without its reply.
        """
        if self._caps:
            self._reserved += self._worst_case(model, prompt)

    async def reserve(self, model: Model, prompt: Prompt) -> Amount | None:
        """Wait until a request fits at its worst case, and reserve that; `release` has
        to follow.

        Returns None if the run ends meanwhile. Raises OverBudget if the request cannot
        fit any more.
        """
        if (why := self.unbounded(model)) is not None:
            raise OverBudget(f"{OVER_BUDGET}{why}")
        most = self._worst_case(model, prompt) if self._caps else Amount()
        while not self._halted and (cap := self._in_the_way(most)) is not None:
            if not self._in_flight:
                raise OverBudget(self._refusal(cap, model))
            await self._changed.wait()
        if self._halted:
            return None
        self._reserved += most
        self._in_flight += most != Amount()
        return most

    def pay(self, model: Model, most: Amount, reply: Reply) -> None:
        """Count a reply; if its tokens are unknown, at its worst case."""
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            self._spent += most
        elif not model.simulated:
            if (cost := reply.cost_usd) is None:
                price = self._prices.terms(model).price or _FREE
                cost = price.of(reply.prompt_tokens, reply.completion_tokens)
            self._spent += Amount(
                _picodollars(cost), reply.prompt_tokens + reply.completion_tokens
            )

    def fail(self, model: Model, prompt: Prompt, error: BaseException) -> float | None:
        """Count a failed request at its worst case if it may have been billed, and
        return that in dollars.
        """
        if model.simulated or not may_be_billed(error):
            return None
        most = self._worst_case(model, prompt)
        self._lost += 1
        self._spent += most
        return most.picodollars / _PICODOLLARS

    def release(self, most: Amount) -> None:
        """Release the reservation of a request that has ended."""
        self._reserved -= most
        self._in_flight -= most != Amount()
        self._wake()

    def _worst_case(self, model: Model, prompt: Prompt) -> Amount:
        """The maximum cost of a request: a prompt token per byte, and the longest
        reply.

        An unknown price or length counts as 0: `unbounded` refuses these models.
        """
        if model.simulated:
            return Amount()
        terms, said = (
            self._prices.terms(model),
            [message["content"].encode() for message in model.messages(prompt)],
        )
        said.append(json.dumps(dict(model.params)).encode())
        sent = (
            sum(len(text) + _TOKENS_PER_MESSAGE for text in said) + _TOKENS_PER_REQUEST
        )
        replied = min(terms.max_reply_tokens or 0, _MAX_COUNT)
        return Amount(
            _picodollars((terms.price or _FREE).of(sent, replied)), sent + replied
        )

    def _in_the_way(self, more: Amount) -> Cap | None:
        """The first budget that this additional amount could exceed."""
        total = self._spent + self._reserved + more
        return next(
            (
                cap
                for cap in self._caps
                if cap.part(more) and cap.part(total) > cap.most
            ),
            None,
        )

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _refusal(self, cap: Cap, model: Model) -> str:
        """The reason of a refusal, identical for all questions to a model, so that
        reasons can be counted.
        """
        lost = (
            f" (with {self._lost:,} requests without a reply, which may have been "
            f"billed)"
            if self._lost
            else ""
        )
        most = self._prices.terms(model).max_reply_tokens or 0
        return (
            f"{OVER_BUDGET}{cap.option}: {cap.said(cap.part(self._spent))} "
            f"spent{lost}, "
            f"and a request whose reply has up to {most:,} tokens may take more than "
            f"is left"
        )


def _searches_the_web(model: Model) -> bool:
    """Whether web searches are billed:

    OpenAI's search models and Perplexity's always search, others on request.
    """
    always = "-search-" in model.target or model.target.startswith("perplexity/")
    return (
        always
        or "web_search_options" in model.params
        or "search" in str(model.params.get("tools", "")).lower()
    )
