"""Parts of a selection that different machines take."""

from __future__ import annotations

from dataclasses import dataclass

MOST_SHARDS = 10_000


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` parts; `index` counts from 1."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"shard {self.index} of {self.count}"
