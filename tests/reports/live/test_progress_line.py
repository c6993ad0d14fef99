"""The progress of a run: one line, now and then."""

from __future__ import annotations

import pytest

from pytest_llmarith.reports.live.progress import Pacer, progress_line
from pytest_llmarith.values import Progress


@pytest.mark.parametrize(
    ("progress", "selected", "line"),
    [
        (Progress(), 720, "0 of 720 answered"),
        (Progress(), None, "0 answered"),
        (Progress(announced_stored=700), 720, "0 of 720 answered, 700 in the store"),
        (
            Progress(
                requests=130,
                answered=112,
                stored=300,
                announced_stored=310,
                in_flight=16,
                retrying=2,
                failed=1,
                cost_usd=0.0123,
                unpriced=3,
            ),
            720,
            "412 of 720 answered, 1 unanswered, 130 asked, 310 in the store, 16 in flight, 2 waiting, "
            "$0.0123 so far (3 unpriced)",
        ),
        (Progress(requests=2000, answered=1500, cost_usd=2.5), None, "1,500 answered, 2,000 asked, $2.50 so far"),
        (Progress(requests=5, answered=5, unpriced=5), 5, "5 of 5 answered, 5 asked, no price known"),
        (Progress(requests=5, answered=5), 5, "5 of 5 answered, 5 asked"),
    ],
)
def test_what_is_known_is_said(progress: Progress, selected: int | None, line: str) -> None:
    """The line says what there is and is silent about what there is not; unknown money is not $0."""
    assert progress_line(progress, selected) == line


@pytest.mark.parametrize(
    ("waiting_for", "next_try_s", "part"),
    [
        ({"429 from o4-mini": 14}, 11.2, "14 waiting: 429 from o4-mini, next try in 12 s"),
        ({"429 from a": 3, "no reply from b": 11}, 0.0, "14 waiting: no reply from b and others, next try in 0 s"),
        ({"429 from \x1b[2J": 14}, 1.0, "14 waiting: 429 from \\x1b[2J, next try in 1 s"),
    ],
)
def test_what_is_waited_for_is_said(waiting_for: dict[str, int], next_try_s: float, part: str) -> None:
    """The progress line says what is waited for, so that nobody guesses why nothing happens."""
    progress = Progress(retrying=14, waiting_for=waiting_for, next_try_s=next_try_s, held=2)
    assert progress_line(progress, None) == f"0 answered, {part}, 2 held back"


def test_the_pace_follows_the_money() -> None:
    """Where a pace is known it stands behind the money on the progress line."""
    progress = Progress(requests=5, answered=5, cost_usd=2.5)
    assert progress_line(progress, 9, pace="35 replies a minute") == (
        "5 of 9 answered, 5 asked, $2.50 so far, 35 replies a minute"
    )


def test_the_pacer_keeps_its_pause() -> None:
    """A line is due after every pause, once, and none is made up for."""
    now = [100.0]
    pacer = Pacer(5.0, clock=lambda: now[0])
    due = []
    for second in (100.0, 104.9, 105.0, 105.1, 109.9, 110.0, 200.0, 204.9, 205.0):
        now[0] = second
        due.append(pacer.due())
    assert due == [False, False, True, False, False, True, True, False, True]


def test_programs_that_run() -> None:
    """What is being run, a few by name, and how far the grading has come meanwhile."""
    progress = Progress(answered=9, requests=9, judged=2)
    running = ["A000045, term 3 of 40", "A000108, term 1 of 9", "A000290, term 7 of 8"]
    assert progress_line(progress, 9, running, graded=4) == (
        "9 of 9 answered, 9 asked, 2 judged, 4 graded, running A000045, term 3 of 40; A000108, term 1 of 9 and 1 more"
    )
    assert "graded" not in progress_line(progress, 9, [], graded=4)
