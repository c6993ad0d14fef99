"""Tables of results: the overview, and what is behind its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from pytest_llmarith.report import formatting, kinds
from pytest_llmarith.report.series import ResultOfRun
from pytest_llmarith.report.table import UNKNOWN, Column, Definition, Kind, Level, Shown
from pytest_llmarith.results.keys import key_of
from pytest_llmarith.summaries import (
    AmountKind,
    ClassOfErrors,
    NinetyPercentTo,
    Percentage,
    Result,
    Threshold,
)
from pytest_llmarith.types import Outcome

NO_ANSWER = "no_answer"  # the outcome `nan`, which readers of CSV take for unknown
INTERVALS = (
    "intervals: stratified Wilson interval over variants and depths, Wilson interval "
    "elsewhere; of repeats clustered by problem"
)


class Of(NamedTuple):
    """A part of a result, such as a variant, and the result itself."""

    row: ResultOfRun
    one: Any


def model_of(row: ResultOfRun) -> kinds.Model:
    """The model of a result as it is labelled."""
    result = row.result
    model = kinds.model(row.label, result.model, is_simulated=result.simulated)
    if row.unfinished:
        model = model._replace(marks=(*model.marks, "unfinished"))
    return model


def items_of(
    rows: Iterable[ResultOfRun], parts: Callable[[Result], Iterable[Any]]
) -> list[Of]:
    """The parts of results, each with its result."""
    items = []
    for row in rows:
        for one in parts(row.result):
            items.append(Of(row, one))
    return items


def trials_of(item: Of) -> Mapping[str, str | int]:
    """The filters of the trials of a result."""
    return {"model": item.row.label, "task": item.row.task}


WHOSE: Sequence[Column[Any]] = (
    Column(
        "run",
        "run",
        kinds.NAME,
        "the folder or file of the run",
        lambda item: item.row.run,
        Level.DATA,
    ),
    Column(
        "model",
        "model",
        kinds.MODEL,
        "the model, with its condition and what tells it from others",
        lambda item: model_of(item.row),
    ),
    Column(
        "task",
        "task",
        kinds.NAME,
        "the task",
        lambda item: item.row.result.task,
        below="model",
    ),
    Column(
        "condition",
        "condition",
        kinds.NAME,
        "the label of the condition, unknown for the usual one",
        lambda item: key_of(item.row.result)[2] or None,
        Level.DATA,
    ),
    Column(
        "simulated",
        "simulated",
        kinds.FLAG,
        "whether the model is a fake one",
        lambda item: item.row.result.simulated,
        Level.DATA,
    ),
    Column(
        "unfinished",
        "unfinished",
        kinds.FLAG,
        "whether the run has not ended, or was killed",
        lambda item: bool(item.row.unfinished),
        Level.DATA,
    ),
)


# --- the overview ---------------------------------------------------------------------


class Counted(NamedTuple):
    """Trials with an outcome, and their percentage."""

    trials: int
    percentage: Percentage | None


def _shown_count(found: Counted) -> Shown:
    return kinds.PERCENT.shown(found.percentage)


def _data_of_count(found: Counted) -> list[Any]:
    return [found.trials, *kinds.PERCENT.values(found.percentage)]


OUTCOME: Kind[Counted] = Kind(
    {"": "integer", "percent": "number", "low": "number", "high": "number"},
    _shown_count,
    _data_of_count,
    "%",
    is_known=lambda found: found.percentage is not None,
)


def outcome(result: Result, name: Outcome) -> Counted | None:
    """An outcome of a result; None if no cell was measured."""
    return Counted(getattr(result.outcomes, name), result.percentages[name])


def correct_of(result: Result) -> Percentage | None:
    """The percentage of correct answers that all tables show."""
    found = outcome(result, Outcome.CORRECT)
    return found.percentage if found else None


def _reach(found: NinetyPercentTo) -> tuple[int, int]:
    return found.shown or 0, found.possible or 0


def _holds(found: Sequence[NinetyPercentTo]) -> Shown:
    lowest = formatting.ninety_percent_to(found[0])
    return _range(lowest, formatting.ninety_percent_to(found[-1]))


def _range(lowest: str, highest: str) -> Shown:
    if lowest == highest:
        return Shown(lowest)
    return Shown(f"{lowest} to {highest}")


HOLDS: Kind[Sequence[NinetyPercentTo]] = Kind(
    {
        "lowest_shown": "integer",
        "lowest_possible": "integer",
        "highest_shown": "integer",
        "highest_possible": "integer",
    },
    _holds,
    lambda v: [v[0].shown, v[0].possible, v[-1].shown, v[-1].possible],
    "depth",
    unknown="",
)


def holds_to(result: Result) -> Sequence[NinetyPercentTo] | None:
    """The depths up to which 90 % are correct, of all variants, in order."""
    found = []
    for one in result.variants:
        if one.ninety_percent_to:
            found.append(one.ninety_percent_to)
    return sorted(found, key=_reach) or None


def _place(found: Threshold) -> float:
    if found.d50 is not None:
        return found.d50
    if found.place == "below":
        return found.first - 0.5
    if found.place == "above":
        return found.last + 0.5
    return inf


def _d50s(found: Sequence[Threshold]) -> Shown:
    lowest = kinds.D50.shown(found[0]).text
    return _range(lowest, kinds.D50.shown(found[-1]).text)


D50S: Kind[Sequence[Threshold]] = Kind(
    {"lowest": "number", "highest": "number"},
    _d50s,
    lambda v: [v[0].d50, v[-1].d50],
    "depth",
)


def adaptive(result: Result) -> Sequence[Threshold] | None:
    """D50 by adaptive asking, of all variants, in order."""
    found = [one for one in result.thresholds if one.ended]
    return sorted(found, key=_place) or None


MOST_ERRORS: Kind[ClassOfErrors] = Kind(
    {"class": "string", "percent": "number"},
    lambda v: Shown(f"{v.error_class} {formatting.percent_of(v.percentage)} %"),
    lambda v: [v.error_class, kinds.PERCENT.values(v.percentage)[0]],
    is_sorted=False,
)


def _most_errors(result: Result) -> ClassOfErrors | None:
    return max(classes_of(result), key=lambda one: one.count, default=None)


def _of_outcome(name: Outcome) -> Any:
    return lambda item: outcome(item.row.result, name)


def _tokens(kind: AmountKind) -> Any:
    def tokens(item: Of) -> int | None:
        known = item.row.result.spending[kind]
        return int(known.sum) if known else None

    return tokens


HOLDS_TO_MEANING = (
    "the depth up to which 90 % are correct: shown (6), not ruled out (10?), ruled out "
    "(-)"
)
D50_MEANING = "the depth at which half of the answers are right"


def cost_of(result: Result) -> kinds.Cost | None:
    """The cost of a result; None of a fake model."""
    if result.simulated and result.cost_usd is None:
        return None
    return kinds.Cost(result.cost_usd, result.unpriced)


OVERVIEW = Definition(
    "overview",
    "correct answers by model and task",
    [
        *WHOSE,
        Column(
            "date",
            "date",
            kinds.DATE,
            "when the run began",
            lambda item: item.row.result.date,
            Level.FULL,
            below="measured",
        ),
        Column(
            "selected",
            "selected",
            kinds.COUNT,
            "trials that the run selected",
            lambda item: item.row.result.selected,
            Level.DATA,
        ),
        Column(
            "measured",
            "trials",
            kinds.COUNT,
            "trials with a reply",
            lambda item: item.row.result.measured,
        ),
        Column(
            "unanswered",
            "unanswered",
            kinds.COUNT,
            "trials without a reply, which are in no percentage",
            lambda item: item.row.result.outcomes.unanswered,
            is_rare=True,
        ),
        Column(
            "correct",
            "correct %",
            OUTCOME,
            "correct answers, of repeats clustered by problem",
            _of_outcome(Outcome.CORRECT),
            pictured=True,
        ),
        Column(
            "holds_to",
            "90 % to",
            HOLDS,
            HOLDS_TO_MEANING,
            lambda item: holds_to(item.row.result),
            explained=True,
        ),
        Column(
            "d50",
            "D50",
            D50S,
            D50_MEANING,
            lambda item: adaptive(item.row.result),
            explained=True,
        ),
        Column(
            "deviate",
            "deviate %",
            OUTCOME,
            "another answer than the expected one",
            _of_outcome(Outcome.DEVIATE),
            Level.FULL,
        ),
        Column(
            NO_ANSWER,
            "nan %",
            OUTCOME,
            "a reply without an answer",
            _of_outcome(Outcome.NAN),
            Level.FULL,
        ),
        Column(
            "cheat",
            "cheat %",
            OUTCOME,
            "a program that is a lookup table",
            _of_outcome(Outcome.CHEAT),
            Level.FULL,
            is_rare=True,
        ),
        Column(
            "most_errors",
            "most errors",
            MOST_ERRORS,
            "the most frequent class of wrong answers, and its share of them",
            lambda item: _most_errors(item.row.result),
            Level.PAGE,
        ),
        Column(
            "rounded",
            "rounded",
            kinds.COUNT,
            "answers that only rounding makes other numbers than the expected ones",
            lambda item: item.row.result.rounded,
            Level.DATA,
        ),
        Column(
            "cost",
            "cost",
            kinds.MONEY,
            "US dollars; a plus means that some replies have no known price",
            lambda item: cost_of(item.row.result),
        ),
        Column(
            "tokens",
            "tokens",
            kinds.TOKENS,
            "tokens of prompts and replies",
            lambda item: formatting.prompt_and_completion(item.row.result),
            below="cost",
        ),
        Column(
            "latency",
            "s/reply",
            kinds.SECONDS,
            "median seconds of a reply",
            lambda item: formatting.median_latency(item.row.result),
            below="cost",
        ),
        Column(
            "relative_error",
            "rel err",
            kinds.SIZE,
            "median relative error of deviates",
            lambda item: item.row.result.error_sizes.median_relative_error,
            Level.FULL,
            explained=True,
        ),
        Column(
            "absolute_error",
            "abs err",
            kinds.SIZE,
            "average absolute error of deviates",
            lambda item: item.row.result.average_absolute_error,
            Level.FULL,
            below="relative_error",
            explained=True,
        ),
        Column(
            "stored",
            "stored",
            kinds.COUNT,
            "replies from the store",
            lambda item: item.row.result.stored,
            Level.DATA,
        ),
        Column(
            "batched",
            "batched",
            kinds.COUNT,
            "replies from batches",
            lambda item: item.row.result.batched,
            Level.DATA,
        ),
        Column(
            "prompt_tokens",
            "prompt tokens",
            kinds.TOKENS,
            "tokens of prompts",
            _tokens("prompt_tokens"),
            Level.DATA,
        ),
        Column(
            "completion_tokens",
            "completion tokens",
            kinds.TOKENS,
            "tokens of replies",
            _tokens("completion_tokens"),
            Level.DATA,
        ),
        Column(
            "reasoning_tokens",
            "reasoning tokens",
            kinds.TOKENS,
            "tokens of the reasoning in replies",
            _tokens("reasoning_tokens"),
            Level.DATA,
        ),
    ],
)


def overview_items(rows: Iterable[ResultOfRun]) -> list[Of]:
    """What the rows of the overview are about."""
    return [Of(row, row.result) for row in rows]


# --- cells ----------------------------------------------------------------------------


_MEASURED: Column[Any] = Column(
    "measured",
    "trials",
    kinds.COUNT,
    "trials with a reply",
    lambda item: item.one.measured,
)
_VARIANT: Column[Any] = Column(
    "variant", "variant", kinds.NAME, "the variant", lambda item: item.one.variant
)
HOLDS_TO: Column[Any] = Column(
    "holds_to",
    "90 % to",
    kinds.DEPTHS,
    HOLDS_TO_MEANING,
    lambda item: item.one.ninety_percent_to if item.one.measured else None,
    explained=True,
)

CELLS = Definition(
    "cells",
    "correct by variant and depth",
    [
        *WHOSE,
        _VARIANT,
        Column(
            "depth",
            "depth",
            kinds.COUNT,
            "the depth, of numbers the digits",
            lambda item: item.one.depth,
        ),
        _MEASURED,
        Column(
            "unanswered",
            "unanswered",
            kinds.COUNT,
            "trials without a reply",
            lambda item: item.one.unanswered,
            is_rare=True,
        ),
        Column(
            "correct",
            "correct %",
            OUTCOME,
            "correct answers",
            lambda item: Counted(item.one.correct, item.one.correct_percentage),
        ),
        Column(
            "deviate",
            "deviate",
            kinds.COUNT,
            "other answers than the expected ones",
            lambda item: item.one.deviate,
        ),
        Column(
            NO_ANSWER,
            "nan",
            kinds.COUNT,
            "replies without an answer",
            lambda item: item.one.nan,
        ),
        Column(
            "cheat",
            "cheat",
            kinds.COUNT,
            "programs that are lookup tables",
            lambda item: item.one.cheat,
            is_rare=True,
        ),
    ],
)


def cell_items(rows: Iterable[ResultOfRun]) -> list[Of]:
    """The cells of results."""
    return items_of(rows, lambda result: result.cells)


VARIANTS = Definition(
    "variants",
    "by variant, all depths together",
    [
        *WHOSE,
        _VARIANT,
        _MEASURED,
        Column(
            "correct",
            "correct %",
            OUTCOME,
            "correct answers",
            lambda item: Counted(item.one.correct, item.one.correct_percentage),
            pictured=True,
        ),
        HOLDS_TO,
        Column(
            "relative_error",
            "rel err",
            kinds.SIZE,
            "median relative error of deviates",
            lambda item: item.one.error_sizes.median_relative_error,
            Level.FULL,
            explained=True,
        ),
        Column(
            "leading",
            "leading",
            kinds.plain("string", str),
            "the median of the leading digits of deviates that are right, - if most "
            "have another length than the truth",
            lambda item: _leading(item),
            Level.FULL,
            explained=True,
        ),
        Column(
            "first_wrong",
            "first wrong",
            kinds.WRONG,
            "the wrong answer to the smallest question",
            lambda item: item.one.first_wrong,
            Level.PAGE,
        ),
    ],
)


def _leading(item: Of) -> str | None:
    found = formatting.leading_digits(item.one.error_sizes, item.one.deviate)
    return None if found == UNKNOWN else found


def variant_items(rows: Iterable[ResultOfRun]) -> list[Of]:
    """The variants of results that have depths."""
    return items_of(rows, lambda result: result.series)


# --- errors ---------------------------------------------------------------------------

ERRORS = Definition(
    "errors",
    "how answers deviate",
    [
        *WHOSE,
        Column(
            "error_class",
            "class",
            kinds.NAME,
            "the class",
            lambda item: str(item.one.error_class),
        ),
        Column(
            "count",
            "count",
            kinds.COUNT,
            "deviates of this class",
            lambda item: item.one.count,
        ),
        Column(
            "share",
            "%",
            kinds.PERCENT,
            "the share of all deviates of the result",
            lambda item: item.one.percentage,
            pictured=True,
        ),
    ],
)


def classes_of(result: Result) -> list[ClassOfErrors]:
    """The error classes that occur in a result."""
    if not result.errors:
        return []
    return [one for one in result.errors.classes if one.count]


def error_items(rows: Iterable[ResultOfRun]) -> list[Of]:
    """The error classes that occur in results."""
    return items_of(rows, classes_of)


# --- D50 ------------------------------------------------------------------------------

HALF_TO: Column[Any] = Column(
    "d50",
    "D50",
    kinds.D50,
    D50_MEANING,
    lambda item: item.one,
    explained=True,
)

THRESHOLDS = Definition(
    "thresholds",
    "D50 by model and variant",
    [
        *WHOSE,
        _VARIANT,
        HALF_TO,
        Column(
            "questions",
            "questions",
            kinds.COUNT,
            "questions with an answer",
            lambda item: item.one.questions,
        ),
        Column(
            "ended",
            "ended",
            kinds.TEXT,
            "how adaptive asking ended",
            lambda item: item.one.ended and str(item.one.ended),
            Level.DATA,
        ),
    ],
    "The depth of numbers is their digits, of divisions those of quotient and divisor; "
    "< or >: below or above the depths that were asked; no fit: accuracy rises with "
    "the depth (p below 0.01); asked: the questions of adaptive asking",
)


def threshold_items(
    rows: Iterable[ResultOfRun], *, only_adaptive: bool = False
) -> list[Of]:
    """D50 of all variants; of adaptive asking alone, or of grids, too."""
    items = items_of(rows, lambda result: result.thresholds)
    if only_adaptive:
        return [item for item in items if item.one.ended]
    return items
