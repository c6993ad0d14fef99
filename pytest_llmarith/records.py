"""The record of a trial (a line of `trials.jsonl`) and the summary of a run (`summary.json`).

One msgspec definition of each constructs, validates and encodes it and gives its JSON Schema. msgspec needs a tenth of
pydantic's import time and disk space.

A comment after a field becomes its description in the schema. `None` means unknown. A field with a default is omitted
from the JSON if it has that default. Constructors do not validate; `decode_record` and `decode_summary` do.
"""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NoReturn, TypeVar

import msgspec
from msgspec import Meta

from pytest_llmarith import types
from pytest_llmarith.types import (
    Condition,
    ErrorClass,
    Isolation,
    Level,
    Message,
    Model,
    Outcome,
    Reading,
    RequestLimits,
    RequestTotals,
    Retry,
    Rules,
    SearchEnd,
    StoreMode,
    TermStatus,
    text_of,
)

FORMAT: Literal[1] = 1
DEEPEST = 50  # nesting levels of a JSON value that is sent or stored
LARGEST = 10**15  # the limit of every number; floats represent all integers up to it

Count = Annotated[int, Meta(ge=0, le=LARGEST)]
Positive = Annotated[int, Meta(ge=1, le=LARGEST)]
Whole = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]
Amount = Annotated[float, Meta(ge=0, le=LARGEST)]  # dollars, seconds or tokens
Share = Annotated[float, Meta(ge=0, le=1)]
Percent = Annotated[float, Meta(ge=0, le=100)]
Points = Annotated[float, Meta(ge=-100, le=100)]
Name = Annotated[str, Meta(min_length=1)]
_DIGITS = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)"
NUMBER = _DIGITS + "([eE][+-]?[0-9]{1,4})?$"  # decimal text with a bounded exponent
WrongDigits = Annotated[str, Meta(pattern="^[01]+$")]
ErrorSize = Annotated[str, Meta(pattern=_DIGITS + "([eE][+-]?[0-9]{1,9})?$")]  # the error of an answer of any length
Moment = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|\+00:00)$")]


class Part(msgspec.Struct, omit_defaults=True):
    """A part of a record or a summary."""


# --- problems -------------------------------------------------------------------------------------------------------


class Problem(Part):
    """A question of a task."""

    label: Name  # the part of pytest's id that names the problem
    seed: int | None  # null if another program asked
    variant: str | None  # a series of the task, such as `int_div`
    depth: Count | None  # orders the difficulty within a variant
    trial: Count | None  # distinguishes problems with the same prompt; null if another program asked
    inputs: dict[str, Any]  # the parts of the question, which are the fields of templates
    expected: Any  # the right answer
    question: str | None = None  # the question in one line, such as `27 * 48`; by default its inputs
    strata: dict[str, Count] = {}  # accuracy is also counted by these, such as the carries of a sum

    def __post_init__(self) -> None:
        check_plain([self.inputs, self.expected], "inputs or expected")

    @property
    def short(self) -> str:
        """The question in one line."""
        if self.question is not None:
            return self.question
        return ", ".join(f"{name}: {as_text(value)}" for name, value in self.inputs.items())


# --- replies, answers and grades ------------------------------------------------------------------------------------


class Sent(Part, forbid_unknown_fields=True):
    """The request, without keys."""

    model: Name
    api_base: str | None
    messages: Annotated[list[Message], Meta(min_length=1)]
    params: dict[str, Any]

    def __post_init__(self) -> None:
        check_plain(self.params, "params")


class Usage(Part):
    """A reply without its text."""

    served_model: str | None  # the model that the provider names in its response
    prompt_tokens: Count | None
    completion_tokens: Count | None
    reasoning_tokens: Count | None
    cost_usd: Amount | None
    own_price: bool  # whether the cost is computed from --llm-price
    latency_s: Amount | None  # seconds, of the request that succeeded
    attempts: Positive  # requests, failed ones included
    stored: bool  # whether it came from the store; latency, cost and date are those of the original request
    batched: bool  # whether it came from a batch
    asked_at: Moment | None  # start of the request


class Reply(Usage):
    """The reply of a model."""

    text: str
    reasoning: str | None
    finish_reason: str | None
    sent: Sent | None
    system_fingerprint: str | None = None  # what the provider says of its configuration


