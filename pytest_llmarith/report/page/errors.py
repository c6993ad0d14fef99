"""How answers deviate: classes of errors, and which digits are wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from pytest_llmarith.report import formatting, kinds
from pytest_llmarith.report.charts import Chart, curves_chart
from pytest_llmarith.report.definitions.results import (
    ERRORS,
    Of,
    error_items,
    trials_of,
)
from pytest_llmarith.report.render.html import HEAT, Heat, View, heat, view
from pytest_llmarith.report.series import ResultOfRun, short_name
from pytest_llmarith.report.shares import known, share, share_of
from pytest_llmarith.report.table import Column, Level, pivot
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.summaries import ErrorTotals, Positions, Result
from pytest_llmarith.types import ErrorClass

_MOST_POSITIONS = 16  # from either end
_LONGEST_REASON = 60
_End = Literal["from_left", "from_right"]


class PositionRow(NamedTuple):
    """How often a digit is wrong, by its position from the left and from the right."""

    name: str
    left: Sequence[Heat | None]
    right: Sequence[Heat | None]


class ErrorsOfModel(NamedTuple):
    """The errors of one model at one task; they are laid out when they are written, as
    many models have many.
    """

    row: ResultOfRun
    totals: ErrorTotals

    @property
    def deviates(self) -> int:
        return self.row.result.outcomes.deviate

    @property
    def classes(self) -> View:
        """A row per class."""
        table = ERRORS.table(error_items([self.row]), Level.PAGE, trials=_class_of)
        shown = table.chosen(["error_class", "count", "share"])
        return view(shown, ["worse" for _ in shown.rows])

    @property
    def positions(self) -> list[PositionRow]:
        """A row of all variants, then one for each if there are several."""
        rows = [_position_row("all", self.totals.positions)]
        if len(self.totals.by_variant) > 1:
            for name, one in self.totals.by_variant.items():
                rows.append(_position_row(short_name(name), one.positions))
        return [row for row in rows if row.left]

    @property
    def charts(self) -> Iterator[Chart]:
        return _charts(self.row)

    @property
    def facts(self) -> Iterator[tuple[str, str]]:
        return _facts(self.row.result, self.totals)


class Errors(NamedTuple):
    """The errors of each model, those without deviates last."""

    models: Sequence[ErrorsOfModel]

    @property
    def matrix(self) -> View | None:
        """The classes of errors by model, if several have deviates."""
        erring = [one.row for one in self.models if one.deviates]
        return _matrix(erring) if len(erring) > 1 else None


def errors(rows: Iterable[ResultOfRun]) -> Errors | None:
    """The errors of all models; None if no task has numbers as answers."""
    models = []
    for row in rows:
        if row.result.errors:
            models.append(ErrorsOfModel(row, row.result.errors))
    models.sort(key=lambda one: one.deviates == 0)
    return Errors(models) if models else None


def _matrix(rows: Sequence[ResultOfRun]) -> View | None:
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
    lambda item: item.row.result.outcomes.deviate,
)


def _heat(item: Of) -> Heat | None:
    deviates = item.row.result.outcomes.deviate
    found = share_of(item.one.count, deviates, item.one.percentage)
    return heat(found, "wrong")


def _deviates_of(item: Of) -> Mapping[str, str | int]:
    return {**trials_of(item), "outcome": "deviate"}


def _class_of(item: Of) -> Mapping[str, str | int]:
    return {**_deviates_of(item), "class": str(item.one.error_class)}


def _position_row(name: str, positions: Positions) -> PositionRow:
    left = list(_wrong_digits(positions, "from_left"))
    return PositionRow(name, left, list(_wrong_digits(positions, "from_right")))


def _wrong_digits(positions: Positions, end: _End) -> Iterator[Heat | None]:
    for one in positions[end][:_MOST_POSITIONS]:
        yield heat(share(one["wrong"], one["digits"]), "wrong")


def _charts(row: ResultOfRun) -> Iterator[Chart]:
    """Accuracy by the strata of problems, if there are two points or more."""
    for name, strata in row.result.strata.items():
        shares = {
            one["value"]: share(one["correct"], one["measured"]) for one in strata
        }
        curve = known(shares)
        if len(curve) > 1:
            yield curves_chart(f"Correct % by {name}", name, {row.label: curve})


def _facts(result: Result, totals: ErrorTotals) -> Iterator[tuple[str, str]]:
    """Other facts about the errors, by name."""
    if totals.digit_match is not None:
        match = formatting.percent_text(100 * totals.digit_match)
        yield "digits that match", f"{match} % on average, over all answers"
    if totals.dlength is not None:
        yield "length", f"{totals.dlength:.2f} digits too long or too short on average"
    leading = formatting.leading_digits(result.error_sizes, result.outcomes.deviate)
    if leading != formatting.UNKNOWN:
        yield (
            "leading digits",
            f"{leading} right before the first wrong one, the median of deviates",
        )
    relative = result.error_sizes.median_relative_error
    if relative is not None:
        yield "relative error", f"{formatting.short(relative)}, the median of deviates"
    bare = formatting.share(totals.strict["strict_correct"], result.measured)
    tolerant = formatting.share(totals.strict["tolerant_correct"], result.measured)
    yield (
        "cost of a strict format",
        f"{bare} % right if only a bare number counts, {tolerant} % if the answer may "
        "be in a sentence",
    )
    if result.nan_reasons:
        reasons = []
        for reason, count in result.nan_reasons.items():
            reasons.append(f"{count:,} {sanitize(reason, _LONGEST_REASON)}")
        yield "no answer", ", ".join(reasons)
