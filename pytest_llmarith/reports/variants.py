"""The variants in the order in which the arithmetic task has them, wherever they stand below each other."""

from __future__ import annotations

from pytest_llmarith.values import Dtype, Op

VARIANTS = tuple(f"{dtype}_{op}" for dtype in Dtype for op in Op)


def place_of_variant(name: str) -> tuple[int, str]:
    """Where a variant stands: others behind those of the task, by name."""
    return VARIANTS.index(name) if name in VARIANTS else len(VARIANTS), name
