"""An ordered list from which places are taken in any order, and the next one left is found at once.

Every taken place points to a later one, and looking something up shortens the way (a disjoint set), so that a
hundred thousand places are walked once, not once per question.
"""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Places(Generic[T]):
    """Places are numbered from 0 in the order of their arrival."""

    def __init__(self) -> None:
        self._things: list[T | None] = []
        self._next = [0]

    def append(self, thing: T) -> int:
        self._things.append(thing)
        self._next.append(len(self._things))
        return len(self._things) - 1

    def take(self, place: int | None) -> None:
        """Empty a place; nothing happens where it is empty already, or is none."""
        if place is not None and self._things[place] is not None:
            self._things[place] = None
            self._next[place] = place + 1

    def first_from(self, place: int) -> T | None:
        """What stands at this place or at the next one that is not empty."""
        found = self._find(place)
        return self._things[found] if found < len(self._things) else None

    def _find(self, place: int) -> int:
        root = place
        while self._next[root] != root:
            root = self._next[root]
        while self._next[place] != root:
            self._next[place], place = root, self._next[place]
        return root
