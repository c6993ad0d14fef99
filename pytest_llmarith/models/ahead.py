"""What would become of questions, as far as can be told before the asking begins. It asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from pytest_llmarith.models.spending.prices import Prices
from pytest_llmarith.models.spending.stored_costs import StoredCost, stored_cost_of
from pytest_llmarith.models.store import RunStore, keyed_questions
from pytest_llmarith.values import Model, Question

_CHUNK = 500

Keyed = tuple[str, Model, Question]


class Ahead(NamedTuple):
    """Questions that have a stored reply, those that would go to a model, and what the stored replies have cost."""

    stored: list[Question]
    to_ask: list[Question]
    spent: list[StoredCost]


def look_ahead(
    questions: Iterable[Question],
    models: Mapping[str, Model],
    store: RunStore,
    prices: Prices,
    may_ask: Callable[[Model], bool],
) -> Ahead:
    """Sort questions by whether they would be asked. Raises StoreError."""
    keyed = keyed_questions(models, questions)
    spent = list(_stored(store, prices, keyed))
    known = {one.key for one in spent}
    ahead = Ahead([question for key, _, question in keyed if key in known], [], spent)
    for key, model, question in keyed:
        if key not in known and may_ask(model):
            known.add(key)  # two names of one model share a request
            ahead.to_ask.append(question)
    return ahead


def _stored(store: RunStore, prices: Prices, keyed: Iterable[Keyed]) -> Iterator[StoredCost]:
    """What stored replies have cost; a few of them at a time, as all may be more than there is room for."""
    keyed = [entry for entry in keyed if not entry[1].simulated]
    for start in range(0, len(keyed), _CHUNK):
        chunk = keyed[start : start + _CHUNK]
        replies = store.fetch([key for key, _, _ in chunk])
        for key, model, question in chunk:
            if key in replies:
                yield stored_cost_of(key, model, question.prompt, prices.priced(model, replies[key]))
