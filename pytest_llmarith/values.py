"""Room: the frozen values that the rooms hand each other. It knows nothing of any other room.

Numbers of any size travel as text: `Decimal`, `Fraction` and enums do not survive pytest-xdist's transport,
and readers of JSON would round them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar, Protocol

EMBEDDED_PROVIDER = "llmarith"


class Outcome(StrEnum):
    """What one trial came to. All but `UNANSWERED` measure the model."""

    CORRECT = "correct"
    DEVIATE = "deviate"
    NAN = "nan"
    CHEAT = "cheat"
    UNANSWERED = "unanswered"


class NanReason(StrEnum):
    """Why a reply holds no answer."""

    EMPTY = "empty"
    TRUNCATED = "truncated"
    REFUSAL = "refusal"
    FILTERED = "filtered"
    UNREADABLE = "unreadable"


class Reading(StrEnum):
    """How an answer is read: the reply as a bare number, or the final answer that the reply intends."""

    STRICT = "strict"
    TOLERANT = "tolerant"


class Symbols(StrEnum):
    """How the operator signs of a prompt are written."""

    ASCII = "ascii"
    UNICODE = "unicode"


class StoreMode(StrEnum):
    """What the store of replies is for in a run: read and written, only written, neither, or the only source."""

    ON = "on"
    REFRESH = "refresh"
    OFF = "off"
    ONLY = "only"


class Op(StrEnum):
    """An operation of the arithmetic task."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"


class Dtype(StrEnum):
    """The numbers of a problem: integers, or fixed point with two decimals (called float, after llm_arithmetic)."""

    INT = "int"
    FLOAT = "float"


class Problem(Protocol):
    """A question of a task, its identity and its expected answer."""

    @property
    def task(self) -> str: ...
    @property
    def trial(self) -> int: ...
    @property
    def dtype(self) -> Dtype: ...
    @property
    def operands(self) -> tuple[str, str]: ...
    @property
    def expected(self) -> str: ...
    @property
    def label(self) -> str:
        """The problem's part of a pytest id, such as `int_div-depth_7-trial_3`."""

    def coordinates(self) -> dict[str, str | int]:
        """What tells it from the other problems of its task, for marks and tables."""

    def fields(self) -> dict[str, str | int]:
        """The problem as it stands in a record: builtins only."""


@dataclass(frozen=True, slots=True)
class ArithmeticProblem:
    """`lhs op rhs` on integers or two-decimal fixed point; operands and expected answer are decimal text."""

    task: ClassVar[str] = "arithmetic"
    seed: int
    op: Op
    dtype: Dtype
    depth: int
    trial: int
    lhs: str
    rhs: str
    expected: str

    @property
    def variant(self) -> str:
        return f"{self.dtype}_{self.op}"

    @property
    def operands(self) -> tuple[str, str]:
        return self.lhs, self.rhs

    @property
    def label(self) -> str:
        return f"{self.variant}-depth_{self.depth}-trial_{self.trial}"

    def coordinates(self) -> dict[str, str | int]:
        return {
            "variant": self.variant,
            "op": str(self.op),
            "dtype": str(self.dtype),
            "depth": self.depth,
            "trial": self.trial,
        }

    def fields(self) -> dict[str, str | int]:
        return {
            "seed": self.seed,
            **self.coordinates(),
            "lhs": self.lhs,
            "rhs": self.rhs,
            "expected": self.expected,
        }


@dataclass(frozen=True, slots=True)
class AdditionProblem:
    """The sum of two integers of 2 to 30 digits; operands and expected answer are decimal text."""

    task: ClassVar[str] = "integer_addition"
    dtype: ClassVar[Dtype] = Dtype.INT
    seed: int
    trial: int
    int1: str
    int2: str
    expected: str

    @property
    def operands(self) -> tuple[str, str]:
        return self.int1, self.int2

    @property
    def label(self) -> str:
        return f"trial_{self.trial}"

    def coordinates(self) -> dict[str, str | int]:
        return {"trial": self.trial}

    def fields(self) -> dict[str, str | int]:
        return {
            "seed": self.seed,
            "trial": self.trial,
            "int1": self.int1,
            "int2": self.int2,
            "expected": self.expected,
        }


@dataclass(frozen=True, slots=True)
class Model:
    """One model of a run: its own name, and everything that is sent along with a prompt.

    `target` is a litellm model string; `params` are JSON-plain request parameters that somebody asked for.
    """

    name: str
    target: str
    params: Mapping[str, Any] = field(default_factory=dict)
    api_base: str | None = None
    system_prompt: str | None = None

    @property
    def simulated(self) -> bool:
        """Whether the replies come from this package and say nothing about a language model."""
        return self.target.startswith(f"{EMBEDDED_PROVIDER}/")


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt on its way to a model. Two trials with the same prompt are two questions."""

    model: str
    prompt: str
    trial: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back from a model. `None` means that nobody said: never 0, never NaN.

    `latency_s` is the wall time of the request that succeeded, `cost_usd` what it cost, `asked_at` its UTC start in
    ISO 8601; `attempts` counts requests, the failed ones too; `stored` says that it came from the store of an
    earlier run and keeps that run's latency, cost and date; `sent` is what the request really held.
    """

    text: str
    reasoning: str | None = None
    finish_reason: str | None = None
    served_model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float | None = None
    attempts: int = 1
    stored: bool = False
    asked_at: str | None = None
    sent: Mapping[str, Any] = field(default_factory=dict)

    def fields(self) -> dict[str, Any]:
        """The reply as it stands in a record: builtins only."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Failure:
    """No reply: an outage, never a measurement. `message` is one line for people and holds no key.

    `stops_run` is set where no other question could fare better: a refused key, an unknown model.
    """

    message: str
    attempts: int = 0
    stops_run: bool = False


@dataclass(frozen=True, slots=True)
class Readings:
    """Both readings of one text. `reason` says why the tolerant one is missing."""

    tolerant: Decimal | None
    strict: Decimal | None
    reason: NanReason | None = None


@dataclass(frozen=True, slots=True)
class Grade:
    """An answer against the expected one; the errors are text and stand only where the answer deviates.

    `absolute_error` is exact, `relative_error` has a few significant digits and is missing where the truth is 0;
    `rounded` says that the answer is the truth rounded to fewer decimals.
    """

    outcome: Outcome
    absolute_error: str | None = None
    relative_error: str | None = None
    rounded: bool | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Where the asking stands: questions announced, requests sent, replies by origin, money known so far.

    `answered` counts replies that arrived over the network, `stored` those from the store, `again` the stored ones
    that were asked anew on request, `failed` questions that ended without a reply, `unpriced` replies whose price is
    unknown, `retrying` questions that wait for their next attempt.
    """

    announced: int = 0
    announced_stored: int = 0
    requests: int = 0
    answered: int = 0
    stored: int = 0
    again: int = 0
    failed: int = 0
    in_flight: int = 0
    retrying: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
