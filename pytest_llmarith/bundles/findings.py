"""What a check has found."""

from __future__ import annotations

from collections.abc import Iterator

_MOST = 10  # lines of a kind


class Findings:
    """Lines by kind; of each kind the first ones are kept, and the others counted."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}
        self._more: dict[str, int] = {}

    def add(self, kind: str, line: str) -> None:
        """Note a finding."""
        kept = self._lines.setdefault(kind, [])
        if len(kept) < _MOST:
            kept.append(line)
        else:
            self._more[kind] = self._more.get(kind, 0) + 1

    def lines(self) -> Iterator[str]:
        """A line for each, and one for those that are not kept."""
        for kind, kept in self._lines.items():
            yield from kept
            if kind in self._more:
                yield f"{self._more[kind]:,} more: {kind}"
