"""What a store holds, counted, and how it is trimmed. It does not know who asks, nor what a key is made of.

A store may be larger than the memory: its replies are looked at one by one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_llmarith.models.keeping.claims import alone
from pytest_llmarith.models.keeping.store import Store, StoreError


@dataclass
class Holding:
    """What a store holds of one model at one base URL; `None` is what no reply says."""

    model: str
    api_base: str | None
    replies: int = 0
    first: str | None = None
    last: str | None = None
    cost_usd: float | None = None
    unpriced: int = 0
    tokens: int | None = None

    def count(self, asked_at: str | None, reply: Mapping[str, Any]) -> None:
        """Raises TypeError where the reply is damaged."""
        cost = reply.get("cost_usd")
        cost_usd = _sum(self.cost_usd, cost)
        tokens = _sum(_sum(self.tokens, reply.get("prompt_tokens")), reply.get("completion_tokens"))
        self.replies, self.cost_usd, self.tokens = self.replies + 1, cost_usd, tokens
        self.unpriced += cost is None
        if asked_at is not None:
            self.first = min(self.first or asked_at, asked_at)
            self.last = max(self.last or asked_at, asked_at)


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a store holds, models by name; `damaged` replies are in no holding."""

    holdings: tuple[Holding, ...]
    damaged: int

    @property
    def total(self) -> int:
        return self.damaged + sum(holding.replies for holding in self.holdings)


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which replies to take out: those of any of these models, if any is named, asked before a time, if one is."""

    models: Sequence[str] = ()
    before: str | None = None

    def as_sql(self) -> tuple[str, list[str]]:
        """A condition, and what stands in the place of its question marks. A reply without a date is never too old."""
        conditions, values = ["1"], list[str]()
        if self.models:
            conditions.append(f"model IN ({','.join('?' * len(self.models))})")
            values += self.models
        if self.before is not None:
            conditions.append("asked_at < ?")
            values.append(self.before)
        return " AND ".join(conditions), values


def size_of(path: Path) -> int:
    """Bytes on disk, with what SQLite has beside the file."""
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))


def inventory(store: Store, criteria: Criteria = Criteria()) -> Inventory:  # it is frozen
    """Count the replies that fulfil the criteria. Raises StoreError."""
    holdings: dict[tuple[str, str | None], Holding] = {}
    damaged = 0
    for model, asked_at, row in store.rows(*criteria.as_sql()):
        try:
            reply = json.loads(row)
            place = str(model), reply["sent"]["api_base"]
            holdings.setdefault(place, Holding(*place)).count(asked_at, reply)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            damaged += 1
    return Inventory(tuple(holdings[place] for place in sorted(holdings, key=_by_name)), damaged)


@dataclass(frozen=True, slots=True)
class Pruned:
    """What went, and why the file is as large as it was, where it is."""

    went: Inventory
    still_large: str | None = None


def prune(path: Path, criteria: Criteria) -> Pruned:
    """Take replies out, and give their room back to the disk.

    Raises StoreError, also where a run uses the store: it would find replies vanishing.
    """
    with alone(path), closing(Store(path)) as store:
        went = inventory(store, criteria)
        store.delete(*criteria.as_sql())
        try:
            store.compact()
        except StoreError as error:
            return Pruned(went, str(error))
    return Pruned(went)


def _by_name(place: tuple[str, str | None]) -> tuple[str, str]:
    model, api_base = place
    return model, api_base or ""


def _sum(sum_so_far: Any, more: Any) -> Any:
    return sum_so_far if more is None else (sum_so_far or 0) + more
