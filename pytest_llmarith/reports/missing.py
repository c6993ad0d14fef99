"""Which cells a result lacks that other results of its task have: only results with the same cells can be ranked.

A cell is a variant at a depth, or a set of sequences. A run of easy cells alone has a high percentage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pytest_llmarith.records import Result
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.variants import place_of_variant

_MOST_NAMED = 4  # variants or sets
_LONGEST_NAME = 30

_Cell = tuple[str, int | None]


def missing_cells(results: Sequence[Result]) -> list[str]:
    """What is said of each result, such as `lacks 18 of 72 cells: int_mul 5-10, ...`; nothing of one that has all."""
    found: dict[str, set[_Cell]] = {}
    for result in results:
        found.setdefault(result.task, set()).update(_answered(result))
    return [_lacks(found[result.task], found[result.task] - set(_answered(result))) for result in results]


def _answered(result: Result) -> Iterator[_Cell]:
    for cell in result.cells:
        if cell.measured:
            yield cell.variant, cell.depth
    for one in result.sets:
        if one.measured:
            yield one.set, None


def _lacks(cells: set[_Cell], missing: set[_Cell]) -> str:
    if not missing:
        return ""
    names = sorted({name for name, _ in missing}, key=place_of_variant)
    shown = [_named(name, cells, missing) for name in names[:_MOST_NAMED]]
    more = ", ..." if len(names) > _MOST_NAMED else ""
    return f"lacks {len(missing):,} of {len(cells):,} cells that others have: {', '.join(shown)}{more}"


def _named(name: str, cells: set[_Cell], missing: set[_Cell]) -> str:
    """A variant with the depths that are missing, unless all of them are; neighbours as `5-10`."""
    depths = sorted(depth for each, depth in cells if each == name and depth is not None)
    runs = [list(run) for lacks, run in groupby(depths, lambda depth: (name, depth) in missing) if lacks]
    shown = sanitize_name(name, _LONGEST_NAME)
    if sum(map(len, runs)) == len(depths):
        return shown
    return " ".join([shown, *(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)])
