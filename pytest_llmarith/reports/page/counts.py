"""The counts of a summary, put together in other ways: by variant and depth, by depth alone, by length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_llmarith.reports.page.percentages import Share, share

_MEASURED = ("correct", "deviate", "nan", "cheat")

Counts = Mapping[str, Any]


def measured(counts: Counts) -> int:
    """Trials with a reply."""
    return sum(counts[outcome] for outcome in _MEASURED)


def pooled(many: Iterable[Counts]) -> Share | None:
    """The share of correct trials of all counts together."""
    correct = whole = 0
    for counts in many:
        correct += counts["correct"]
        whole += measured(counts)
    return share(correct, whole)


def variants_of(cells: Iterable[Counts]) -> list[str]:
    """In the order of the summary."""
    return list(dict.fromkeys(cell["variant"] for cell in cells))


def depths_of(cells: Iterable[Counts]) -> list[int]:
    """From the shallowest."""
    return sorted({cell["depth"] for cell in cells})


def by_depth(cells: Iterable[Counts], variant: str | None = None) -> dict[int, Share]:
    """The share of correct trials per depth, of one variant or of all."""
    wanted = [cell for cell in cells if variant in (None, cell["variant"])]
    shares = {depth: pooled(cell for cell in wanted if cell["depth"] == depth) for depth in depths_of(wanted)}
    return {depth: found for depth, found in shares.items() if found}


def by_length(lengths: Iterable[Counts], width: int) -> dict[int, Share]:
    """The share of correct additions by digits, from 2 on `width` lengths together under the shortest of them."""
    groups: dict[int, list[Counts]] = {}
    for length in lengths:
        groups.setdefault(max(1, (length["digits"] - 2) // width * width + 2), []).append(length)
    shares = {digits: pooled(group) for digits, group in sorted(groups.items())}
    return {digits: found for digits, found in shares.items() if found}
