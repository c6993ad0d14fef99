"""The progress of a run in one line, and how often it is worth one. It does not know where the line is shown."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from pytest_llmarith.reports.figures import dollars
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.values import Progress

_MOST_PROGRAMS = 2
_LONGEST_REASON = 80


def progress_line(
    progress: Progress, selected: int | None, running: Sequence[str] = (), graded: int = 0, pace: str = ""
) -> str:
    """Such as `412 of 720 answered, 112 asked, 300 in the store, 16 in flight, $0.0123 so far (3 unpriced)`.

    `running` are the programs that are being run, a text each; with them `graded` says how far it has come. `pace`
    is how fast the asking goes.
    """
    answered = progress.answered + progress.stored
    parts = (
        (True, f"{answered:,} answered" if selected is None else f"{answered:,} of {selected:,} answered"),
        (progress.failed, f"{progress.failed:,} unanswered"),
        (progress.requests, f"{progress.requests:,} asked"),
        (progress.announced_stored, f"{progress.announced_stored:,} in the store"),
        (progress.judged, f"{progress.judged:,} judged"),
        (progress.in_flight, f"{progress.in_flight:,} in flight"),
        (progress.retrying, _retrying(progress)),
        (progress.held, f"{progress.held:,} held back"),
        (_cost(progress), _cost(progress)),
        (pace, pace),
        (running, f"{graded:,} graded"),
        (running, _running(running)),
    )
    return ", ".join(part for holds, part in parts if holds)


def _retrying(progress: Progress) -> str:
    """Such as `14 waiting: 429 from o4-mini, next try in 12 s`, with the reason that most of them share."""
    shown = f"{progress.retrying:,} waiting"
    if progress.waiting_for:
        others = " and others" if len(progress.waiting_for) > 1 else ""
        reason = max(progress.waiting_for, key=lambda reason: progress.waiting_for[reason])
        shown += f": {sanitize(reason, _LONGEST_REASON)}{others}"
    return shown if progress.next_try_s is None else f"{shown}, next try in {math.ceil(progress.next_try_s)} s"


def _running(programs: Sequence[str]) -> str:
    more = f" and {len(programs) - _MOST_PROGRAMS} more" if len(programs) > _MOST_PROGRAMS else ""
    return f"running {'; '.join(programs[:_MOST_PROGRAMS])}{more}"


def _cost(progress: Progress) -> str:
    """Money so far. Where no reply has a known price there is no sum, not a sum of nothing."""
    if not progress.cost_usd:  # a price of 0 is not told from none: simulated models, local servers
        return "no price known" if progress.unpriced else ""
    unpriced = f" ({progress.unpriced:,} unpriced)" if progress.unpriced else ""
    return f"{dollars(progress.cost_usd)} so far{unpriced}"


class Pacer:
    """Says when a line is due: the first one after a pause, then at most one per pause."""

    def __init__(self, pause_s: float = 5.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._pause_s = pause_s
        self._clock = clock
        self._last = clock()

    def due(self) -> bool:
        """Whether a line is due now; yes is said once per pause."""
        now = self._clock()
        if now - self._last < self._pause_s:
            return False
        self._last = now
        return True
