"""The shape of a record: one line of `trials.jsonl`. It does not know who makes one."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # on Python 3.11 pydantic reads no other one

from pytest_llmarith.oeis.scoring import Rules, TermStatus
from pytest_llmarith.values import Dtype, ErrorClass, Level, NumberFormat, Op, Outcome, Reading, SearchEnd, Symbols


class ArithmeticProblem(TypedDict):
    """`lhs op rhs` on integers or two-decimal fixed point; operands and expected answer are decimal text."""

    seed: int | None
    """Null where another program asked."""
    variant: str
    """`dtype` and `op`, such as `int_div`."""
    op: Op
    dtype: Dtype
    depth: int
    """Digits of an operand."""
    trial: int | None
    """The how-manieth question of its variant and depth; null where another program asked."""
    lhs: str
    rhs: str
    expected: str


class AdditionProblem(TypedDict):
    """The sum of two integers; operands and expected answer are decimal text."""

    seed: int
    trial: int
    int1: str
    int2: str
    expected: str


class SequenceProblem(TypedDict):
    """A program for an integer sequence of the OEIS."""

    set: str
    number: str
    """Such as `A000045`."""
    name: str
    offset: int
    """The n of the first listed term."""
    keywords: list[str]


class OwnProblem(TypedDict):
    """A problem of a task of the user's own."""

    label: str
    """Its part of ids."""
    seed: int
    trial: int
    """Which one it is of those that are put in the same words."""
    given: dict[str, Any]
    """What the question is made of."""
    expected: Any


class SearchProblem(TypedDict):
    """A search for the simplest question that a model gets wrong."""

    seed: int
    of: str
    """The task of its questions."""
    variant: str
    """Of arithmetic, or `integer_addition`."""
    op: Op
    dtype: Dtype
    budget: int
    """At most so many questions."""


class Answer(TypedDict):
    """The number that each reading found in the reply, as decimal text; null where it found none."""

    tolerant: str | None
    strict: str | None


class OwnAnswer(TypedDict):
    """What a task of the user's own has read in the reply; as text where JSON cannot hold it."""

    read: Any


class Grade(TypedDict):
    """The answer of the reading that counts against the expected one."""

    absolute_error: str | None
    """Exact; null unless the answer deviates."""
    relative_error: str | None
    """With a few digits; null unless the answer deviates, and where the truth is 0."""
    rounded: bool | None
    """Whether the answer is the truth rounded to fewer decimals."""
    error_class: ErrorClass | None
    """How the answer deviates; null unless it does."""
    digit_match: NotRequired[float]
    """The share of the truth's digits that the answer has in place."""
    dlength: NotRequired[int]
    """By how many digits the answer is longer or shorter."""
    leading_digits: NotRequired[int]
    """Digits that are right before the first wrong one."""


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


class Retry(TypedDict):
    """A further attempt of this run."""

    reason: str
    """Why the attempt before it failed."""
    waited_s: float


class Term(TypedDict):
    """One term of a sequence, as the program printed it; long texts are cut."""

    n: int
    expected: str
    got: str
    status: TermStatus
    seconds: float
    stderr: NotRequired[str]


class StaticVerdict(TypedDict):
    """What the static judge says of a program."""

    cheat: bool
    evidence: list[str]


class ModelVerdict(TypedDict):
    """What a language model says of a program."""

    cheat: bool | None
    """Null where it said neither."""
    model: str | None
    replies: list[Reply]


class Judges(TypedDict):
    """Who judged whether the program is a lookup table; null is who did not."""

    static: StaticVerdict | None
    llm: ModelVerdict | None


class Isolation(TypedDict):
    """How the program was locked in."""

    level: Level
    enforced: list[str]
    """The attacks that were seen to fail against it."""
    remarks: list[str]
    """Why no stricter level is there."""


class Machine(TypedDict):
    """Where the program ran: its seconds mean nothing without it."""

    host: str
    interpreter: str
    machine: str
    processor: str | None
    kernel: str
    cores: int
    slots: int
    """Programs that run at once."""
    worker: str | None
    """pytest-xdist's name for the process."""
    calibration_s: float
    """Seconds of a fixed program."""


class Program(TypedDict):
    """What was found in a reply that is to hold a program, and what it came to."""

    program: str | None
    detail: str | None
    """What was found instead of a program."""
    rules: Rules
    limits: list[float]
    """Seconds per term."""
    memory_bytes: int
    scores: dict[str, float] | None
    """By limit the share of right terms, 0 for a lookup table; null where the trial is unanswered."""
    terms: list[Term]
    judges: Judges
    addresses_judge: list[str]
    """Where the program talks to a judge."""
    isolation: Isolation
    machine: Machine | None


class Minimum(TypedDict):
    """The smallest question that was answered wrongly."""

    question: str
    """Such as `27 * 48`."""
    expected: str
    outcome: Outcome
    reason: str | None
    """Why there is no answer."""
    answer: str | None
    error_class: ErrorClass | None


class Confirmed(TypedDict):
    """How often the smallest wrong question was asked again, and was answered wrongly."""

    asked: int
    wrong: int


class SearchStep(TypedDict):
    """One question of a search."""

    question: str
    before: int
    """How often it was asked before."""
    outcome: Outcome
    reply: Reply | None
    """Null where it was too long to be kept twice."""


class Search(TypedDict):
    """What a search asked, and what it came to."""

    ended: SearchEnd
    questions: int
    minimum: Minimum | None
    """Null where nothing was wrong."""
    confirmed: Confirmed
    flaky: bool
    """Whether it was also answered rightly."""
    largest_right: str | None
    """The largest question that was answered rightly."""
    trail: list[SearchStep]


class Condition(TypedDict):
    """How the question was put."""

    numbers: NumberFormat
    """What stands between groups of three digits."""
    symbols: Symbols
    context: str | None
    """About how many tokens of small talk stood before the question, such as `2k`."""
    prompt: str | None
    """The name of a template of the run; null for the task's own prompt."""
    system: str | None
    """The number of a system prompt, in a run that has several."""


class Record(TypedDict):
    """One trial: what was asked of whom, what came back, and what that came to."""

    format: Literal[1]
    run: str | None
    """The name of the run's folder."""
    nodeid: str | None
    """pytest's id of the item; null where another program asked."""
    task: str
    """`arithmetic`, `integer_addition`, `oeis`, `breaking_point`, or the name of a task of the user's own."""
    model: str
    simulated: bool
    """Whether an embedded model replied: it says nothing about a language model."""
    outcome: Outcome
    reason: str | None
    """Why there is no answer or no reply, or the first thing that is wrong with a program."""
    reading: Reading | None
    """Which reading was graded; null for programs and for what is unanswered."""
    problem: ArithmeticProblem | AdditionProblem | SequenceProblem | SearchProblem | OwnProblem
    condition: NotRequired[Condition]
    repeat: NotRequired[int]
    """The how-manieth time the same question was put, from 0."""
    prompt: str | None
    """The text that the model was sent; null where another program asked."""
    answer: Answer | OwnAnswer | None
    grade: Grade | None
    reply: Reply | None
    """Null where none came."""
    retries: NotRequired[list[Retry]]
    raised: NotRequired[str]
    """What a task of the user's own raised as it read or graded the reply; such a trial is unanswered."""
    oeis: NotRequired[Program]
    """In records of the OEIS task alone."""
    search: NotRequired[Search]
    """In records of the breaking point alone."""
