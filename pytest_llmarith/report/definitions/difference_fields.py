"""Tables of differences: of models, of conditions, and of two sides of a comparison."""

from __future__ import annotations

from typing import Any, NamedTuple

from pytest_llmarith.results.compare import Comparison, DifferenceOfD50, Differing
from pytest_llmarith.results.keys import condition_name
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.table import Column, Definition, Kind, Level, Shown

DETECTABLE = (
    "the smallest difference that the pairs show with 80 % power, after Holm's "
    "correction"
)


def _of(name: str) -> Any:
    """A figure of a difference; None of the baseline itself."""
    return lambda item: getattr(item.one, name, None)


def _tested(item: Any) -> kinds.Test | None:
    p = getattr(item.one, "p", None)
    return None if p is None else kinds.Test(p, item.one.p_holm)


_MODEL: Column[Any] = Column(
    "model", "model", kinds.MODEL, "the model", lambda item: item.model
)
_TASK: Column[Any] = Column(
    "task", "task", kinds.NAME, "the task", lambda item: item.task, below="model"
)
_DIFFERENCE: Column[Any] = Column(
    "difference",
    "difference",
    kinds.POINTS,
    "percentage points, on the questions that both answered",
    _of("difference"),
    pictured=True,
)
_BETTER: Column[Any] = Column(
    "better",
    "better",
    kinds.COUNT,
    "questions that went better",
    _of("better"),
    Level.FULL,
)
_WORSE: Column[Any] = Column(
    "worse",
    "worse",
    kinds.COUNT,
    "questions that went worse",
    _of("worse"),
    Level.FULL,
)
_P: Column[Any] = Column(
    "p",
    "p",
    kinds.P,
    "McNemar's exact test, with repeats a t-test; * below 0.05 also with Holm's "
    "correction",
    _tested,
    explained=True,
)


class LabelledSide(NamedTuple):
    """A difference with the label of what is compared and of what it is compared
    with.
    """

    model: kinds.ModelLabel
    baseline: str
    task: str
    one: Any
    run: str = ""


DIFFERENCES = Definition(
    "differences",
    "differences to the baseline",
    [
        _MODEL,
        _TASK,
        Column(
            "baseline",
            "baseline",
            kinds.NAME,
            "the model that it is compared with",
            lambda item: item.baseline,
            Level.DATA,
        ),
        Column(
            "correct",
            "correct %",
            kinds.SHARE,
            "correct answers to the questions that both answered",
            _of("percent"),
            Level.PAGE,
        ),
        Column(
            "correct_baseline",
            "baseline %",
            kinds.SHARE,
            "correct answers of the baseline to these questions",
            _of("percent_baseline"),
            Level.PAGE,
            below="correct",
        ),
        _DIFFERENCE,
        _P,
        Column(
            "pairs",
            "pairs",
            kinds.COUNT,
            "different questions that both answered",
            _of("pairs"),
            explained=True,
        ),
        _BETTER,
        _WORSE,
        Column(
            "detectable",
            "detectable",
            kinds.GAIN,
            DETECTABLE,
            _of("shown"),
            explained=True,
        ),
    ],
)

EFFECTS = Definition(
    "effects",
    "what conditions do",
    [
        Column("run", "run", kinds.NAME, "the run", lambda item: item.run, Level.DATA),
        _MODEL,
        _TASK,
        Column(
            "condition",
            "condition",
            kinds.NAME,
            "the condition",
            lambda item: condition_name(item.one.condition),
            below="model",
        ),
        Column(
            "beside",
            "beside",
            kinds.NAME,
            "the condition that it is compared with",
            lambda item: condition_name(item.one.beside),
            below="model",
        ),
        Column(
            "problems",
            "problems",
            kinds.COUNT,
            "problems with a reply in both",
            _of("problems"),
        ),
        Column(
            "correct",
            "correct %",
            kinds.SHARE,
            "correct answers in this condition",
            _of("percent"),
        ),
        Column(
            "correct_beside",
            "beside %",
            kinds.SHARE,
            "correct answers in the other condition",
            _of("percent_beside"),
            below="correct",
        ),
        _DIFFERENCE,
        _BETTER,
        _WORSE,
        _P,
    ],
)


# --- two sides ------------------------------------------------------------------------


class Compared(NamedTuple):
    """A row of a comparison, with its label."""

    label: str
    one: Any
    comparison: str = ""


def _measured(side: str) -> Any:
    return lambda item: getattr(item.one, side).measured


