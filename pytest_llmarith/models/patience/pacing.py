"""Requests and tokens per minute. It knows no loop; its clock is given to it.

What is allowed in a minute is spread evenly over it: whoever takes five tokens makes the next one wait as long as five
tokens may take. So no minute, wherever it begins, gets more, and no provider sees a burst.
"""

from __future__ import annotations

from collections.abc import Callable

from pytest_llmarith.models.tokens import about_tokens, sent_bound
from pytest_llmarith.values import AskingLimits, Model, Reply

# Before any reply has come, and where the request itself sets no limit.
UNKNOWN_COMPLETION = 1_000
_MINUTE_S = 60.0


class Flow:
    """So much a minute, or as much as anybody likes."""

    def __init__(self, per_minute: int | None, clock: Callable[[], float]) -> None:
        self._each_s = _MINUTE_S / per_minute if per_minute else 0.0
        self._clock = clock
        self._free_at = clock()

    def wait_s(self) -> float:
        """How long until something may be taken."""
        return max(0.0, self._free_at - self._clock())

    def take(self, amount: int) -> None:
        self._free_at = max(self._free_at, self._clock()) + amount * self._each_s

    def correct(self, amount: int) -> None:
        """So much more, or less, was taken than was said."""
        self._free_at += amount * self._each_s


class Pace:
    """When the next request of a run may set out."""

    def __init__(self, limits: AskingLimits, clock: Callable[[], float]) -> None:
        self._requests = Flow(limits.requests_per_minute, clock)
        self._tokens = Flow(limits.tokens_per_minute, clock)

    def wait_s(self) -> float:
        return max(self._requests.wait_s(), self._tokens.wait_s())

    def take(self, tokens: int) -> None:
        """A request sets out that is going to use about so many tokens."""
        self._requests.take(1)
        self._tokens.take(tokens)

    def correct(self, tokens: int) -> None:
        """It used so many more, or less."""
        self._tokens.correct(tokens)


class Usage:
    """What a model's requests use, as far as can be told before they do."""

    def __init__(self) -> None:
        self._replies = 0
        self._completion = 0

    def expected(self, model: Model, prompt: str) -> int:
        """Tokens: of the prompt by its length, of the reply as many as usual or as the request allows."""
        return about_tokens(model, prompt) + self._completion_of(model)

    def learn(self, reply: Reply) -> int | None:
        """How many tokens a reply used, where its provider says so."""
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            return None
        self._replies += 1
        self._completion += reply.completion_tokens
        return reply.prompt_tokens + reply.completion_tokens

    def _completion_of(self, model: Model) -> int:
        if self._replies:
            return round(self._completion / self._replies)
        return sent_bound(model) or UNKNOWN_COMPLETION
