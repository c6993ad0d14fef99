"""Which depths results have, and how many trials are in their cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from pytest_llmarith.report.kinds import Part
from pytest_llmarith.summaries import Result, Variant
from pytest_llmarith.types import Dtype, Op

_DIVISIONS = {f"{dtype}_{Op.DIV}" for dtype in Dtype}


def axis_title(result: Result, variants: Iterable[str]) -> str:
    """What the depths of these variants are; those of numbers are digits."""
    if result.errors is None:
        return "depth"
    names = set(variants)
    if names and names <= _DIVISIONS:
        return "digits of quotient and divisor"
    if names & _DIVISIONS:
        return "digits (of divisions: quotient and divisor)"
    return "digits"


def usual_size(result: Result) -> int:
    """The most frequent number of trials with a reply in a cell."""
    sizes = Counter(cell.measured for cell in result.grid)
    del sizes[0]
    for size, _ in sizes.most_common(1):
        return size
    return 0


def grid_depths(result: Result) -> list[int]:
    """The depths of its cells, in order."""
    return sorted({cell.depth for cell in result.grid})


def grid_rows(result: Result) -> Iterator[tuple[Variant, list[Part | None]]]:
    """Each variant, and the correct answers of its cells by depth; None for a cell
    without a reply.
    """
    usual = usual_size(result)
    cells = {(cell.variant, cell.depth): cell for cell in result.grid}
    depths = grid_depths(result)
    for variant in result.series:
        parts: list[Part | None] = []
        for depth in depths:
            cell = cells.get((variant.variant, depth))
            if cell is None or not cell.measured:
                parts.append(None)
            else:
                parts.append(Part(cell.correct, cell.measured, usual))
        yield variant, parts
