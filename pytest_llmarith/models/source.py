"""Where the reply to one question comes from: the store, or the model within the run's budget."""

from __future__ import annotations

from collections.abc import Callable

from pytest_llmarith.models.patience.requesting import Requester
from pytest_llmarith.models.spending.budget import Budget
from pytest_llmarith.models.spending.prices import Prices
from pytest_llmarith.models.spending.stored_costs import stored_cost_of
from pytest_llmarith.models.store import RunStore, StoreError
from pytest_llmarith.models.tally import Tally
from pytest_llmarith.values import Failure, Model, Reply


class Source:
    """Brings replies. `store_failed` is called with every error of the store, and says what to answer then."""

    def __init__(
        self,
        store: RunStore,
        requester: Requester,
        budget: Budget,
        prices: Prices,
        tally: Tally,
        store_failed: Callable[[StoreError], Failure],
    ) -> None:
        self._store = store
        self._requester = requester
        self._budget = budget
        self._prices = prices
        self._tally = tally
        self._store_failed = store_failed

    def halt(self) -> None:
        """Begin no further attempt."""
        self._requester.halt()
        self._budget.halt()

    def stored(self, key: str, model: Model, prompt: str) -> Reply | Failure | None:
        """The reply that is in the store, which a cap counts; None if the model has to be asked."""
        if model.simulated:
            return None
        try:
            reply = self._store.fetch([key]).get(key)
        except StoreError as error:
            return self._store_failed(error)
        if reply is None:
            return None
        priced = self._prices.priced(model, reply)
        if priced.stored:
            self._budget.count([stored_cost_of(key, model, prompt, priced)])
        return priced

    async def obtain(self, key: str, model: Model, prompt: str, *, announced: bool) -> Reply | Failure:
        """The reply from the store, which another run may have filled meanwhile, or from the model."""
        if model.simulated:
            return await self._requester.request(model, prompt)
        try:
            await self._store.prepare()
        except StoreError as error:
            return self._store_failed(error)
        if (stored := self.stored(key, model, prompt)) is not None:
            return stored
        outcome = await self._requester.request(model, prompt)
        if isinstance(outcome, Failure):
            return outcome
        priced = self._prices.priced(model, outcome)
        self._tally.paid(priced)
        try:
            await self._store.put(key, outcome, announced=announced)
        except StoreError as error:
            self._store_failed(error)
        self._tally.unsaved, self._tally.kept = len(self._store.unwritten), len(self._store.written)
        return priced
