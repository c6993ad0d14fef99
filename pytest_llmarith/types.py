"""Shared types: enumerations, prompt configs, models, questions, limits.

Numbers of any size are decimal text: JSON readers would round them, and pytest-xdist
does not transport `Decimal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Literal

import msgspec

from pytest_llmarith.exact.digits import Decimals, Exact, Tolerance
from pytest_llmarith.exact.enums import Dtype as Dtype
from pytest_llmarith.exact.enums import ErrorClass as ErrorClass
from pytest_llmarith.exact.enums import Op as Op

# --- enumerations ---------------------------------------------------------------------


class Outcome(StrEnum):
    """The outcome of one trial.

    All except `UNANSWERED` are measurements of the model.
    """

    CORRECT = "correct"
    DEVIATE = "deviate"
    NAN = "nan"
    CHEAT = "cheat"
    UNANSWERED = "unanswered"


class NanReason(StrEnum):
    """Why a reply to any task holds no answer; a task may have further reasons."""

    EMPTY = "empty"
    TRUNCATED = "truncated"
    REPETITION = "repetition"
    REFUSAL = "refusal"
    FILTERED = "filtered"
    UNREADABLE = "unreadable"


# What must be right of an answer to arithmetic: all of an integer, four decimals of a
# fixed-point number.
TOLERANCES: Mapping[Dtype, Tolerance] = {Dtype.INT: Exact(), Dtype.FLOAT: Decimals(4)}


class Reading(StrEnum):
    """Which answer is graded.

    `STRICT`: the reply, if it is a bare number. `TOLERANT`: the final answer that the
    reply states.
    """

    STRICT = "strict"
    TOLERANT = "tolerant"


class Symbols(StrEnum):
    """How the operator signs of a prompt are written."""

    ASCII = "ascii"
    UNICODE = "unicode"


class NumberFormat(StrEnum):
    """The separator between groups of three digits in a prompt's numbers."""

    PLAIN = "plain"
    COMMA = "comma"
    SPACE = "space"

    def write(self, number: str) -> str:
        """A decimal text with its integer digits in groups of three; decimals are not
        grouped.
        """
        whole, point, decimals = number.partition(".")
        sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
        groups = [digits[max(0, end - 3) : end] for end in range(len(digits), 0, -3)]
        return (
            sign
            + {"plain": "", "comma": ",", "space": " "}[self].join(reversed(groups))
            + point
            + decimals
        )


class StoreMode(StrEnum):
    """How a run uses the store of replies.

    `ON` reads and writes it, `REFRESH` only writes, `OFF` does neither, `ONLY` reads it
    and sends no requests.
    """

    ON = "on"
    REFRESH = "refresh"
    OFF = "off"
    ONLY = "only"


class SearchEnd(StrEnum):
    """Why a search for the simplest wrong answer ended, or asking for D50 (the last
    three).
    """

    SHRUNK = "shrunk"
    BUDGET = "budget"
    NOTHING_FOUND = "nothing found"
    NOT_REPRODUCED = "not reproduced"
    UNANSWERED = "unanswered"
    REACHED = "reached"
    NOT_REACHED = "not reached"


# --- prompt configs -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Condition:
    """A prompt condition: number format, operator signs, filler context, template and
    system prompt.

    `context` is the length of the filler text before the question in tokens, such as
    `2k`; `prompt` is the name of a template and `system` the name of a system prompt,
    if a run has several. None is the task's default.
    """

    numbers: NumberFormat = NumberFormat.PLAIN
    symbols: Symbols = Symbols.ASCII
    context: str | None = None
    prompt: str | None = None
    system: str | None = None

    @property
    def label(self) -> str:
        """The differences from the default condition, such as
        `numbers_comma-context_2k`; empty for the default.
        """
        parts = []
        for axis in AXES:
            value = getattr(self, axis)
            if value != getattr(DEFAULT_CONDITION, axis):
                parts.append(f"{axis}_{value}")
        return "-".join(parts)

    def only(self, axes: frozenset[str]) -> Condition:
        """The condition with all axes except these set to the default."""
        return replace(
            Condition(),
            **{axis: value for axis, value in asdict(self).items() if axis in axes},
        )

    def fields(self) -> dict[str, str | None]:
        """The condition as a record stores it, as builtins."""
        return {axis: value and str(value) for axis, value in asdict(self).items()}


