"""The shape of `summary.json`, and of a line of `aggregate.jsonl`. It does not know who counts."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from pytest_llmarith.oeis.scoring import TermStatus
from pytest_llmarith.reports.shapes.record import Condition
from pytest_llmarith.reports.shapes.run import Run
from pytest_llmarith.values import ErrorClass, Outcome, SearchEnd


class Percentage(TypedDict):
    """A percentage with its 95 % interval: Wilson's, unless it is said to be another."""

    percent: float
    low: float
    high: float


class Mean(TypedDict):
    """A mean score in percent with its 95 % interval by bootstrap over sequences; no interval where all are equal."""

    percent: float
    low: float | None
    high: float | None


class Outcomes(TypedDict):
    """How many trials came to what."""

    correct: int
    deviate: int
    nan: int
    cheat: int
    unanswered: int


class Percentages(TypedDict):
    """Of the trials with a reply; null where nothing was measured."""

    correct: Percentage | None
    deviate: Percentage | None
    nan: Percentage | None
    cheat: Percentage | None


class Tokens(TypedDict):
    """Sums of what is known; null where nothing is."""

    prompt: int | None
    completion: int | None
    reasoning: int | None


class Amounts(TypedDict):
    """What is known of one kind of amount."""

    sum: float
    median: float
    p90: float
    """Nine of ten are no larger."""
    known: int
    """Replies that tell it."""


class Spending(TypedDict):
    """What replies cost in money, seconds and tokens; null where none tells it."""

    cost_usd: Amounts | None
    latency_s: Amounts | None
    prompt_tokens: Amounts | None
    completion_tokens: Amounts | None
    reasoning_tokens: Amounts | None


# `from` is a keyword: such a key can only be written in this form, where it is documented as a whole.
Bin = TypedDict("Bin", {"from": int | None, "to": int | None, "count": int})
Bin.__doc__ = "Relative errors from one power of ten to the next one; null at an open end."


class ErrorSizes(TypedDict):
    """How far off deviates are; as text, because an error may have any size."""

    median_relative_error: str | None
    log10_bins: list[Bin]
    """Without a gap, from the smallest error to the largest."""
    median_leading_digits: float | None
    """Digits that are right, from the left."""
    other_length: NotRequired[int]
    """Deviates of another length than the truth, which have no digit that is right from the left."""


class Place(Outcomes):
    """The outcomes of a part of a task, and its figures."""

    measured: NotRequired[int]
    """Trials with a reply."""
    correct_percentage: NotRequired[Percentage | None]
    spending: NotRequired[Spending]
    error_sizes: NotRequired[ErrorSizes]


class Cell(Place):
    """One variant at one depth."""

    variant: str
    depth: int


class ReliableDepth(TypedDict):
    """The largest depth up to which 90 % or more are correct, by the lower bound of the interval."""

    depth: int | None
    needs: int | None
    """Where there is none: the trials that it would take to show one, were all of them correct."""


class Variant(Place):
    """One variant at all its depths."""

    variant: str
    percentages: Percentages
    reliable_depth: ReliableDepth


class Length(Place):
    """Additions whose longer operand has so many digits."""

    digits: int
    median_latency_s: float | None


class Limit(TypedDict):
    """What programs scored within one limit of seconds per term."""

    seconds: float
    sequences: int
    """Sequences that were measured."""
    score: Mean
    perfect: int
    """Sequences with all terms right."""
    perfect_percentage: Percentage | None


class Curve(TypedDict):
    """The scores of all sequences within one limit of seconds per term, the best first."""

    seconds: float
    scores: list[float]


class TermPlace(TypedDict):
    """How the terms at one place of their sequences fared; those of lookup tables are left out."""

    term: int
    """From 1."""
    right: int
    run: int


class TermSeconds(TypedDict):
    """How long terms took."""

    median: float
    p90: float
    max: float


class Agreement(TypedDict):
    """How far the two judges agree about lookup tables."""

    judged: int
    both: int
    only_static: int
    only_llm: int
    neither: int
    agreement: Percentage | None
    kappa: float | None
    """Cohen's; null where it is undefined."""


class SequenceSet(Outcomes):
    """What one model did on one set of sequences."""

    set: str
    measured: int
    correct_percentage: NotRequired[Percentage | None]
    cheating: Percentage | None
    """Null where nobody judged."""
    limits: list[Limit]
    curve: NotRequired[list[Curve]]
    """Not in `aggregate.jsonl`."""
    by_term: NotRequired[list[TermPlace]]
    """At most 100 places. Not in `aggregate.jsonl`."""
    term_statuses: NotRequired[dict[TermStatus, int]]
    term_seconds: NotRequired[TermSeconds | None]
    unsolved: NotRequired[list[str]]
    """Numbers of at most 500 sequences without a right term. Not in `aggregate.jsonl`."""
    unsolved_count: NotRequired[int]
    spending: NotRequired[Spending]
    isolation: dict[str, int]
    """Programs by the level at which they were locked in."""
    judges: Agreement | None
    """Null where not both of them judged."""


# `class` is a keyword too.
ClassOfErrors = TypedDict("ClassOfErrors", {"class": ErrorClass, "count": int, "percentage": Percentage | None})
ClassOfErrors.__doc__ = "Deviates of one class, and their percentage of all."


class Position(TypedDict):
    """The digits at one position, of deviates of the truth's sign and length."""

    position: int
    """From 1."""
    wrong: int
    digits: int


class Positions(TypedDict):
    """Digits counted from either end of the truth, at most 30."""

    from_left: list[Position]
    from_right: list[Position]