class NumberDetails(Part, tag_field="kind", tag="number"):
    """How a number differs from the expected one."""

    absolute_error: ErrorSize | None  # exact; null unless the answer deviates
    relative_error: ErrorSize | None  # a few significant digits; null if right, or if 0 is expected
    rounded: bool | None  # whether only rounding makes the answer another number than the expected one
    error_class: ErrorClass | None  # null unless the answer deviates
    digit_match: Share  # share of the expected digits that the answer has in the right position
    dlength: Count  # difference in length in digits, without sign
    leading_digits: Count  # right digits before the first wrong one
    wrong_digits: WrongDigits | None = None  # 1 for each wrong digit; null if right, or with another sign or length

    @property
    def has_other_length(self) -> bool:
        """Whether the length is wrong and no digit from the left is right, so that digits cannot be compared."""
        return bool(self.dlength) and not self.leading_digits


class Term(Part):
    """One term of a sequence, as the program printed it; long texts are truncated."""

    n: Whole
    expected: str
    got: str
    status: TermStatus
    seconds: Amount
    stderr: str = ""


class StaticVerdict(Part):
    """The verdict of the lookup-table detector."""

    cheat: bool
    evidence: list[str]


class ModelVerdict(Part):
    """The verdict of a model as judge."""

    cheat: bool | None  # null if it gave no verdict
    model: str | None
    replies: list[Reply]


class Judges(Part):
    """The judges' verdicts on whether the program is a lookup table; null if a judge was not used."""

    static: StaticVerdict | None
    llm: ModelVerdict | None


class ProgramDetails(Part, tag_field="kind", tag="program"):
    """The program in a reply, and its terms. `grade.scores` has the share of right terms by limit in seconds."""

    program: str | None
    detail: str | None  # what the reply holds instead of a program
    rules: Rules
    limits: list[Amount]  # seconds per term
    memory_bytes: Count
    terms: list[Term]
    judges: Judges
    addresses_judge: list[str]  # texts in the program that address a judge
    isolation: Isolation
    machine: dict[str, str | int | float | None] | None  # the machine it ran on, and its speed


class Minimum(Part):
    """The simplest question that was answered wrongly every time it was asked."""

    question: str | None  # such as `27 * 48`
    expected: str | None
    outcome: Outcome
    reason: str | None  # why there is no answer
    answer: str | None
    error_class: ErrorClass | None


class SearchStep(Part):
    """One question of a search."""

    question: str
    before: Count  # how often it had been asked before or, to measure D50, a question of its depth
    outcome: Outcome
    reply: Reply | None  # null if the replies of the search are too long to keep all of them
    usage: Usage | None = None  # of a reply that is not kept
    depth: Count | None = None  # of the question


class SearchDetails(Part, tag_field="kind", tag="search"):
    """The questions of a search for the breaking point, or of a measurement of D50, which has only a trail."""

    ended: SearchEnd
    budget: Count  # the maximum number of questions
    questions: Count
    minimum: Minimum | None  # null if no question was wrong every time
    not_reproduced: Count  # questions answered wrongly at first and rightly when asked again
    largest_right: str | None  # the largest question answered rightly
    trail: list[SearchStep]
    depths: list[Count] | None = None  # that D50 is measured on
    half_width: Amount | None = None  # of the wanted 95 % interval of D50


class OwnDetails(Part, tag_field="kind", tag="own"):
    """What a custom task says about an answer."""

    values: dict[str, Any]

    def __post_init__(self) -> None:
        check_plain(self.values, "details")


Details = NumberDetails | ProgramDetails | SearchDetails | OwnDetails


class Grade(Part):
    """The grade of an answer."""

    score: Share | None  # 1 if correct; null without a measurement, and for searches
    scores: dict[str, Share] = {}  # further scores by name: of each reading, or by a limit in seconds
    details: Details | None = None


