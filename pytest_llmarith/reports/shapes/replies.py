"""The shapes of what came back: a part of a record, also of what a judge and a search were told."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict


class Reply(TypedDict):
    """What came back from the model; null is what nobody said."""

    text: str
    reasoning: str | None
    finish_reason: str | None
    served_model: str | None
    """The model that the provider says it was."""
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None
    own_price: NotRequired[bool]
    """Whether the cost is at the price that the run was given."""
    latency_s: float | None
    """Seconds of the request that succeeded."""
    attempts: int
    """Requests, the failed ones too."""
    stored: bool
    """Whether it came from the store of an earlier run; it keeps that run's latency, cost and date."""
    asked_at: str | None
    """When the request began, in ISO 8601."""
    sent: dict[str, Any] | None
    """What the request held, without keys."""


class Usage(TypedDict):
    """What is known of a reply whose words are not kept."""

    served_model: str | None
    """Null also where it is longer than names are."""
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None
    own_price: bool
    latency_s: float | None
    attempts: int
    stored: bool
    asked_at: str | None


class Retry(TypedDict):
    """A further attempt of this run."""

    reason: str
    """Why the attempt before it failed."""
    waited_s: float
