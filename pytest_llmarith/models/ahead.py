"""What would become of questions, as far as can be told before the asking begins. It asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pytest_llmarith.models.spending.prices import Prices
from pytest_llmarith.models.spending.stored_costs import StoredCost, stored_cost_of
from pytest_llmarith.models.store import RunStore, keyed_questions
from pytest_llmarith.values import Model, Question, Reply

_CHUNK = 500

Keyed = tuple[str, Model, Question]
Stored = Callable[[Question], Reply | None]
# Goes where stored replies lead: whatever it is handed counts besides the questions that are known from the start. It
# returns those that may have to be asked, because no stored reply leads on.
Follow = Callable[[Stored], Iterable[Question]]


class Ahead(NamedTuple):
    """Questions that have a stored reply, those that would go to a model, and what the stored replies have cost.

    `followed` is what those have cost to which the replies of these questions led in an earlier run, and `beyond` are
    the first ones behind them that would go to a model: what comes after these, only their replies can tell.
    """

    stored: list[Question]
    to_ask: list[Question]
    spent: list[StoredCost]
    followed: Sequence[StoredCost] = ()
    beyond: Sequence[Question] = ()

    @property
    def asks(self) -> bool:
        """Whether a request may be made at all."""
        return bool(self.to_ask or self.beyond)

    @property
    def stored_costs(self) -> list[StoredCost]:
        """All that is spent before anything is asked."""
        return [*self.spent, *self.followed]


def look_ahead(
    questions: Iterable[Question],
    models: Mapping[str, Model],
    store: RunStore,
    prices: Prices,
    may_ask: Callable[[Model], bool],
    follow: Follow,
) -> Ahead:
    """Sort questions by whether they would be asked. Raises StoreError."""
    keyed = keyed_questions(models, questions)
    spent = [one for one, _ in _stored(store, prices, keyed)]
    known = {one.key for one in spent}
    followed: list[StoredCost] = []

    def stored(question: Question) -> Reply | None:
        for one, reply in _stored(store, prices, keyed_questions(models, [question])):
            if one.key not in known:
                followed.append(one)
            return reply
        return None

    behind = keyed_questions(models, follow(stored))
    ahead = Ahead(
        stored=[question for key, _, question in keyed if key in known],
        to_ask=[],
        spent=spent,
        followed=followed,
        beyond=[question for _, model, question in behind if may_ask(model)],
    )
    for key, model, question in keyed:
        if key not in known and may_ask(model):
            known.add(key)  # two names of one model share a request
            ahead.to_ask.append(question)
    return ahead


def _stored(store: RunStore, prices: Prices, keyed: Iterable[Keyed]) -> Iterator[tuple[StoredCost, Reply]]:
    """Stored replies and what they have cost; a few of them at a time, as all may be more than there is room for."""
    keyed = [entry for entry in keyed if not entry[1].simulated]
    for start in range(0, len(keyed), _CHUNK):
        chunk = keyed[start : start + _CHUNK]
        replies = store.fetch([key for key, _, _ in chunk])
        for key, model, question in chunk:
            if key in replies:
                yield stored_cost_of(key, model, question.prompt, prices.priced(model, replies[key])), replies[key]
