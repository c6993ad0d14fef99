"""Tables of differences: of models, of conditions, and of two sides of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pytest_llmarith.figures.contrasts import Compared
from pytest_llmarith.figures.estimates import Figure
from pytest_llmarith.results.keys import USUAL_NAME
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import Column, Definition, Kind, Level, Shown

DETECTABLE = (
    "the smallest difference that the pairs show with 80 % power, after Holm's "
    "correction"
)


def _of(part: str) -> Any:
    """A figure of a difference; None of the baseline itself."""
    return lambda item: item.one.value(part) if item.one else None


def _tested(item: Any) -> kinds.Test | None:
    p = item.one.value("p") if item.one else None
    return None if p is None else kinds.Test(p, item.one.value("p_holm"))


def _difference(item: Any) -> Figure | None:
    return item.one.difference if item.one else None


def _questions(item: Any) -> int | None:
    return item.one.questions if item.one else None


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
    _difference,
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
    """A difference with the label of what is compared; None of the baseline."""

    model: kinds.ModelLabel
    task: str
    one: Compared | None


DIFFERENCES = Definition(
    "differences",
    "differences to the baseline",
    [
        _MODEL,
        _TASK,
        Column(
            "correct",
            "correct %",
            kinds.SHARE,
            "correct answers to the questions that both answered",
            _of("percentage"),
            Level.PAGE,
        ),
        Column(
            "correct_baseline",
            "baseline %",
            kinds.SHARE,
            "correct answers of the baseline to these questions",
            _of("percentage_beside"),
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
            _questions,
            explained=True,
        ),
        _BETTER,
        _WORSE,
        Column(
            "detectable",
            "detectable",
            kinds.GAIN,
            DETECTABLE,
            _of("detectable"),
            explained=True,
        ),
    ],
)

EFFECTS = Definition(
    "effects",
    "what conditions do",
    [
        _MODEL,
        _TASK,
        Column(
            "condition",
            "condition",
            kinds.NAME,
            "the condition",
            lambda item: item.one.place.condition or USUAL_NAME,
            below="model",
        ),
        Column(
            "beside",
            "beside",
            kinds.NAME,
            "the condition that it is compared with",
            lambda item: item.one.beside,
            below="model",
        ),
        Column(
            "problems",
            "problems",
            kinds.COUNT,
            "problems with a reply in both",
            _questions,
        ),
        Column(
            "correct",
            "correct %",
            kinds.SHARE,
            "correct answers in this condition",
            _of("percentage"),
        ),
        Column(
            "correct_beside",
            "beside %",
            kinds.SHARE,
            "correct answers in the other condition",
            _of("percentage_beside"),
            below="correct",
        ),
        _DIFFERENCE,
        _BETTER,
        _WORSE,
        _P,
    ],
)


EFFORT = Definition(
    "effort",
    "reasoning tokens where more or less was asked for",
    [
        _MODEL,
        _TASK,
        Column(
            "beside",
            "beside",
            kinds.NAME,
            "the model that it is compared with",
            lambda item: item.one.beside,
            below="model",
        ),
        Column(
            "questions",
            "questions",
            kinds.COUNT,
            "questions of which both tell their tokens",
            _questions,
        ),
        Column(
            "tokens",
            "tokens",
            kinds.FIGURE,
            "reasoning tokens of a reply",
            lambda item: item.one.get("tokens"),
        ),
        Column(
            "tokens_beside",
            "beside",
            kinds.FIGURE,
            "those of the other model",
            lambda item: item.one.get("tokens_beside"),
            below="tokens",
        ),
        Column(
            "ratio",
            "ratio",
            kinds.FIGURE,
            "of all tokens of both, with its 95 % interval",
            lambda item: item.one.difference,
        ),
    ],
)


def difference_items(
    rows: Sequence[Here], differences: Sequence[Compared]
) -> list[LabelledSide]:
    """The differences to the baseline, with what is known of the models."""
    simulated: dict[tuple[str, str], bool] = {}
    for row in rows:
        simulated[row.label, row.task] = row.simulated
    for row in rows:
        simulated[row.model, row.task] = row.simulated
    items = []
    for one in differences:
        name, task, *_ = one.place
        is_simulated = simulated.get((name, task or ""), False)
        model = kinds.model(name, name, is_simulated=is_simulated)
        items.append(LabelledSide(model, task or "", one))
    return items


def effects_of(summary: RunSummary, by: str) -> Iterator[LabelledSide]:
    """The effects of the conditions of a run, or of the effort that it asked for."""
    simulated = {one.model for one in summary.results if one.facts.simulated}
    for one in summary.contrasts(by):
        if not one.questions:
            continue
        name, task, *_ = one.place
        model = kinds.model(name, name, is_simulated=name in simulated)
        yield LabelledSide(model, task or "", one)


# --- two sides ------------------------------------------------------------------------


class ComparedPart(NamedTuple):
    """A part of the questions of both sides, and how these differ there."""

    label: str
    one: Compared


def _trials(part: str) -> Any:
    """The n of a figure."""

    def value(item: ComparedPart) -> int | None:
        found = item.one.get(part)
        return found.n if found else None

    return value


def _two_sides(named: str, pairs: str, right: str, test: str) -> list[Column[Any]]:
    """The columns of a comparison of A and B; `test` names that of all rows."""
    return [
        Column(
            "part",
            named,
            kinds.NAME,
            "the part of the questions",
            lambda item: item.label,
        ),
        Column(
            "pairs",
            pairs,
            kinds.COUNT,
            f"{pairs} that both answered",
            _trials("better"),
        ),
        Column(
            "first_trials",
            "A",
            kinds.COUNT,
            "trials of A",
            _trials("percentage_beside"),
        ),
        Column("first", "A %", kinds.SHARE, f"{right} of A", _of("percentage_beside")),
        Column("second_trials", "B", kinds.COUNT, "trials of B", _trials("percentage")),
        Column("second", "B %", kinds.SHARE, f"{right} of B", _of("percentage")),
        Column("difference", "B - A", kinds.POINTS, "percentage points", _difference),
        Column(
            "better",
            "better",
            kinds.COUNT,
            "questions that B alone got right, of repeats more often",
            _of("better"),
        ),
        Column(
            "worse",
            "worse",
            kinds.COUNT,
            "questions that A alone got right, of repeats more often",
            _of("worse"),
            below="better",
        ),
        Column(
            "p",
            test,
            kinds.P,
            "the test of this row alone; * if below 0.05 also with Holm's correction",
            _tested,
        ),
    ]


COMPARISON = Definition(
    "comparison", "B - A", _two_sides("", "pairs", "correct answers", "p")
)
MEAN_SCORES = Definition(
    "mean_scores",
    "mean scores",
    _two_sides("mean score", "problems", "mean score", "p, paired t"),
)


def _difference_of_d50(found: Figure) -> Shown:
    """Such as `+0.2 (-0.9 to +1.3)`; with one end `+0.2 (-0.9 or more)`."""
    _, low, high, *_ = found
    text = formatting.signed(found.value)  # type: ignore[arg-type]
    if low is None and high is None:
        return Shown(formatting.UNKNOWN)
    if high is None:
        return Shown(text, f"{formatting.signed(low)} or more")
    if low is None:
        return Shown(text, f"{formatting.signed(high)} or less")
    return Shown(text, f"{formatting.signed(low)} to {formatting.signed(high)}")


_GAIN_IN_DIGITS: Kind[Figure] = Kind(
    _difference_of_d50,
    unit="depth",
)

COMPARISON_OF_D50 = Definition(
    "comparison_of_d50",
    "D50 of both",
    [
        Column(
            "variant",
            "D50",
            kinds.NAME,
            "the variant, with its condition",
            lambda item: item.name,
        ),
        Column("first", "A", kinds.D50_OF_SIDE, "D50 of A", lambda item: item.first),
        Column("second", "B", kinds.D50_OF_SIDE, "D50 of B", lambda item: item.second),
        Column(
            "difference",
            "B - A",
            _GAIN_IN_DIGITS,
            "digits, with the interval of Zou and Donner",
            lambda item: item.compared.difference,
        ),
    ],
)
