"""Whether a model's provider is still there. It knows neither requests nor a loop; its clock is given to it.

A hiccup breaks every connection at once, however many there are; a provider that is down goes on failing. So it counts
as down after so many failures in a row that lasted so long, and meanwhile requests set out some seconds apart, so that
an outage of less than a minute passes without costing a question. A slow provider may fail often before its first reply
is there: as long as requests are in flight that set out before the first failure, nothing is known.

A server that refuses connections and has never replied is not there: it counts as down after seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

FAILURES = 20
LASTING_S = 60.0
REFUSING_S = 5.0
PROBE_EVERY_S = 3.0


class Outage:
    """Counts failures without a reply in between."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._since = 0.0
        self._began = clock()
        self._numbers = count()
        self._in_flight: set[int] = set()
        self._older: set[int] = set()
        self.failures = 0
        self._refused = False
        self._has_replied = False

    @property
    def lasting_s(self) -> float:
        """How long there have been nothing but failures."""
        return self._clock() - self._since if self.failures else 0.0

    @property
    def suspected(self) -> bool:
        return self.failures >= FAILURES

    @property
    def is_down(self) -> bool:
        lasts = self.suspected and self.lasting_s >= LASTING_S
        is_absent = self._refused and not self._has_replied and self.lasting_s >= REFUSING_S
        return (lasts or is_absent) and not self._older

    def wait_s(self) -> float:
        """How long to wait until the next request."""
        return max(0.0, self._began + PROBE_EVERY_S - self._clock()) if self.suspected else 0.0

    def begin(self) -> int:
        """A request sets out; it goes by this number."""
        self._began = self._clock()
        number = next(self._numbers)
        self._in_flight.add(number)
        return number

    def end(self, number: int) -> None:
        """It is back, whatever came of it."""
        self._in_flight.discard(number)
        self._older.discard(number)

    def failed(self, requests: int = 1, *, refused: bool = False) -> None:
        """A request that is back has failed, or a question was given up after so many.

        `refused` says that there was no connection, as no server listens.
        """
        self._refused = refused
        if not self.failures:
            self._since = self._clock()
            self._older = set(self._in_flight)
        self.failures += requests

    def replied(self) -> None:
        self.failures = 0
        self._has_replied = True
