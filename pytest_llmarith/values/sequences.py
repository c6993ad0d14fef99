"""Integer sequences as the OEIS writes them down."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IntegerSequence:
    """An entry of the OEIS: what the benches need of it.

    `number` is its A-number, such as `A000045`; `terms` are decimal text, the first one is the term at n = `offset`.
    """

    number: str
    name: str
    comments: tuple[str, ...]
    terms: tuple[str, ...]
    offset: int
    keywords: tuple[str, ...]

    @property
    def inputs(self) -> range:
        """The n of every listed term."""
        return range(self.offset, self.offset + len(self.terms))
