"""What replies cost in money, tokens and seconds: sums, medians, and what nine of ten stay below.

It does not know who replied. An unknown amount is none: it is in no figure, and not 0.
"""

from __future__ import annotations

from array import array
from decimal import Decimal
from typing import Literal

from pytest_llmarith import records
from pytest_llmarith.records import LARGEST
from pytest_llmarith.results.statistics import WIDE, median_of_floats, quantile_of_sorted

Kind = Literal["cost_usd", "latency_s", "prompt_tokens", "completion_tokens", "reasoning_tokens"]
_TOKENS = ("prompt_tokens", "completion_tokens", "reasoning_tokens")
_KINDS: tuple[Kind, ...] = ("cost_usd", "latency_s", "prompt_tokens", "completion_tokens", "reasoning_tokens")


class Amounts:
    """Numbers of one kind. Their sum is exact: ten times ten cents is a dollar."""

    def __init__(self) -> None:
        self._amounts = array("d")
        self._sum = Decimal(0)

    def add(self, amount: float | None) -> None:
        if amount is not None and 0 <= amount <= LARGEST:
            self._amounts.append(amount)
            self._sum = WIDE.add(self._sum, Decimal(repr(amount)))

    def join(self, other: Amounts) -> None:
        self._amounts.extend(other._amounts)
        self._sum = WIDE.add(self._sum, other._sum)

    @property
    def known(self) -> int:
        """How many amounts there are."""
        return len(self._amounts)

    @property
    def total(self) -> Decimal | None:
        return self._sum if self._amounts else None

    @property
    def median(self) -> float | None:
        return median_of_floats(self._amounts)

    @property
    def p90(self) -> float | None:
        return quantile_of_sorted(sorted(self._amounts), 90)


class Spending:
    """The amounts of replies, by kind."""

    def __init__(self) -> None:
        self._replies = 0
        self._amounts = {kind: Amounts() for kind in _KINDS}

    def add(self, reply: records.Usage) -> None:
        self._replies += 1
        for kind, amounts in self._amounts.items():
            amounts.add(getattr(reply, kind))

    def join(self, other: Spending) -> None:
        self._replies += other._replies
        for kind, amounts in self._amounts.items():
            amounts.join(other._amounts[kind])

    @property
    def unpriced(self) -> int:
        """Replies that have no known cost."""
        return self._replies - self._amounts["cost_usd"].known

    def total(self, kind: Kind) -> float | None:
        total = self._amounts[kind].total
        if total is None:
            return None
        return int(total) if kind in _TOKENS else float(total)

    def tokens(self, kind: Kind) -> int | None:
        total = self._amounts[kind].total
        return None if total is None else int(total)

    def median(self, kind: Kind) -> float | None:
        return self._amounts[kind].median

    def part(self) -> records.Spending:
        """Per kind what is known of it; null where nothing is."""
        return {kind: self._part(kind) for kind in _KINDS}

    def _part(self, kind: Kind) -> records.Amounts | None:
        amounts, total = self._amounts[kind], self.total(kind)
        if total is None or amounts.median is None or amounts.p90 is None:
            return None
        return records.Amounts(total, amounts.median, amounts.p90, amounts.known)
