"""Whether the costs of replies fit their tokens."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import pairwise

from pytest_llmarith.records import Record
from pytest_llmarith.summaries import Run
from pytest_llmarith.types import Price

_PAIRS = 200  # of replies that a price is computed of
_EXACT = 1e-6
_A_MILLION = 1_000_000
# Cached prompts cost a tenth or more, batches and other tiers half to twice as much.
_LEAST_PROMPT, _LEAST, _MOST = 0.1, 0.5, 2.5


class CostChecks:
    """The costs of replies, by model. Three numbers of each reply are kept."""

    def __init__(self, run: Run) -> None:
        price = run.limits.price if run.limits else None
        self._own = {model.name: model.price or price for model in run.models}
        self._replies: dict[tuple[str, bool], array[float]] = {}
        self._prices: dict[str, Price] = {}

    def add(self, record: Record) -> None:
        """Note the replies of a trial."""
        for reply in record.replies:
            tokens = reply.prompt_tokens, reply.completion_tokens
            if reply.cost_usd is None or None in tokens:
                continue
            key = record.model, reply.own_price
            numbers = *tokens, reply.cost_usd
            self._replies.setdefault(key, array("d")).extend(map(float, numbers))  # type: ignore[arg-type]

    def contradictions(self) -> Iterator[str]:
        """A line for each model whose costs do not fit the tokens."""
        for (model, is_own), numbers in self._replies.items():
            replies = list(zip(*[iter(numbers)] * 3, strict=True))
            price = self._own.get(model) if is_own else _price_of(replies)
            if price is None:
                if is_own:
                    yield f"{model}: costs of a price that the summary does not have"
                continue
            if not is_own:
                self._prices[model] = price
            wrong = 0
            for prompt, completion, cost in replies:
                full = price.of(prompt, completion)
                least = _LEAST * price.of(_LEAST_PROMPT * prompt, completion)
                if is_own:
                    wrong += abs(cost - full) > _EXACT * full
                else:
                    wrong += not least * 0.99 <= cost <= _MOST * full * 1.01
            if wrong:
                yield (
                    f"{model}: {wrong:,} of {len(replies):,} costs do not fit their "
                    f"tokens at {_shown(price)}"
                )

    def prices(self) -> Iterator[str]:
        """The price that most replies of a model fit, if it is not the user's."""
        for model, price in self._prices.items():
            if price.prompt_usd or price.completion_usd:
                yield f"{model}: most costs are those of {_shown(price)}"


def _price_of(replies: list[tuple[float, ...]]) -> Price | None:
    """The price that fits most replies, of those that two replies have in common; None
    if there is none.
    """
    best, most = None, 1
    step = max(1, len(replies) // _PAIRS)
    sample = replies[::step]
    for one, other in pairwise(sample):
        price = _solved(one, other)
        if price is None:
            continue
        fitting = 0
        for prompt, completion, cost in sample:
            full = price.of(prompt, completion)
            fitting += abs(cost - full) <= _EXACT * full
        if fitting > most:
            best, most = price, fitting
    return best if most > len(sample) / 2 else None


def _solved(one: tuple[float, ...], other: tuple[float, ...]) -> Price | None:
    """The price that both replies fit."""
    across = one[0] * other[1] - other[0] * one[1]
    if not across:
        return None
    prompt = (one[2] * other[1] - other[2] * one[1]) / across * _A_MILLION
    completion = (one[0] * other[2] - other[0] * one[2]) / across * _A_MILLION
    if prompt < 0 or completion < 0:
        return None
    return Price(prompt, completion)


def _shown(price: Price) -> str:
    return (
        f"${price.prompt_usd:.4g} and ${price.completion_usd:.4g} per million prompt "
        f"and completion tokens"
    )
