"""Trials on the page: in compressed blocks that a browser opens one by one, all together within a budget.

Base64 is all that the page holds of a reply: whatever it says, it has no character that means anything to HTML.
It does not know what a trial is made of.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64decode, b64encode
from typing import Any

from pytest_llmarith.reports.jsonfiles import encode
from pytest_llmarith.reports.page.cutting import shortened

BLOCK = 400  # trials: a browser opens one in some milliseconds
BUDGET = 15_000_000  # bytes of all blocks, as they stand in the page
LONGEST = 20_000  # characters of a text, while the budget lasts
SHORTEST = 300


class Shelf:
    """Takes trials one by one. When they outgrow the budget, the longest texts of all of them are cut to half."""

    def __init__(self, budget: int = BUDGET, longest: int = LONGEST) -> None:
        self.longest = longest
        self._budget = budget
        self._open: list[bytes] = []
        self._blocks: list[bytes] = []
        self._size = 0

    def add(self, trial: Any) -> None:
        """Put one trial behind the others."""
        text = encode(trial)
        # What is short as a whole holds no long text.
        self._open.append(text if len(text) <= self.longest else encode(shortened(trial, self.longest)))
        if len(self._open) == BLOCK:
            self._close_block()

    def blocks(self) -> list[str]:
        """All blocks, as text that may stand in a page."""
        if self._open:
            self._close_block()
        return [block.decode("ascii") for block in self._blocks]

    def _close_block(self) -> None:
        self._blocks.append(_packed(b"[" + b",".join(self._open) + b"]"))
        self._size += len(self._blocks[-1])
        self._open = []
        while self._size > self._budget and self.longest > SHORTEST:
            self._squeeze()

    def _squeeze(self) -> None:
        self.longest = max(SHORTEST, self.longest // 2)
        self._blocks = [packed(shortened(unpacked(block), self.longest)) for block in self._blocks]
        self._size = sum(map(len, self._blocks))


def packed(value: Any) -> bytes:
    """JSON, compressed, in base64; the same for the same value, whenever it is packed."""
    return _packed(encode(value))


def _packed(text: bytes) -> bytes:
    return b64encode(gzip.compress(text, 6, mtime=0))


def unpacked(block: bytes) -> Any:
    """What was packed."""
    return json.loads(gzip.decompress(b64decode(block)))
