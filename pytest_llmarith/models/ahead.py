"""What would become of questions, as far as can be told before the asking begins. It asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pytest_llmarith.models.keeping.keeper import Keeper
from pytest_llmarith.models.request import keyed_questions
from pytest_llmarith.models.spending.bygone import Bygone, bygone
from pytest_llmarith.models.spending.prices import Prices
from pytest_llmarith.values import Model, Question, Reply

_CHUNK = 500


Stored = Callable[[Question], Reply | None]
# Asks the store, and says which of its replies count besides those of the questions that are known from the start.
Follow = Callable[[Stored], Iterable[Question]]


class Ahead(NamedTuple):
    """Questions that have a stored reply, those that would go to a model, and what the stored replies have cost.

    `followed` is what those have cost to which the replies of these questions led in an earlier run.
    """

    stored: list[Question]
    to_ask: list[Question]
    spent: list[Bygone]
    followed: Sequence[Bygone] = ()

    @property
    def bygone(self) -> list[Bygone]:
        """All that is spent before anything is asked."""
        return [*self.spent, *self.followed]


def look_ahead(
    questions: Iterable[Question],
    models: Mapping[str, Model],
    keeper: Keeper,
    prices: Prices,
    may_ask: Callable[[Model], bool],
    follow: Follow = lambda stored: (),
) -> Ahead:
    """Sort questions by whether they would be asked. Raises StoreError."""
    keyed = keyed_questions(models, questions)
    spent = list(_spent(keeper, prices, keyed))
    known = {one.key for one in spent}
    further = keyed_questions(models, follow(partial(_stored, models, keeper)))
    followed = list(_spent(keeper, prices, [entry for entry in further if entry[0] not in known]))
    ahead = Ahead([question for key, _, question in keyed if key in known], [], spent, followed)
    for key, model, question in keyed:
        if key not in known and may_ask(model):
            known.add(key)  # two names of one model share a request
            ahead.to_ask.append(question)
    return ahead


def _spent(keeper: Keeper, prices: Prices, keyed: list[tuple[str, Model, Question]]) -> Iterator[Bygone]:
    """What stored replies have cost; a few of them at a time, as all may be more than there is room for."""
    keyed = [entry for entry in keyed if not entry[1].simulated]
    for start in range(0, len(keyed), _CHUNK):
        chunk = keyed[start : start + _CHUNK]
        replies = keeper.usable([key for key, _, _ in chunk])
        for key, model, question in chunk:
            if key in replies:
                yield bygone(key, model, question.prompt, prices.priced(model, replies[key]))


def _stored(models: Mapping[str, Model], keeper: Keeper, question: Question) -> Reply | None:
    """The reply because of which a question need not be asked."""
    for key, model, _ in keyed_questions(models, [question]):
        return None if model.simulated else keeper.usable([key]).get(key)
    return None