def _percent(side: str) -> Any:
    return lambda item: getattr(item.one, side).percent


def _pairs(item: Compared) -> int | None:
    is_paired = item.one.better is not None
    return item.one.first.questions if is_paired else None


_LABEL: Column[Any] = Column(
    "part", "", kinds.NAME, "the part of the questions", lambda item: item.label
)
_COMPARISON: Column[Any] = Column(
    "comparison",
    "comparison",
    kinds.NAME,
    "which B is compared with which A",
    lambda item: item.comparison,
    Level.DATA,
)


def _counted(side: str, name: str, title: str, meaning: str) -> Column[Any]:
    """A count of a side of a row."""

    def value(item: Compared) -> Any:
        return getattr(getattr(item.one, side), name)

    key = f"{side}_{name}"
    return Column(key, title, kinds.COUNT, meaning, value, Level.DATA)


_CHANGES = (
    Column(
        "better",
        "better",
        kinds.COUNT,
        "questions that B alone got right, of repeats more often",
        lambda item: item.one.better,
    ),
    Column(
        "worse",
        "worse",
        kinds.COUNT,
        "questions that A alone got right, of repeats more often",
        lambda item: item.one.worse,
        below="better",
    ),
)
_GAIN: Column[Any] = Column(
    "difference",
    "B - A",
    kinds.POINTS,
    "percentage points",
    lambda item: item.one.difference,
)

COMPARISON = Definition(
    "comparison",
    "B - A",
    [
        _COMPARISON,
        Column(
            "kind",
            "kind",
            kinds.TEXT,
            "what the row is about: all, a task, a condition or a variant",
            lambda item: item.one.kind,
            Level.DATA,
        ),
        Column(
            "task",
            "task",
            kinds.NAME,
            "the task of the row, unknown for all",
            lambda item: item.one.task,
            Level.DATA,
        ),
        Column(
            "name",
            "name",
            kinds.NAME,
            "the condition or variant of the row",
            lambda item: item.one.name,
            Level.DATA,
        ),
        _LABEL,
        Column(
            "pairs",
            "pairs",
            kinds.COUNT,
            "different questions that both answered, unknown without pairing",
            _pairs,
        ),
        Column(
            "first_trials",
            "A",
            kinds.COUNT,
            "trials of A",
            _measured("first"),
            Level.FULL,
        ),
        Column("first", "A %", kinds.SHARE, "correct answers of A", _percent("first")),
        _counted("first", "correct", "A right", "correct trials of A"),
        _counted("first", "questions", "A asked", "different questions of A"),
        Column(
            "second_trials",
            "B",
            kinds.COUNT,
            "trials of B",
            _measured("second"),
            Level.FULL,
        ),
        Column(
            "second", "B %", kinds.SHARE, "correct answers of B", _percent("second")
        ),
        _counted("second", "correct", "B right", "correct trials of B"),
        _counted("second", "questions", "B asked", "different questions of B"),
        _GAIN,
        *_CHANGES,
        Column(
            "p",
            "p",
            kinds.P,
            "the test of this row alone; * if below 0.05 also with Holm's correction",
            _tested,
        ),
        Column(
            "detectable",
            "detectable",
            kinds.GAIN,
            DETECTABLE,
            lambda item: item.one.shown,
            Level.DATA,
        ),
    ],
)

MEAN_SCORES = Definition(
    "mean_scores",
    "mean scores",
    [
        _COMPARISON,
        Column(
            "task", "mean score", kinds.NAME, "the task", lambda item: item.one.task
        ),
        Column(
            "problems",
            "problems",
            kinds.COUNT,
            "problems that both answered",
            lambda item: item.one.problems,
        ),
        Column(
            "first",
            "A %",
            kinds.SHARE,
            "the mean score of A",
            lambda item: item.one.first,
        ),
        Column(
            "second",
            "B %",
            kinds.SHARE,
            "the mean score of B",
            lambda item: item.one.second,
        ),
        _GAIN,
        *_CHANGES,
        Column(
            "p",
            "p, paired t",
            kinds.P,
            "the paired t test; * if below 0.05 also with Holm's correction",
            _tested,
        ),
    ],
)


def _difference_of_d50(found: DifferenceOfD50) -> Shown:
    """Such as `+0.2 (-0.9 to +1.3)`; with one end `+0.2 (-0.9 or more)`."""
    low, high = found.interval or (None, None)
    text = formatting.signed(found.difference)
    if low is None and high is None:
        return Shown(formatting.UNKNOWN)
    if high is None:
        return Shown(text, f"{formatting.signed(low)} or more")
    if low is None:
        return Shown(text, f"{formatting.signed(high)} or less")
    return Shown(text, f"{formatting.signed(low)} to {formatting.signed(high)}")


