"""How the broker asks, and its plan of a run: what session and broker share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pytest_llmarith.types import Failure, FailureCode, Price


class Transport(StrEnum):
    """How questions to a server of one's own are sent.

    `DIRECT` posts them, `LITELLM` sends them through litellm, as those to all
    providers.
    """

    DIRECT = "direct"
    LITELLM = "litellm"


@dataclass(frozen=True, slots=True)
class ModelTerms:
    """A model's prices, its maximum reply length, and whether it may reason before it
    replies.

    None means unknown. `usual_price` is that of the default tier, at which a question
    for another tier may be served.
    """

    price: Price | None = None
    max_reply_tokens: int | None = None
    reasons: bool = False
    batch_price: Price | None = None
    usual_price: Price | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What the broker knows about the questions of a run before the first request.

    `stored` maps the index of a question to the tokens of its stored reply; `to_ask`
    holds the indices of the others, except `awaited`, those that are asked elsewhere
    already. `spent_usd` and `spent_tokens` are the original cost of the stored replies;
    `spent_unpriced` counts those of unknown price. `terms` covers the models to ask,
    `refused` says why a model has to be asked otherwise, or why a budget cannot be kept
    or admits no request. If the store cannot be read, only `error` is set.
    """

    stored: Mapping[int, int | None] = field(default_factory=dict)
    to_ask: tuple[int, ...] = ()
    awaited: tuple[int, ...] = ()
    spent_usd: float = 0.0
    spent_unpriced: int = 0
    spent_tokens: int = 0
    terms: Mapping[str, ModelTerms] = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    error: str | None = None


NEVER_ASKED = Failure(
    "the run ended before this question was asked", code=FailureCode.NOT_ASKED
)
AWAITED = "asked elsewhere; llmarith batch collect takes the reply"
