"""The record of a trial (a line of `trials.jsonl`) and the summary of a run (`summary.json`).

Each has one definition, which constructs, validates, encodes and gives the JSON Schema. It is made with msgspec, which
takes a tenth of pydantic's time to import and of its disk space.

A comment behind a field says what it means and becomes its description in the schema. `None` is a fact that is not
known. A field with a default is left out of the JSON where it has that default. Constructors do not check their
arguments: `decode_record` and `decode_summary` do.
"""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec import Meta

from pytest_llmarith.files import DEEPEST, strictly_read
from pytest_llmarith.types import (
    Condition,
    Dtype,
    ErrorClass,
    Isolation,
    Level,
    Op,
    Outcome,
    Reading,
    RequestLimits,
    RequestTotals,
    Retry,
    Rules,
    SearchEnd,
    StoreMode,
    TermStatus,
)

FORMAT: Literal[1] = 1
LARGEST = 10**15  # of any number; floats hold all whole numbers up to it

Count = Annotated[int, Meta(ge=0, le=LARGEST)]
Positive = Annotated[int, Meta(ge=1, le=LARGEST)]
Whole = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]
Amount = Annotated[float, Meta(ge=0, le=LARGEST)]  # dollars, seconds or tokens
Share = Annotated[float, Meta(ge=0, le=1)]
Percent = Annotated[float, Meta(ge=0, le=100)]
Points = Annotated[float, Meta(ge=-100, le=100)]
Name = Annotated[str, Meta(min_length=1)]
_DIGITS = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)"
Number = Annotated[str, Meta(pattern=_DIGITS + "([eE][+-]?[0-9]{1,4})?$")]  # as decimal text that can be written out
ErrorSize = Annotated[str, Meta(pattern=_DIGITS + "([eE][+-]?[0-9]{1,9})?$")]  # of an answer of any length
Moment = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|\+00:00)$")]


class Part(msgspec.Struct, omit_defaults=True):
    """Anything that stands in a record or a summary."""


# --- what was asked -------------------------------------------------------------------------------------------------


class ArithmeticProblem(Part, tag_field="kind", tag="arithmetic"):
    """`lhs op rhs` on integers or two-decimal fixed point numbers."""

    seed: int | None  # null where another program asked
    variant: Name  # `dtype` and `op`, such as `int_div`
    op: Op
    dtype: Dtype
    depth: Count  # digits of an operand
    trial: Count | None  # counted from 0 within a variant and depth; null where another program asked
    lhs: Number
    rhs: Number
    expected: Number

    @property
    def operands(self) -> tuple[str, str]:
        return self.lhs, self.rhs


class AdditionProblem(Part, tag_field="kind", tag="integer_addition"):
    """The sum of two integers."""

    op: ClassVar[Op] = Op.ADD
    dtype: ClassVar[Dtype] = Dtype.INT
    seed: int
    trial: Count
    int1: Number
    int2: Number
    expected: Number

    @property
    def operands(self) -> tuple[str, str]:
        return self.int1, self.int2

    @property
    def digits(self) -> int:
        """The digits of the longer operand."""
        return max(len(operand.lstrip("-")) for operand in self.operands)


class SequenceProblem(Part, tag_field="kind", tag="oeis"):
    """A program that prints the terms of an integer sequence."""

    set: Name
    number: Name  # such as `A000045`
    name: str
    offset: Whole  # the n of the first listed term
    keywords: list[str]


class SearchProblem(Part, tag_field="kind", tag="breaking_point"):
    """A search for the simplest question that a model gets wrong."""

    seed: int
    of: Name  # the task of its questions
    variant: Name  # of arithmetic, or `integer_addition`
    op: Op
    dtype: Dtype
    budget: Count  # the most questions that it may ask


class CustomProblem(Part, tag_field="kind", tag="custom"):
    """A problem of a task that the user defined."""

    label: str  # its part of pytest's id
    seed: int
    trial: Count  # tells problems with the same prompt apart
    inputs: dict[str, Any]  # what the prompt is made of
    expected: Any

    def __post_init__(self) -> None:
        check_plain(self.inputs, "inputs")
        check_plain(self.expected, "expected")


