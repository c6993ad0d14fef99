"""The summary of a run (`summary.json`), and the JSON Schemas of records and summaries.

The comments of `records` hold here, too.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pytest_llmarith import records
from pytest_llmarith.figures import estimates as figures
from pytest_llmarith.figures.count import MEASURES
from pytest_llmarith.figures.no_answers import Alarm
from pytest_llmarith.figures.searches import BreakingPoint
from pytest_llmarith.figures.table import Series, series_of
from pytest_llmarith.records import (
    FORMAT,
    Amount,
    Count,
    ErrorSize,
    Minimum,
    Moment,
    Name,
    Part,
    Percent,
    Points,
    Positive,
    Record,
    Share,
    decode,
)
from pytest_llmarith.types import (
    Condition,
    ErrorClass,
    Level,
    Model,
    Outcome,
    Reading,
    RequestLimits,
    RequestTotals,
    Rules,
    SearchEnd,
    StoreMode,
    TermStatus,
)


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


AmountKind = Literal[
    "cost_usd", "latency_s", "prompt_tokens", "completion_tokens", "reasoning_tokens"
]
Spending = dict[AmountKind, Amounts | None]
Percentages = dict[Outcome, Percentage | None]


class ErrorSizes(Part):
    """The size of the errors of deviating answers."""

    median_relative_error: ErrorSize | None
    median_leading_digits: Amount | None  # right digits, from the left
    other_length: (
        Count  # answers whose length is wrong, without a right digit from the left
    )


class Cells(Outcomes):
    """The trials of some cells, and their statistics."""

    measured: Count  # trials with a reply
    correct_percentage: Percentage | None
    spending: Spending
    error_sizes: ErrorSizes
    # problems with the same number of repeats and of correct ones; none if each problem
    # was asked once
    clusters: list[dict[Literal["correct", "trials", "problems"], Count]]


class Cell(Cells):
    """One variant at one depth."""

    variant: str  # empty for a task without variants
    depth: Count


class NinetyPercentTo(Part):
    """The depth up to which at least 90 % of the answers are correct; null if there is
    none.
    """

    shown: Count | None  # up to which the run shows it
    possible: Count | None  # up to which the run does not show the opposite


class Scores(Part):
    """The scores of one name; the score of a problem is the mean of its repeats, in
    which a reply without an answer counts 0.
    """

    name: str  # `score`, or a further score of the task, such as a limit in seconds
    problems: Count  # with a reply
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
    by_term: list[
        dict[Literal["term", "right", "run"], Count]
    ]  # by position in the sequence, at most 100
    term_statuses: dict[TermStatus, Count]
    term_seconds: dict[Literal["median", "p90", "max"], Amount] | None
    isolation: dict[Level, Count]  # programs by isolation level
    judges: Agreement | None  # null unless both judged


class Variant(Cells):
    """One variant at all its depths."""

    variant: str  # empty for a task without variants
    percentages: Percentages
    ninety_percent_to: NinetyPercentTo | None  # null for a task without depths
    first_wrong: (
        Minimum | None
    )  # the wrong answer at the lowest depth and trial; null if there is none
    scores: list[Scores] = []  # if the task has scores between 0 and 1
    unsolved_count: Count = 0  # problems whose scores are all 0
    unsolved: list[str] = []  # their questions, at most 500
    programs: Programs | None = None  # if the answers are programs


class ClassOfErrors(Part, rename={"error_class": "class"}):
    """Deviating answers of one error class, and their percentage of all deviating
    answers.
    """

    error_class: ErrorClass
    count: Count
    percentage: Percentage | None


Positions = dict[
    Literal["from_left", "from_right"],
    list[dict[Literal["position", "wrong", "digits"], Count]],
]


class ErrorsOfVariant(Part):
    """The errors of one variant."""

    classes: dict[ErrorClass, Count]
    positions: Positions


class ErrorTotals(Part):
    """The errors of answers, digit by digit."""

    classes: list[ClassOfErrors]
    digit_match: Amount | None  # the mean over all answers
    dlength: Amount | None  # the mean over all answers
    positions: (
        Positions  # digits counted from either end of the expected value, at most 30
    )
    by_variant: dict[str, ErrorsOfVariant]
    strict: dict[
        Literal["tolerant_correct", "strict_correct"], Count
    ]  # correct answers by the reading


class Repeats(Part):
    """Statistics over the repeats of problems; null if nothing was measured."""

    k: Count  # number of repeats
    problems: Count  # problems with a reply
    consistency: (
        Percentage | None
        # problems whose repeats all have the same answer, of those with two or more
        # replies
    )
    pass_at_1: Percentage | None  # the interval accounts for the correlation of repeats
    pass_at_k: (
        Percent | None
    )  # probability that one of `k` tries is correct, over problems with `k` replies
    majority: Percentage | None  # problems whose most frequent answer is correct


class Threshold(Part):
    """D50, the depth at which half of the answers are right: of first repeats, `nan`
    counts as wrong.
    """

    variant: Name  # or the task, if it has none
    d50: Amount | None  # null if it is outside of the depths, or unknown
    place: Literal["below", "within", "above", "unknown"]  # of D50, beside the depths
    first: Count  # the smallest depth with an answer, or of adaptive asking
    last: Count  # the largest one
    interval: Annotated[
        list[Amount | None], Meta(min_length=2, max_length=2)
    ]  # 95 %; ends outside of them are null
    p: Share  # of the goodness of fit
    questions: Count  # with an answer
    ended: SearchEnd | None = (
        None  # why adaptive asking ended; null for the answers of a grid
    )

    @property
    def fits(self) -> bool:
        """Whether accuracy falls with the depth; if it rises again, D50 says little."""
        return self.p >= 0.01


class Result(Part, dict=True):
    """The results of one model at one task in one condition."""

    model: str
    task: str
    condition: Condition | None  # null for the default condition
    date: str | None
    selected: Count | None  # trials that were to be run
    simulated: bool
    duplicates: (
        Count  # trials that repeat the question of another one; in no other number
    )
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
    rounded: (
        Count  # answers that only rounding makes other numbers than the expected ones
    )
    error_sizes: ErrorSizes
    repeats: Repeats | None  # null if every problem was asked once
    errors: ErrorTotals | None  # null if answers are not numbers
    strata: dict[
        str, list[dict[Literal["value", "correct", "measured"], Count]]
    ]  # by other properties of problems
    scores: list[
        Scores
    ]  # of all variants together, if the task has scores between 0 and 1
    variants: list[Variant]  # none for a task without variants, depths and scores
    thresholds: list[
        Threshold
    ]  # one for each variant with answers at two depths or more
    cells: list[Cell]  # none for a task without depths
    breaking_points: list[BreakingPoint]
    readings: list[str] = []  # those that were graded
    alarm: Alarm | None = None  # if many replies have no answer

    @property
    def figures(self) -> figures.Result:
        """The figures that this was made of, if it was counted."""
        found: figures.Result = vars(self)["counted"]
        return found

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
        return next(
            (one for one in self.variants if not one.variant and one.ninety_percent_to),
            None,
        )

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
        """Whether the outcomes are those of searches or adaptive asking, so that they
        are no shares of questions.
        """
        return bool(self.breaking_points) or any(one.ended for one in self.thresholds)


class SameWords(Part):
    """Problems whose prompt is the same in two conditions; they are excluded from the
    effects.
    """

    model: str
    task: str
    condition: Condition | None
    beside: Condition | None  # the other condition
    problems: Count  # problems with a reply in both


class Effect(SameWords):
    """The effect of a condition: the same problems in two conditions, with different
    prompts.
    """

    percent: Percent
    percent_beside: Percent
    difference: Difference
    better: Count  # problems answered better in this condition
    worse: Count
    # McNemar's exact test; with repeats a t-test of the differences by question
    p: Share
    p_holm: Share  # with Holm's correction for all tests of the run


class ModelDifference(Part):
    """A model compared with the baseline: questions of one task that both have
    answered.
    """

    model: str
    baseline: str
    task: str
    pairs: Count
    percent: Percent  # correct answers to these questions
    percent_baseline: Percent
    # of the percentages of correct answers, positive if the model is better
    difference: Difference
    better: Count  # questions that only the model has right
    worse: Count
    # McNemar's exact test; with repeats a t-test of the differences by question
    p: Share
    p_holm: Share  # with Holm's correction for all of these tests
    # The smallest difference that these pairs show with 80 % power after Holm's
    # correction; null if none.
    shown: Points | None


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
    started_at: (
        Moment | None
    )  # null, like all other fields, for a run without a `summary.json`
    finished_at: Moment | None
    selected: Count | None  # trials that were to be run
    stopped: str | None  # why the run was stopped
    partial: bool  # whether it was a --lf run, or was merged from some of its runs only
    exit_status: (
        int | None
    )  # pytest's, or 6 for a run that was stopped; null for a merged one
    shard: Shard | None


class Merged(Part):
    """The runs that were merged into this one."""

    runs: list[RunTimes]
    overlapping: Count  # answers that those of a later run replaced


class Run(RunTimes):
    """The settings and environment of a run, without keys.

    A field of a merged run is null if its runs differ in it.
    """

    seed: int | None
    conditions: list[Condition] | None
    prompt_texts: (
        dict[Literal["templates", "systems"], dict[str, str | None]] | None
    )  # texts by name
    repeats: Count | None
    search: dict[Literal["budget"], Count | None] | None
    baseline: (
        str | None
    )  # the model that the others are compared with; null for the first one
    reading: Reading | None  # set by the run; null if each task chose its own
    store: StoreMode | None
    strict: bool | None
    versions: dict[str, str | None]
    models: list[
        Model
    ]  # with everything that is sent with a prompt; headers are hidden
    asking: RequestTotals | None
    limits: RequestLimits | None
    oeis: ProgramRules | None
    merged: Merged | None
    git: dict[Literal["commit", "dirty"], str | bool | None] | None


class ServedChange(Part):
    """What replies of this run say served them, if stored replies of the same model say
    something else.
    """

    model: str
    field: Literal["served_model", "system_fingerprint"]
    stored: list[str]
    new: list[str]


class RunTotals(Part):
    """What is known of a run besides its results."""

    format: Literal[1]
    run: Run
    answered: Count  # trials with a reply
    unanswered: Count
    duplicates: (
        Count  # trials that repeat the question of another one; in no other number
    )
    complete: bool  # whether all selected trials are answered
    differences: list[
        ModelDifference
    ]  # of each model and task to the first model, or to --llm-baseline
    effects: list[Effect]
    same_words: list[SameWords]
    # The first and the last day on which stored replies were asked; null if there are
    # none.
    stored_days: Annotated[list[str], Meta(min_length=2, max_length=2)] | None = None
    served_changes: list[ServedChange] = []
    # What the provider says it served, by the name of the model, at most five names.
    served_models: dict[str, list[str]] = {}
    # The service tiers that were served where another was asked for, by model.
    other_tiers: dict[str, list[str]] = {}


class RunSummary(RunTotals, kw_only=True):
    """A run and its results, in memory."""

    results: list[Result]


class Described(Part):
    """What a measure is."""

    title: str
    unit: str
    meaning: str


class SummaryFile(RunTotals, kw_only=True):
    """`summary.json`: a run, and its results as a table of estimates."""

    measures: dict[str, Described]
    series: list[Series]  # one per model, task and condition


def as_file(summary: RunSummary) -> dict[str, Any]:
    """What is written of a run."""
    series = [series_of(result.figures) for result in summary.results]
    used = {columns.measure for one in series for columns in one.estimates}
    measures = {}
    for key, one in MEASURES.items():
        if key in used:
            measures[key] = Described(one.title, one.unit, one.meaning)
    totals = {name: getattr(summary, name) for name in RunTotals.__struct_fields__}
    return records.as_dict(SummaryFile(**totals, measures=measures, series=series))


# --- JSON -----------------------------------------------------------------------------

KINDS: Mapping[str, type[Part]] = {"record": Record, "summary": SummaryFile}


def decode_summary(text: str | bytes) -> SummaryFile:
    """Decode `summary.json`. Raises ValueError with a one-line message."""
    return decode(text, SummaryFile)


def unknown_run(name: str) -> Run:
    """A run of which only the name is known."""
    unknown: dict[str, Any] = dict.fromkeys(Run.__struct_fields__)
    return Run(**unknown | {"id": name, "partial": False, "versions": {}, "models": []})


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of one of `KINDS`. It allows additional keys."""
    kind = KINDS[name]
    parts = msgspec.json.schema(kind)["$defs"]
    for part, schema in parts.items():
        for owner in getattr(_part_of(part), "__mro__", ()):
            if owner.__module__ not in (__name__, records.__name__):
                continue
            source = inspect.getsource(owner)
            commented = re.findall(r"^    (\w+): .*  # (.+)$", source, re.MULTILINE)
            for field, comment in commented:
                schema["properties"][field]["description"] = comment
    dialect = "https://json-schema.org/draft/2020-12/schema"
    own = parts.pop(kind.__name__)
    return {
        "$schema": dialect,
        "$id": f"urn:pytest-llmarith:{name}:{FORMAT}",
        **own,
        "$defs": parts,
    }


def _part_of(name: str) -> Any:
    return globals().get(name) or getattr(records, name, None)