_GAIN_IN_DIGITS: Kind[DifferenceOfD50] = Kind(
    {"digits": "number", "low": "number", "high": "number"},
    _difference_of_d50,
    lambda v: [v.difference, *(v.interval or (None, None))],
    "depth",
)

COMPARISON_OF_D50 = Definition(
    "comparison_of_d50",
    "D50 of both",
    [
        _COMPARISON,
        Column(
            "variant",
            "D50",
            kinds.NAME,
            "the variant, with its condition",
            lambda item: item.one.name,
        ),
        Column(
            "first", "A", kinds.D50_OF_SIDE, "D50 of A", lambda item: item.one.first
        ),
        Column(
            "second", "B", kinds.D50_OF_SIDE, "D50 of B", lambda item: item.one.second
        ),
        Column(
            "difference",
            "B - A",
            _GAIN_IN_DIGITS,
            "digits, with the interval of Zou and Donner",
            lambda item: item.one,
        ),
    ],
)


# --- what is compared, as data --------------------------------------------------------


class Pairing(NamedTuple):
    """A comparison, and the name that its rows have."""

    name: str
    one: Comparison


class DifferingFact(NamedTuple):
    """A fact in which the sides of a comparison may differ, or a search on both."""

    comparison: str
    kind: str
    one: Differing


def _about(key: str, kind: Kind[Any], meaning: str, value: Any) -> Column[Any]:
    title = key.replace("_", " ")
    return Column(key, title, kind, meaning, value, Level.DATA)


def _side_of(side: str) -> list[Column[Any]]:
    letter = "A" if side == "first" else "B"
    columns = []
    for name, kind, meaning in (
        ("run", kinds.NAME, "the run of"),
        ("model", kinds.NAME, "the model of"),
        ("condition", kinds.NAME, "the selected condition of"),
        ("simulated", kinds.FLAG, "whether it is a fake model:"),
    ):
        columns.append(
            _about(
                f"{side}_{name}",
                kind,
                f"{meaning} {letter}",
                lambda item, name=name: getattr(getattr(item.one, side), name),
            )
        )
    for name, meaning in (
        ("answered", "all answered trials of"),
        ("others", "trials without a counterpart of"),
        ("unanswered", "trials without a reply of"),
    ):
        columns.append(
            _about(
                f"{side}_{name}",
                kinds.COUNT,
                f"{meaning} {letter}",
                lambda item, name=name: getattr(
                    getattr(item.one.questions, side), name
                ),
            )
        )
    return columns


def _counts(name: str) -> Any:
    return lambda item: getattr(item.one.questions, name)


COMPARISONS = Definition(
    "comparisons",
    "what is compared",
    [
        _about("comparison", kinds.NAME, "its name", lambda item: item.name),
        *_side_of("first"),
        *_side_of("second"),
        _about("method", kinds.NAME, "paired or unpaired", _of("method")),
        _about("compared", kinds.COUNT, "pairs", _counts("compared")),
        _about(
            "repeated",
            kinds.COUNT,
            "pairs whose question is also in another pair",
            _counts("repeated"),
        ),
        _about(
            "cells",
            kinds.COUNT,
            "cells with an answer on both sides, without pairing",
            _counts("cells"),
        ),
        _about(
            "unanswered",
            kinds.COUNT,
            "trials without a reply on either side",
            _counts("unanswered"),
        ),
        _about(
            "at_worst",
            kinds.GAIN,
            "B - A if unanswered ones are right in A and wrong in B",
            _counts("at_worst"),
        ),
        _about(
            "same_words",
            kinds.COUNT,
            "pairs with the same prompt in both conditions, left out",
            _counts("same_words"),
        ),
    ],
)

DIFFERING = Definition(
    "differing",
    "facts that differ, and searches",
    [
        _about("comparison", kinds.NAME, "its name", lambda item: item.comparison),
        _about("kind", kinds.NAME, "a fact or a search", lambda item: item.kind),
        _about("what", kinds.NAME, "the fact, or the search", _of("what")),
        _about("first", kinds.TEXT, "in A, unknown if it has none", _of("first")),
        _about("second", kinds.TEXT, "in B, unknown if it has none", _of("second")),
    ],
)