Problem = ArithmeticProblem | AdditionProblem | SequenceProblem | SearchProblem | CustomProblem
_TASKS = ("arithmetic", "integer_addition", "oeis", "breaking_point")


# --- what came back -------------------------------------------------------------------------------------------------


class Message(Part, forbid_unknown_fields=True):
    """A message of a request."""

    role: Literal["system", "user"]
    content: str


class Sent(Part, forbid_unknown_fields=True):
    """What a request held, without keys."""

    model: Name
    api_base: str | None
    messages: Annotated[list[Message], Meta(min_length=1, max_length=2)]
    params: dict[str, Any]

    def __post_init__(self) -> None:
        check_plain(self.params, "params")
        if [message.role for message in self.messages] != ["system", "user"][-len(self.messages) :]:
            raise ValueError("messages are not an optional system prompt and a prompt")


class Usage(Part):
    """What is known of a reply whose text is not stored."""

    served_model: str | None  # the model that the provider says it was
    prompt_tokens: Count | None
    completion_tokens: Count | None
    reasoning_tokens: Count | None
    cost_usd: Amount | None
    own_price: bool  # whether the cost is at the price that the user gave
    latency_s: Amount | None  # seconds of the request that succeeded
    attempts: Positive  # requests, the failed ones too
    stored: bool  # whether it came from the store; latency, cost and date are then those of an earlier run
    asked_at: str | None  # when the request began, in ISO 8601


class Reply(Usage):
    """What came back from the model."""

    text: str
    reasoning: str | None
    finish_reason: str | None
    sent: Sent | None


class Answer(Part, tag_field="kind", tag="number"):
    """The number that each reading found in the reply."""

    tolerant: Number | None
    strict: Number | None

    def by(self, reading: Reading | None) -> str | None:
        """The number that a reading found."""
        return None if reading is None else self.strict if reading is Reading.STRICT else self.tolerant


class CustomAnswer(Part, tag_field="kind", tag="custom"):
    """What a task of the user found in the reply; as text where JSON cannot hold it."""

    read: Any

    def __post_init__(self) -> None:
        check_plain(self.read, "read")


class Grade(Part):
    """An answer beside the expected one."""

    absolute_error: ErrorSize | None  # exact; null unless the answer deviates
    relative_error: ErrorSize | None  # a few digits; null unless the answer deviates, and where the truth is 0
    rounded: bool | None  # whether the answer is the truth rounded to fewer decimals
    error_class: ErrorClass | None  # null unless the answer deviates
    digit_match: Share  # digits of the truth that the answer has in place
    dlength: Count  # by how many digits the answer is longer or shorter
    leading_digits: Count  # digits that are right before the first wrong one


class Term(Part):
    """One term of a sequence, as the program printed it; long texts are cut."""

    n: Whole
    expected: str
    got: str
    status: TermStatus
    seconds: Amount
    stderr: str = ""


class StaticVerdict(Part):
    """What the lookup-table detector says of a program."""

    cheat: bool
    evidence: list[str]


class ModelVerdict(Part):
    """What a language model says of a program."""

    cheat: bool | None  # null where it gave no verdict
    model: str | None
    replies: list[Reply]


class Judges(Part):
    """Who judged whether the program is a lookup table; null is a judge that was not used."""

    static: StaticVerdict | None
    llm: ModelVerdict | None


class Program(Part):
    """The program in a reply, and how its terms were scored."""

    program: str | None
    detail: str | None  # what was found instead of a program
    rules: Rules
    limits: list[Amount]  # seconds per term
    memory_bytes: Count
    scores: dict[Number, Share] | None  # the share of right terms by limit, 0 for a lookup table
    terms: list[Term]
    judges: Judges
    addresses_judge: list[str]  # where the program talks to a judge
    isolation: Isolation
    machine: dict[str, str | int | float | None] | None  # where it ran, and how fast that machine is


class Minimum(Part):
    """The simplest question that was answered wrongly each time that it was asked."""

    question: str | None  # such as `27 * 48`
    expected: str | None
    outcome: Outcome
    reason: str | None  # why there is no answer
    answer: str | None
    error_class: ErrorClass | None


