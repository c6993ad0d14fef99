"""The counts of a summary, put together in other ways: by variant and depth, by depth alone, by length."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_llmarith.records import Cell, Cells, Length
from pytest_llmarith.reports.page.percentages import Share, share, share_of
from pytest_llmarith.reports.percents import correct_percentage


def pooled(many: Iterable[Cells]) -> Share | None:
    """The share of correct trials of all counts together; none where one of them was asked for and has no reply."""
    cells = list(many)
    return share_of(
        sum(cell.correct for cell in cells), sum(cell.measured for cell in cells), correct_percentage(cells)
    )


def variants_of(cells: Iterable[Cell]) -> list[str]:
    """In the order of the summary."""
    return list(dict.fromkeys(cell.variant for cell in cells))


def depths_of(cells: Iterable[Cell]) -> list[int]:
    """From the shallowest."""
    return sorted({cell.depth for cell in cells})


def by_depth(cells: Iterable[Cell], variant: str | None = None) -> dict[int, Share]:
    """The share of correct trials per depth, of one variant or of all that have a reply at any depth."""
    cells = list(cells)
    answered = {cell.variant for cell in cells if cell.measured}
    wanted = [cell for cell in cells if cell.variant in answered and variant in (None, cell.variant)]
    shares = {depth: pooled(cell for cell in wanted if cell.depth == depth) for depth in depths_of(wanted)}
    return {depth: found for depth, found in shares.items() if found}


def by_length(lengths: Iterable[Length], width: int) -> dict[int, Share]:
    """The share of correct additions by digits, from 2 on `width` lengths together under the shortest of them."""
    groups: dict[int, list[Length]] = {}
    for length in lengths:
        groups.setdefault(max(1, (length.digits - 2) // width * width + 2), []).append(length)
    shares = {
        digits: share(sum(one.correct for one in group), sum(one.measured for one in group))
        for digits, group in sorted(groups.items())
    }
    return {digits: found for digits, found in shares.items() if found}
