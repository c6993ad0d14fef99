"""What goes to a model and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, fields
from typing import Any

EMBEDDED_PROVIDER = "llmarith"


@dataclass(frozen=True, slots=True)
class Model:
    """One model of a run: its own name, and everything that is sent along with a prompt.

    `target` is a litellm model string; `params` are JSON-plain request parameters that somebody asked for.
    `judge` is set where it is not measured itself, but judges what others replied.
    """

    name: str
    target: str
    params: Mapping[str, Any] = field(default_factory=dict)
    api_base: str | None = None
    system_prompt: str | None = None
    judge: bool = False

    @property
    def simulated(self) -> bool:
        """Whether the replies come from this package and say nothing about a language model."""
        return self.target.startswith(f"{EMBEDDED_PROVIDER}/")


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt on its way to a model. Two trials with the same prompt are two questions, and so are two repeats.

    `system_prompt` takes the place of the model's own; None leaves that as it is. `before` is how often a search has
    asked it before.
    """

    model: str
    prompt: str
    trial: int
    repeat: int = 0
    system_prompt: str | None = None
    before: int = 0


@dataclass(frozen=True, slots=True)
class Retry:
    """A further attempt: why the one before it failed, in one line for people, and how long it was waited since."""

    reason: str
    waited_s: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back from a model. `None` means that nobody said: never 0, never NaN.

    `latency_s` is the wall time of the request that succeeded, `cost_usd` what it cost, `asked_at` its UTC start in
    ISO 8601; `attempts` counts requests, the failed ones too; `stored` says that it came from the store of an
    earlier run and keeps that run's latency, cost and date; `own_price` says that the cost is at the price that the
    user gave, which holds for one run and is not kept; `sent` is what the request really held. `retries` are those of
    this run: they are no part of the reply that is kept.
    """

    text: str
    reasoning: str | None = None
    finish_reason: str | None = None
    served_model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    own_price: bool = False
    latency_s: float | None = None
    attempts: int = 1
    stored: bool = False
    asked_at: str | None = None
    sent: Mapping[str, Any] = field(default_factory=dict)
    retries: tuple[Retry, ...] = ()

    @property
    def tokens(self) -> int | None:
        """All tokens of request and reply, as far as they were counted."""
        counts = [count for count in (self.prompt_tokens, self.completion_tokens) if count is not None]
        return sum(counts) if counts else None

    def fields(self) -> dict[str, Any]:
        """The reply as it stands in a record and in the store: builtins only."""
        told = {name: getattr(self, name) for name in _TOLD}
        return told | {"sent": deepcopy(dict(self.sent)) if self.sent else {}}


# `dataclasses.asdict` takes ten times as long, and many thousand records are read at a time.
_TOLD = tuple(each.name for each in fields(Reply) if each.name != "retries")


@dataclass(frozen=True, slots=True)
class Failure:
    """No reply: an outage, never a measurement. `message` is one line for people and holds no key.

    `stops_run` is set where no other question could fare better: a refused key, an unknown model.
    """

    message: str
    attempts: int = 0
    stops_run: bool = False
    retries: tuple[Retry, ...] = ()


NEVER_ASKED = Failure("the run ended before this question was asked")
# How the message of a question begins that no money or no tokens were left for, and of one that another one's stopped.
OVER_BUDGET = "budget: "
RUN_STOPPED = "run stopped: "


@dataclass(frozen=True, slots=True)
class Throttled:
    """A model that answered 429: how often its places were halved, and how few of the `most` there were at worst."""

    target: str
    halved: int
    lowest: int
    most: int


@dataclass(frozen=True, slots=True)
class AskingTotals:
    """How many questions were announced, requests sent and replies received, and what is known of their cost.

    `answered` counts replies that arrived over the network, `stored` those from the store, `failed` questions that
    ended without a reply, `unpriced` replies whose price is unknown, `retrying` questions that wait for their next
    attempt. `retries` are further attempts by reason; `throttled` are the models whose concurrency was halved.
    `unsaved` counts replies that the store did not take, `kept` those that it took. `stored_usd` is what the stored
    replies had cost; `lost` are requests without a reply that may have been billed, for `lost_usd` at most. `judged`
    counts the replies of judges, which otherwise count in requests, cost and kept alone.
    """

    announced: int = 0
    announced_stored: int = 0
    requests: int = 0
    answered: int = 0
    stored: int = 0
    failed: int = 0
    in_flight: int = 0
    retrying: int = 0
    retries: Mapping[str, int] = field(default_factory=dict)
    throttled: tuple[Throttled, ...] = ()
    unsaved: int = 0
    cost_usd: float | None = None
    unpriced: int = 0
    judged: int = 0
    kept: int = 0
    stored_usd: float | None = None
    lost: int = 0
    lost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress(AskingTotals):
    """The totals while questions are asked, with their known cost so far.

    `held` are questions that wait for their turn. `waiting_for` counts the questions that wait for their next attempt
    by reason; the next attempt is due in `next_try_s`.
    """

    cost_usd: float = 0.0
    stored_usd: float = 0.0
    held: int = 0
    waiting_for: Mapping[str, int] = field(default_factory=dict)
    next_try_s: float | None = None