class Record(Part):
    """One trial: model, problem, prompt, reply, answer and grade."""

    format: Literal[1]
    run: str | None  # the name of the run's folder
    nodeid: str | None  # pytest's id of the item; null if another program asked
    task: Name  # such as `arithmetic` or `oeis`, or the name of a task of your own
    model: str
    simulated: bool  # whether a fake model replied
    problem: Problem
    condition: Condition  # how the prompt was written
    repeat: Count  # number of the repeat in the same condition, counted from 0
    prompt: list[Message] | None  # null if another program asked
    retries: list[Retry]  # retries of this run
    outcome: Outcome
    reason: str | None  # why there is no answer or no reply, or the first fault of a program
    reading: str | None  # the reading that was graded; null if the task has one only, and if nothing was graded
    answer: Any  # what was graded, as text if it is not JSON; numbers are decimal text
    answers: dict[str, Any]  # the answer of each reading, if the task has several
    grade: Grade | None  # null if nothing was graded
    reply: Reply | None
    raised: str | None = None  # the exception that a custom task raised while reading or grading the reply

    def __post_init__(self) -> None:
        check_plain([self.answer, self.answers], "answer")
        grade = self.grade
        if self.number and (self.number.error_class is not None) != (self.outcome is Outcome.DEVIATE):
            raise ValueError("grade.details.error_class and the outcome contradict each other")
        if self.outcome is Outcome.UNANSWERED:
            return
        if self.reply is None:
            raise ValueError(f"the outcome is {self.outcome}, but there is no reply")
        if grade is None:
            raise ValueError(f"the outcome is {self.outcome}, but there is no grade")
        if grade.score is not None and (grade.score == 1) != (self.outcome is Outcome.CORRECT):
            raise ValueError("grade.score and the outcome contradict each other")
        llm = self.program and self.program.judges.llm
        if self.program and (not grade.scores or (llm and llm.cheat is None)):
            raise ValueError("grade holds no scores of a program, or a judge without a verdict")

    @property
    def number(self) -> NumberDetails | None:
        """How a number differs from the expected one, if that was graded."""
        details = self.grade and self.grade.details
        return details if isinstance(details, NumberDetails) else None

    @property
    def program(self) -> ProgramDetails | None:
        """The program, if one was run or looked for."""
        details = self.grade and self.grade.details
        return details if isinstance(details, ProgramDetails) else None

    @property
    def search(self) -> SearchDetails | None:
        """The questions of a search."""
        details = self.grade and self.grade.details
        return details if isinstance(details, SearchDetails) else None

    @property
    def error_class(self) -> ErrorClass | None:
        """The error class of a deviating number."""
        return self.number.error_class if self.number else None

    @property
    def prompt_text(self) -> str | None:
        """The prompt as text."""
        return None if self.prompt is None else text_of(self.prompt)

    @property
    def answer_text(self) -> str | None:
        """The graded answer as text."""
        return as_text(self.answer)


def reply_part(reply: types.Reply) -> Reply:
    """The reply part of a record."""
    fields = reply.fields()
    sent = convert(fields.pop("sent"), Sent) if reply.sent else None
    return Reply(**fields | {"sent": sent})


# --- the summary of a run -------------------------------------------------------------------------------------------


class Percentage(Part):
    """A percentage with its 95 % interval; null if undefined."""

    percent: Percent | None
    low: Percent | None
    high: Percent | None


class Difference(Part):
    """Percentage points with their 95 % interval; null if undefined."""

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
    """Statistics of the known amounts of one kind."""

    sum: Amount
    median: Amount
    p90: Amount  # 90th percentile
    known: Count  # replies with a known amount


Kind = Literal["cost_usd", "latency_s", "prompt_tokens", "completion_tokens", "reasoning_tokens"]
Spending = dict[Kind, Amounts | None]
Percentages = dict[Outcome, Percentage | None]


class ErrorSizes(Part):
    """The size of the errors of deviating answers."""

    median_relative_error: ErrorSize | None
    median_leading_digits: Amount | None  # right digits, from the left
    other_length: Count  # answers whose length is wrong, without a right digit from the left


class Cells(Outcomes):
    """The trials of some cells, and their statistics."""

    measured: Count  # trials with a reply
    correct_percentage: Percentage | None
    spending: Spending
    error_sizes: ErrorSizes


class Cell(Cells):
    """One variant at one depth."""

    variant: str  # empty for a task without variants
    depth: Count


class NinetyPercentTo(Part):
    """The depth up to which at least 90 % of the answers are correct; null if there is none."""

    shown: Count | None  # up to which the run shows it
    possible: Count | None  # up to which the run does not show the opposite


class Scores(Part):
    """The scores of one name; the score of a problem is the mean of its repeats, and 0 without an answer."""

    name: str  # `score`, or a further score of the task, such as a limit in seconds
    problems: Count  # with an answer
    mean: Percentage  # the mean, with its interval
    perfect: Count  # problems with the score 1
    perfect_percentage: Percentage | None
    curve: list[Share]  # all scores, best first


class Agreement(Part):
    """The agreement of the two judges of programs."""

    judged: Count
    both: Count
    only_static: Count
    only_llm: Count
    neither: Count
    agreement: Percentage | None
    kappa: Points | None  # Cohen's kappa; null if undefined