class SearchStep(Part):
    """One question of a search."""

    question: str
    before: Count  # how often it was asked before
    outcome: Outcome
    reply: Reply | None  # null where there was no room for it beside the others
    usage: Usage | None = None  # of such a reply


class Search(Part):
    """The questions of a search for the breaking point."""

    ended: SearchEnd
    questions: Count
    minimum: Minimum | None  # null where no question was wrong each time
    not_reproduced: Count  # questions that were answered wrongly once, and rightly when they were asked again
    largest_right: str | None  # the largest question that was answered rightly
    trail: list[SearchStep]


class Record(Part):
    """One trial: what was asked of which model, its reply, answer and grade."""

    format: Literal[1]
    run: str | None  # the name of the run's folder
    nodeid: str | None  # pytest's id of the item; null where another program asked
    task: Name  # `arithmetic`, `integer_addition`, `oeis`, `breaking_point`, or the name of a task of the user
    model: str
    simulated: bool  # whether a fake model replied, which says nothing about a language model
    problem: Problem
    condition: Condition  # how the question was put
    repeat: Count  # which repeat of the same question in the same condition, counted from 0
    prompt: str | None  # null where another program asked
    retries: list[Retry]  # further attempts of this run
    outcome: Outcome
    reason: str | None  # why there is no answer or no reply, or the first thing that is wrong with a program
    reading: Reading | None  # which reading was graded; null for programs and where nothing was graded
    answer: Answer | CustomAnswer | None
    grade: Grade | None
    reply: Reply | None
    raised: str | None = None  # what a task of the user raised as it read or graded the reply
    oeis: Program | None = None  # of the OEIS task
    search: Search | None = None  # of the breaking point

    def __post_init__(self) -> None:
        if self.problem.__struct_config__.tag != kind_of(self.task):
            raise ValueError(f"the problem is not one of task {self.task}")
        if self.grade and (self.grade.error_class is not None) != (self.outcome is Outcome.DEVIATE):
            raise ValueError("grade.error_class and the outcome contradict each other")
        if self.outcome is Outcome.UNANSWERED:
            return
        if self.reply is None:
            raise ValueError(f"the outcome is {self.outcome}, but there is no reply")
        if isinstance(self.problem, SequenceProblem) and not _is_scored(self.oeis):
            raise ValueError("oeis holds no scores, or a judge without a verdict")
        if isinstance(self.problem, SearchProblem) and self.search is None:
            raise ValueError("search is missing")

    @property
    def answer_text(self) -> str | None:
        """The answer that was graded: the number of one reading, or what a task of the user read."""
        if isinstance(self.answer, CustomAnswer):
            return as_text(self.answer.read)
        return self.answer.by(self.reading) if self.answer else None


# --- the summary of a run -------------------------------------------------------------------------------------------


class Percentage(Part):
    """A percentage with its 95 % interval; null where there is none."""

    percent: Percent | None
    low: Percent | None
    high: Percent | None


class Difference(Part):
    """Percentage points with their 95 % interval; null where there is none."""

    points: Points
    low: Points | None
    high: Points | None


class Outcomes(Part):
    """Trials by outcome."""

    correct: Count
    deviate: Count
    nan: Count
    cheat: Count
    unanswered: Count

    @property
    def answered(self) -> int:
        """Trials with a reply."""
        return self.correct + self.deviate + self.nan + self.cheat


class Amounts(Part):
    """The known amounts of one kind."""

    sum: Amount
    median: Amount
    p90: Amount  # nine of ten are no larger
    known: Count  # replies that tell it


Tokens = dict[Literal["prompt", "completion", "reasoning"], Count | None]
Spending = dict[
    Literal["cost_usd", "latency_s", "prompt_tokens", "completion_tokens", "reasoning_tokens"], Amounts | None
]
Percentages = dict[Outcome, Percentage | None]


class Bin(Part, rename={"low": "from", "high": "to"}):
    """Relative errors from one power of ten to the next one; null at an open end."""

    low: Whole | None
    high: Whole | None
    count: Count


class ErrorSizes(Part):
    """How far off answers are that deviate."""

    median_relative_error: ErrorSize | None
    log10_bins: list[Bin]  # without a gap, from the smallest error to the largest
    median_leading_digits: Amount | None  # digits that are right, from the left
    other_length: Count  # answers of another length than the truth, without a right digit from the left


