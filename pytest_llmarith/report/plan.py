"""The tables of `llmarith plan`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil

from pytest_llmarith.report.definitions.plans import NEEDS, PRICES, Priced
from pytest_llmarith.report.table import Table
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.plan import FEWEST_PAIRS, Cost, Grid, needs
from pytest_llmarith.statistics.pairs import SIGNIFICANT
from pytest_llmarith.statistics.plans import POWER


def tables(
    points: float, runs: Sequence[LoadedRun], prices: Sequence[Cost], grid: Grid
) -> Iterator[Table]:
    """The questions, and the cost of the largest paired number of them."""
    found = needs(points, runs, grid)
    most = max(need.paired or 0 for need in found)
    title = (
        f"questions that show a difference of {points:g} points with {POWER:.0%} "
        f"power at p < {SIGNIFICANT}"
    )
    notes = []
    if most:
        trials = ceil(most / grid.cells)
        notes.append(
            f"{most:,} questions: --llm-trials={trials} with all {grid.cells} cells "
            f"of {grid.task}"
        )
    table = NEEDS.table(found, notes=notes)
    legend = ""
    if any(need.is_assumed for need in found):
        legend = (
            f"assumed: --from names no run in which two models have {FEWEST_PAIRS} "
            f"questions in common"
        )
    yield replace(table, title=title, legend=legend)
    if prices and most:
        costs = PRICES.table(Priced(one, most) for one in prices)
        title = f"cost of {most:,} questions (the largest paired number)"
        yield replace(costs, title=title)
