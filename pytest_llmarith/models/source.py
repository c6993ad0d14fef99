"""Where the reply to one question comes from: the store, or the model, in this run's turn and within its budget.

It knows neither who asks nor what is asked next.
"""

from __future__ import annotations

from dataclasses import replace

from pytest_llmarith.models.keeping.keeper import Keeper
from pytest_llmarith.models.keeping.store import StoreError
from pytest_llmarith.models.patience.requesting import Requester
from pytest_llmarith.models.request import as_told_now
from pytest_llmarith.models.spending.budget import Budget
from pytest_llmarith.models.spending.prices import Prices
from pytest_llmarith.models.spending.stored_costs import stored_cost_of
from pytest_llmarith.models.store_failure import StoreFailure
from pytest_llmarith.models.tally import Tally
from pytest_llmarith.models.turns import Turns
from pytest_llmarith.values import Failure, Model, Reply
from pytest_llmarith.values.asking import NEVER_ASKED


class Source:
    """Brings replies. A store that fails is lost at once: nothing more is paid for."""

    def __init__(
        self,
        keeper: Keeper,
        requester: Requester,
        budget: Budget,
        prices: Prices,
        tally: Tally,
        store_failure: StoreFailure,
    ) -> None:
        self._keeper = keeper
        self._requester = requester
        self._budget = budget
        self._prices = prices
        self._tally = tally
        self._store_failure = store_failure
        self._turns = Turns(keeper, tally)
        self._again: set[str] = set()

    def halt(self) -> None:
        """Begin no further attempt, and wait for nobody."""
        self._requester.halt()
        self._turns.halt()
        self._budget.halt()

    def lose_store(self, error: StoreError) -> Failure:
        self.halt()
        return self._store_failure.begin(error)

    def stored(self, key: str, model: Model, prompt: str) -> Reply | Failure | None:
        """The reply that is in the store, which a cap counts; None where the model has to be asked."""
        if model.simulated:
            return None
        try:
            reply, to_ask_again = self._keeper.get(key)
        except StoreError as error:
            return self.lose_store(error)
        if to_ask_again:
            self._again.add(key)
            self._tally.again = len(self._again)
        if reply is None:
            return None
        priced = self._prices.priced(model, replace(reply, sent=as_told_now(reply.sent)))
        if priced.stored:
            self._budget.count([stored_cost_of(key, model, prompt, priced)])
        return priced

    async def obtain(self, key: str, model: Model, prompt: str, *, announced: bool) -> Reply | Failure:
        """The reply from the store, which another run may have filled meanwhile, or from the model.

        Whoever asks for what was `announced` waits for this very reply; what was not may be asked again.
        """
        if model.simulated:
            return await self._requester.request(model, prompt)
        try:
            async with self._turns.turn(key) as mine:
                return await self._obtain_in_turn(key, model, prompt, announced) if mine else NEVER_ASKED
        except StoreError as error:
            return self.lose_store(error)

    async def _obtain_in_turn(self, key: str, model: Model, prompt: str, announced: bool) -> Reply | Failure:
        stored = self.stored(key, model, prompt)
        if stored is not None:
            return stored
        outcome = await self._requester.request(model, prompt)
        if isinstance(outcome, Failure):
            return outcome
        priced = self._prices.priced(model, outcome)
        self._tally.paid(priced)
        await self._keep(key, outcome, announced)
        return priced

    async def _keep(self, key: str, reply: Reply, announced: bool) -> None:
        try:
            await self._keeper.put(key, reply, announced=announced)
        except StoreError as error:
            self.lose_store(error)
        self._tally.unsaved, self._tally.kept = len(self._keeper.unsaved()), self._keeper.kept
