"""What an embedded model remembers of a sequence. Where it has that from is for others to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Memory:
    """A sequence as a model may have seen it: a program for it, and terms as decimal text from n = `offset` on."""

    program: str
    terms: tuple[str, ...]
    offset: int

    @property
    def inputs(self) -> range:
        """The n of every term that is remembered."""
        return range(self.offset, self.offset + len(self.terms))


Remembered = Callable[[], Mapping[str, Memory]]


def nothing() -> Mapping[str, Memory]:
    """Remembers no sequence; others remember them by their names."""
    return {}
