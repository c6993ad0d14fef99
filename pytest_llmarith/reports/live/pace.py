"""How fast a run is asking, what that costs, and how long it will go on: from counts and clock values alone."""

from __future__ import annotations

from collections import deque

from pytest_llmarith.reports.figures import dollars
from pytest_llmarith.values import Progress

_WINDOW_S = 60.0
_QUIET_S = 10.0  # without a reply that is nothing unusual
_MINUTE_S, _HOUR_S = 60.0, 3600.0


def pace_words(before: Progress, now: Progress, seconds: float, quiet_s: float = 0.0) -> str:
    """Such as `35 replies a minute, $0.12 an hour, about 9 min left`, from what came in so many seconds.

    Nothing where nothing came; time left only where questions were announced and replies still come: `quiet_s` says
    for how long none has.
    """
    answered = now.answered - before.answered
    replies = _replies(now) - _replies(before)
    if replies <= 0 or seconds <= 0:
        return ""
    cost = (now.cost_usd - before.cost_usd) * _HOUR_S / seconds
    left = _left(now) * seconds / answered if answered else 0.0
    stuck = quiet_s > max(_QUIET_S, 3 * seconds / replies)
    parts = (
        (True, f"{_count(replies * _MINUTE_S / seconds)} a minute"),
        (cost > 0, f"{dollars(cost)} an hour"),
        (left > 0 and not stuck, f"{_time(left)} left"),
        (stuck, f"none for {quiet_s:.0f} s"),
    )
    return ", ".join(part for holds, part in parts if holds)


def _replies(progress: Progress) -> int:
    return progress.answered + progress.judged


def _left(progress: Progress) -> int:
    """How many announced questions have neither a reply nor a failure."""
    from_store = max(progress.announced_stored, progress.stored)
    return max(0, progress.announced - progress.answered - progress.failed - from_store)


def _count(replies: float) -> str:
    shown = f"{replies:,.0f}" if replies >= 9.95 else f"{replies:.1f}"
    return f"{shown} replies"


def _time(seconds: float) -> str:
    minutes = round(seconds / _MINUTE_S)
    if minutes < 1:
        return "less than a minute"
    if minutes < 60:
        return f"about {minutes} min"
    return f"about {minutes // 60:,} h {minutes % 60:02d} min"


class Pace:
    """Remembers the last minute, so that a run that was throttled for a while is not called slow for ever."""

    def __init__(self, began: Progress, now_s: float) -> None:
        self._seen = deque([(now_s, began)])
        self._came_s = now_s

    def words(self, progress: Progress, now_s: float) -> str:
        """The pace up to now; to be asked every few seconds."""
        while len(self._seen) > 1 and self._seen[1][0] <= now_s - _WINDOW_S:
            self._seen.popleft()
        earlier_s, before = self._seen[0]
        if _replies(progress) > _replies(self._seen[-1][1]):
            self._came_s = now_s
        self._seen.append((now_s, progress))
        return pace_words(before, progress, now_s - earlier_s, now_s - self._came_s)
