"""When a provider counts as down: after many failures that last, and never after one hiccup."""

from __future__ import annotations

import pytest

from pytest_llmarith.models.patience.outage import FAILURES, LASTING_S, PROBE_EVERY_S, Outage


class Watch:
    """An outage on a clock that the test sets."""

    def __init__(self) -> None:
        self.now = 500.0
        self.outage = Outage(lambda: self.now)

    def fail(self, count: int, after_s: float = 0.0) -> Watch:
        self.now += after_s
        for _ in range(count):
            self.outage.failed()
        return self


def test_what_is_promised() -> None:
    """20 failures over 60 s and a probe every 3 s are the figures that the documents promise."""
    assert (FAILURES, LASTING_S, PROBE_EVERY_S) == (20, 60.0, 3.0)


@pytest.mark.parametrize(
    ("watch", "suspected", "is_down"),
    [
        (Watch(), False, False),
        (Watch().fail(19), False, False),
        (Watch().fail(19).fail(0, 3600), False, False),
        (Watch().fail(20), True, False),
        (Watch().fail(1024), True, False),
        (Watch().fail(1024).fail(1, 59), True, False),
        (Watch().fail(19).fail(1, 60), True, True),
        (Watch().fail(1024).fail(1, 61), True, True),
        (Watch().fail(16).fail(16, 600), True, True),
    ],
)
def test_failures_in_a_row_that_last(watch: Watch, suspected: bool, is_down: bool) -> None:
    """Neither many at once nor few over a long time are an outage."""
    assert (watch.outage.suspected, watch.outage.is_down) == (suspected, is_down)


def test_a_reply_ends_it_all() -> None:
    """After a reply both the row of failures and the minute of an outage begin anew."""
    watch = Watch().fail(1000)
    watch.outage.replied()
    assert not watch.outage.suspected
    assert not watch.fail(19, 61).outage.is_down
    assert not watch.fail(1).outage.is_down
    assert watch.fail(1, 60).outage.is_down


@pytest.mark.parametrize(
    ("lasting_s", "refused", "replied", "is_down"),
    [(4, True, False, False), (5, True, False, True), (5, True, True, False), (5, False, False, False)],
)
def test_a_server_that_never_replied_and_refuses_connections_is_down_after_seconds(
    lasting_s: float, refused: bool, replied: bool, is_down: bool
) -> None:
    """However few requests there were; one that has replied may be about to start again."""
    watch = Watch()
    if replied:
        watch.outage.replied()
    watch.outage.failed(refused=True)
    watch.now += lasting_s
    watch.outage.failed(refused=refused)
    assert watch.outage.is_down == is_down


def test_nothing_is_known_while_older_requests_are_in_flight() -> None:
    """A slow model may fail twenty times before its first reply is there."""
    watch = Watch()
    older = [watch.outage.begin() for _ in range(2)]
    watch.outage.end(older[0])
    watch.fail(20)
    watch.outage.begin()  # and never comes back: it set out later
    assert not watch.fail(1, 600).outage.is_down
    watch.outage.end(older[1])
    watch.outage.end(older[1])
    assert watch.outage.is_down


def test_requests_set_out_some_seconds_apart_while_it_is_suspected() -> None:
    """While an outage is suspected requests are 3 s apart; before and afterwards none waits."""
    watch = Watch().fail(19)
    watch.outage.begin()
    assert watch.outage.wait_s() == 0
    watch.fail(1)
    assert watch.outage.wait_s() == 3
    watch.now += 2
    assert watch.outage.wait_s() == 1
    watch.now += 2
    assert watch.outage.wait_s() == 0
    watch.outage.begin()
    assert watch.outage.wait_s() == 3
    watch.outage.replied()
    assert watch.outage.wait_s() == 0
