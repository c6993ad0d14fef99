"""The values that packages hand each other: words to choose from, models, questions, replies, limits, programs.

Numbers of any size are decimal text here: readers of JSON would round them, and pytest-xdist transports no `Decimal`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field, fields, replace
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

# --- outcomes, and other words to choose from -----------------------------------------------------------------------


class Outcome(StrEnum):
    """What became of one trial. All but `UNANSWERED` measure the model."""

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
    NO_PROGRAM = "no program"
    SYNTAX_ERROR = "syntax error"
    UNCOMPILABLE = "uncompilable"


class ErrorClass(StrEnum):
    """What is wrong with an answer that deviates: the first of these whose rule holds (docs/errors.md)."""

    ROUNDED = "rounded"
    SIGN = "sign"
    POWER_OF_TEN = "power of ten"
    OPERAND_ECHOED = "operand echoed"
    WRONG_OPERATION = "wrong operation"
    MISALIGNED = "misaligned"
    CARRY = "carry"
    GROUP_OF_THREE = "group of three"
    OTHER_LENGTH = "other length"
    TRANSPOSITION = "transposition"
    ONE_DIGIT = "one digit"
    TAIL = "tail"
    MIDDLE = "middle"
    SCATTERED = "scattered"
    UNRELATED = "unrelated"


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


class Reading(StrEnum):
    """Which answer is graded: the reply if it is a bare number, or the final answer that the reply states."""

    STRICT = "strict"
    TOLERANT = "tolerant"


class Symbols(StrEnum):
    """How the operator signs of a prompt are written."""

    ASCII = "ascii"
    UNICODE = "unicode"


class NumberFormat(StrEnum):
    """What stands between the groups of three digits of a prompt's numbers."""

    PLAIN = "plain"
    COMMA = "comma"
    SPACE = "space"


class StoreMode(StrEnum):
    """How a run uses the store of replies: reads and writes it, only writes, neither, or asks nothing else."""

    ON = "on"
    REFRESH = "refresh"
    OFF = "off"
    ONLY = "only"


class SearchEnd(StrEnum):
    """Why a search for the simplest wrong answer ended."""

    SHRUNK = "shrunk"
    BUDGET = "budget"
    NOTHING_FOUND = "nothing found"
    NOT_REPRODUCED = "not reproduced"
    UNANSWERED = "unanswered"


class Rules(StrEnum):
    """What makes a term right.

    `DEFAULT`: exit status 0 and the right stdout. `PAPER`, as in arXiv 2411.04372: the right stdout and an empty
    stderr, with any exit status.
    """

    DEFAULT = "default"
    PAPER = "paper"


class TermStatus(StrEnum):
    """What became of one term at the largest time limit.

    `WRONG` is another output, `CRASHED` an exit status other than 0, `KILLED` a signal or a cap. `INCONCLUSIVE` means
    that the machine was too busy to measure the time, and is no measurement.
    """

    OK = "ok"
    WRONG = "wrong"
    LATE = "late"
    CRASHED = "crashed"
    KILLED = "killed"
    INCONCLUSIVE = "inconclusive"


# --- how a question is asked ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Condition:
    """How the numbers and operator signs of a prompt are written, and what surrounds the question.

    `context` is the length of the filler text before the question in tokens, such as `2k`; `prompt` is the name of a
    template and `system` the name of a system prompt, if a run has several. None is the task's default.
    """

    numbers: NumberFormat = NumberFormat.PLAIN
    symbols: Symbols = Symbols.ASCII
    context: str | None = None
    prompt: str | None = None
    system: str | None = None

    @classmethod
    def of_fields(cls, fields: Mapping[str, str | None]) -> Condition:
        """The condition with these `fields`."""
        numbers, symbols = NumberFormat(str(fields["numbers"])), Symbols(str(fields["symbols"]))
        return cls(numbers, symbols, fields["context"], fields["prompt"], fields["system"])

    @property
    def label(self) -> str:
        """What differs from the default condition, such as `numbers_comma-context_2k`; empty for the default."""
        return "-".join(self.parts)

    @property
    def parts(self) -> tuple[str, ...]:
        """The same as a list, such as `numbers_comma` and `context_2k`."""
        values = ((axis, getattr(self, axis)) for axis in AXES)
        return tuple(f"{axis}_{value}" for axis, value in values if value != getattr(DEFAULT_CONDITION, axis))

    def only(self, axes: frozenset[str]) -> Condition:
        """The condition with the default for all other axes."""
        return replace(Condition(), **{axis: value for axis, value in asdict(self).items() if axis in axes})

    def fields(self) -> dict[str, str | None]:
        """The condition as it stands in a record: builtins only."""
        return {axis: value and str(value) for axis, value in asdict(self).items()}