class Cells(Outcomes):
    """The trials of some cells, and their figures."""

    measured: Count  # trials with a reply
    correct_percentage: Percentage | None
    spending: Spending
    error_sizes: ErrorSizes


class Cell(Cells):
    """One variant at one depth."""

    variant: str
    depth: Count


class ReliableDepth(Part):
    """Up to which depth 90 % or more are correct, before the first depth whose own upper bound is under 90 %."""

    depth: Count | None  # the largest by the lower bound of all trials up to it
    observed: Count | None  # the largest by the percentage itself
    needs: Count | None  # trials of the first depth that would prove it reliable, were all further ones correct
    at_most: Percent | None  # the upper bound of all trials, if it is under 90


class Variant(Cells):
    """One variant at all its depths."""

    variant: str
    percentages: Percentages
    reliable_depth: ReliableDepth


class Length(Cells):
    """Additions whose longer operand has this many digits."""

    digits: Count
    median_latency_s: Amount | None


class ClassOfErrors(Part, rename={"error_class": "class"}):
    """Answers that deviate by one class of errors, and their percentage of all that deviate."""

    error_class: ErrorClass
    count: Count
    percentage: Percentage | None


Strictness = Literal["tolerant_correct", "strict_correct", "measured", "only_tolerant"]
Positions = dict[Literal["from_left", "from_right"], list[dict[Literal["position", "wrong", "digits"], Count]]]


class ErrorsOfVariant(Part):
    """How the answers of one variant err."""

    classes: dict[ErrorClass, Count]
    positions: Positions


class ErrorTotals(Part):
    """How answers err, digit by digit."""

    classes: list[ClassOfErrors]
    digit_match: Amount | None  # the mean over all answers
    dlength: Amount | None  # the mean over all answers
    leading_digits: Amount | None  # the median over answers that deviate
    positions: Positions  # digits counted from either end of the truth, at most 30
    carries: list[dict[Literal["carries", "correct", "measured"], Count]]  # sums and differences by carries
    longest_chain: list[dict[Literal["chain", "correct", "measured"], Count]]  # by most carries in a row
    by_variant: dict[str, ErrorsOfVariant]
    strict: dict[Strictness, Count]


class Limit(Part):
    """What programs scored within one limit of seconds per term."""

    seconds: Amount
    sequences: Count  # sequences that were measured
    score: Percentage  # the mean; interval by bootstrap over sequences
    perfect: Count  # sequences with all terms right
    perfect_percentage: Percentage | None


class Curve(Part):
    """The scores of all sequences within one limit of seconds per term, the best first."""

    seconds: Amount
    scores: list[Share]


class Agreement(Part):
    """How far the two judges agree about lookup tables."""

    judged: Count
    both: Count
    only_static: Count
    only_llm: Count
    neither: Count
    agreement: Percentage | None
    kappa: Points | None  # Cohen's; null where it is undefined


class SequenceSet(Outcomes):
    """What one model did on one set of sequences."""

    set: str
    measured: Count
    correct_percentage: Percentage | None
    cheating: Percentage | None  # null where nothing was judged
    limits: list[Limit]
    by_term: list[dict[Literal["term", "right", "run"], Count]]  # by place in the sequence, at most 100
    term_statuses: dict[TermStatus, Count]
    term_seconds: dict[Literal["median", "p90", "max"], Amount] | None
    unsolved_count: Count
    spending: Spending
    isolation: dict[Level, Count]  # programs by how they were isolated
    judges: Agreement | None  # null where not both of them judged
    curve: list[Curve]
    unsolved: list[str]  # numbers of at most 500 sequences without a right term


class Repeats(Part):
    """The repeats of problems together; null where nothing was measured."""

    k: Count  # how often every problem was asked
    problems: Count  # problems with a reply
    consistency: Percentage | None  # problems whose repeats have the same answer, of those with two replies or more
    pass_at_1: Percentage | None  # the interval takes into account that repeats of a problem are alike
    pass_at_k: Percent | None  # how likely one of `k` tries is correct, over problems with `k` replies
    majority: Percentage | None  # problems whose most frequent answer is correct


