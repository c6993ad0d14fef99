"""Filling the cache: what is written, what is fetched again, and what stays out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_llmarith.oeis.entries import parse_entry
from pytest_llmarith.oeis.entryfiles import read_entry
from pytest_llmarith.oeis.notice import FILE, TEXT
from pytest_llmarith.oeis.sources import FolderSource, Unavailable
from pytest_llmarith.oeis.sync import Synced, sync
from tests.oeis_site import entry

PROJECT = Path(__file__).parents[2]
SEQ = (
    "%I A000045\n%S A000045 0,1,\n%T A000045 -1\n%N A000045 Lamé.\n%C A000045 One.\n%K A000045 sign\n%O A000045 -1,3\n"
)


class Shelf:
    """A source that has these bytes, counts who asks, and is lost for good where an entry is None."""

    def __init__(self, entries: Mapping[str, bytes | None]) -> None:
        self._entries = entries
        self.asked: list[str] = []

    def read(self, number: str) -> tuple[str, bytes]:
        self.asked.append(number)
        if number not in self._entries:
            raise Unavailable("not here")
        content = self._entries[number]
        if content is None:
            raise Unavailable("gone", hopeless=True)
        return f"shelf/{number}", content


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_entries_are_kept_as_they_came(tmp_path: Path) -> None:
    """Byte by byte, one file each, with the notice beside them; the folder is made."""
    entries = {number: entry(number) for number in ("A000045", "A000040")}
    assert sync([*entries], tmp_path / "a/b", Shelf(entries)) == Synced(there=0, written=2, failed=())
    assert names(tmp_path / "a/b") == ["A000040.json", "A000045.json", FILE]
    assert {path.stem: path.read_bytes() for path in (tmp_path / "a/b").glob("*.json")} == entries


def test_what_is_there_is_not_fetched(tmp_path: Path) -> None:
    """An entry that is there is not fetched, unless it is broken, another one, or to be refreshed."""
    numbers = ["A000001", "A000002", "A000003", "A000004"]
    shelf = Shelf({number: entry(number, name="New.") for number in numbers})
    for number, content in zip(numbers, [entry("A000001"), b"[{", entry("A000045"), b""], strict=True):
        (tmp_path / f"{number}.json").write_bytes(content)
    assert sync(numbers, tmp_path, shelf) == Synced(there=1, written=3, failed=())
    assert shelf.asked == numbers[1:]
    assert read_entry(tmp_path / "A000001.json").name == "Made for tests: A000001."
    assert sync(numbers, tmp_path, shelf, refresh=True) == Synced(there=0, written=4, failed=())
    assert read_entry(tmp_path / "A000001.json").name == "New."


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<html>", "shelf/A000045: no JSON"),
        (b"[]", "shelf/A000045: holds no entry"),
        (b"\xff", "shelf/A000045: no UTF-8"),
        (entry("A000046"), "shelf/A000045: holds the entry A000046, not A000045"),
        (entry("A000045", offset=None), "shelf/A000045: the field 'offset' is missing"),
        (entry("A000045", data=""), "shelf/A000045: the field 'data' is empty"),
    ],
)
def test_nothing_broken_is_written(content: bytes, said: str, tmp_path: Path) -> None:
    """Where what is fetched is broken the entry that is there stays, and the others come."""
    (tmp_path / "A000045.json").write_bytes(entry("A000045"))
    shelf = Shelf({"A000045": content, "A000040": entry("A000040")})
    synced = sync(["A000045", "A000040"], tmp_path, shelf, refresh=True)
    [(number, why)] = synced.failed
    assert (number, synced.written, synced.left, synced.is_whole) == ("A000045", 1, 0, False)
    assert why.startswith(said)
    assert (tmp_path / "A000045.json").read_bytes() == entry("A000045")


def test_a_hopeless_source_is_not_asked_any_more(tmp_path: Path) -> None:
    """A hopeless source is asked no more, and it is said how many entries were never tried."""
    shelf = Shelf({"A000001": entry("A000001"), "A000003": None})
    synced = sync([f"A00000{digit}" for digit in range(1, 7)], tmp_path, shelf)
    assert synced == Synced(0, 1, (("A000002", "not here"), ("A000003", "gone")), left=3)
    assert shelf.asked == ["A000001", "A000002", "A000003"]


def test_every_step_is_seen(tmp_path: Path) -> None:
    """Each entry that is to be fetched is announced before it is, and no other."""
    numbers = ["A000001", "A000002", "A000003"]
    (tmp_path / "A000002.json").write_bytes(entry("A000002"))
    seen: list[tuple[str, int, int]] = []
    sync(numbers, tmp_path, Shelf({}), watch=lambda *step: seen.append(step))
    assert seen == [("A000001", 0, 2), ("A000003", 1, 2)]


def test_a_folder_gives_files_of_any_depth(tmp_path: Path) -> None:
    """JSON before `.seq`; a `.seq` becomes what a sequence needs, and nothing else is looked at."""
    shelf, cache = tmp_path / "shelf", tmp_path / "cache"
    (shelf / "a/A000").mkdir(parents=True)
    (shelf / "a/A000/A000045.seq").write_text(SEQ, encoding="utf-8")
    (shelf / "a/A000040.seq").write_text("%I A000040", encoding="utf-8")
    (shelf / "A000040.json").write_bytes(entry("A000040"))
    (shelf / "A000001.txt").write_bytes(entry("A000001"))
    synced = sync(["A000045", "A000040", "A000001"], cache, FolderSource(shelf))
    assert synced.failed == (("A000001", f"neither A000001.json nor A000001.seq is in {str(shelf)!r}"),)
    assert (cache / "A000040.json").read_bytes() == entry("A000040")
    imported = (cache / "A000045.json").read_text("utf-8")
    sequence = parse_entry(imported, "here", "A000045")
    assert (sequence.name, sequence.terms, sequence.offset) == ("Lamé.", ("0", "1", "-1"), -1)
    assert {*json.loads(imported)[0]} == {"number", "data", "name", "comment", "offset", "keyword"}


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    """A broken file is named by its own path, and not by that in the cache."""
    (tmp_path / "A000045.seq").write_text(SEQ.replace("%O", "%o"), encoding="utf-8")
    [(_, why)] = sync(["A000045"], tmp_path / "cache", FolderSource(tmp_path)).failed
    assert why == f"{tmp_path / 'A000045.seq'}: the field 'offset' is missing"


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """A folder that is not there is an error, and not one without entries."""
    with pytest.raises(FileNotFoundError):
        FolderSource(tmp_path / "none")


def test_the_notice_is_the_one_in_the_project(tmp_path: Path) -> None:
    """A synchronisation changes no file that is under version control."""
    sync([], tmp_path, Shelf({}))
    assert (tmp_path / FILE).read_text("ascii") == TEXT == (PROJECT / "oeis_cache" / FILE).read_text("ascii")
    for said in (
        "OEIS Foundation",
        "CC BY-SA 4.0",
        "https://creativecommons.org/licenses/by-sa/4.0/",
        "https://oeis.org",
    ):
        assert said in TEXT


def test_only_fetched_entries_are_ignored_by_git() -> None:
    """The starter and the texts are the project's own."""
    lines = [line for line in (PROJECT / ".gitignore").read_text("utf-8").splitlines() if "oeis_cache" in line]
    assert lines == ["oeis_cache/*", "!oeis_cache/README.md", "!oeis_cache/NOTICE.md", "!oeis_cache/starter/"]
