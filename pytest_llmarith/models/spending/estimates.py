"""What a request may cost at most. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_llmarith.models.spending.prices import Prices, cost_at
from pytest_llmarith.models.tokens import most_tokens_sent
from pytest_llmarith.values import Model, Price, Reply

_PICODOLLARS = 10**12  # a token costs millions of them
_FREE = Price(0.0, 0.0)
_MOST = 10**18  # tokens: more than any cap has, and a float holds their price


@dataclass(frozen=True, slots=True)
class Amount:
    """Money, in whole picodollars so that sums are exact, and tokens."""

    picodollars: int = 0
    tokens: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.picodollars + other.picodollars, self.tokens + other.tokens)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.picodollars - other.picodollars, self.tokens - other.tokens)


def picodollars(usd: float) -> int:
    return round(usd * _PICODOLLARS)


def usd(amount: Amount) -> float:
    return amount.picodollars / _PICODOLLARS


def dollars(amount: int) -> str:
    """Picodollars for people, such as `$0.0123`; small amounts have more decimals, at most eight."""
    whole, rest = divmod(amount, _PICODOLLARS)
    decimals = f"{rest:012d}"[: 4 if amount >= _PICODOLLARS // 100 else 8]
    return f"${whole:,}.{decimals.rstrip('0').ljust(2, '0')}"


def worst_case(prices: Prices, model: Model, prompt: str, reply_tokens: int | None = None) -> Amount:
    """The most that a request comes to, whose reply has so many tokens, or else as many as it can have.

    A price or a length that is unknown counts as nothing: `caps.unbounded` refuses these models.
    """
    terms = prices.terms(model)
    sent = most_tokens_sent(model, prompt)
    most = terms.most_tokens or 0 if reply_tokens is None else reply_tokens
    replied = min(most * _replies(model), _MOST)
    return Amount(picodollars((terms.price or _FREE).of(sent, replied)), sent + replied)


def amount_of(prices: Prices, model: Model, reply: Reply) -> Amount | None:
    """What a reply came to; None if its tokens are unknown."""
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    cost = reply.cost_usd
    if cost is None and (price := prices.terms(model).price) is not None:
        cost = cost_at(price, reply)
    return Amount(picodollars(cost or 0.0), reply.prompt_tokens + reply.completion_tokens)


def _replies(model: Model) -> int:
    """The parameter `n` makes a server write several replies, and all of them are billed."""
    n = model.params.get("n")
    return max(n, 1) if type(n) is int else 1