class BreakingPoint(Minimum):
    """What one search found."""

    variant: str
    repeat: Count
    not_reproduced: Count
    questions: Count
    budget: Count
    ended: SearchEnd
    largest_right: str | None


class Result(Part):
    """What one model did at one task, in one condition."""

    model: str
    task: str
    condition: Condition | None  # null for the usual one
    date: str | None
    selected: Count | None  # trials that were to be run
    simulated: bool
    duplicates: Count  # trials that ask what another one asks: they are in no other figure
    measured: Count  # trials with a reply: all percentages are of these
    outcomes: Outcomes
    percentages: Percentages
    nan_reasons: dict[str, Count]
    unanswered_reasons: dict[str, Count]
    stored: Count  # replies from the store
    asked: Count  # replies that the model itself gave in this run and that were read
    cost_usd: Amount | None  # the sum of all known costs
    unpriced: Count  # replies without a known cost
    tokens: Tokens
    median_latency_s: Amount | None
    spending: Spending
    median_relative_error: ErrorSize | None
    average_absolute_error: ErrorSize | None
    rounded: Count  # answers that are the truth rounded to fewer decimals
    error_sizes: ErrorSizes
    repeats: Repeats | None  # null where every problem was put once
    errors: ErrorTotals | None  # null where answers are no numbers
    variants: list[Variant]
    cells: list[Cell]
    lengths: list[Length]
    breaking_points: list[BreakingPoint]
    sets: list[SequenceSet]


class SameWords(Part):
    """Problems whose prompt is the same in two conditions: they are no evidence of what a condition does."""

    model: str
    task: str
    condition: Condition | None
    beside: Condition | None  # the other condition
    problems: Count  # problems with a reply in both


class Effect(SameWords):
    """What a condition does: the same problems in it and in another one, with different prompts."""

    percent: Percent
    percent_beside: Percent
    difference: Difference
    better: Count  # problems that went better in this condition
    worse: Count
    p: Share  # McNemar's exact test
    p_holm: Share  # corrected for all tests of the run


class RunModel(Part):
    """A model of the run, and everything that is sent along with a prompt."""

    name: str
    target: str | None  # litellm's name for it
    params: dict[str, Any] | None
    api_base: str | None
    system_prompt: str | None
    simulated: bool | None

    def __post_init__(self) -> None:
        check_plain(self.params, "params")


class ProgramRules(Part):
    """How programs were scored."""

    sets: list[str] | None  # null for those that were there
    limits: list[Amount] | None  # seconds per term
    terms: Count | None  # the most terms that were run; null is all
    memory_bytes: Count | None
    rules: Rules | None
    static_judge: bool | None
    judge: RunModel | None


class Shard(Part):
    """Of which selection this run is a part."""

    index: Positive
    count: Annotated[int, Meta(ge=1, le=10_000)]
    dealt: Count | None  # trials of this shard
    whole: Count | None  # trials of all shards
    selection: str | None  # a digest of the selection

    def __post_init__(self) -> None:
        if self.index > self.count:
            raise ValueError(f"shard {self.index} of {self.count}")


class RunTimes(Part):
    """Which run it was, when it was and how it ended."""

    id: str  # the name of the run's folder
    started_at: Moment | None  # null, as all other facts, of a run without a `summary.json`
    finished_at: Moment | None
    selected: Count | None  # trials that were to be run
    stopped: str | None  # why the run was stopped
    partial: bool  # whether it was a `--lf` run, or was merged from a part of its runs
    exit_status: int | None  # pytest's, or 6 for a run that was stopped; null for a merged one
    shard: Shard | None

    def __post_init__(self) -> None:
        for moment in filter(None, (self.started_at, self.finished_at)):
            datetime.fromisoformat(moment)


class Merged(Part):
    """The runs of which this one was made."""

    runs: list[RunTimes]
    replaced: Count  # records without an answer that a record of another run replaces
    overlapping: Count  # answers that a later run's replaced


