"""Dates as HTTP writes them: how long until then."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from pytest_llmarith.dates import seconds_until

HOUR = 3600.0


@pytest.fixture
def _far_from_greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as local:
        local.setenv("TZ", "XXX-9")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("_far_from_greenwich")
def test_a_date_without_a_zone_is_greenwichs() -> None:
    """ "-0000" names no zone; wherever the clock on the wall hangs, HTTP's dates are in UTC."""
    named, unnamed = (seconds_until(f"Fri, 01 Jan 9999 00:00:00 {zone}") for zone in ("GMT", "-0000"))
    assert named is not None
    assert unnamed is not None
    assert abs(named - unnamed) < HOUR


@pytest.mark.parametrize(
    ("date", "seconds"),
    [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("Fri, 01 Jan 99999 00:00:00 GMT", None),
        (f"Fri, 01 Jan {'9' * 30} 00:00:00 GMT", None),
    ],
)
def test_what_is_past_and_what_is_no_date(date: str, seconds: float | None) -> None:
    """Until what is past there are 0 seconds, and what is no date has none."""
    assert seconds_until(date) == seconds
