"""Correct answers by variant and depth as a table whose cells are coloured, and lead to their trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_llmarith.records import Cell, ReliableDepth, Result
from pytest_llmarith.reports import figures
from pytest_llmarith.reports.page.counts import depths_of, pooled, variants_of
from pytest_llmarith.reports.page.percentages import Share, share
from pytest_llmarith.reports.page.runs import Series, word


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell: a count of correct trials, and of which."""

    text: str
    share: Share | None
    variant: str
    depth: int

    @property
    def description(self) -> str:
        said = self.share.description if self.share else "nothing measured"
        return f"{self.variant}, depth {self.depth}: {said}"


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A variant at all depths."""

    variant: str
    cells: Sequence[HeatCell | None]
    all: Share | None
    reliable: str


@dataclass(frozen=True, slots=True)
class Heatmap:
    """What one model can do, and where it ends."""

    series: Series
    all: Share | None
    usual: int
    depths: Sequence[int]
    rows: Sequence[HeatRow]
    totals: Sequence[Share | None]

    @property
    def has_reliable(self) -> bool:
        """Whether anything is known of how deep its answers can be relied on."""
        return any(row.reliable != figures.UNKNOWN for row in self.rows)


def heatmaps(series: Sequence[Series]) -> list[Heatmap]:
    """One per model that was asked by variant and depth."""
    return [_heatmap(one, result) for one in series for result in one.results.values() if result.cells]


def _heatmap(series: Series, result: Result) -> Heatmap:
    cells: Mapping[tuple[str, int], Cell] = {(cell.variant, cell.depth): cell for cell in result.cells}
    depths = depths_of(cells.values())
    usual = _usual(cell.measured for cell in cells.values())
    known = [variant for variant in result.variants if variant.measured]
    reliable = {variant.variant: variant.reliable_depth for variant in known}
    return Heatmap(
        series=series,
        all=pooled(cells.values()),
        usual=usual,
        depths=depths,
        rows=[
            HeatRow(
                word(variant),
                [_cell(cells.get((variant, depth)), usual) for depth in depths],
                pooled(cell for cell in cells.values() if cell.variant == variant),
                _reliable(reliable.get(variant)),
            )
            for variant in variants_of(cells.values())
        ],
        totals=[pooled(cell for cell in cells.values() if cell.depth == depth) for depth in depths],
    )


def _usual(sizes: Iterable[int]) -> int:
    """How many trials most cells have."""
    often = Counter(filter(None, sizes)).most_common(1)
    return often[0][0] if often else 0


def _cell(counts: Cell | None, usual: int) -> HeatCell | None:
    if counts is None:
        return None
    whole = counts.measured
    text = str(counts.correct) if whole == usual else f"{counts.correct}/{whole}"
    found = share(counts.correct, whole)
    return HeatCell(text if found else figures.UNKNOWN, found, word(counts.variant), counts.depth)


def _reliable(depth: ReliableDepth | None) -> str:
    return figures.UNKNOWN if depth is None else figures.reliable(depth)