class Programs(Part):
    """What programs did."""

    cheating: Percentage | None  # null if nothing was judged
    by_term: list[dict[Literal["term", "right", "run"], Count]]  # by position in the sequence, at most 100
    term_statuses: dict[TermStatus, Count]
    term_seconds: dict[Literal["median", "p90", "max"], Amount] | None
    isolation: dict[Level, Count]  # programs by isolation level
    judges: Agreement | None  # null unless both judged


class Variant(Cells):
    """One variant at all its depths."""

    variant: str  # empty for a task without variants
    percentages: Percentages
    ninety_percent_to: NinetyPercentTo | None  # null for a task without depths
    first_wrong: Minimum | None  # the wrong answer at the lowest depth and trial; null if there is none
    scores: list[Scores] = []  # if the task has scores between 0 and 1
    unsolved_count: Count = 0  # problems whose scores are all 0
    unsolved: list[str] = []  # their questions, at most 500
    programs: Programs | None = None  # if the answers are programs


class ClassOfErrors(Part, rename={"error_class": "class"}):
    """Deviating answers of one error class, and their percentage of all deviating answers."""

    error_class: ErrorClass
    count: Count
    percentage: Percentage | None


Positions = dict[Literal["from_left", "from_right"], list[dict[Literal["position", "wrong", "digits"], Count]]]


class ErrorsOfVariant(Part):
    """The errors of one variant."""

    classes: dict[ErrorClass, Count]
    positions: Positions


class ErrorTotals(Part):
    """The errors of answers, digit by digit."""

    classes: list[ClassOfErrors]
    digit_match: Amount | None  # the mean over all answers
    dlength: Amount | None  # the mean over all answers
    positions: Positions  # digits counted from either end of the expected value, at most 30
    by_variant: dict[str, ErrorsOfVariant]
    strict: dict[Literal["tolerant_correct", "strict_correct"], Count]  # correct answers by the reading


class Repeats(Part):
    """Statistics over the repeats of problems; null if nothing was measured."""

    k: Count  # number of repeats
    problems: Count  # problems with a reply
    consistency: Percentage | None  # problems whose repeats all have the same answer, of those with two or more replies
    pass_at_1: Percentage | None  # the interval accounts for the correlation of repeats
    pass_at_k: Percent | None  # probability that one of `k` tries is correct, over problems with `k` replies
    majority: Percentage | None  # problems whose most frequent answer is correct


class BreakingPoint(Minimum):
    """The result of one search."""

    variant: str
    repeat: Count
    not_reproduced: Count
    questions: Count
    budget: Count
    ended: SearchEnd
    largest_right: str | None


class Threshold(Part):
    """D50, the depth at which half of the answers are right: of first repeats, `nan` counts as wrong."""

    variant: Name  # or the task, if it has none
    d50: Amount | None  # null if it is below or above the depths with an answer
    place: Literal["below", "within", "above"]  # of D50
    first: Count  # the smallest depth with an answer
    last: Count  # the largest one
    interval: Annotated[list[Amount | None], Meta(min_length=2, max_length=2)]  # 95 %; ends outside of them are null
    p: Share  # of the goodness of fit
    questions: Count  # with an answer
    ended: SearchEnd | None = None  # why adaptive asking ended; null for the answers of a grid

    @property
    def fits(self) -> bool:
        """Whether accuracy falls with the depth; if it rises again, D50 says little."""
        return self.p >= 0.01