DEFAULT_CONDITION = Condition()
AXES = tuple(axis.name for axis in fields(Condition))


@dataclass(frozen=True, slots=True)
class PromptConfig:
    """The condition of a trial, and which repeat of the same question it is, counted from 0."""

    condition: Condition = DEFAULT_CONDITION
    repeat: int = 0

    @property
    def label(self) -> str:
        """Its part of a pytest id, such as `-numbers_comma-repeat_3`; empty for repeat 0 in the default condition."""
        parts = (self.condition.label, f"repeat_{self.repeat}" if self.repeat else "")
        return "".join(f"-{part}" for part in parts if part)

    def coordinates(self) -> dict[str, str | int | None]:
        """The arguments of pytest's mark `cell`."""
        return {**self.condition.fields(), "repeat": self.repeat}


@dataclass(frozen=True, slots=True)
class PromptTexts:
    """The texts behind the names in conditions: templates of prompts, and system prompts."""

    templates: dict[str, str] = field(default_factory=dict)
    systems: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` parts of a selection; `index` counts from 1."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"shard {self.index} of {self.count}"


# --- problems -------------------------------------------------------------------------------------------------------


class Problem(Protocol):
    """A question of a task, and its identity."""

    @property
    def task(self) -> str: ...
    @property
    def trial(self) -> int: ...
    @property
    def label(self) -> str:
        """The problem's part of a pytest id, such as `int_div-depth_7-trial_3`."""

    def coordinates(self) -> dict[str, str | int]:
        """The arguments of pytest's mark `cell`, which differ from those of the task's other problems."""

    def fields(self) -> dict[str, Any]:
        """The problem as it stands in a record: builtins only."""


class Calculation(Protocol):
    """A calculation with its result; operands and expected result are decimal text."""

    @property
    def op(self) -> Op: ...
    @property
    def dtype(self) -> Dtype: ...
    @property
    def operands(self) -> tuple[str, str]: ...
    @property
    def expected(self) -> str: ...


class NumberProblem(Problem, Calculation, Protocol):
    """A question whose answer is one number."""


# --- models, questions, replies -------------------------------------------------------------------------------------

FAKE_PROVIDER = "llmarith"


@dataclass(frozen=True, slots=True)
class Model:
    """One model of a run: its name, and all that is sent along with a prompt.

    `target` is a litellm model string; `params` are the request parameters that the user set, as JSON values. `judge`
    marks a model that judges programs and is not measured.
    """

    name: str
    target: str
    params: Mapping[str, Any] = field(default_factory=dict)
    api_base: str | None = None
    system_prompt: str | None = None
    judge: bool = False

    @property
    def simulated(self) -> bool:
        """Whether this package makes the replies, which say nothing about a language model."""
        return self.target.startswith(f"{FAKE_PROVIDER}/")


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt for a model. Two trials with the same prompt are two questions, and so are two repeats.

    `system_prompt` replaces the model's own, unless it is None. `before` is how often a search has already asked the
    same question.
    """

    model: str
    prompt: str
    trial: int
    repeat: int = 0
    system_prompt: str | None = None
    before: int = 0


@dataclass(frozen=True, slots=True)
class Retry:
    """A further request: why the one before it failed, in one line, and the seconds waited in between."""

    reason: str
    waited_s: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back from a model. `None` means unknown: it is never written as 0.

    `latency_s` is the wall time of the request that succeeded, `cost_usd` what it cost, `asked_at` when it began (UTC,
    ISO 8601). `attempts` counts requests, the failed ones too. `stored` says that it comes from the store; latency,
    cost and date are then those of an earlier run. `own_price` says that the cost is at the price that the user gave,
    which is not stored. `sent` is the request. `retries` are those of this run and not stored.
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
        """The known tokens of prompt and completion together; None if both are unknown."""
        counts = [count for count in (self.prompt_tokens, self.completion_tokens) if count is not None]
        return sum(counts) if counts else None

    def fields(self) -> dict[str, Any]:
        """The reply as it stands in a record and in the store: builtins only."""
        return {name: getattr(self, name) for name in _STORED} | {
            "sent": deepcopy(dict(self.sent)) if self.sent else {}
        }


# `dataclasses.asdict` takes ten times as long, and many thousand records are read at a time.
_STORED = tuple(one.name for one in fields(Reply) if one.name != "retries")


@dataclass(frozen=True, slots=True)
class Failure:
    """No reply: an outage, never a measurement. `message` is one line without keys.

    `stops_run` says that no other question could succeed: a refused key, an unknown model.
    """

    message: str
    attempts: int = 0
    stops_run: bool = False
    retries: tuple[Retry, ...] = ()


NEVER_ASKED = Failure("the run ended before this question was asked")
OVER_BUDGET = "budget: "  # how the message of a question begins for which no money or tokens were left
RUN_STOPPED = "run stopped: "  # how the message of a question begins if another question's failure ended the run


@dataclass(frozen=True, slots=True)
class Throttled:
    """A model that answered 429: how often its concurrency was lowered, the lowest, and the `most` that was allowed."""

    target: str
    halved: int
    lowest: int
    most: int


@dataclass(frozen=True, slots=True)
class RequestTotals:
    """How many questions were announced, requests sent and replies received, and their known cost.

    `answered` counts replies over the network, `stored` those from the store, `failed` questions without a reply,
    `unpriced` replies of unknown price, `retrying` questions that wait for their next attempt. `retries` are further
    attempts by reason; `throttled` are the models whose concurrency was lowered. `unsaved` counts replies that could
    not be stored, `kept` those that were. `stored_usd` is what the stored replies had cost; `lost` are requests without
    a reply that may have been billed, for `lost_usd` at most. `judged` counts the replies of judges, which are
    otherwise counted in requests, cost and kept only.
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
class Progress(RequestTotals):
    """The totals while questions are asked, with their known cost so far.

    `held` are questions that wait for their turn. `waiting_for` counts the questions that wait for their next attempt,
    by reason; the next attempt is due in `next_try_s` seconds.
    """

    cost_usd: float = 0.0
    stored_usd: float = 0.0
    held: int = 0
    waiting_for: Mapping[str, int] = field(default_factory=dict)
    next_try_s: float | None = None


# --- limits, prices and the forecast --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    prompt_usd: float
    completion_usd: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """US dollars for this many tokens."""
        return (prompt_tokens * self.prompt_usd + completion_tokens * self.completion_usd) / 1_000_000


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits of all requests of a run, with any number of workers, judges included; None sets no limit.

    `concurrency` counts requests in flight, `timeout_s` limits one request, `retries` are further attempts per
    question. `price` replaces the listed price of the models under test.
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
        """Whether the run has a limit of money or tokens."""
        return self.max_cost_usd is not None or self.max_tokens is not None


@dataclass(frozen=True, slots=True)
class ModelTerms:
    """A model's price, the most tokens of a reply, and whether it may reason before it replies. None is unknown."""

    price: Price | None = None
    most_tokens: int | None = None
    reasons: bool = False


@dataclass(frozen=True, slots=True)
class ModelForecast:
    """The questions of a run for one model: all, those with a stored reply, those that are asked.

    Tokens are estimates. Those of completions come from `learned_from` stored replies, reasoning included; if `guessed`
    is set, some are the length of a short answer. Of a search only the first question counts; `searching` says that
    there is one.
    """

    model: Model
    questions: int
    stored: int
    asked: int
    prompt_tokens: int
    completion_tokens: int
    terms: ModelTerms
    learned_from: int = 0
    guessed: bool = True
    searching: bool = False

    @property
    def is_unforeseeable(self) -> bool:
        """Whether the model reasons for an unknown number of tokens."""
        return self.terms.reasons and self.guessed

    @property
    def cost_usd(self) -> float | None:
        """What the requests will cost, without unforeseeable reasoning; None if the price is unknown."""
        if not self.asked:
            return 0.0
        if self.terms.price is None:
            return None
        return self.terms.price.of(self.prompt_tokens, self.completion_tokens)


class Fit(NamedTuple):
    """How many of the `wanted` requests at once a cap has room for, each of which may take up to `most`.

    `bound` is the limit of a reply's tokens with which all of them have room, or one of them if all never do; None if
    there is no such limit.
    """

    option: str
    at_once: int
    wanted: int
    most: str
    bound: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What the broker knows about the questions of a run before the first request.

    `stored` maps the index of a question to the tokens of its stored reply; `to_ask` are the indices of the others.
    `spent_*` is what the stored replies had cost; those of unknown price are counted. `terms` has the models that may
    be asked, `unbounded` why a cap cannot be held for some of them, `fits` how many requests the caps have room for at
    once. If the store cannot be read, only `error` is set.
    """

    stored: Mapping[int, int | None] = field(default_factory=dict)
    to_ask: tuple[int, ...] = ()
    spent_usd: float = 0.0
    spent_unpriced: int = 0
    spent_tokens: int = 0
    terms: Mapping[str, ModelTerms] = field(default_factory=dict)
    unbounded: Mapping[str, str] = field(default_factory=dict)
    fits: tuple[Fit, ...] = ()
    error: str | None = None


# --- answers and grades ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExtractedAnswer:
    """The answer of a reply by both readings. `reason` says why there is no tolerant one."""

    tolerant: Decimal | None
    strict: Decimal | None
    reason: NanReason | None = None


@dataclass(frozen=True, slots=True)
class Grade:
    """An answer beside the expected one; the errors are text, and None unless the answer deviates.

    `absolute_error` is exact, `relative_error` has a few significant digits and is None if the truth is 0; `rounded`
    says that the answer is the truth rounded to fewer decimals.
    """

    outcome: Outcome
    absolute_error: str | None = None
    relative_error: str | None = None
    rounded: bool | None = None


@dataclass(frozen=True, slots=True)
class ErrorAnalysis:
    """An answer beside the truth, digit by digit; `error_class` is None unless the answer deviates.

    `digit_match` is the share of the truth's digits that the answer has in place, `dlength` by how many digits the
    answer is longer or shorter, `leading_digits` how many are right before the first wrong one.
    """

    error_class: ErrorClass | None
    digit_match: float
    dlength: int
    leading_digits: int


# --- integer sequences and programs ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IntegerSequence:
    """An entry of the OEIS, as far as the benches need it.

    `number` is its A-number, such as `A000045`; `terms` are decimal text, the first one is the term at n = `offset`.
    """

    number: str
    name: str
    comments: tuple[str, ...]
    terms: tuple[str, ...]
    offset: int
    keywords: tuple[str, ...]

    @property
    def inputs(self) -> range:
        """The n of every listed term."""
        return range(self.offset, self.offset + len(self.terms))


class Level(StrEnum):
    """How a program is isolated.

    `STRICT` is bubblewrap, Landlock, seccomp and resource limits; `STANDARD` the same without bubblewrap; `NONE` has
    resource limits only, and is used only if the user asks for it.
    """

    STRICT = "strict"
    STANDARD = "standard"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Isolation:
    """A level, and what its self-test saw: the names of the attacks that failed.

    `remarks` say in one line each why no stricter level is there.
    """

    level: Level
    enforced: tuple[str, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """Limits of one run of a program. `seconds` are the limits to be scored, ascending; the last one stops the run."""

    seconds: tuple[float, ...] = (0.5, 4.0)
    memory_bytes: int = 1 << 30

    @property
    def longest_s(self) -> float:
        return self.seconds[-1]


class Ending(StrEnum):
    """How one run of a program ended."""

    EXITED = "exited"
    LATE = "late"
    KILLED = "killed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """One run of a program with one input.

    `EXITED` is by itself, with any `exit_status`; `KILLED` by a signal or at a cap, which `detail` names;
    `INCONCLUSIVE` means that the machine was too busy to tell whether the program was in time. `seconds` is compared
    with the limits, see `sandbox.child.clock`; `waited_s` is the rest of `wall_s`. `stdout` and `stderr` are cut at
    their caps, and bytes that cannot be decoded are replaced.
    """

    input: int
    ending: Ending
    exit_status: int | None
    detail: str | None
    stdout: str
    stderr: str
    seconds: float
    cpu_s: float
    wall_s: float
    waited_s: float
    alone: bool = False


class Runner(Protocol):
    """Runs programs; it gets a program and inputs, and never the expected output."""

    @property
    def isolation(self) -> Isolation: ...
    @property
    def limits(self) -> ProgramLimits: ...

    def run(self, program: str, inputs: Sequence[int]) -> list[ProgramRun]:
        """Run the program once for every input, each in a process of its own. Raises OSError if none can start."""
