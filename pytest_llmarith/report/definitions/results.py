"""Tables of results: the overview, and what is behind its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

from pytest_llmarith.figures.estimates import Figure
from pytest_llmarith.figures.searches import Threshold
from pytest_llmarith.figures.shares import percentages
from pytest_llmarith.records import Minimum
from pytest_llmarith.types import Outcome
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.fields import WHOSE, field
from pytest_llmarith.views.formatting import Percentage
from pytest_llmarith.views.places import Here, Share, share_of
from pytest_llmarith.views.table import UNKNOWN, Column, Definition, Kind, Level, Shown

NO_ANSWER = "no_answer"  # the outcome `nan`, which readers of CSV take for unknown
INTERVALS = (
    "intervals: stratified Wilson interval over variants and depths, Wilson interval "
    "elsewhere; of repeats clustered by problem"
)


def _count(key: str) -> Callable[[Here], int]:
    return lambda here: here.number(key)


def _value(key: str, at: str = "") -> Callable[[Here], Any]:
    return lambda here: here.value(key, at)


# --- the overview ---------------------------------------------------------------------


class Counted(NamedTuple):
    """Trials with an outcome, and their percentage."""

    trials: int
    percentage: Percentage | None


OUTCOME: Kind[Counted] = Kind(
    lambda found: kinds.PERCENT.shown(found.percentage),
    lambda found: found.percentage,
    "%",
    is_known=lambda found: found.percentage is not None,
)


def _holds(found: Sequence[Percentage]) -> Shown:
    lowest = formatting.ninety_percent_to(found[0])
    return _range(lowest, formatting.ninety_percent_to(found[-1]))


def _range(lowest: str, highest: str) -> Shown:
    if lowest == highest:
        return Shown(lowest)
    return Shown(f"{lowest} to {highest}")


HOLDS: Kind[Sequence[Percentage]] = Kind(
    _holds,
    lambda v: v[0].low,
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
    found.sort(key=lambda reach: (reach.low or 0, reach.high or 0))
    return found or None


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
    _d50s,
    lambda v: v[0].d50,
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


def thresholds_of(row: Here) -> dict[str, Here]:
    """Where D50 of each variant is, of a grid or of adaptive asking."""
    found = {}
    for one in row.variants:
        if one.get("d50"):
            found[one.name] = one
    for _, at in row.all("adaptive_d50"):
        found[at] = row._replace(at=at)
    return found


def adaptive(here: Here) -> Sequence[Threshold] | None:
    """D50 by adaptive asking, of all variants, in order."""
    found = []
    for _, at in here.all("adaptive_d50"):
        measured = threshold(here._replace(at=at))
        if measured:
            found.append(measured)
    return sorted(found, key=_place) or None


class ErrorShare(NamedTuple):
    """The deviates of one class, and their share of all of them."""

    name: str
    percentage: Percentage | None


MOST_ERRORS: Kind[ErrorShare] = Kind(
    lambda v: Shown(f"{v.name} {formatting.percent_of(v.percentage)} %"),
    lambda v: v.percentage,
    is_sorted=False,
)


def _most_errors(here: Here) -> ErrorShare | None:
    classes = here.by_name("error_class")
    if not classes:
        return None
    name = max(classes, key=lambda one: classes[one])
    return ErrorShare(name, here.get("error_class_percentage", name))


def _of_outcome(name: Outcome) -> Callable[[Here], Counted]:
    return lambda here: Counted(here.number(name), here.get(f"{name}_percentage"))


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


_UNANSWERED: Column[Any] = Column(
    "unanswered",
    "unanswered",
    kinds.COUNT,
    "trials without a reply, which are in no percentage",
    _count("unanswered"),
    is_rare=True,
)
DATE: Column[Any] = Column(
    "date",
    "date",
    kinds.DATE,
    "when the run began",
    lambda here: here.result.facts.date,
    Level.FULL,
    below="measured",
)
COST: Column[Any] = Column(
    "cost",
    "cost",
    kinds.MONEY,
    "US dollars; a plus means that some replies have no known price",
    cost_of,
)

OVERVIEW = Definition(
    "overview",
    "correct answers by model and task",
    [
        *WHOSE,
        DATE,
        Column(
            "measured",
            "trials",
            kinds.COUNT,
            "trials with a reply",
            _count("measured"),
            is_optional=True,
        ),
        _UNANSWERED,
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
            "a reply that is no answer of its own, by the rules of the task",
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
        COST,
        Column(
            "tokens",
            "tokens",
            kinds.TOKENS,
            "tokens of prompts and replies",
            lambda here: here.tokens,
            Level.FULL,
            below="cost",
        ),
        Column(
            "latency",
            "s/reply",
            kinds.SECONDS,
            "median seconds of a reply",
            _value("latency_s", "median"),
            Level.FULL,
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
        field("tokens_a_second", Level.FULL, curved=True),
        field("bare_number", Level.FULL, curved=True),
    ],
)


# --- models beside each other ---------------------------------------------------------


class Ranked(NamedTuple):
    """The correct answers of a model at a task, its rank, and how far they reach."""

    correct: Percentage | None
    rank: int | None
    reach: str


def _shown_rank(found: Ranked) -> Shown:
    notes = [f"rank {found.rank}"] if found.rank else []
    if found.reach:
        notes.append(found.reach)
    return kinds.PERCENT.shown(found.correct)._replace(notes=tuple(notes))


_RANKED: Kind[Ranked] = Kind(
    _shown_rank,
    lambda v: v.correct,
    "%",
)


def ranked(row: Here, rows: Iterable[Here]) -> Ranked | None:
    """The place of a result among those of its task."""
    reach = ""
    d50s, holds = adaptive(row), holds_to(row)
    if d50s:
        reach = f"D50 {D50S.shown(d50s).text}"
    elif holds:
        reach = f"90 % to: {HOLDS.shown(holds).text}"
    correct = row.correct
    if not correct and not reach:
        return None
    return Ranked(correct, _rank(row, rows), reach)


def _rank(row: Here, rows: Iterable[Here]) -> int | None:
    """One more than the models whose interval is above; None if it lacks cells."""
    mine = row.correct
    if row.missing or mine is None or mine.value is None or mine.high is None:
        return None
    others = [one.correct for one in rows if one.task == row.task and not one.missing]
    above = 0
    for found in others:
        above += bool(found and found.low is not None and found.low > mine.high)
    return above + 1 if len(others) > 1 else None


def by_model(rows: Sequence[Here], more: Sequence[Column[Any]] = ()) -> Definition:
    """A row per model, a column per task, what all tasks cost together, and `more`
    columns.
    """
    of_model: dict[str, list[Here]] = {}
    for row in rows:
        of_model.setdefault(row.label, []).append(row)

    def cost(row: Here) -> kinds.Cost | None:
        costs = [one for one in map(cost_of, of_model[row.label]) if one]
        if not costs:
            return None
        known = [one.usd for one in costs if one.usd is not None]
        unpriced = sum(one.unpriced for one in costs)
        return kinds.Cost(sum(known) if known else None, unpriced)

    columns: list[Column[Any]] = [
        WHOSE[0],
        Column(
            "correct",
            "correct %",
            _RANKED,
            "correct answers with their 95 % interval; rank: one more than the models "
            "whose interval is above this one",
            lambda row: ranked(row, rows),
            across="task",
        ),
        replace(COST, value=cost),
        *more,
        replace(
            _UNANSWERED,
            value=lambda row: sum(
                one.number("unanswered") for one in of_model[row.label]
            ),
        ),
    ]
    found = [one for one in (ranked(row, rows) for row in rows) if one]
    legend = ["Correct answers in %, with their 95 % interval"]
    if any(one.rank for one in found):
        legend.append("Models share a rank if no interval is above that of the other")
    for title, meaning in (("90 % to", HOLDS_TO_MEANING), ("D50", D50_MEANING)):
        if any(one.reach.startswith(title) for one in found):
            legend.append(f"{title}: {meaning}")
    return Definition(
        "models", "correct answers by model and task", columns, ". ".join(legend)
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


def _reached(here: Here) -> Sequence[Percentage] | None:
    if here.variant is None:
        return holds_to(here)
    found = here.get("ninety_percent_to") if here.measured else None
    return [found] if found else None


HOLDS_TO: Column[Any] = Column(
    "holds_to", "90 % to", HOLDS, HOLDS_TO_MEANING, _reached, explained=True
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


_FIRST_WRONG: Column[Any] = Column(
    "first_wrong",
    "first wrong",
    kinds.WRONG,
    "the wrong answer to the smallest question",
    first_wrong,
    is_optional=True,
)
CORRECT: Column[Any] = Column(
    "correct",
    "correct %",
    OUTCOME,
    "correct answers",
    _of_outcome(Outcome.CORRECT),
    pictured=True,
)

VARIANTS = Definition(
    "variants",
    "by variant, all depths together",
    [
        *WHOSE,
        _VARIANT,
        _MEASURED,
        CORRECT,
        HOLDS_TO,
        Column(
            "relative_error",
            "rel err",
            kinds.SIZE,
            "median relative error of deviates",
            _value("median_relative_error"),
            explained=True,
        ),
        Column(
            "leading",
            "leading",
            kinds.plain(str, is_text=True),
            "the median of the leading digits of deviates that are right, - if most "
            "have another length than the truth",
            leading_digits,
            explained=True,
        ),
        _FIRST_WRONG,
    ],
)


def cells_of(usual: int, depths: str, *, has_fractions: bool = False) -> Definition:
    """The cells of variants and depths, most of which have the usual number of trials:
    correct ones, or mean scores if scores are fractions.
    """

    def cell(here: Here) -> kinds.Heat | None:
        share = here.mean_score
        if share is None or here.variant is None:
            return kinds.heat(share)
        if has_fractions:
            return kinds.heat(share, "right")
        text = f"{share.part}/{share.whole}"
        if share.whole == usual:
            text = str(share.part)
        return kinds.Heat(share, text, "right")

    title = f"correct of {usual} by {depths}"
    meaning = "correct answers, of all variants in %"
    if has_fractions:
        title, meaning = f"mean score % by {depths}", "mean scores"
    columns: list[Column[Any]] = [
        replace(_VARIANT, value=lambda here: here.variant or "all %"),
        Column("cell", "correct", kinds.HEAT, meaning, cell, across="depth"),
        replace(CORRECT, title="all %", level=Level.PAGE, pictured=False),
        HOLDS_TO,
        _FIRST_WRONG,
    ]
    return Definition("cells", title, columns)


CELLS = cells_of(10, "variant and depth")


def _both(here: Here) -> Shown | None:
    if not here.measured:
        return None
    reach = HOLDS.shown(_reached(here)).text
    return Shown(f"{formatting.percent_of(here.correct)}  {reach.rjust(7)}")


BY_VARIANT = Definition(
    "by_variant",
    "correct %, and 90 % to, by variant",
    [
        WHOSE[0],
        Column(
            "both",
            "90 % to",
            kinds.SHOWN,
            HOLDS_TO_MEANING,
            _both,
            explained=True,
            across="variant",
        ),
    ],
)


def _outcome(key: str) -> Column[Any]:
    return Column(key, key, kinds.COUNT, f"trials: {key}", _count(key))


BY_DEPTH = Definition(
    "by_depth",
    "by depth",
    [
        Column("depth", "depth", kinds.NAME, "the depth", lambda here: str(here.depth)),
        _outcome("correct"),
        _outcome("deviate"),
        _outcome("nan"),
        replace(_outcome("unanswered"), is_rare=True),
        Column(
            "latency",
            "median s",
            kinds.SECONDS,
            "median seconds of a reply",
            _value("latency_s", "median"),
        ),
    ],
)


# --- errors ---------------------------------------------------------------------------

_SHARE: Column[Any] = Column(
    "share",
    "%",
    kinds.PERCENT,
    "the share of all deviates of the result",
    lambda here: here.get("error_class_percentage", here.at),
    pictured=True,
)
CLASSES = Definition(
    "classes",
    "classes of wrong answers",
    [
        Column("error_class", "class", kinds.NAME, "the class", lambda here: here.at),
        Column(
            "count",
            "count",
            kinds.COUNT,
            "deviates of this class",
            lambda here: here.number("error_class", here.at),
        ),
        _SHARE,
    ],
)


def _heat(here: Here) -> kinds.Heat | None:
    figure = here.get("error_class_percentage", here.at)
    count = here.number("error_class", here.at)
    share = share_of(count, here.number("deviate"), figure)
    if share is None:
        return None
    ends = formatting.ends_of(share.low, share.high)
    return kinds.Heat(share, formatting.percent_text(share.value), "wrong", ends)


def _right(key: str) -> Callable[[Here], float | None]:
    def right(here: Here) -> float | None:
        return 100 * here.number(key) / here.measured if here.measured else None

    return right


ERRORS = Definition(
    "errors",
    "how answers deviate, in % of all deviates",
    [
        *WHOSE,
        Column(
            "deviates",
            "deviates",
            kinds.COUNT,
            "wrong answers of all classes",
            _count("deviate"),
        ),
        replace(_SHARE, kind=kinds.HEAT, value=_heat, across="class", pictured=False),
        Column(
            "right",
            "right",
            kinds.SHARE,
            "right answers in % of all trials, in any words",
            _right("tolerant_correct"),
            explained=True,
        ),
        Column(
            "right_bare",
            "right, bare",
            kinds.SHARE,
            "the same, with nothing but the number",
            _right("strict_correct"),
            explained=True,
        ),
        Column(
            "digit_match",
            "digits that match %",
            kinds.SHARE,
            "digits that match, on average over all answers",
            lambda here: _in_percent(here.value("digit_match")),
            Level.PAGE,
        ),
        Column(
            "length",
            "off in length",
            kinds.plain("{:.2f}".format, "digits"),
            "digits too long or too short, on average",
            _value("dlength"),
            Level.PAGE,
        ),
        Column(
            "leading",
            "leading digits",
            kinds.plain(str, is_text=True),
            "digits right before the first wrong one, the median of deviates",
            leading_digits,
            Level.PAGE,
        ),
    ],
)


def counted_share(figure: Figure | None) -> Share | None:
    """A count of n as a share."""
    if figure is None or not figure.n:
        return None
    [found] = percentages([figure])
    return share_of(int(figure.value or 0), figure.n, found)


DIGITS = Definition(
    "digits",
    "wrong digits, % by position",
    [
        replace(_VARIANT, value=lambda here: here.variant or "all"),
        Column(
            "digit",
            "wrong",
            kinds.HEAT,
            "deviates with the length of the truth",
            lambda figure: kinds.heat(counted_share(figure), "wrong"),
            across="position",
        ),
    ],
)


def _in_percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def deviates(row: Here) -> bool:
    """Whether it has deviates, or answers that are right in words only."""
    if not row.has_numbers:
        return False
    differ = row.number("tolerant_correct") != row.number("strict_correct")
    return differ or bool(row.by_name("error_class"))


# --- D50 ------------------------------------------------------------------------------

D50_LEGEND = (
    "In arithmetic and integer_addition the depth is digits, of divisions those of "
    "quotient and divisor; "
    "< or >: below or above the depths that were asked; no fit: accuracy rises with "
    "the depth (p below 0.01); asked: the questions of adaptive asking"
)
THRESHOLDS = Definition(
    "thresholds",
    "D50 by variant",
    [
        WHOSE[0],
        Column(
            "d50",
            "D50",
            kinds.D50,
            D50_MEANING,
            threshold,
            explained=True,
            across="variant",
        ),
    ],
    D50_LEGEND,
)
