"""What the broker knows about the questions of a run before the first request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import structs

from pytest_llmarith.models.asking import Plan
from pytest_llmarith.models.budget import Budget, Prices
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.store import RunStore, StoreError, key_of
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Model, Prompt, Question

_CHUNK = 500  # stored replies per query


class Planned(NamedTuple):
    """A question of the plan, and its number in the announced order."""

    number: int
    key: str
    model: Model
    question: Question

    @property
    def request(self) -> tuple[Model, Prompt]:
        """What the budget judges."""
        return self.model, self.question.prompt


class Planner:
    """Looks up the questions of a run in store and budget.

    `planned` are those of the last plan in their order, `to_ask` those of them that
    have to be asked, `stored` the replies to some of them, by key, without their texts;
    `keys` are those of questions to come.
    """

    def __init__(
        self,
        client: Client,
        store: RunStore,
        prices: Prices,
        budget: Budget,
        asks: bool,
        model_of: Callable[[Question], Model | None],
        may_ask: Callable[[Model], bool],
    ) -> None:
        self.planned: list[Planned] = []
        self.to_ask: list[Planned] = []
        self.stored: dict[str, Reply] = {}
        self.keys: dict[Question, str] = {}
        self._client = client
        self._store = store
        self._prices = prices
        self._budget = budget
        self._asks = asks
        self._model_of = model_of
        self._may_ask = may_ask

    def plan(self, questions: Sequence[Question], later: Iterable[Model]) -> Plan:
        """Look up these questions; `later` are models that may be asked more."""
        self.planned = list(self._planned_of(questions))
        try:
            self.look_up()
            stored = self.stored
            keys = [one.key for one in self.planned if one.key not in stored]
            awaited = self._store.awaited(keys)
        except StoreError as error:
            return Plan(error=str(error))
        # By key, as two names of one model share a request; the first one asks.
        missing: dict[str, Planned] = {}
        for one in reversed(self.planned):
            is_known = one.key in stored or one.key in awaited
            if not is_known and self._may_ask(one.model):
                missing[one.key] = one
        self.to_ask = to_ask = sorted(missing.values())  # by number
        models = [model for model in later if self._may_ask(model)]
        models += [one.model for one in to_ask]
        asked = {model.name: model for model in models}.values()
        keyless = tuple(filter(None, map(self._client.missing_key, asked)))
        if keyless and self._asks:
            return Plan(refused=keyless)  # before litellm is imported
        refused = list(self._refused(asked))
        if not refused and not stored:
            refused += self._budget.too_small(one.request for one in to_ask)
        tokens = {}
        for one in self.planned:
            if one.key in stored:
                tokens[one.number] = stored[one.key].completion_tokens
        numbers = [one.number for one in self.planned if one.key in awaited]
        return Plan(
            stored=tokens,
            to_ask=tuple(one.number for one in to_ask),
            awaited=tuple(numbers),
            spent_usd=sum(reply.cost_usd or 0.0 for reply in stored.values()),
            spent_unpriced=sum(reply.cost_usd is None for reply in stored.values()),
            spent_tokens=sum(reply.tokens or 0 for reply in stored.values()),
            terms={model.name: self._prices.terms(model) for model in asked},
            refused=tuple(refused),
        )

    def _planned_of(self, questions: Sequence[Question]) -> Iterator[Planned]:
        """The questions whose model is known."""
        for number, question in enumerate(questions):
            model = self._model_of(question)
            if model is not None:
                key = self.keys[question] = key_of(model, question)
                yield Planned(number, key, model, question)

    def _refused(self, models: Collection[Model]) -> Iterator[str]:
        """Why models cannot be asked at all: a parameter, or the budget."""
        for model in models:
            why = self._client.unknown_parameter(model)
            if why is not None:
                yield why
        for model in models:
            why = self._budget.unbounded(model)
            if why is not None:
                yield why

    def look_up(self) -> None:
        """Fetch the stored replies to planned questions, without their texts, and count
        them in the budget.
        """
        found = {}
        real = [one for one in self.planned if not one.model.simulated]
        for start in range(0, len(real), _CHUNK):
            chunk = real[start : start + _CHUNK]
            replies = self._store.fetch([one.key for one in chunk])
            for one in chunk:
                if one.key in replies:
                    reply = self._prices.priced(one.model, replies[one.key])
                    found[one.key] = structs.replace(
                        reply, text="", reasoning=None, sent=None, logprobs=()
                    )
                    self._budget.count(one.key, one.model, one.question.prompt, reply)
        self.stored = found
