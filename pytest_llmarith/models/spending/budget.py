"""What a run may cost. No request starts that could pass a cap, given what was spent and what is in flight.

It lives on one loop and knows no schedule. What was spent are replies at their price, the stored ones of the selection
too, and estimates of those that may have been billed and never arrived.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, replace

from pytest_llmarith.models.spending.caps import Cap, caps_of, unpriced
from pytest_llmarith.models.spending.estimates import Amount, Estimates, picodollars, usd
from pytest_llmarith.models.spending.prices import Prices
from pytest_llmarith.models.spending.stored_costs import StoredCost
from pytest_llmarith.values import AskingLimits, Failure, Model, Reply
from pytest_llmarith.values.asking import NEVER_ASKED, OVER_BUDGET

# How the reason of a question begins that was not asked because there was no money or no tokens left for it.


class OverBudget(Exception):
    """A further attempt could pass a cap."""


@dataclass(slots=True)
class _Reservation:
    """Room for one request, of which some attempts may have been billed without a reply."""

    model: Model
    prompt: str
    estimate: Amount | None = None  # none was made where nothing is capped
    lost: int = 0
    refused: str | None = None


_MINE: ContextVar[_Reservation | None] = ContextVar("llmarith_reservation", default=None)


class Budget:
    """Lets requests through while they fit, makes them wait while they may fit later, and refuses them otherwise."""

    def __init__(
        self, limits: AskingLimits, prices: Prices, on_loss: Callable[[float], None] = lambda most_usd: None
    ) -> None:
        """`on_loss` hears of every attempt that may have been billed without a reply, and of how much."""
        self._prices = prices
        self._estimates = Estimates(prices)
        self._caps = list(caps_of(limits))
        self._has_money_cap = limits.max_cost_usd is not None
        self._spent = Amount()
        self._reserved = Amount()
        self._in_flight = 0
        self._counted: set[str] = set()
        self._lost = 0
        self._on_loss = on_loss
        self._halted = False
        self._changed = asyncio.Event()

    @property
    def spent(self) -> Amount:
        return self._spent

    @property
    def reserved(self) -> Amount:
        return self._reserved

    def halt(self) -> None:
        """Let nobody through any more; whoever waits is told."""
        self._halted = True
        self._wake()

    def count(self, spent: Iterable[StoredCost]) -> None:
        """Stored replies have cost what they cost, each of them once."""
        if self._caps:
            for one in spent:
                self._count(one)

    def _count(self, one: StoredCost) -> None:
        if one.key in self._counted or one.model.simulated:
            return
        self._counted.add(one.key)
        amount = Amount(picodollars(one.cost_usd or 0.0), one.tokens or 0)
        self._spent += amount
        if one.tokens and (one.cost_usd is not None or not self._has_money_cap):
            self._estimates.remember(one.model, one.prompt, amount)

    def refusal(self, questions: Iterable[tuple[Model, str]]) -> str | None:
        """Why not one of these requests could begin now; None where one could."""
        refusal = None
        for model, prompt in questions:
            if not self._caps or model.simulated:
                return None
            estimate = self._estimates.of(model, prompt)
            if (cap := self._in_the_way(estimate)) is None:
                return None
            refusal = refusal or self._refusal(cap, model, prompt, estimate)
        return refusal

    async def spend(
        self, model: Model, prompt: str, request: Callable[[], Awaitable[Reply | Failure]]
    ) -> Reply | Failure:
        """Make a request once it fits, and account for it; a failure that begins with `budget: ` if it never will."""
        if model.simulated:
            return await request()
        reservation = await self._reserve(model, prompt) if self._caps else _Reservation(model, prompt)
        if isinstance(reservation, Failure):
            return reservation
        token = _MINE.set(reservation)
        outcome: Reply | Failure = NEVER_ASKED
        try:
            outcome = await request()
        finally:
            _MINE.reset(token)
            self._settle(reservation, outcome)
        if reservation.refused is not None and isinstance(outcome, Failure):
            return replace(outcome, message=reservation.refused)
        return outcome

    # --- attempts -------------------------------------------------------------------------------------------------

    def begin_attempt(self) -> None:
        """A further attempt after one that may have been billed needs room again. Raises `OverBudget`."""
        mine = _MINE.get()
        if (
            mine is not None
            and mine.estimate is not None
            and mine.lost
            and (cap := self._in_the_way(Amount())) is not None
        ):
            mine.refused = self._refusal(cap, mine.model, mine.prompt, mine.estimate)
            raise OverBudget(mine.refused)

    def lose_attempt(self) -> None:
        """An attempt brought no reply, and may have been billed all the same: it counts with its estimate."""
        mine = _MINE.get()
        if mine is not None:
            mine.lost += 1
            self._lost += 1
            estimate = self._estimates.of(mine.model, mine.prompt) if mine.estimate is None else mine.estimate
            self._spent += estimate
            self._on_loss(usd(estimate))

    # --- room -----------------------------------------------------------------------------------------------------

    async def _reserve(self, model: Model, prompt: str) -> _Reservation | Failure:
        if self._has_money_cap and self._prices.terms(model).price is None:
            return Failure(f"{OVER_BUDGET}{unpriced(model)}")
        while True:
            estimate = self._estimates.of(model, prompt)
            if self._halted:
                return NEVER_ASKED
            if (cap := self._in_the_way(estimate)) is None:
                break
            if not self._in_flight:
                return Failure(self._refusal(cap, model, prompt, estimate))
            await self._changed.wait()
        self._reserved += estimate
        self._in_flight += 1
        return _Reservation(model, prompt, estimate)

    def _settle(self, reservation: _Reservation, outcome: Reply | Failure) -> None:
        if reservation.estimate is None:
            self._learn_unasked(reservation, outcome)
            return
        self._reserved -= reservation.estimate
        self._in_flight -= 1
        if isinstance(outcome, Reply):
            amount = self._estimates.learn(reservation.model, reservation.prompt, outcome)
            self._spent += reservation.estimate if amount is None else amount
        self._wake()

    def _learn_unasked(self, reservation: _Reservation, outcome: Reply | Failure) -> None:
        """Without caps a reply is of use where its price is known already: then a loss is not taken for too much."""
        if isinstance(outcome, Reply) and outcome.cost_usd is not None:
            self._estimates.learn(reservation.model, reservation.prompt, outcome)

    def _in_the_way(self, more: Amount) -> Cap | None:
        """The first cap that so much more could pass."""
        total = self._spent + self._reserved + more
        return next((cap for cap in self._caps if cap.part(total) > cap.most), None)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _refusal(self, cap: Cap, model: Model, prompt: str, estimate: Amount) -> str:
        spent, more = (cap.said(cap.part(amount)) for amount in (self._spent, estimate))
        lost = f" (with {self._lost:,} requests without a reply, which may have been billed)" if self._lost else ""
        message = f"{OVER_BUDGET}{cap.option}: {spent} spent{lost}, a request may take {more}"
        if not self._estimates.is_learned(model, prompt):
            message += " (the parameters max_tokens and max_completion_tokens bound it)"
        return message
