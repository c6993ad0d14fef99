"""Sync: what is written into the cache, and how the website and a folder are read."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from pytest_llmarith.tasks.oeis.cache import MAX_BYTES, read_entry
from pytest_llmarith.tasks.oeis.sync import (
    ATTEMPTS,
    NOTICE_FILE,
    FolderSource,
    Synced,
    Unavailable,
    Website,
    sync,
)
from tests.oeis_site import Answer, Site, entry

PROJECT = Path(__file__).parents[2]
NOTICE = b"Whose they are.\n"
SEQ = (
    "%I A000045\n%S A000045 0,1,\n%T A000045 -1\n%N A000045 Lamé.\n"
    "%C A000045 One.\n%K A000045 sign\n%O A000045 -1,3\n"
)


class Entries:
    """A source that counts requests; a missing entry fails, and None is a source that
    is gone for good.
    """

    def __init__(self, entries: Mapping[str, bytes | None]) -> None:
        self._entries = entries
        self.asked: list[str] = []

    def read(self, number: str) -> tuple[str, bytes]:
        self.asked.append(number)
        content = self._entries.get(number, b"")
        if not content:
            raise Unavailable(
                "gone" if content is None else "not here", ends_sync=content is None
            )
        return f"source/{number}", content


def test_intact_entries_are_not_fetched(tmp_path: Path) -> None:
    numbers = ["A000001", "A000002", "A000003", "A000004"]
    entries = {number: entry(number, name="New.") for number in numbers}
    source, cache = Entries(entries), tmp_path / "a/b"
    cache.mkdir(parents=True)
    for number, content in zip(
        numbers, [entry("A000001"), b"[{", entry("A000045"), b""], strict=True
    ):
        (cache / f"{number}.json").write_bytes(content)
    seen: list[tuple[str, int, int]] = []
    synced = sync(
        numbers, cache, source, NOTICE, on_entry=lambda *step: seen.append(step)
    )
    assert synced == Synced(present=1, written=3, failed=())
    assert source.asked == numbers[1:]
    assert seen == [("A000002", 0, 3), ("A000003", 1, 3), ("A000004", 2, 3)]
    assert read_entry(cache / "A000001.json").name == "Made for tests: A000001."
    assert sync(numbers, cache, source, NOTICE, refresh=True) == Synced(0, 4, ())
    assert {path.stem: path.read_bytes() for path in cache.glob("*.json")} == entries
    assert (cache / NOTICE_FILE).read_bytes() == NOTICE


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<html>", "source/A000045: not JSON"),
        (b"\xff", "source/A000045: not UTF-8"),
        (entry("A000046"), "source/A000045: holds 1 entries, 0 of them A000045"),
        (
            entry("A000045", offset=None),
            "source/A000045: Object missing required field `offset`",
        ),
    ],
)
def test_no_broken_entry_is_written(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "A000045.json").write_bytes(entry("A000045"))
    source = Entries({"A000045": content, "A000040": entry("A000040")})
    synced = sync(["A000045", "A000040"], tmp_path, source, NOTICE, refresh=True)
    [(number, why)] = synced.failed
    assert number == "A000045"
    assert synced.written == 1
    assert synced.left == 0
    assert not synced.is_complete
    assert why.startswith(said)
    assert (tmp_path / "A000045.json").read_bytes() == entry("A000045")


def test_a_hopeless_source_is_given_up(tmp_path: Path) -> None:
    source = Entries({"A000001": entry("A000001"), "A000003": None})
    synced = sync([f"A00000{digit}" for digit in range(1, 7)], tmp_path, source, NOTICE)
    assert synced == Synced(
        0, 1, (("A000002", "not here"), ("A000003", "gone")), left=3
    )
    assert source.asked == ["A000001", "A000002", "A000003"]


def test_a_folder_gives_files_of_any_depth(tmp_path: Path) -> None:
    folder, cache = tmp_path / "folder", tmp_path / "cache"
    (folder / "a/A000").mkdir(parents=True)
    (folder / "a/A000/A000045.seq").write_text(SEQ, encoding="utf-8")
    (folder / "a/A000040.seq").write_text("%I A000040", encoding="utf-8")
    (folder / "A000040.json").write_bytes(entry("A000040"))
    (folder / "A000001.txt").write_bytes(entry("A000001"))
    (folder / "A000046.seq").write_text(
        "%I A000046\n%N A000046 Name\n%S A000046 1\n", encoding="utf-8"
    )
    synced = sync(
        ["A000045", "A000040", "A000001", "A000046"],
        cache,
        FolderSource(folder),
        NOTICE,
    )
    assert synced.failed == (
        ("A000001", f"neither A000001.json nor A000001.seq is in {str(folder)!r}"),
        (
            "A000046",
            f"{folder / 'A000046.seq'}: Object missing required field `offset`",
        ),
    )
    assert (cache / "A000040.json").read_bytes() == entry("A000040")
    sequence = read_entry(cache / "A000045.json")
    assert sequence.name == "Lamé."
    assert sequence.terms == ("0", "1", "-1")
    assert sequence.offset == -1
    imported = json.loads((cache / "A000045.json").read_text("utf-8"))
    assert {*imported[0]} == {"number", "data", "name", "comment", "offset", "keyword"}
    with pytest.raises(FileNotFoundError):
        FolderSource(tmp_path / "none")


def test_whose_the_entries_are() -> None:
    notice = (PROJECT / "oeis_cache" / NOTICE_FILE).read_text("ascii")
    assert all(
        said in notice
        for said in ("OEIS Foundation", "CC BY-SA 4.0", "https://oeis.org")
    )


GOOD = Answer(entry("A000045"))
AT_ONCE = {"Retry-After": "0"}
IN_TWO_DAYS = format_datetime(datetime.now(UTC) + timedelta(days=2))


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


def ask(site: Site, told: Callable[[str], None] = lambda line: None) -> bytes:
    with Website(
        site.base_url, pace_s=0, first_pause_s=0.001, on_retry=told
    ) as website:
        return website.read("A000045")[1]


def test_one_request_says_who_asks() -> None:
    with Site() as site:
        assert ask(site) == entry("A000045")
    [call] = site.calls
    assert call.path == "/search?q=id:A000045&fmt=json"
    assert call.headers["User-Agent"].startswith("pytest-llmarith/")


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (Answer(status=429, headers=AT_ONCE), "status 429"),
        (Answer(status=500, headers={"Retry-After": "soon"}), "status 500"),
        (Answer(b"<html>Too many requests</html>"), "not JSON"),
        (Answer(entry("A000045")[:-5], cut=True), "RemoteProtocolError"),
    ],
)
def test_an_outage_is_retried(bad: Answer, said: str) -> None:
    told: list[str] = []
    with Site(lambda call: bad if call.nth < ATTEMPTS else GOOD) as site:
        assert ask(site, told.append) == GOOD.body
    assert (site.asked["A000045"], len(told)) == (ATTEMPTS, ATTEMPTS - 1)
    assert all(
        line.startswith("A000045: ") and said in line and "; retry in 0 s" in line
        for line in told
    )
    with (
        Site(lambda call: bad) as site,
        pytest.raises(Unavailable, match=said) as raised,
    ):
        ask(site)
    assert (site.asked["A000045"], raised.value.ends_sync) == (ATTEMPTS, False)


@pytest.mark.parametrize(
    ("answer", "said", "ends_sync"),
    [
        *(
            (Answer(status=status, headers=AT_ONCE), f"status {status}", False)
            for status in (403, 404)
        ),
        (Answer(status=302, headers={"Location": "/search"}), "status 302", False),
        (
            Answer(status=429, headers={"Retry-After": "3600"}),
            "status 429; the server asks to wait 3600 s",
            True,
        ),
        (
            Answer(status=429, headers={"Retry-After": IN_TWO_DAYS}),
            "status 429; the server asks to wait",
            True,
        ),
        (Answer(b" " * (MAX_BYTES + 1)), f"larger than {MAX_BYTES:,} bytes", False),
        (
            Answer(
                gzip.compress(b" " * (MAX_BYTES + 1)),
                headers={"Content-Encoding": "gzip"},
            ),
            "larger than",
            False,
        ),
    ],
)
def test_what_does_not_pass_is_not_retried(
    answer: Answer, said: str, ends_sync: bool
) -> None:
    with (
        Site(lambda call: answer) as site,
        pytest.raises(Unavailable, match=said) as raised,
    ):
        ask(site)
    assert (site.asked["A000045"], raised.value.ends_sync) == (1, ends_sync)


def test_three_failures_in_a_row_are_hopeless() -> None:
    ends_sync = []
    with (
        Site(
            lambda call: GOOD if call.number == "A000045" else Answer(status=404)
        ) as site,
        Website(site.base_url, pace_s=0) as website,
    ):
        for number in (
            *("A000001", "A000002", "A000045", "A000003", "A000004", "A000005"),
        ):
            try:
                website.read(number)
            except Unavailable as error:
                ends_sync.append(error.ends_sync)
    assert ends_sync == [False, False, False, False, True]


def test_the_pace_is_kept() -> None:
    """Also between attempts: four requests take at least three paces."""
    with Site(
        lambda call: Answer(status=503, headers=AT_ONCE) if call.nth == 1 else GOOD
    ) as site:
        began = time.monotonic()
        with Website(site.base_url, pace_s=0.05) as website:
            for number in ("A000045", "A000046"):
                website.read(number)
        assert time.monotonic() - began >= 0.15
    assert len(site.calls) == 4
