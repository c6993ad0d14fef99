"""The correct answers of each model by variant and depth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from pytest_llmarith.report.definitions.results import (
    HOLDS,
    VARIANTS,
    holds_to,
    outcome,
)
from pytest_llmarith.report.render.html import HEAT, Heat, View, heat, view
from pytest_llmarith.types import Outcome
from pytest_llmarith.views import kinds
from pytest_llmarith.views.fields import trials_of
from pytest_llmarith.views.places import Here, short_name
from pytest_llmarith.views.table import Column, Row, Table

_ALL = "all %"
_COLUMNS = {column.key: column for column in VARIANTS.columns}


class CellsOfModel(NamedTuple):
    """The cells of a model at a task; they are laid out when they are written, as many
    models have many cells.
    """

    row: Here

    @property
    def task(self) -> str:
        return short_name(self.row.task)

    @property
    def overall(self) -> str:
        """Such as `62.1 % correct (59.5-64.5)`; empty if a cell has no reply."""
        shown = kinds.PERCENT.shown(self.row.correct)
        if not shown.interval:
            return ""
        return f"{shown.text} % correct ({shown.interval})"

    @property
    def shown(self) -> View:
        return view(cells_of(self.row), across="depth")


def cells_of_models(rows: Iterable[Here]) -> list[CellsOfModel]:
    """One for each result with replies in cells of variants and depths."""
    found = []
    for row in rows:
        if any(cell.measured for cell in row.grid):
            found.append(CellsOfModel(row))
    return found


def cells_of(row: Here) -> Table:
    """A row per variant and a column per depth, then the figures of all depths; the
    last row is of all variants.
    """
    depths = row.grid_depths
    columns: list[Column[Any]] = [_COLUMNS["variant"]]
    for depth in depths:
        columns.append(
            Column(f"share {depth}", str(depth), HEAT, "correct answers", is_named=True)
        )
    columns += [
        replace(_COLUMNS["correct"], title=f"{_ALL} (95 %)", pictured=False),
        replace(_COLUMNS["holds_to"], kind=HOLDS),
    ]
    usual = row.usual_size
    rows = []
    for one in row.series:
        cells: list[Heat | None] = []
        for depth in depths:
            share = one._replace(depth=depth).share
            cell = None
            if share:
                part = kinds.PartOf(share.part, share.whole, usual)
                cell = Heat(share, kinds.PART.shown(part).text, "right")
            cells.append(cell)
        reached = one.get("ninety_percent_to")
        reach = [reached] if reached and one.measured else None
        trials = {**trials_of(one), "variant": short_name(one.name)}
        values: list[Any] = [one.variant, *cells, outcome(one, Outcome.CORRECT), reach]
        rows.append(Row(values, trials=trials))
    totals = [heat(row._replace(depth=depth).share) for depth in depths]
    values = [_ALL, *totals, outcome(row, Outcome.CORRECT), holds_to(row)]
    rows.append(Row(values, trials=trials_of(row)))
    title = f"correct answers of {usual} by variant and depth"
    return Table("cells", title, columns, rows)
