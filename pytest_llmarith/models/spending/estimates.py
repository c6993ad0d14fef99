"""What the next request may cost, from what is known of its model and from the replies of this run. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_llmarith.models.request import messages_of
from pytest_llmarith.models.spending.prices import Prices, cost_at
from pytest_llmarith.values import Model, Reply

# Where neither the request nor litellm bounds the tokens of a reply.
UNKNOWN_MOST_TOKENS = 16_384
_AROUND_A_MESSAGE = 16  # tokens that say whose message it is
_PICODOLLARS = 10**12  # a token costs millions of them

_Kind = tuple[str | int, ...]


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


class Estimates:
    """Estimates requests by their kind: those to one model with messages of about one length each.

    Before a reply of a kind has arrived, the estimate is the most that a request can come to: a token for every byte
    of its messages, and as many tokens of a reply as the request, or else the model, allows. From then on it is the
    dearest reply of that kind, of this run or stored.
    """

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
        self._dearest: dict[_Kind, Amount] = {}

    def of(self, model: Model, prompt: str) -> Amount:
        return self._dearest.get(_kind(model, prompt)) or self._most(model, prompt)

    def is_learned(self, model: Model, prompt: str) -> bool:
        """Whether replies of this kind have arrived."""
        return _kind(model, prompt) in self._dearest

    def learn(self, model: Model, prompt: str, reply: Reply) -> Amount | None:
        """What a reply came to, remembered for the next ones of its kind; None where nobody counted its tokens."""
        amount = self._amount(model, reply)
        if amount is not None:
            self.remember(model, prompt, amount)
        return amount

    def remember(self, model: Model, prompt: str, amount: Amount) -> None:
        """A reply to such a prompt came to this."""
        kind = _kind(model, prompt)
        seen = self._dearest.get(kind, Amount())
        self._dearest[kind] = Amount(max(amount.picodollars, seen.picodollars), max(amount.tokens, seen.tokens))

    def _most(self, model: Model, prompt: str) -> Amount:
        terms = self._prices.terms(model)
        ours = sum(len(message["content"].encode()) + _AROUND_A_MESSAGE for message in messages_of(model, prompt))
        theirs = terms.most_tokens or UNKNOWN_MOST_TOKENS
        cost = terms.price.of(ours, theirs) if terms.price else 0.0
        return Amount(picodollars(cost), ours + theirs)

    def _amount(self, model: Model, reply: Reply) -> Amount | None:
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            return None
        cost = reply.cost_usd
        if cost is None and (price := self._prices.terms(model).price) is not None:
            cost = cost_at(price, reply)
        return Amount(picodollars(cost or 0.0), reply.prompt_tokens + reply.completion_tokens)


def _kind(model: Model, prompt: str) -> _Kind:
    """Prompts of 32 to 127 characters are of one kind, those of 128 to 511, of 512 to 2,047, and so on.

    The same holds of system prompts, on their own: beside a long one, a sum still says nothing of a program.
    """
    return model.name, *(len(message["content"]).bit_length() // 2 for message in messages_of(model, prompt))
