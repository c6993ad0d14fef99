"""How many requests to one model may be in flight. It knows neither requests nor a loop.

A 429 halves what was used, and replies win it back, one place per round of replies. The 429s of requests that were in
flight at the halving say nothing new: a burst of them halves once.
"""

from __future__ import annotations


class Throttle:
    """Counts what is in flight, and says how much of it there may be: never more than `most`, never less than one."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.in_flight = 0
        self.halved = 0
        self.lowest = most
        self._allowed = float(most)
        self._peak = 0

    @property
    def places(self) -> int:
        return int(self._allowed)

    def begin(self) -> int:
        """A request sets out. What it gets goes with the number that it is given here to `refused` or `replied`."""
        self.in_flight += 1
        self._peak = max(self._peak, self.in_flight)
        return self.halved

    def end(self) -> None:
        self.in_flight -= 1

    def refused(self, began: int) -> bool:
        """A request was answered with 429; whether that has halved the places."""
        used = min(self.places, self._peak)
        if began != self.halved or used <= 1:
            return False
        self._allowed = float(used // 2)
        self._peak = self.in_flight - 1
        self.halved += 1
        self.lowest = min(self.lowest, self.places)
        return True

    def replied(self, began: int) -> None:
        """A request was answered with a reply."""
        if began == self.halved:
            self._allowed = min(float(self.most), self._allowed + 1 / self._allowed)
