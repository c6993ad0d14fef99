"""What replies cost in money, tokens and seconds: sums, medians, and what nine of ten stay below.

It does not know who replied. An unknown amount is none: it is in no figure, and not 0.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pytest_llmarith.records import LARGEST
from pytest_llmarith.reports.statistics import WIDE, median_of_floats, quantile_of_sorted

_TOKENS = ("prompt_tokens", "completion_tokens", "reasoning_tokens")
KINDS = ("cost_usd", "latency_s", *_TOKENS)


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
        self._amounts = {kind: Amounts() for kind in KINDS}

    def add(self, reply: Mapping[str, Any]) -> None:
        self._replies += 1
        for kind, amounts in self._amounts.items():
            amounts.add(reply[kind])

    def join(self, other: Spending) -> None:
        self._replies += other._replies
        for kind, amounts in self._amounts.items():
            amounts.join(other._amounts[kind])

    @property
    def unpriced(self) -> int:
        """Replies that have no known cost."""
        return self._replies - self._amounts["cost_usd"].known

    def total(self, kind: str) -> float | None:
        total = self._amounts[kind].total
        if total is None:
            return None
        return int(total) if kind in _TOKENS else float(total)

    def median(self, kind: str) -> float | None:
        return self._amounts[kind].median

    def as_dict(self) -> dict[str, Any]:
        """Per kind what is known of it; null where nothing is."""
        return {
            kind: {
                "sum": self.total(kind),
                "median": amounts.median,
                "p90": amounts.p90,
                "known": amounts.known,
            }
            if amounts.known
            else None
            for kind, amounts in self._amounts.items()
        }
