"""Tables of results: the overview, and what is behind its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

from pytest_llmarith.figures.searches import Threshold
from pytest_llmarith.records import Minimum
from pytest_llmarith.types import Outcome
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.fields import WHOSE
from pytest_llmarith.views.formatting import Percentage
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import UNKNOWN, Column, Definition, Kind, Level, Shown

NO_ANSWER = "no_answer"  # the outcome `nan`, which readers of CSV take for unknown
INTERVALS = (
    "intervals: stratified Wilson interval over variants and depths, Wilson interval "
    "elsewhere; of repeats clustered by problem"
)


def _count(key: str) -> Callable[[Here], int]:
    return lambda here: here.number(key)


def _figure(key: str) -> Callable[[Here], Percentage | None]:
    return lambda here: here.get(key)


def _value(key: str, at: str = "") -> Callable[[Here], Any]:
    return lambda here: here.value(key, at)


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


def outcome(here: Here, name: Outcome) -> Counted:
    """An outcome of a place."""
    return Counted(here.number(name), here.get(f"{name}_percentage"))


def _reach(found: Percentage) -> tuple[float, float]:
    return found.low or 0, found.high or 0


def _holds(found: Sequence[Percentage]) -> Shown:
    lowest = formatting.ninety_percent_to(found[0])
    return _range(lowest, formatting.ninety_percent_to(found[-1]))


def _range(lowest: str, highest: str) -> Shown:
    if lowest == highest:
        return Shown(lowest)
    return Shown(f"{lowest} to {highest}")


HOLDS: Kind[Sequence[Percentage]] = Kind(
    {
        "lowest_shown": "integer",
        "lowest_possible": "integer",
        "highest_shown": "integer",
        "highest_possible": "integer",
    },
    _holds,
    lambda v: [v[0].low, v[0].high, v[-1].low, v[-1].high],
    "depth",
    unknown="",
)


def holds_to(here: Here) -> Sequence[Percentage] | None:
    """The depths up to which 90 % are correct, of all variants, in order."""
    found = []
    for one in here.variants:
        reach = one.get("ninety_percent_to")
        if reach:
            found.append(reach)
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


def threshold(here: Here) -> Threshold | None:
    """D50 of a variant, or as adaptive asking `at` a variant measured it."""
    key = "adaptive_d50" if here.at else "d50"
    d50 = here.get(key, here.at)
    if d50 is None:
        return None
    return Threshold(
        variant=here.at or here.name,
        d50=d50.value,  # type: ignore[arg-type]
        place=here.value(f"{key}_place", here.at),
        first=here.value(f"{key}_first", here.at),
        last=here.value(f"{key}_last", here.at),
        interval=[d50.low, d50.high],
        p=here.value(f"{key}_fit", here.at),
        questions=d50.n or 0,
        ended=here.value(f"{key}_ended", here.at) if here.at else None,
    )


def threshold_items(rows: Iterable[Here], *, only_adaptive: bool = False) -> list[Here]:
    """D50 of all variants; of adaptive asking alone, or of grids, too."""
    found = []
    for row in rows:
        if not only_adaptive:
            found += [one for one in row.variants if one.get("d50")]
        found += [row._replace(at=at) for _, at in row.all("adaptive_d50")]
    return found


def adaptive(here: Here) -> Sequence[Threshold] | None:
    """D50 by adaptive asking, of all variants, in order."""
    found = []
    for one in threshold_items([here], only_adaptive=True):
        measured = threshold(one)
        if measured:
            found.append(measured)
    return sorted(found, key=_place) or None


class ErrorShare(NamedTuple):
    """The deviates of one class, and their share of all of them."""

    name: str
    percentage: Percentage | None


MOST_ERRORS: Kind[ErrorShare] = Kind(
    {"class": "string", "percent": "number"},
    lambda v: Shown(f"{v.name} {formatting.percent_of(v.percentage)} %"),
    lambda v: [v.name, kinds.PERCENT.values(v.percentage)[0]],
    is_sorted=False,
)


def _most_errors(here: Here) -> ErrorShare | None:
    classes = here.by_name("error_class")
    if not classes:
        return None
    name = max(classes, key=lambda one: classes[one])
    return ErrorShare(name, here.get("error_class_percentage", name))


def _of_outcome(name: Outcome) -> Callable[[Here], Counted]:
    return lambda here: outcome(here, name)


HOLDS_TO_MEANING = (
    "the depth up to which 90 % are correct: shown (6), not ruled out (10?), ruled out "
    "(-)"
)
D50_MEANING = "the depth at which half of the answers are right"


def cost_of(here: Here) -> kinds.Cost | None:
    """The cost of a result; None of a fake model."""
    cost = here.value("cost_usd", "sum")
    if here.simulated and cost is None:
        return None
    return kinds.Cost(cost, here.number("unpriced"))


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
            lambda here: here.result.facts.date,
            Level.FULL,
            below="measured",
        ),
        Column(
            "measured",
            "trials",
            kinds.COUNT,
            "trials with a reply",
            _count("measured"),
        ),
        Column(
            "unanswered",
            "unanswered",
            kinds.COUNT,
            "trials without a reply, which are in no percentage",
            _count("unanswered"),
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
            holds_to,
            explained=True,
        ),
        Column(
            "d50",
            "D50",
            D50S,
            D50_MEANING,
            adaptive,
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
            _most_errors,
            Level.PAGE,
        ),
        Column(
            "cost",
            "cost",
            kinds.MONEY,
            "US dollars; a plus means that some replies have no known price",
            cost_of,
        ),
        Column(
            "tokens",
            "tokens",
            kinds.TOKENS,
            "tokens of prompts and replies",
            lambda here: here.tokens,
            below="cost",
        ),
        Column(
            "latency",
            "s/reply",
            kinds.SECONDS,
            "median seconds of a reply",
            _value("latency_s", "median"),
            below="cost",
        ),
        Column(
            "relative_error",
            "rel err",
            kinds.SIZE,
            "median relative error of deviates",
            _value("median_relative_error"),
            Level.FULL,
            explained=True,
        ),
        Column(
            "absolute_error",
            "abs err",
            kinds.SIZE,
            "average absolute error of deviates",
            _value("average_absolute_error"),
            Level.FULL,
            below="relative_error",
            explained=True,
        ),
    ],
)


# --- cells ----------------------------------------------------------------------------


_MEASURED: Column[Any] = Column(
    "measured",
    "trials",
    kinds.COUNT,
    "trials with a reply",
    _count("measured"),
)
_VARIANT: Column[Any] = Column(
    "variant", "variant", kinds.NAME, "the variant", lambda here: here.variant
)
HOLDS_TO: Column[Any] = Column(
    "holds_to",
    "90 % to",
    kinds.DEPTHS,
    HOLDS_TO_MEANING,
    lambda here: here.get("ninety_percent_to") if here.measured else None,
    explained=True,
)


def leading_digits(here: Here) -> str | None:
    """The median of the leading digits of deviates that are right, if it says
    something.
    """
    found = formatting.leading_digits(
        here.value("median_leading_digits"),
        here.number("other_length"),
        here.number("deviate"),
    )
    return None if found == UNKNOWN else found


def first_wrong(here: Here) -> Minimum | None:
    """The wrong answer to the smallest question."""
    found = here.examples("first_wrong")
    return found[0] if found else None


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
            _of_outcome(Outcome.CORRECT),
            pictured=True,
        ),
        HOLDS_TO,
        Column(
            "relative_error",
            "rel err",
            kinds.SIZE,
            "median relative error of deviates",
            _value("median_relative_error"),
            Level.FULL,
            explained=True,
        ),
        Column(
            "leading",
            "leading",
            kinds.plain("string", str),
            "the median of the leading digits of deviates that are right, - if most "
            "have another length than the truth",
            leading_digits,
            Level.FULL,
            explained=True,
        ),
        Column(
            "first_wrong",
            "first wrong",
            kinds.WRONG,
            "the wrong answer to the smallest question",
            first_wrong,
            Level.PAGE,
        ),
    ],
)


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
            lambda here: here.at,
        ),
        Column(
            "count",
            "count",
            kinds.COUNT,
            "deviates of this class",
            lambda here: here.number("error_class", here.at),
        ),
        Column(
            "share",
            "%",
            kinds.PERCENT,
            "the share of all deviates of the result",
            lambda here: here.get("error_class_percentage", here.at),
            pictured=True,
        ),
    ],
)


def error_items(rows: Iterable[Here]) -> list[Here]:
    """The error classes that occur in results."""
    found = []
    for row in rows:
        found += [row._replace(at=name) for name in row.by_name("error_class")]
    return found


# --- D50 ------------------------------------------------------------------------------

HALF_TO: Column[Any] = Column(
    "d50",
    "D50",
    kinds.D50,
    D50_MEANING,
    threshold,
    explained=True,
)


def d50_legend(found: Iterable[Threshold] | None = None) -> list[str]:
    """What the depth is, and what the signs of these D50 mean, or of all."""
    shown = list(found or ())
    legend = [
        "The depth of numbers is their digits, of divisions those of quotient and "
        "divisor"
    ]
    for is_shown, meaning in (
        (
            any(one.place in ("below", "above") for one in shown),
            "< or >: below or above the depths that were asked",
        ),
        (
            any(not one.fits for one in shown),
            "no fit: accuracy rises with the depth (p below 0.01)",
        ),
        (
            any(one.ended for one in shown),
            "asked: the questions of adaptive asking",
        ),
    ):
        if is_shown or found is None:
            legend.append(meaning)
    return legend


THRESHOLDS = Definition(
    "thresholds",
    "D50 by model and variant",
    [
        *WHOSE,
        replace(_VARIANT, value=lambda here: here.at or here.name),
        HALF_TO,
        Column(
            "questions",
            "questions",
            kinds.COUNT,
            "questions with an answer",
            lambda here: here.get("adaptive_d50" if here.at else "d50", here.at).n,
        ),
    ],
    "; ".join(d50_legend()),
)