class Result(Part):
    """The results of one model at one task in one condition."""

    model: str
    task: str
    condition: Condition | None  # null for the default condition
    date: str | None
    selected: Count | None  # trials that were to be run
    simulated: bool
    duplicates: Count  # trials that repeat the question of another one; in no other number
    measured: Count  # trials with a reply, the base of all percentages
    outcomes: Outcomes
    percentages: Percentages
    nan_reasons: dict[str, Count]
    unanswered_reasons: dict[str, Count]
    stored: Count  # replies from the store
    batched: Count  # replies from batches, in this run or an earlier one
    asked: Count  # replies that the model gave in this run
    cost_usd: Amount | None  # the sum of all known costs
    unpriced: Count  # replies without a known cost
    spending: Spending
    average_absolute_error: ErrorSize | None
    rounded: Count  # answers that only rounding makes other numbers than the expected ones
    error_sizes: ErrorSizes
    repeats: Repeats | None  # null if every problem was asked once
    errors: ErrorTotals | None  # null if answers are not numbers
    strata: dict[str, list[dict[Literal["value", "correct", "measured"], Count]]]  # by other properties of problems
    scores: list[Scores]  # of all variants together, if the task has scores between 0 and 1
    variants: list[Variant]  # none for a task without variants, depths and scores
    thresholds: list[Threshold]  # one for each variant with answers at two depths or more
    cells: list[Cell]  # none for a task without depths
    breaking_points: list[BreakingPoint]
    readings: list[str] = []  # those that were graded

    @property
    def grid(self) -> list[Cell]:
        """The cells of variants."""
        return [cell for cell in self.cells if cell.variant]

    @property
    def depths(self) -> list[Cell]:
        """The cells of a task without variants."""
        return [cell for cell in self.cells if not cell.variant]

    @property
    def whole(self) -> Variant | None:
        """The depths of a task without variants together."""
        return next((one for one in self.variants if not one.variant and one.ninety_percent_to), None)

    @property
    def series(self) -> list[Variant]:
        """The variants that have depths."""
        return [one for one in self.variants if one.variant and one.ninety_percent_to]

    @property
    def scored(self) -> list[Variant]:
        """The variants that have scores."""
        return [one for one in self.variants if one.scores]

    @property
    def searched(self) -> bool:
        """Whether the outcomes are those of searches or adaptive asking, so that they are no shares of questions."""
        return bool(self.breaking_points) or any(one.ended for one in self.thresholds)


class SameWords(Part):
    """Problems whose prompt is the same in two conditions; they are excluded from the effects."""

    model: str
    task: str
    condition: Condition | None
    beside: Condition | None  # the other condition
    problems: Count  # problems with a reply in both


class Effect(SameWords):
    """The effect of a condition: the same problems in two conditions, with different prompts."""

    percent: Percent
    percent_beside: Percent
    difference: Difference
    better: Count  # problems answered better in this condition
    worse: Count
    p: Share  # McNemar's exact test; with repeats a t-test of the differences by question
    p_holm: Share  # with Holm's correction for all tests of the run


class ModelDifference(Part):
    """A model compared with the baseline: questions of one task that both have answered."""

    model: str
    baseline: str
    task: str
    pairs: Count
    difference: Difference  # of the percentages of correct answers, positive if the model is better
    better: Count  # questions that only the model has right
    worse: Count
    p: Share  # McNemar's exact test; with repeats a t-test of the differences by question
    p_holm: Share  # with Holm's correction for all of these tests
    shown: (
        Points | None
    )  # the smallest difference that these pairs show with 80 % power after Holm's correction; null if none


class ReasoningRatio(Part):
    """The reasoning tokens of a model as a multiple of those of another one that differs in one parameter.

    It is over the questions whose replies are complete and have a known count on both sides.
    """

    model: str
    beside: str  # the model with the previous value
    parameter: Name
    questions: Positive
    truncated: Count  # questions left out because a reply is truncated
    ratio: Amount  # the geometric mean over questions, with its 95 % interval
    low: Amount | None  # null if it cannot be estimated
    high: Amount | None
    effect: Literal["none visible", "visible", "cannot tell"]
    p: Share | None = None  # that the ratio is 1; null with fewer than six questions
    p_holm: Share | None = None  # corrected for all ratios of the run


class ProgramRules(Part):
    """How programs were scored."""

    sets: list[str] | None  # null for the default sets
    limits: list[Amount] | None  # seconds per term
    terms: Count | None  # maximum number of terms run; null for all
    memory_bytes: Count | None
    rules: Rules | None
    static_judge: bool | None
    judge: Model | None


class Shard(Part):
    """The shard that this run is."""

    index: Positive
    count: Annotated[int, Meta(ge=1, le=10_000)]
    dealt: Count | None  # trials of this shard
    whole: Count | None  # trials of all shards
    selection: str | None  # digest of the selection


class RunTimes(Part):
    """The id, times and end of a run."""

    id: str  # the name of the run's folder
    started_at: Moment | None  # null, like all other fields, for a run without a `summary.json`
    finished_at: Moment | None
    selected: Count | None  # trials that were to be run
    stopped: str | None  # why the run was stopped
    partial: bool  # whether it was a --lf run, or was merged from some of its runs only
    exit_status: int | None  # pytest's, or 6 for a run that was stopped; null for a merged one
    shard: Shard | None