class Run(RunTimes):
    """How the run was made. It holds no keys; a fact of a merged run is null where its runs do not share it."""

    seed: int | None
    symbols: str | None
    conditions: list[Condition] | None
    prompt_texts: dict[Literal["templates", "systems"], dict[str, str | None]] | None  # the texts behind their names
    repeats: Count | None
    search: dict[Literal["budget"], Count | None] | None
    reading: Reading | None  # that the run asked for; null leaves it to each task
    store: StoreMode | None
    strict: bool | None
    versions: dict[str, str | None]
    models: list[RunModel]
    asking: RequestTotals | None
    limits: RequestLimits | None
    oeis: ProgramRules | None
    merged: Merged | None
    git: dict[Literal["commit", "dirty"], str | bool | None] | None


class RunSummary(Part):
    """A run in numbers."""

    format: Literal[1]
    run: Run
    answered: Count  # trials with a reply
    unanswered: Count
    duplicates: Count  # trials that ask what another one asks: they are neither of these, and in no figure
    complete: bool  # whether everything that was selected is answered
    results: list[Result]  # one for each model, task and condition
    effects: list[Effect]
    same_words: list[SameWords]


# --- from and to JSON -----------------------------------------------------------------------------------------------

KINDS: Mapping[str, type[Part]] = {"record": Record, "summary": RunSummary}
_Part = TypeVar("_Part", bound=Part)


def decode_record(text: str | bytes) -> Record:
    """The record in a line. Raises ValueError with one line for people, JSONDecodeError among them."""
    return _decode(text, Record)


def decode_summary(text: str | bytes) -> RunSummary:
    """The summary in a file. Raises ValueError with one line for people."""
    return _decode(text, RunSummary)


def convert(value: Any, kind: type[_Part]) -> _Part:
    """The part that builtins describe, checked. Raises ValueError with one line for people that names the field."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as fault:
        what, _, where = str(fault).rpartition(" - at ")
        raise ValueError(f"{where.strip('`').removeprefix('$.')}: {what}" if what else str(fault)) from None


def as_dict(part: Part) -> dict[str, Any]:
    """The same as builtins."""
    builtins: dict[str, Any] = msgspec.to_builtins(part)
    return builtins


def encode(part: Part) -> str:
    """JSON in ASCII: whatever a reply holds, it breaks no line, no encoding and no terminal."""
    return json.dumps(as_dict(part), allow_nan=False)


def kind_of(task: str) -> str:
    """The `kind` of the problems of a task."""
    return task if task in _TASKS else "custom"


def problem_of(task: str, fields: Mapping[str, Any]) -> Problem:
    """The problem of a task from its fields."""
    problem: Problem = msgspec.convert({"kind": kind_of(task), **fields}, Problem)
    return problem


def as_text(value: Any) -> str | None:
    """A text as it is, anything else that JSON holds as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def unknown_run(name: str) -> Run:
    """A run of which nothing is known but its name."""
    unknown: dict[str, Any] = dict.fromkeys(Run.__struct_fields__)
    return Run(**unknown | {"id": name, "partial": False, "versions": {}, "models": []})


def check_plain(value: Any, what: str) -> None:
    """Raise ValueError where a value is nested deeper than can be worked with, or holds a number that is not finite."""
    if not _is_plain(value, DEEPEST):
        raise ValueError(f"{what} is nested too deep, or holds a number that is not finite")


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of one of `KINDS`, open for keys to come."""
    kind = KINDS[name]
    parts = msgspec.json.schema(kind)["$defs"]
    for part, schema in parts.items():
        for owner in getattr(globals().get(part), "__mro__", ()):
            source = inspect.getsource(owner) if owner.__module__ == __name__ else ""
            for field, comment in re.findall(r"^    (\w+): .*  # (.+)$", source, re.MULTILINE):
                schema["properties"][field]["description"] = comment
    dialect = "https://json-schema.org/draft/2020-12/schema"
    own = parts.pop(kind.__name__)
    return {"$schema": dialect, "$id": f"urn:pytest-llmarith:{name}:{FORMAT}", **own, "$defs": parts}


def _decode(text: str | bytes, kind: type[_Part]) -> _Part:
    try:
        return convert(strictly_read(text), kind)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _is_plain(value: Any, levels: int) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(_is_plain(one, levels - 1) for one in inside)


def _is_scored(program: Program | None) -> bool:
    if program is None or program.scores is None:
        return False
    return program.judges.llm is None or program.judges.llm.cheat is not None
