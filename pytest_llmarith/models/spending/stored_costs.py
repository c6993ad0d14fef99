"""What the stored replies of a selection have cost. A cap counts it, or each new start would spend it anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_llmarith.values import Model, Reply


class StoredCost(NamedTuple):
    """A stored reply's price and tokens; None where no price is known, or nobody counted the tokens."""

    key: str
    model: Model
    prompt: str
    cost_usd: float | None
    tokens: int | None
    completion_tokens: int | None = None


class Sums(NamedTuple):
    """What all of them came to. Those without a known price count as nothing in dollars."""

    cost_usd: float
    unpriced: int
    tokens: int


def stored_cost_of(key: str, model: Model, prompt: str, reply: Reply) -> StoredCost:
    """What a reply came to that is at the price of this run already."""
    counted = reply.prompt_tokens is not None or reply.completion_tokens is not None
    tokens = (reply.prompt_tokens or 0) + (reply.completion_tokens or 0) if counted else None
    return StoredCost(key, model, prompt, reply.cost_usd, tokens, reply.completion_tokens)


def sums(spent: Sequence[StoredCost]) -> Sums:
    """A reply that two models share by another name was paid for once."""
    once = {one.key: one for one in spent}.values()
    return Sums(
        sum(one.cost_usd or 0.0 for one in once),
        sum(one.cost_usd is None for one in once),
        sum(one.tokens or 0 for one in once),
    )
