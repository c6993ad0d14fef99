"""What the embedded models remember of integer sequences: the starter set, each entry with its reference program."""

from __future__ import annotations

from pathlib import Path

from pytest_llmarith.models.embedded.programming import Memory
from pytest_llmarith.oeis.cache import Cache
from pytest_llmarith.oeis.sets import STARTER


def remembered(folder: Path) -> dict[str, Memory]:
    """The starter set of a cache by the names of its entries; nothing where it cannot be read."""
    cache = Cache(folder)
    try:
        return {
            sequence.name: Memory(program, sequence.terms, sequence.offset)
            for sequence in cache.sequences(STARTER)
            if (program := cache.starter_program(sequence.number))
        }
    except (OSError, ValueError):
        return {}
