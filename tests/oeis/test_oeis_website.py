"""Asking the OEIS politely: what is sent, waited for, given up, and never followed."""

from __future__ import annotations

import socket
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.oeis.entryfiles import LARGEST_BYTES
from pytest_llmarith.oeis.retry_after import retry_after_s
from pytest_llmarith.oeis.sources import Unavailable
from pytest_llmarith.oeis.website import ATTEMPTS, Website
from tests.oeis_site import Answer, Site, entry

GOOD = Answer(entry("A000045"))
AT_ONCE = {"Retry-After": "0"}


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def told() -> list[str]:
    return []


def ask(site: Site, told: list[str] | None = None, number: str = "A000045") -> bytes:
    with Website(
        site.base_url, pace_s=0, first_pause_s=0.001, told=(told if told is not None else []).append
    ) as website:
        return website.read(number)[1]


def given_up(site: Site) -> Unavailable:
    with pytest.raises(Unavailable) as raised:
        ask(site)
    return raised.value


def test_one_request_says_who_asks() -> None:
    """The interface's address, our own User-Agent, nothing compressed; the body comes as it is."""
    with Site() as site:
        assert ask(site) == entry("A000045")
    [call] = site.calls
    assert call.path == "/search?q=id:A000045&fmt=json"
    assert call.headers["User-Agent"].startswith("pytest-llmarith/")
    assert call.headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (Answer(status=429, headers=AT_ONCE), "status 429"),
        (Answer(status=503), "status 503"),
        (Answer(status=500, headers={"Retry-After": "soon"}), "status 500"),
        (Answer(b"<html>Too many requests</html>"), "something else than JSON"),
        (Answer(b"[" * 100_000), "something else than JSON"),
        (Answer(b"\xff\xfe\xfd"), "something else than JSON"),
        (Answer(entry("A000045")[:-5], cut=True), "RemoteProtocolError"),
        (Answer(status=302, headers={"Location": "http://x:port/"}), "RemoteProtocolError"),
    ],
)
def test_an_outage_passes(bad: Answer, said: str, told: list[str]) -> None:
    """What may pass is asked for again, and a line says so."""
    with Site(lambda call: bad if call.nth < ATTEMPTS else GOOD) as site:
        assert ask(site, told) == GOOD.body
    assert site.asked["A000045"] == ATTEMPTS
    assert len(told) == ATTEMPTS - 1
    assert all(line.startswith("A000045: ") and said in line and "; again in 0 s" in line for line in told)


def test_an_outage_that_stays_is_given_up() -> None:
    """An outage is given up after a few attempts, and is not hopeless: other entries may still come."""
    with Site(lambda call: Answer(status=502)) as site:
        error = given_up(site)
    assert str(error) == f"status 502 ({ATTEMPTS} attempts)"
    assert not error.hopeless
    assert site.asked["A000045"] == ATTEMPTS


@pytest.mark.parametrize("status", [400, 403, 404, 410])
def test_a_refusal_is_not_asked_again(status: int) -> None:
    """A status that waiting does not change ends the asking after one request."""
    with Site(lambda call: Answer(status=status, headers=AT_ONCE)) as site:
        assert str(given_up(site)) == f"status {status}"
    assert site.asked["A000045"] == 1


def test_three_failures_in_a_row_are_enough() -> None:
    """It is not the entries then; one that comes in between starts the count anew."""
    site = Site(lambda call: GOOD if call.number == "A000045" else Answer(status=404))
    hopeless = []
    with site, Website(site.base_url, pace_s=0) as website:
        for number in ("A000001", "A000002", "A000045", "A000003", "A000004", "A000005"):
            try:
                website.read(number)
            except Unavailable as error:
                hopeless.append(error.hopeless)
    assert hopeless == [False, False, False, False, True]


_IN_TWO_DAYS = format_datetime(datetime.now(UTC) + timedelta(days=2))


@pytest.mark.parametrize("wait", ["3600", _IN_TWO_DAYS], ids=["seconds", "a date"])
def test_a_long_wait_is_left_to_people(wait: str) -> None:
    """Nobody sits through an hour; the message says for how long the server wants to be left alone."""
    with Site(lambda call: Answer(status=429, headers={"Retry-After": wait})) as site:
        error = given_up(site)
    assert error.hopeless
    assert "status 429; the server asks to be left alone for" in str(error)
    assert site.asked["A000045"] == 1


