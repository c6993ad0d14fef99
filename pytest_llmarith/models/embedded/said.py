"""What an embedded model says, before it is billed. It does not know what was asked."""

from __future__ import annotations

import re
from dataclasses import dataclass

LIMIT = 4096  # tokens that a reply may have
_TOKEN = re.compile(r"\d{1,3}|[^\W\d_]{1,6}|[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class Said:
    """What came out of a model; `unseen` counts tokens that it thought without showing them."""

    text: str
    reasoning: str | None = None
    finish_reason: str = "stop"
    unseen: int = 0


def cut_at_limit(text: str) -> Said:
    """A reply that ends where the allowance did."""
    return Said(text, finish_reason="length", unseen=max(0, LIMIT - tokens(text)))


def tokens(text: str) -> int:
    """Roughly a tokenizer: three digits, a short word or a sign each."""
    return sum(1 for _ in _TOKEN.finditer(text))