class Merged(Part):
    """The runs that were merged into this one."""

    runs: list[RunTimes]
    overlapping: Count  # answers that those of a later run replaced


class Run(RunTimes):
    """The settings and environment of a run, without keys. A field of a merged run is null if its runs differ in it."""

    seed: int | None
    conditions: list[Condition] | None
    prompt_texts: dict[Literal["templates", "systems"], dict[str, str | None]] | None  # texts by name
    repeats: Count | None
    search: dict[Literal["budget"], Count | None] | None
    baseline: str | None  # the model that the others are compared with; null for the first one
    reading: Reading | None  # set by the run; null if each task chose its own
    store: StoreMode | None
    strict: bool | None
    versions: dict[str, str | None]
    models: list[Model]  # with everything that is sent with a prompt; headers are hidden
    asking: RequestTotals | None
    limits: RequestLimits | None
    oeis: ProgramRules | None
    merged: Merged | None
    git: dict[Literal["commit", "dirty"], str | bool | None] | None


class ServedChange(Part):
    """What replies of this run say served them, if stored replies of the same model say something else."""

    model: str
    field: Literal["served_model", "system_fingerprint"]
    stored: list[str]
    new: list[str]


class RunSummary(Part):
    """The statistics of a run."""

    format: Literal[1]
    run: Run
    answered: Count  # trials with a reply
    unanswered: Count
    duplicates: Count  # trials that repeat the question of another one; in no other number
    complete: bool  # whether all selected trials are answered
    results: list[Result]  # one per model, task and condition
    differences: list[ModelDifference]  # of each model and task to the first model, or to --llm-baseline
    effects: list[Effect]
    same_words: list[SameWords]
    reasoning_ratios: list[ReasoningRatio]  # of models with neighbouring values of one parameter
    # The first and the last day on which stored replies were asked; null if there are none.
    stored_days: Annotated[list[str], Meta(min_length=2, max_length=2)] | None = None
    served_changes: list[ServedChange] = []


# --- JSON -----------------------------------------------------------------------------------------------------------

KINDS: Mapping[str, type[Part]] = {"record": Record, "summary": RunSummary}
_Part = TypeVar("_Part", bound=Part)


def parse_json(text: str | bytes) -> Any:
    """Parse JSON strictly.

    Raises ValueError, also for NaN and infinity, and RecursionError if the value is nested too deep.
    """
    return json.loads(text, parse_constant=_refuse)


def decode_record(text: str | bytes) -> Record:
    """Decode a line of `trials.jsonl`. Raises ValueError with a one-line message."""
    return _decode(text, Record)


def decode_summary(text: str | bytes) -> RunSummary:
    """Decode `summary.json`. Raises ValueError with a one-line message."""
    return _decode(text, RunSummary)


def convert(value: Any, kind: type[_Part]) -> _Part:
    """Convert and validate builtins. Raises ValueError with a one-line message that names the field."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as fault:
        what, _, where = str(fault).rpartition(" - at ")
        raise ValueError(f"{where.strip('`').removeprefix('$.')}: {what}" if what else str(fault)) from None


def as_dict(part: Part | Model) -> dict[str, Any]:
    """The part as builtins."""
    builtins: dict[str, Any] = msgspec.to_builtins(part)
    return builtins


def encode(part: Part) -> str:
    """Encode as ASCII JSON, so that no reply can break a line, an encoding or a terminal."""
    return json.dumps(as_dict(part), allow_nan=False)


def as_text(value: Any) -> str | None:
    """A string unchanged; any other value as JSON text."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def unknown_run(name: str) -> Run:
    """A run of which only the name is known."""
    unknown: dict[str, Any] = dict.fromkeys(Run.__struct_fields__)
    return Run(**unknown | {"id": name, "partial": False, "versions": {}, "models": []})


def check_plain(value: Any, what: str) -> None:
    """Raise ValueError if a value is nested too deep or holds a number that is not finite."""
    if not is_plain(value):
        raise ValueError(f"{what} is nested too deep, or holds a number that is not finite")


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of one of `KINDS`. It allows additional keys."""
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
        return convert(parse_json(text), kind)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def is_plain(value: Any, levels: int = DEEPEST) -> bool:
    """Whether a JSON value has at most this many levels and only finite numbers.

    Python can parse deeper values than it can copy and write.
    """
    if isinstance(value, float):
        return math.isfinite(value)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(is_plain(one, levels - 1) for one in inside)
