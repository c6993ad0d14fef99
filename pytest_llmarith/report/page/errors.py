"""How answers deviate: classes of errors, and which digits are wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_llmarith.figures.estimates import Figure
from pytest_llmarith.figures.shares import percentage
from pytest_llmarith.report.charts import Chart, curves_chart
from pytest_llmarith.report.definitions.results import (
    ERRORS,
    error_items,
    leading_digits,
)
from pytest_llmarith.report.render.html import HEAT, Heat, View, heat, view
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.types import ErrorClass
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.fields import trials_of
from pytest_llmarith.views.places import Here, Share, share_of, short_name
from pytest_llmarith.views.table import Column, Level, pivot

_MOST_POSITIONS = 16  # from either end
_LONGEST_REASON = 60


class PositionRow(NamedTuple):
    """How often a digit is wrong, by its position from the left and from the right."""

    name: str
    left: Sequence[Heat | None]
    right: Sequence[Heat | None]


class ErrorsOfModel(NamedTuple):
    """The errors of one model at one task; they are laid out when they are written, as
    many models have many.
    """

    row: Here

    @property
    def task(self) -> str:
        return short_name(self.row.task)

    @property
    def deviates(self) -> int:
        return self.row.number("deviate")

    @property
    def classes(self) -> View:
        """A row per class."""
        table = ERRORS.table(error_items([self.row]), Level.PAGE, trials=_class_of)
        shown = table.chosen(["error_class", "count", "share"])
        return view(shown, ["worse" for _ in shown.rows])

    @property
    def positions(self) -> list[PositionRow]:
        """A row of all variants, then one for each if there are several."""
        rows = [_position_row("all", self.row)]
        erring = [one for one in self.row.variants if one.by_name("error_class")]
        if len(erring) > 1:
            for one in sorted(erring, key=lambda one: one.name):
                rows.append(_position_row(short_name(one.name), one))
        return [row for row in rows if row.left]

    @property
    def charts(self) -> Iterator[Chart]:
        return _charts(self.row)

    @property
    def facts(self) -> Iterator[tuple[str, str]]:
        return _facts(self.row)


class Errors(NamedTuple):
    """The errors of each model, those without deviates last."""

    models: Sequence[ErrorsOfModel]

    @property
    def matrix(self) -> View | None:
        """The classes of errors by model, if several have deviates."""
        erring = [one.row for one in self.models if one.deviates]
        return _matrix(erring) if len(erring) > 1 else None


def errors(rows: Iterable[Here]) -> Errors | None:
    """The errors of all models; None if no task has numbers as answers."""
    models = [ErrorsOfModel(row) for row in rows if row.has_numbers]
    models.sort(key=lambda one: one.deviates == 0)
    return Errors(models) if models else None


def _matrix(rows: Sequence[Here]) -> View | None:
    """A row per model and task, a column per class."""
    items = error_items(rows)
    if not items:
        return None
    column = Column("share", "% of deviates", HEAT, "the share of all deviates", _heat)
    table = ERRORS.with_columns("model", "task", "error_class", added=column)
    table = replace(table, columns=[*table.columns, _DEVIATES])
    long = table.table(items, Level.PAGE, trials=_deviates_of)
    matrix = pivot(long, ["model", "task", "deviates"], "error_class", "share")
    order = ["model", "task", "deviates", *(f"share {name}" for name in ErrorClass)]
    return view(matrix.chosen(order), across="class")


_DEVIATES: Column[int] = Column(
    "deviates",
    "deviates",
    kinds.COUNT,
    "wrong answers of all classes",
    lambda here: here.number("deviate"),
)


def _heat(here: Here) -> Heat | None:
    figure = here.get("error_class_percentage", here.at)
    count = here.number("error_class", here.at)
    return heat(share_of(count, here.number("deviate"), figure), "wrong")


def _deviates_of(here: Here) -> Mapping[str, str | int]:
    return {**trials_of(here), "outcome": "deviate"}


def _class_of(here: Here) -> Mapping[str, str | int]:
    return {**_deviates_of(here), "class": here.at}


def _position_row(name: str, here: Here) -> PositionRow:
    ends = []
    for end in ("from_left", "from_right"):
        cells = []
        for (by, _), figure in here.all("wrong_digits").items():
            if by == end:
                cells.append(heat(_share_of(figure), "wrong"))
        ends.append(cells[:_MOST_POSITIONS])
    return PositionRow(name, *ends)


def _share_of(figure: Figure) -> Share | None:
    """A count of n as a share."""
    part, whole = int(figure.value or 0), figure.n or 0
    return share_of(part, whole, percentage(part, whole))


def _charts(row: Here) -> Iterator[Chart]:
    """Accuracy by the strata of problems, if there are two points or more."""
    curves: dict[str, dict[int, Share]] = {}
    for (name, value), figure in row.all("stratum").items():
        share = _share_of(figure)
        if share:
            curves.setdefault(name, {})[int(value)] = share
    for name, curve in curves.items():
        if len(curve) > 1:
            yield curves_chart(f"Correct % by {name}", name, {row.label: curve})


def _facts(row: Here) -> Iterator[tuple[str, str]]:
    """Other facts about the errors, by name."""
    match, length = row.value("digit_match"), row.value("dlength")
    if match is not None:
        percent = formatting.percent_text(100 * match)
        yield "digits that match", f"{percent} % on average, over all answers"
    if length is not None:
        yield "length", f"{length:.2f} digits too long or too short on average"
    leading = leading_digits(row)
    if leading:
        yield (
            "leading digits",
            f"{leading} right before the first wrong one, the median of deviates",
        )
    relative = row.value("median_relative_error")
    if relative is not None:
        yield "relative error", f"{formatting.short(relative)}, the median of deviates"
    bare = formatting.share(row.number("strict_correct"), row.measured)
    tolerant = formatting.share(row.number("tolerant_correct"), row.measured)
    yield (
        "cost of a strict format",
        f"{bare} % right if only a bare number counts, {tolerant} % if the answer may "
        "be in a sentence",
    )
    reasons = []
    for reason, count in row.by_name("nan_reason").items():
        reasons.append(f"{count:,} {sanitize(reason, _LONGEST_REASON)}")
    if reasons:
        yield "no answer", ", ".join(reasons)
