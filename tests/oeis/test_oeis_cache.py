"""The cache, its sets, and which of them a run takes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.oeis.cache import Cache, checked_sets, default_cache, sync_command
from pytest_llmarith.oeis.entries import BrokenEntry
from pytest_llmarith.oeis.sets import CLASSIC, SETS, STARTER, numbers, wanted_numbers
from tests.oeis_site import entry

REAL = Path(__file__).parents[3] / "shared" / "oeis"


def fill(folder: Path, wanted: Iterable[str], **changes: Any) -> Cache:
    """A cache with entries of these numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in wanted:
        (folder / f"{number}.json").write_bytes(entry(number, **changes))
    return Cache(folder)


def fill_starter(folder: Path, wanted: Iterable[str] = ("A000045", "A000040"), **changes: Any) -> Cache:
    fill(folder / STARTER, wanted, **changes)
    return Cache(folder)


def test_the_sets_of_the_paper(tmp_path: Path) -> None:
    """Four sets of 250 numbers each, ascending and without overlap, as the real cache's sets.json lists them."""
    sets = {name: numbers(name, tmp_path) for name in SETS if name != STARTER}
    assert [len(listed) for listed in sets.values()] == [250] * 4
    assert len({number for listed in sets.values() for number in listed}) == 1_000
    assert all(sorted(listed) == [*listed] for listed in sets.values())
    if REAL.is_dir():
        listed = json.loads((REAL / "sets.json").read_text("utf-8"))
        assert {name: [*sets[name]] for name in listed} == listed


def test_the_starter_is_what_is_in_its_folder(tmp_path: Path) -> None:
    """By number, also beyond six digits; programs and hidden files are no entries, and a misnamed file is an error."""
    cache = fill_starter(tmp_path, ["A1000000", "A000045", "A382002"])
    (tmp_path / STARTER / "A000045.py").write_text("print('é')\n", encoding="utf-8")
    (tmp_path / STARTER / ".A000045.json.1.tmp").touch()
    assert cache.numbers(STARTER) == ("A000045", "A382002", "A1000000")
    assert [sequence.number for sequence in cache.sequences(STARTER)] == [*cache.numbers(STARTER)]
    assert (cache.starter_program("A000045"), cache.starter_program("A382002")) == ("print('é')\n", None)
    (tmp_path / STARTER / "fibonacci.json").write_text("{}")
    with pytest.raises(BrokenEntry, match=r"fibonacci\.json: not named by an A-number"):
        cache.numbers(STARTER)


def test_an_entry_is_read_once_from_the_folder_of_its_set(tmp_path: Path) -> None:
    """A number in the starter and in a set of the paper is two files; a cache keeps what it read."""
    fill(tmp_path, ["A000045"], name="Of the OEIS.")
    cache = fill_starter(tmp_path)
    for _ in range(2):
        assert cache.entry("A000045", "classic_easy").name == "Of the OEIS."
        assert cache.entry("A000045", STARTER).name == "Made for tests: A000045."
        (tmp_path / "A000045.json").unlink(missing_ok=True)


def test_missing_entries(tmp_path: Path) -> None:
    """They are those without a file, also if there is no folder; the error about one has the command that gets it."""
    listed = numbers("classic_easy", tmp_path)
    assert Cache(tmp_path / "none").missing("classic_easy") == [*listed]
    cache = fill(tmp_path, listed[2:])
    assert cache.missing("classic_easy") == [*listed[:2]]
    with pytest.raises(BrokenEntry, match=r"A000002\.json: not there; run llmarith oeis sync A000002 --cache "):
        cache.entry("A000002")
    with pytest.raises(ValueError, match="no A-number"):
        cache.entry("../A000045")
    (loop := tmp_path / "loop").symlink_to(loop)
    with pytest.raises(BrokenEntry, match=r"loop: the folder cannot be listed: "):
        Cache(loop).missing("classic_easy")


