"""The correct answers of each model by variant and depth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pytest_llmarith.report import kinds
from pytest_llmarith.report.definitions.results import (
    CELLS,
    HOLDS,
    OUTCOME,
    VARIANTS,
    Counted,
    Of,
    cell_items,
    holds_to,
    outcome,
    trials_of,
)
from pytest_llmarith.report.depths import usual_size
from pytest_llmarith.report.render.html import HEAT, Heat, View, heat, view
from pytest_llmarith.report.series import ResultOfRun, short_name
from pytest_llmarith.report.shares import correct_share, curve_of
from pytest_llmarith.report.table import Column, Level, Row, Table, pivot
from pytest_llmarith.types import Outcome

_ALL = "all %"


class CellsOfModel(NamedTuple):
    """The cells of a model at a task; they are laid out when they are written, as many
    models have many cells.
    """

    row: ResultOfRun

    @property
    def overall(self) -> str:
        """Such as `62.1 % correct (59.5-64.5)`; empty if a cell has no reply."""
        shown = OUTCOME.shown(outcome(self.row.result, Outcome.CORRECT))
        if not shown.interval:
            return ""
        return f"{shown.text} % correct ({shown.interval})"

    @property
    def shown(self) -> View:
        return view(cells_of(self.row), across="depth")


def cells_of_models(rows: Iterable[ResultOfRun]) -> list[CellsOfModel]:
    """One for each result with replies in cells of variants and depths."""
    found = []
    for row in rows:
        if any(cell.measured for cell in row.result.grid):
            found.append(CellsOfModel(row))
    return found


def cells_of(row: ResultOfRun) -> Table:
    """A row per variant and a column per depth, then the figures of all depths; the
    last row is of all variants.
    """
    result = row.result
    usual = usual_size(result)

    def counts(item: Of) -> Heat | None:
        share = correct_share(item.one)
        if share is None:
            return None
        part = kinds.Part(share.part, share.whole, usual)
        return Heat(share, kinds.PART.shown(part).text, "right")

    # A title, and a filter of trials, so without a comma between thousands.
    depth = Column("depth", "depth", kinds.TEXT, value=lambda item: str(item.one.depth))
    share = Column("share", "correct", HEAT, "correct answers", counts)
    definition = CELLS.with_columns("variant", added=depth)
    definition = replace(definition, columns=[*definition.columns, share])
    items = [item for item in cell_items([row]) if item.one.variant]
    table = definition.table(items, Level.PAGE, trials=_trials)
    matrix = pivot(table, ["variant"], "depth", "share")
    depths = sorted({cell.depth for cell in result.grid})
    matrix = matrix.chosen(["variant", *(f"share {depth}" for depth in depths)])
    known = {column.key: column for column in VARIANTS.columns}
    all_depths = [
        replace(known["correct"], title=f"{_ALL} (95 %)", pictured=False),
        replace(known["holds_to"], kind=HOLDS),
    ]
    variants = {one.variant: one for one in result.series}
    rows = []
    for line in matrix.rows:
        variant = variants[line.values[0]]
        counted = Counted(variant.correct, variant.correct_percentage)
        reached = variant.ninety_percent_to
        reach = [reached] if reached and variant.measured else None
        rows.append(replace(line, values=[*line.values, counted, reach]))
    return replace(
        matrix,
        title=f"correct answers of {usual} by variant and depth",
        columns=[*matrix.columns, *all_depths],
        rows=[*rows, _total(row, depths)],
    )


def _total(row: ResultOfRun, depths: Iterable[int]) -> Row:
    """All variants together."""
    curve = curve_of(row.result.grid)
    values: list[Any] = [_ALL]
    for depth in depths:
        values.append(heat(curve.get(depth)))
    values += [outcome(row.result, Outcome.CORRECT), holds_to(row.result)]
    return Row(values, trials=trials_of(Of(row, row.result)))


def _trials(item: Of) -> Mapping[str, str | int]:
    return {**trials_of(item), "variant": short_name(item.one.variant)}
