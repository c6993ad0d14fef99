"""Whether the costs of replies fit their tokens."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator

from pytest_llmarith.records import Record
from pytest_llmarith.summaries import Run

_EXACT = 1e-6
# Caches, batches, service tiers, and more or less of the dearer completion tokens
# explain less.
_FACTOR = 30


class CostChecks:
    """The costs of replies by model. Two numbers of each reply are kept."""

    def __init__(self, run: Run) -> None:
        price = run.limits.price if run.limits else None
        self._own = {model.name: model.price or price for model in run.models}
        self._wrong: defaultdict[str, int] = defaultdict(int)
        self._replies: defaultdict[str, array[float]] = defaultdict(lambda: array("d"))

    def add(self, record: Record) -> None:
        """Note the replies of a trial."""
        price = self._own.get(record.model)
        for reply in record.replies:
            if reply.cost_usd is None or not reply.tokens:
                continue
            if not reply.own_price:
                self._replies[record.model].extend((reply.tokens, reply.cost_usd))
                continue
            cost = -1.0  # of a price that the summary does not have
            if price is not None:
                cost = price.of(reply.prompt_tokens or 0, reply.completion_tokens or 0)
            self._wrong[record.model] += abs(reply.cost_usd - cost) > _EXACT * cost

    def contradictions(self) -> Iterator[str]:
        """A line for each model whose costs do not fit the tokens."""
        for model, numbers in self._replies.items():
            mean = sum(numbers[1::2]) / sum(numbers[::2])
            for tokens, cost in zip(numbers[::2], numbers[1::2], strict=True):
                usual = mean * tokens
                self._wrong[model] += not usual / _FACTOR <= cost <= usual * _FACTOR
        for model, wrong in self._wrong.items():
            if wrong:
                yield f"{model}: {wrong:,} costs do not fit their tokens"
