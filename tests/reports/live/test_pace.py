"""How fast a run goes, and how long it will."""

from __future__ import annotations

import pytest

from pytest_llmarith.reports.live.pace import Pace, pace_words
from pytest_llmarith.values import Progress


@pytest.mark.parametrize(
    ("before", "now", "seconds", "words"),
    [
        (Progress(), Progress(), 60, ""),
        (Progress(), Progress(answered=5), 0, ""),
        (Progress(), Progress(answered=35), 60, "35 replies a minute"),
        (Progress(), Progress(answered=3), 60, "3.0 replies a minute"),
        (Progress(), Progress(answered=2000), 60, "2,000 replies a minute"),
        (Progress(answered=5), Progress(answered=15, cost_usd=0.02), 30, "20 replies a minute, $2.40 an hour"),
        (
            Progress(answered=100, cost_usd=1.0),
            Progress(announced=720, announced_stored=300, answered=110, failed=10, cost_usd=1.1),
            60,
            "10 replies a minute, $6.00 an hour, about 30 min left",
        ),
        (Progress(), Progress(announced=1000, answered=10), 60, "10 replies a minute, about 1 h 39 min left"),
        (Progress(), Progress(announced=11, answered=10), 60, "10 replies a minute, less than a minute left"),
        (Progress(), Progress(announced=10, answered=10), 60, "10 replies a minute"),
        (Progress(), Progress(announced=10, stored=9, answered=1, announced_stored=5), 6, "10 replies a minute"),
        (Progress(), Progress(announced=10, judged=5, failed=9), 6, "50 replies a minute"),
    ],
)
def test_what_the_counts_say(before: Progress, now: Progress, seconds: float, words: str) -> None:
    """Money only where there is some, time left only where something is; judges are replies, and not questions."""
    assert pace_words(before, now, seconds) == words


def test_the_last_minute_counts() -> None:
    """The pace is that of about the last minute, and none is told where nothing came."""
    pace = Pace(Progress(), 0.0)
    assert pace.words(Progress(answered=10), 30.0) == "20 replies a minute"
    assert pace.words(Progress(answered=10), 90.0) == ""
    assert (
        pace.words(Progress(answered=70), 120.0) == "40 replies a minute"
    )  # the last look a minute ago or more was at 30 s


def test_while_nothing_comes_nobody_knows_how_long_it_takes() -> None:
    """For how long nothing has come stands in its place; a slow model's usual pause is nothing to speak of."""
    pace = Pace(Progress(announced=100), 0.0)
    assert pace.words(Progress(announced=100, answered=50), 10.0) == "300 replies a minute, less than a minute left"
    assert pace.words(Progress(announced=100, answered=50), 30.0) == "100 replies a minute, none for 20 s"
    slow = Pace(Progress(announced=100), 0.0)
    assert slow.words(Progress(announced=100, answered=2), 40.0).endswith("left")
    assert slow.words(Progress(announced=100, answered=2), 59.0).endswith("left")