def test_the_digest_is_that_of_the_content(tmp_path: Path) -> None:
    """Other folders, formats, unused fields and orders of sets give the same digest; a change of any field another."""
    one = fill_starter(tmp_path / "one", ["A000045"])
    before = one.digest([STARTER])
    other = fill_starter(tmp_path / "other", [])
    (tmp_path / "other" / STARTER / "A000045.json").write_bytes(b'{"results":' + entry("A000045", author="x") + b"}")
    assert (other.digest([STARTER]), len(before)) == (before, 16)
    for changes in (
        {"name": "Another."},
        {"comment": None},
        {"comment": ["First.  Second, indented."]},
        {"data": "0,1,1,2,3,5,-9"},
        {"offset": "1,4"},
        {"keyword": "easy,sign"},
    ):
        assert fill_starter(tmp_path / "one", ["A000045"], **changes).digest([STARTER]) != before
    fill(tmp_path / "other", numbers("classic_easy", tmp_path))
    assert other.digest(["classic_easy", STARTER]) == other.digest([STARTER, "classic_easy"])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["classic_easy"], "classic_easy lacks 248 entries (A000004, A000005, A000006, ...)"),
        (["classic_hard", "classic_easy"], "run llmarith oeis sync classic_hard classic_easy --cache "),
        ([STARTER], "holds no entry"),
        (["clasic"], "'clasic' is no set of sequences; write one or more of classic_easy, "),
    ],
)
def test_incomplete_and_unknown_sets_are_refused(asked: list[str], said: str, tmp_path: Path) -> None:
    """One line: how many are missing, the first few, the command; or which sets there are."""
    cache = fill(tmp_path, ["A000002", "A000003"])
    with pytest.raises(ValueError, match=r"classic_easy|starter") as raised:
        checked_sets(asked, cache)
    assert said in str(raised.value)
    assert str(raised.value).isprintable()


def test_complete_sets_are_taken_once(tmp_path: Path) -> None:
    """In the order in which they were named."""
    fill_starter(tmp_path)
    cache = fill(tmp_path, numbers("classic_hard", tmp_path))
    assert checked_sets([STARTER, "classic_hard", STARTER], cache) == (STARTER, "classic_hard")


def test_names_of_what_to_fetch() -> None:
    """Sets and numbers mix, each number once; without a name it is both classic sets."""
    assert len(wanted_numbers([])) == 500
    assert wanted_numbers(["A000045", "classic_easy"])[:2] == ("A000045", "A000002")
    assert len(wanted_numbers(["A000045", "classic_easy"])) == 250


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ([], "a/b/oeis_cache"),
        (["a/pyproject.toml", "a/b/conftest.py"], "a/oeis_cache"),
        (["a/conftest.py"], "a/oeis_cache"),
        (["a/b/pyproject.toml", "a/oeis_cache/"], "a/b/oeis_cache"),
        (["a/oeis_cache/"], "a/oeis_cache"),
    ],
)
def test_the_cache_is_in_the_project(
    made: list[str], found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest folder with a cache or a pyproject.toml, else with a conftest.py, else here; commands omit it."""
    (tmp_path / "a/b").mkdir(parents=True)
    for name in made:
        (tmp_path / name).mkdir() if name.endswith("/") else (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path / "a/b")
    cache = default_cache(tmp_path / "a/b")
    assert cache == tmp_path / found
    assert sync_command(["A000045"], cache) == "llmarith oeis sync A000045"
    assert sync_command(["A000045"], Path("my cache")) == "llmarith oeis sync A000045 --cache 'my cache'"


@pytest.mark.skipif(not REAL.is_dir(), reason="the real entries are not here")
def test_the_real_classic_sets_are_complete(tmp_path: Path) -> None:
    """250 sequences each, of the right keyword."""
    for path in REAL.glob("*/A*.json"):
        os.symlink(path, tmp_path / path.name)
    cache = Cache(tmp_path)
    assert checked_sets(CLASSIC, cache) == CLASSIC
    for name in CLASSIC:
        keyword = name.removeprefix("classic_")
        assert [keyword in sequence.keywords for sequence in cache.sequences(name)] == [True] * 250