class ErrorsOfVariant(TypedDict):
    """How the deviates of one variant err."""

    classes: dict[ErrorClass, int]
    """Those that occur."""
    positions: Positions


class Carries(TypedDict):
    """Sums and differences in which so many columns take a carry or gave one away."""

    carries: int
    """100 stands for 100 and more."""
    correct: int
    measured: int


class Chain(TypedDict):
    """Sums and differences whose most carries in a row are so many."""

    chain: int
    """100 stands for 100 and more."""
    correct: int
    measured: int


class Discipline(TypedDict):
    """What it costs to take bare numbers only, whichever reading counts."""

    tolerant_correct: int
    strict_correct: int
    measured: int
    only_tolerant: int


class Anatomy(TypedDict):
    """How answers err, digit by digit."""

    classes: list[ClassOfErrors]
    """All of them, in the order of their rules."""
    digit_match: float | None
    """The mean over all answers."""
    dlength: float | None
    """The mean over all answers."""
    leading_digits: float | None
    """The median over deviates."""
    positions: Positions
    carries: list[Carries]
    longest_chain: list[Chain]
    by_variant: dict[str, ErrorsOfVariant]
    strict: Discipline


class Tries(TypedDict):
    """How likely one of `k` repeats is correct."""

    k: int
    percent: float


class Repeats(TypedDict):
    """What the repeats of problems say together; null where nothing was measured."""

    k: int
    """How often every problem was put."""
    problems: int
    """Problems with a reply."""
    consistency: Percentage | None
    """Problems whose repeats all came to the same answer, of those with two replies or more."""
    pass_at_1: Percentage | None
    """Correct at the first try; the interval knows that repeats of a problem are alike."""
    pass_at_k: list[Tries]
    """The unbiased estimate, over problems with so many replies."""
    majority: Percentage | None
    """Problems whose most frequent answer is correct."""


class BreakingPoint(TypedDict):
    """What one search came to."""

    variant: str
    """Of arithmetic, or `integer_addition`."""
    question: str | None
    """The simplest that was answered wrongly, such as `27 * 48`; null where nothing was."""
    expected: str | None
    answer: str | None
    outcome: Outcome
    """`correct` where nothing was found."""
    reason: str | None
    """Why there is no answer."""
    error_class: ErrorClass | None
    asked: int
    """How often the question was asked again."""
    wrong: int
    """How often it was answered wrongly again."""
    flaky: bool
    questions: int
    budget: int
    ended: SearchEnd
    largest_right: str | None
    """The largest question that was answered rightly."""


class Result(TypedDict):
    """What one model did at one task, in one condition."""

    model: str
    task: str
    condition: NotRequired[Condition | None]
    """How questions were put; null for the usual way."""
    date: str | None
    simulated: bool
    """Whether an embedded model replied: it says nothing about a language model."""
    selected: NotRequired[int | None]
    """Trials that were to be run; null where nobody knows."""
    measured: int
    """Trials with a reply: all percentages are of these."""
    outcomes: Outcomes
    percentages: Percentages
    nan_reasons: dict[str, int]
    unanswered_reasons: dict[str, int]
    stored: int
    """Replies from the store of an earlier run."""
    cost_usd: float | None
    """The sum of all known costs."""
    unpriced: int
    """Replies without a known cost."""
    tokens: Tokens
    median_latency_s: float | None
    spending: NotRequired[Spending]
    median_relative_error: str | None
    """Over deviates."""
    average_absolute_error: str | None
    """Over deviates; one wild answer decides it."""
    rounded: int
    """Deviates that are the truth rounded to fewer decimals."""
    error_sizes: NotRequired[ErrorSizes]
    repeats: NotRequired[Repeats | None]
    """Null where every problem was put once."""
    anatomy: NotRequired[Anatomy | None]
    """Null where answers are no numbers. Not in `aggregate.jsonl`."""
    breaking_points: NotRequired[list[BreakingPoint]]
    """Where the model breaks, search by search."""
    variants: NotRequired[list[Variant]]
    """Not in `aggregate.jsonl`."""
    cells: NotRequired[list[Cell]]
    """Not in `aggregate.jsonl`."""
    lengths: NotRequired[list[Length]]
    """Not in `aggregate.jsonl`."""
    sets: NotRequired[list[SequenceSet]]


class Difference(TypedDict):
    """Percentage points with their 95 % interval; no interval where nothing varies."""

    points: float
    low: float | None
    high: float | None


class Effect(TypedDict):
    """What a condition does: a model's trials of a task in it, beside the same problems in another condition."""

    model: str
    task: str
    condition: Condition | None
    beside: Condition | None
    """The usual one, null, unless nothing was asked in it."""
    problems: int
    """Problems with a reply in both."""
    percent: float
    percent_beside: float
    difference: Difference
    """Newcombe's interval for pairs; by Student's t over problems where they were put several times."""
    better: int
    """Problems that went better in this condition."""
    worse: int
    p: float
    """McNemar's exact test on these two."""
    p_holm: float
    """Corrected for all tests of the run that stand beside it."""


class Summary(TypedDict):
    """A run in numbers."""

    format: Literal[1]
    run: Run
    answered: int
    """Trials with a reply."""
    unanswered: int
    """Trials without one."""
    complete: bool
    """Whether everything that was selected is answered."""
    results: list[Result]
    """One per model, task and condition."""
    effects: NotRequired[list[Effect]]
    """What conditions do, where a run has several."""