def test_nobody_there_is_hopeless() -> None:
    """A server that is not there is hopeless, as every entry would be tried for nothing."""
    with socket.socket() as nobody:  # bound and not listening: connections are refused
        nobody.bind(("127.0.0.1", 0))
        website = Website(f"http://127.0.0.1:{nobody.getsockname()[1]}", pace_s=0, first_pause_s=0.001)
        said = rf"no connection: .* \({ATTEMPTS} attempts\)"
        with website, pytest.raises(Unavailable, match=said) as raised:
            website.read("A000045")
    assert raised.value.hopeless


def test_a_redirect_within_the_server_is_followed() -> None:
    """A redirect to another path of the same server is followed, as paths may move."""
    with Site(lambda call: Answer(status=301, headers={"Location": "/new?q=id:A1"}) if call.nth == 1 else GOOD) as site:
        site.asked["A1"] = 1
        assert ask(site) == GOOD.body
    assert [call.path for call in site.calls] == ["/search?q=id:A000045&fmt=json", "/new?q=id:A1"]


def test_another_server_is_not_asked() -> None:
    """Wherever the first one points: what it calls itself, another port, another protocol, a file."""
    with Site() as other:
        port = other.base_url.rpartition(":")[2]
        for target in (f"{other.base_url}/x", f"http://localhost:{port}/", f"//localhost:{port}/", "ftp://127.0.0.1/"):
            with Site(lambda call, to=target: Answer(status=302, headers={"Location": to})) as site:  # type: ignore[misc]
                assert "where we do not go" in str(given_up(site))
    assert not other.calls


def test_redirects_come_to_an_end() -> None:
    """Redirects that lead back to where they began are given up after a few requests."""
    with Site(lambda call: Answer(status=302, headers={"Location": call.path})) as site:
        assert "where we do not go" in str(given_up(site))
    assert len(site.calls) < 10


def test_a_huge_reply_is_left() -> None:
    """A reply that is larger than any entry is not read to its end."""
    with Site(lambda call: Answer(b" " * (LARGEST_BYTES + 1))) as site:
        assert f"more than {LARGEST_BYTES:,} bytes" in str(given_up(site))
    assert len(site.calls) == 1


def test_a_compressed_reply_is_not_unpacked() -> None:
    """A compressed reply is refused, as nobody knows how large it would become."""
    with Site(lambda call: Answer(b"x", headers={"Content-Encoding": "gzip"})) as site:
        assert "compressed" in str(given_up(site))


def test_the_pace_is_kept() -> None:
    """Requests keep the pace between attempts, too: four of them take at least three paces."""
    with Site(lambda call: Answer(status=503, headers=AT_ONCE) if call.nth == 1 else GOOD) as site:
        began = time.monotonic()
        with Website(site.base_url, pace_s=0.05) as website:
            for number in ("A000045", "A000046"):
                website.read(number)
        assert time.monotonic() - began >= 0.15
    assert len(site.calls) == 4


@pytest.mark.parametrize(
    "url", ["", "oeis.org", "ftp://oeis.org", "http://", "file:///etc/passwd", "http://x:port", "\0"]
)
def test_an_address_is_checked(url: str) -> None:
    """What is no address is refused before anything is asked, with an address to write instead."""
    with pytest.raises(ValueError, match="is no address") as raised:
        Website(url)
    assert "https://oeis.org" in str(raised.value)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("0", 0.0),
        (" 120 ", 120.0),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("9" * 400, None),
        ("soon", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 -0000", 0.0),
        ("Wed, 99 Oct 2015 07:28:00 GMT", None),
        ("Wed, 21 Oct 99999999999999999999 07:28:00 GMT", None),
    ],
)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    """Retry-After is seconds or a date that is past, and anything else says nothing."""
    assert retry_after_s(header) == seconds


@given(st.text() | st.from_regex(r"Wed, -?\d+ (Oct|Feb) -?\d+ \d+:\d+:\d+ ([+-]\d+|GMT|[A-Z]+)", fullmatch=True))
def test_any_retry_after_is_a_time_or_nothing(header: str) -> None:
    """Whatever a server sends as Retry-After is a time from 0 on, or None."""
    seconds = retry_after_s(header)
    assert seconds is None or seconds >= 0


def test_retry_after_a_date_to_come() -> None:
    """A Retry-After that is a date to come asks to wait until then at most."""
    wait = retry_after_s(format_datetime(datetime.now(UTC) + timedelta(hours=1)))
    assert wait is not None
    assert 0 < wait <= 3_600
