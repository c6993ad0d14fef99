"""What bounds the asking of a whole run, whatever the number of workers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    prompt_usd: float
    completion_usd: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """US dollars for so many tokens."""
        return (prompt_tokens * self.prompt_usd + completion_tokens * self.completion_usd) / 1_000_000


@dataclass(frozen=True, slots=True)
class AskingLimits:
    """How much is asked at once, how often it is tried, and what it may cost; None sets no bound.

    `concurrency` counts requests in flight, `timeout_s` bounds one request; `retries` are further attempts per
    question. Requests and tokens per minute, money and tokens in all hold for the
    whole run, the judge included. `price` stands in for prices that nobody knows.
    """

    concurrency: int = 16
    timeout_s: float = 600.0
    retries: int = 3
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    max_cost_usd: float | None = None
    max_tokens: int | None = None
    price: Price | None = None

    @property
    def is_capped(self) -> bool:
        """Whether money or tokens are bounded."""
        return self.max_cost_usd is not None or self.max_tokens is not None
