"""What a run may cost: all requests in flight, each at its worst case, fit into what the caps leave.

It lives on one loop. Spent are replies at their price, the stored ones of the selection too, and the worst case of
requests that may have been billed and brought no reply.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pytest_llmarith.models.patience.retrying import Over, OverBudget
from pytest_llmarith.models.spending.billing import may_be_billed
from pytest_llmarith.models.spending.caps import Cap, caps_of, unbounded
from pytest_llmarith.models.spending.estimates import Amount, amount_of, picodollars, usd, worst_case
from pytest_llmarith.models.spending.prices import Prices
from pytest_llmarith.models.spending.stored_costs import StoredCost
from pytest_llmarith.values import AskingLimits, Fit, Model, Reply
from pytest_llmarith.values.asking import OVER_BUDGET

Request = tuple[Model, str]


@dataclass(frozen=True, slots=True)
class Reservation:
    """Room for one request; `most` is nothing if the run has no cap."""

    model: Model
    prompt: str
    most: Amount


class Budget:
    """Lets requests through while they fit, makes them wait while they may fit later, and refuses them otherwise."""

    def __init__(
        self, limits: AskingLimits, prices: Prices, on_loss: Callable[[float], None] = lambda most_usd: None
    ) -> None:
        """`on_loss` hears of every request that may have been billed without a reply, and of how much."""
        self._limits = limits
        self._prices = prices
        self._caps = list(caps_of(limits))
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
        """Let no further request through; those that wait are told."""
        self._halted = True
        self._wake()

    def count(self, spent: Iterable[StoredCost]) -> None:
        """Stored replies have cost what they cost, each of them once; without token counts it is their worst case."""
        for one in spent if self._caps else ():
            if one.key not in self._counted and not one.model.simulated:
                self._counted.add(one.key)
                if one.tokens is None:
                    self._spent += worst_case(self._prices, one.model, one.prompt)
                else:
                    self._spent += Amount(picodollars(one.cost_usd or 0.0), one.tokens)

    def fits(self, requests: Iterable[Request]) -> list[Fit]:
        """How many of these requests fit at once, for each cap."""
        real = [(model, prompt) for model, prompt in requests if not model.simulated] if self._caps else []
        return [self._fit(cap, real) for cap in self._caps if real]

    # --- one request ------------------------------------------------------------------------------------------------

    async def reserve(self, model: Model, prompt: str) -> Reservation:
        """Wait until a request fits. Raises `OverBudget` if it never will, `Over` if the run ends."""
        if model.simulated or not self._caps:
            return Reservation(model, prompt, Amount())
        if (why := unbounded(self._limits, model, self._prices.terms(model))) is not None:
            raise OverBudget(f"{OVER_BUDGET}{why}")
        most = worst_case(self._prices, model, prompt)
        while not self._halted and (cap := self._in_the_way(most)) is not None:
            if not self._in_flight:
                raise OverBudget(self._refusal(cap, model))
            await self._changed.wait()
        if self._halted:
            raise Over
        self._reserved += most
        self._in_flight += 1
        return Reservation(model, prompt, most)

    def pay(self, reservation: Reservation, reply: Reply) -> None:
        """A reply arrived; one whose tokens are unknown counts with its worst case."""
        if self._caps and not reservation.model.simulated:
            amount = amount_of(self._prices, reservation.model, reply)
            self._spent += reservation.most if amount is None else amount

    def fail(self, reservation: Reservation, error: BaseException) -> None:
        """No reply arrived; a request that may have been billed all the same counts with its worst case."""
        if reservation.model.simulated or not may_be_billed(error):
            return
        most = worst_case(self._prices, reservation.model, reservation.prompt)
        self._lost += 1
        self._spent += most
        self._on_loss(usd(most))

    def release(self, reservation: Reservation) -> None:
        """The request has ended."""
        if self._caps and not reservation.model.simulated:
            self._reserved -= reservation.most
            self._in_flight -= 1
            self._wake()

    # --- room -------------------------------------------------------------------------------------------------------

    def _in_the_way(self, more: Amount) -> Cap | None:
        """The first cap that so much more could pass."""
        total = self._spent + self._reserved + more
        return next((cap for cap in self._caps if cap.part(total) > cap.most), None)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _refusal(self, cap: Cap, model: Model) -> str:
        """The same words for all questions to a model, so that they can be counted."""
        lost = f" (with {self._lost:,} requests without a reply, which may have been billed)" if self._lost else ""
        most = self._prices.terms(model).most_tokens or 0
        return (
            f"{OVER_BUDGET}{cap.option}: {cap.said(cap.part(self._spent))} spent{lost}, "
            f"and a request whose reply has up to {most:,} tokens may take more than is left"
        )

    def _fit(self, cap: Cap, requests: Sequence[Request]) -> Fit:
        wanted = min(self._limits.concurrency, len(requests))
        left = cap.most - cap.part(self._spent)
        worst = [cap.part(worst_case(self._prices, *request)) for request in requests]
        most = max(worst)
        at_once = max(int(min(worst) <= left), min(wanted, left // most if most else wanted))
        share = left // (wanted if at_once else 1)
        bound = None if at_once == wanted else min(self._bound(cap, share, *request) for request in requests)
        return Fit(cap.option, at_once, wanted, cap.said(most), bound if bound and bound > 0 else None)

    def _bound(self, cap: Cap, share: int, model: Model, prompt: str) -> int:
        """How many tokens a reply may have if its request is to take no more than a share of what is left."""

        def part(reply_tokens: int) -> int:
            return cap.part(worst_case(self._prices, model, prompt, reply_tokens))

        most = self._prices.terms(model).most_tokens or 0
        if part(0) > share or part(most) <= share:
            return 0 if part(0) > share else most
        bound = most * (share - part(0)) // (part(most) - part(0))
        return bound - (part(bound) > share)  # amounts are rounded