DEFAULT_CONDITION = Condition()
AXES = tuple(axis.name for axis in fields(Condition))


@dataclass(frozen=True, slots=True)
class PromptConfig:
    """The condition of a trial, and its repeat number, counted from 0."""

    condition: Condition = DEFAULT_CONDITION
    repeat: int = 0

    def __repr__(self) -> str:
        return f"<{self.label.removeprefix('-') or 'usual'}>"

    @property
    def label(self) -> str:
        """The suffix of a pytest id, such as `-numbers_comma-repeat_3`; empty for
        repeat 0 in the default condition.
        """
        parts = (self.condition.label, f"repeat_{self.repeat}" if self.repeat else "")
        return "".join(f"-{part}" for part in parts if part)

    def coordinates(self) -> dict[str, str | int | None]:
        """The arguments of pytest's mark `cell`."""
        return {**self.condition.fields(), "repeat": self.repeat}


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` parts of a selection; `index` counts from 1."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"shard {self.index} of {self.count}"


# --- models, questions, failures ------------------------------------------------------

FAKE_PROVIDER = "llmarith"
FUNCTION_PREFIX = "python:"
COMPLETION_PREFIX = "text-completion-"  # of litellm's providers
NEXT_QUESTION = "\nQuestion:"  # where a base model goes on after its answer
REPLY_LIMITS = ("max_completion_tokens", "max_tokens")
_CHARACTERS_PER_TOKEN = 4  # 4.0 to 4.5 in the benches' prompts, for gpt-4o and Claude


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A message of a prompt or of a request."""

    role: Literal["system", "user", "assistant"]
    content: str


Prompt = str | tuple[Message, ...]  # a text is one message of the user


def messages_of(prompt: Prompt) -> tuple[Message, ...]:
    """The messages of a prompt."""
    return (Message("user", prompt),) if isinstance(prompt, str) else prompt


def text_of(messages: Sequence[Message]) -> str:
    """Messages as one text: a single one of the user as it is, others with their
    roles.
    """
    if [one.role for one in messages] == ["user"]:
        return messages[0].content
    return "\n\n".join(f"{one.role}: {one.content}" for one in messages)


def few_shot_text(messages: Sequence[Message]) -> str:
    """Messages as the text that a base model continues, in the form of
    lm-evaluation-harness: the system prompt, then questions with their answers, and
    `Answer:` after the last question.

    A single question that ends in `:` or `=` is its own form, and stays as it is.
    """
    turns = without_system(messages)
    is_whole = len(turns) == 1 and turns[0].content.rstrip().endswith((":", "="))
    parts = []
    for one in messages:
        if one.role == "user" and not is_whole:
            parts.append(f"Question: {one.content}\nAnswer:")
        elif one.role == "assistant" and parts:
            parts[-1] += f" {one.content}"
        elif one.content:
            parts.append(one.content)
    return "\n\n".join(parts)


def without_system(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages without system prompts."""
    return tuple(one for one in messages if one.role != "system")


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file of llama.cpp (GGUF), and how llama.cpp's server answers from it.

    `context` is the most tokens of a question and its reply together, `slots` the most
    questions answered at once, `batch` the most tokens read at once. `memory_bytes` is
    an estimate of what the server takes, `weights` are their type, such as Q4_1, and
    `build` is the server's package.
    """

    path: str
    size_bytes: int
    sha256: str
    context: int
    slots: int
    threads: int
    memory_bytes: int
    batch: int
    weights: str | None = None
    build: str | None = None

    @property
    def address(self) -> str:
        """What stands for the server's address in records and keys: all of the file
        that can change a reply.
        """
        return (
            f"gguf:sha256={self.sha256},bytes={self.size_bytes},context={self.context}"
        )


@dataclass(frozen=True, slots=True)
class Servers:
    """The addresses at which a model is served, and the file that has them, if it may
    change.
    """

    addresses: tuple[str, ...]
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """One model of a run: its name, and everything that is sent with a prompt.

    `target` is a litellm model string; `params` are the request parameters that the
    user set, as JSON values. If it has `servers`, `api_base` stands for all of them in
    records and keys. `grades` marks a model that a grader asks; it is not
    measured. `file` is set if a server that
    this run starts answers from a file. `price` is the user's, in place of the listed
    one. `known` is what a fake model may reply to the question, the right reply first.
    """

    name: str
    target: str
    params: Mapping[str, Any] = field(default_factory=dict)
    api_base: str | None = None
    system_prompt: str | None = None
    grades: bool = False
    file: ModelFile | None = None
    price: Price | None = None
    known: tuple[str, ...] = ()
    servers: Servers | None = None

    def __repr__(self) -> str:
        """What reports of other plugins show, as of the other parameters."""
        return f"<{self.name}>"

    @property
    def simulated(self) -> bool:
        """Whether this is a fake model of this package."""
        return self.target.startswith(f"{FAKE_PROVIDER}/")

    @property
    def is_function(self) -> bool:
        """Whether a function in Python replies."""
        return self.target.startswith(FUNCTION_PREFIX)

    @property
    def is_local(self) -> bool:
        """Whether the run itself replies, and not a server that was there before."""
        return self.simulated or self.is_function or self.file is not None

    @property
    def is_completion(self) -> bool:
        """Whether it continues a text, and is not asked as a chat."""
        return self.target.startswith(COMPLETION_PREFIX)

    @property
    def served_as(self) -> str:
        """Its name in a request of OpenAI's protocol."""
        return self.target.removeprefix(COMPLETION_PREFIX).removeprefix("openai/")

    @property
    def path(self) -> str:
        """What OpenAI's protocol appends to its base URL."""
        return "/completions" if self.is_completion else "/chat/completions"

    @property
    def reply_limit(self) -> int | None:
        """The reply limit that its requests set in tokens, or None; the larger one, as
        servers may obey either.
        """
        limits = []
        for name in REPLY_LIMITS:
            most = self.params.get(name)
            if type(most) is int and most > 0:
                limits.append(most)
        return max(limits, default=None)

    def for_question(self, question: Question) -> Model:
        """The model with the question's system prompt, and a seed for its repeat.

        A fake model gets what it may reply, and always has a seed. It replies alike if
        a search asks a question again.
        """
        model = self
        seed = self.params.get("seed", 0 if self.simulated else None)
        # A negative seed asks a server for a random one.
        if question.repeat and type(seed) is int and seed >= 0:
            params = {**self.params, "seed": seed + question.repeat}
            model = replace(model, params=params)
        if self.simulated:
            model = replace(model, known=question.known)
        if question.system_prompt is None:
            return model
        return replace(model, system_prompt=question.system_prompt)

    def said(self, prompt: Prompt) -> tuple[Message, ...]:
        """What is said to the model, in one message if it is a completion.

        Its system prompt replaces that of the prompt.
        """
        said = messages_of(prompt)
        if self.system_prompt is not None:
            said = Message("system", self.system_prompt), *without_system(said)
        if self.is_completion:
            return (Message("user", few_shot_text(said)),)
        return said

    def messages(self, prompt: Prompt) -> list[dict[str, str]]:
        """The messages of a request."""
        return [{"role": one.role, "content": one.content} for one in self.said(prompt)]

    def about_tokens(self, prompt: Prompt) -> int:
        """The estimated number of tokens sent."""
        return -(
            -sum(len(message.content) for message in self.said(prompt))
            // _CHARACTERS_PER_TOKEN
        )


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt for a model.

    Two trials with the same prompt are two questions, and so are two repeats.

    `system_prompt` replaces the model's own unless it is None. `before` counts how
    often a search has already asked the same question. `known` is what a fake model may
    reply, the right reply first.
    """

    model: str
    prompt: Prompt
    trial: int
    repeat: int = 0
    system_prompt: str | None = None
    before: int = 0
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retry:
    """A retry: why the previous request failed, in one line, and the seconds waited
    before this one.
    """

    reason: str
    waited_s: float


class FailureCode(StrEnum):
    """The kind of a failure, by which failures are counted together.

    `FAILED`: the requests of the question. `NO_TEXT`: the response is in a form that
    holds no text. `BUDGET`: no money or tokens were left. `STOPPED`: the failure of
    another question ended the run. `NOT_ASKED`: the run ended before. `GRADE`: the task
    returned no grade of the reply.
    """

    FAILED = "failed"
    NO_TEXT = "no text"
    BUDGET = "budget"
    STOPPED = "run stopped"
    NOT_ASKED = "not asked"
    GRADE = "invalid grade"

    def sentence(self, message: str) -> str:
        """The message as it is shown."""
        if self in (FailureCode.BUDGET, FailureCode.STOPPED):
            return f"{self}: {message}"
        return message


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a question got no reply.

    A failure is never a measurement. `message` is one line without keys.

    `stops_run` is set if every other question would fail as well, as with a refused key
    or an unknown model.
    """

    message: str
    attempts: int = 0
    stops_run: bool = False
    retries: tuple[Retry, ...] = ()
    code: FailureCode = FailureCode.FAILED


class Unanswered(Exception):
    """A question got no reply."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Throttled:
    """A model that answered 429: how often its concurrency was lowered, the lowest and
    the maximum value.
    """

    target: str
    halved: int
    lowest: int
    most: int


@dataclass(frozen=True, slots=True)
class RequestTotals:
    """Counts of announced questions, requests and replies, and their known cost.

    `answered` counts replies over the network, `stored` those from the store, `failed`
    questions without a reply, `unpriced` replies of unknown price, `retrying` questions
    that wait for their next attempt. `retries` counts retries by reason; `throttled`
    lists the models whose concurrency was lowered. `kept` counts replies that were
    stored, `unsaved` those that could not be. `stored_usd` is the original cost of the
    replies from the store. `lost` counts requests without a reply that may have been
    billed, for at most `lost_usd`. `by_graders` counts replies of models that
    grade, which otherwise appear only in requests, cost and kept. `incomplete` is set
    if the process that asks ended before it reported its last counts, so that these are
    too low.
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
    by_graders: int = 0
    kept: int = 0
    stored_usd: float | None = None
    lost: int = 0
    lost_usd: float = 0.0
    incomplete: bool = False


@dataclass(frozen=True, slots=True)
class Progress(RequestTotals):
    """The totals of a run in progress.

    `held` counts questions that wait for the budget or a rate limit. `waiting_for`
    counts the questions that wait for a retry, by reason; the next retry is due in
    `next_try_s` seconds.
    """

    cost_usd: float = 0.0
    stored_usd: float = 0.0
    held: int = 0
    waiting_for: Mapping[str, int] = field(default_factory=dict)
    next_try_s: float | None = None


# --- limits, prices and the plan ------------------------------------------------------


_DOLLARS = re.compile(r"\d{1,9}(\.\d{1,9})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    prompt_usd: float
    completion_usd: float

    @staticmethod
    def parse(text: str) -> Price:
        """`IN,OUT`. Raises ValueError."""
        amounts = [part.strip() for part in text.split(",")]
        if len(amounts) == 2 and all(map(_DOLLARS.fullmatch, amounts)):
            return Price(*map(float, amounts))
        raise ValueError(
            f"{text!r} is not IN,OUT; write the US dollars per million prompt and "
            f"completion tokens: 1.1,4.4"
        )

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """The cost of this many tokens in US dollars."""
        return (
            prompt_tokens * self.prompt_usd + completion_tokens * self.completion_usd
        ) / 1_000_000


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits for all requests of a run, across all workers; None means no limit.

    `concurrency` limits requests in flight, which 429s lower unless it is `fixed`,
    `timeout_s` one request, `retries` the retries per question. `price` is used for
    models without a listed price.
    """

    concurrency: int = 16
    fixed: bool = False
    timeout_s: float = 600.0
    retries: int = 3
    requests_per_minute: int | None = None
    max_cost_usd: float | None = None
    max_tokens: int | None = None
    price: Price | None = None
