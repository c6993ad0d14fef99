"""The shape of what a summary says of the run itself. It does not know who finds it out.

Of a merged run a fact is null where its runs do not share it.
"""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from pytest_llmarith.oeis.scoring import Rules
from pytest_llmarith.reports.shapes.problems import Condition
from pytest_llmarith.values import Reading, StoreMode


class Model(TypedDict):
    """A model of the run, and everything that is sent along with a prompt."""

    name: str
    target: str | None
    """litellm's name for it."""
    params: dict[str, Any] | None
    api_base: str | None
    system_prompt: str | None
    simulated: bool | None


class Price(TypedDict):
    """US dollars per million tokens, as they were given for models whose price nobody knows."""

    prompt_usd: float | None
    completion_usd: float | None


class Limits(TypedDict, total=False):
    """What bounded the asking; null sets no bound."""

    concurrency: int | None
    timeout_s: float | None
    retries: int | None
    requests_per_minute: int | None
    tokens_per_minute: int | None
    max_cost_usd: float | None
    max_tokens: int | None
    price: Price | None


class ProgramRules(TypedDict):
    """How programs were scored."""

    sets: list[str] | None
    """Null where those were taken that were there."""
    limits: list[float] | None
    """Seconds per term."""
    terms: int | None
    """At most so many terms were run; null is all."""
    memory_bytes: int | None
    rules: Rules | None
    static_judge: bool | None
    judge: Model | None


class Throttled(TypedDict):
    """A model that answered 429: how often its places were halved, and how few of the most there were at worst."""

    target: str
    halved: int
    lowest: int
    most: int


class Asking(TypedDict, total=False):
    """What the asking came to: questions, requests, replies by origin, and the money that is known."""

    announced: int
    announced_stored: int
    requests: int
    answered: int
    """Replies that arrived over the network."""
    stored: int
    """Replies from the store."""
    failed: int
    """Questions that ended without a reply."""
    in_flight: int
    retrying: int
    retries: dict[str, int]
    """Further attempts, by reason."""
    throttled: list[Throttled]
    unsaved: int
    """Replies that the store did not take."""
    cost_usd: float | None
    unpriced: int
    """Replies without a known price."""
    judged: int
    """Replies of judges, which otherwise count in requests, cost and kept alone."""
    kept: int
    """Replies of this run that are in the store."""
    stored_usd: float | None
    """What the stored replies had cost."""
    lost: int
    """Requests without a reply that may have been billed."""
    lost_usd: float
    """What these may have cost at most."""


class Search(TypedDict):
    """How every search for a breaking point was made."""

    budget: int | None
    """Questions that it could ask at most."""


class Shard(TypedDict):
    """Of which selection this run is a part."""

    index: int
    """From 1."""
    count: int
    dealt: int | None
    """Trials of this shard."""
    whole: int | None
    """Trials of all shards."""
    selection: str | None
    """A digest of the selection."""


class Part(TypedDict):
    """A run that was merged into this one."""

    id: str
    started_at: str
    finished_at: str
    selected: int | None
    stopped: str | None
    partial: bool | None
    exit_status: int | None
    shard: Shard | None


class Merged(TypedDict):
    """Of which runs this one was made."""

    runs: list[Part]
    replaced: int
    """Records without an answer in whose place another run's stands."""
    overlapping: int
    """Answers that a later run's replaced."""
    differing: list[str]
    """Facts that the runs do not share."""
    lacks: list[str]
    """What is missing, in words."""


class Git(TypedDict):
    """The project that the run was made in."""

    commit: str | None
    dirty: bool | None
    """Whether tracked files differed from the commit."""


class Wordings(TypedDict):
    """The texts behind the names in conditions; a system prompt of null is none."""

    templates: dict[str, str]
    systems: dict[str, str | None]


class Run(TypedDict):
    """Enough to know what was measured, and to measure it again. No keys."""

    id: str | None
    """The name of the run's folder."""
    started_at: str
    finished_at: str
    seed: int | None
    symbols: str | None
    """Operator signs, with commas where a run has several."""
    conditions: NotRequired[list[Condition] | None]
    """How questions were put, one after another."""
    wordings: NotRequired[Wordings | None]
    repeats: NotRequired[int | None]
    """How often every question was put."""
    search: NotRequired[Search | None]
    """Null where no search was asked for."""
    reading: Reading | None
    """The reading that the run asked for; null leaves it to each task."""
    store: StoreMode | None
    strict: bool | None
    versions: dict[str, str | None]
    models: list[Model]
    selected: int | None
    """Trials that were to be run."""
    stopped: str | None
    """Why the run was stopped; null where it was not."""
    partial: bool
    """Whether it was a `--lf` run, or was merged without something."""
    exit_status: int | None
    """pytest's, or 6 for a run that was stopped; null for a merged one."""
    asking: Asking | None
    limits: NotRequired[Limits | None]
    oeis: NotRequired[ProgramRules | None]
    shard: NotRequired[Shard | None]
    merged: NotRequired[Merged | None]
    git: NotRequired[Git | None]
    """Null where it is not known."""
