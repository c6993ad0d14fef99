"""Results as a long table of estimates, in columns, and read from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_llmarith.figures.estimates import (
    Described,
    Estimate,
    Facts,
    Figure,
    FiguresAt,
    Place,
    Result,
    Value,
)
from pytest_llmarith.figures.no_answers import Alarm
from pytest_llmarith.figures.searches import BreakingPoint
from pytest_llmarith.records import Count, Minimum, Part

_MOST_NAMED = 500  # unsolved problems


class Columns(Part):
    """The estimates of one measure in columns. A column of a single value has it in
    every row.

    `variant`: null for all variants
    `depth`: null for all depths
    `by`: what several figures of a place differ in
    `at`: and where in it this one is
    `low`: the 95 % interval
    `n`: trials, problems or replies
    `method`: of the interval
    """

    measure: str
    variant: tuple[str | None, ...] = (None,)
    depth: tuple[Count | None, ...] = (None,)
    by: tuple[str, ...] = ("",)
    at: tuple[str, ...] = ("",)
    value: tuple[Value, ...] = (None,)
    low: tuple[int | float | None, ...] = (None,)
    high: tuple[int | float | None, ...] = (None,)
    n: tuple[Count | None, ...] = (None,)
    method: tuple[str, ...] = ("",)

    def __post_init__(self) -> None:
        lengths = {len(getattr(self, name)) for name in _NAMES}
        if 0 in lengths or len(lengths - {1}) > 1:
            raise ValueError(f"the columns of {self.measure!r} differ in length")


_NAMES = ("variant", "depth", "by", "at", "value", "low", "high", "n", "method")


class Chosen(Part):
    """Trials and texts that are no figures.

    `first_wrong`: by variant; of all under an empty name
    `unsolved`: at most 500 of each variant
    `alarm`: if many replies have no answer
    """

    first_wrong: dict[str, Minimum] = {}
    unsolved: dict[str, list[str]] = {}
    breaking_points: list[BreakingPoint] = []
    alarm: list[Alarm] = []


class SeriesTable(Part):
    """The results of one model at one task in one condition."""

    facts: Facts
    estimates: list[Columns]
    examples: Chosen


def series_of(result: Result) -> SeriesTable:
    """A result as it is written."""
    if isinstance(result, WrittenResult):
        return result.series
    rows: dict[str, list[Sequence[Any]]] = {}
    for measure, place, figure in result.estimates():
        cells = (place.variant, place.depth, figure.by, figure.at, *figure[:4])
        rows.setdefault(measure, []).append((*cells, figure.method))
    estimates = []
    for measure, of_measure in rows.items():
        named: dict[str, Any] = {}
        for name, column in zip(_NAMES, zip(*of_measure, strict=True), strict=True):
            values = column[:1] if len(set(column)) == 1 else column
            if values not in ((None,), ("",)):
                named[name] = values
        estimates.append(Columns(measure, **named))
    return SeriesTable(result.facts, estimates, _chosen(result))


def _chosen(result: Result) -> Chosen:
    chosen = Chosen(
        breaking_points=list(result.examples("breaking_points")),
        alarm=list(result.examples("alarm")),
    )
    for variant in (None, *result.facts.variants):
        for wrong in result.examples("first_wrong", variant):
            chosen.first_wrong[variant or ""] = wrong
        unsolved = result.examples("unsolved", variant)
        if unsolved:
            chosen.unsolved[variant or ""] = list(unsolved[:_MOST_NAMED])
    return chosen


class WrittenResult(Result):
    """A result that was written; its measures are read when they are asked for."""

    def __init__(self, series: SeriesTable, own: Mapping[str, Described]) -> None:
        """`own` are measures of tasks of the run."""
        self.series = series
        self._columns = {columns.measure: columns for columns in series.estimates}
        super().__init__(
            series.facts, {key: own[key] for key in own if key in self._columns}
        )
        self._read: dict[str, Mapping[Any, dict[tuple[str, str], Figure]]] = {}

    def all(
        self, key: str, variant: str | None = None, depth: int | None = None
    ) -> FiguresAt:
        if not self.facts.variants:
            variant = None  # an empty one is the whole
        if key not in self._read:
            found: dict[Any, dict[tuple[str, str], Figure]] = {}
            if key in self._columns:
                for at_variant, at_depth, figure in _rows(self._columns[key]):
                    figures = found.setdefault((at_variant, at_depth), {})
                    figures[figure.by, figure.at] = figure
            self._read[key] = found
        return self._read[key].get((variant, depth), {})

    def examples(self, key: str, variant: str | None = None) -> Sequence[Any]:
        name = variant if variant and self.facts.variants else ""
        chosen = self.series.examples
        if key == "first_wrong":
            wrong = chosen.first_wrong.get(name)
            return [wrong] if wrong else []
        if key == "unsolved":
            return chosen.unsolved.get(name, [])
        found: Sequence[Any] = getattr(chosen, key)
        return found

    def estimates(self) -> Iterator[Estimate]:
        whole = next(self.places())
        for columns in self.series.estimates:
            for variant, depth, figure in _rows(columns):
                place = Place(whole.model, whole.task, whole.condition, variant, depth)
                yield Estimate(columns.measure, place, figure)


def _rows(columns: Columns) -> Iterator[tuple[str | None, int | None, Figure]]:
    """The rows; a short column is filled up with its single value."""
    named = [getattr(columns, name) for name in _NAMES]
    count = max(len(column) for column in named)
    filled = []
    for column in named:
        filled.append(column * count if len(column) == 1 else column)
    for variant, depth, by, at, value, low, high, n, method in zip(
        *filled, strict=True
    ):
        yield variant, depth, Figure(value, low, high, n, by, at, method)
