"""The cache, its sets, and which of them a run takes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.oeis.cache import Cache, MissingEntry
from pytest_llmarith.oeis.choice import checked_sets
from pytest_llmarith.oeis.entries import BrokenEntry
from pytest_llmarith.oeis.place import default_cache, sync_command
from pytest_llmarith.oeis.sets import CLASSIC, SETS, STARTER, numbers, wanted_numbers
from tests.oeis_site import entry

REAL = Path(__file__).parents[3] / "shared" / "oeis"


def fill(folder: Path, wanted: Iterable[str], **changes: Any) -> Cache:
    """A cache that holds entries of these numbers, as a new reader sees it."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in wanted:
        (folder / f"{number}.json").write_bytes(entry(number, **changes))
    return Cache(folder)


def fill_starter(folder: Path, wanted: Iterable[str] = ("A000045", "A000040")) -> Cache:
    fill(folder / STARTER, wanted)
    return Cache(folder)


@pytest.mark.parametrize("name", [name for name in SETS if name != STARTER])
def test_the_sets_of_the_paper_have_250_numbers(name: str, tmp_path: Path) -> None:
    """Each set of the paper lists 250 numbers, each once and in ascending order."""
    listed = numbers(name, tmp_path)
    assert len(listed) == 250
    assert sorted({*listed}) == [*listed]


def test_no_number_is_in_two_sets_of_the_paper(tmp_path: Path) -> None:
    """The paper's four sets share no number, so that a number is in one set alone."""
    assert len({number for name in SETS for number in numbers(name, tmp_path)}) == 1_000


@pytest.mark.skipif(not REAL.is_dir(), reason="the real entries are not here")
def test_the_sets_are_those_of_the_paper(tmp_path: Path) -> None:
    """Number by number, our sets are those that the cache's sets.json lists."""
    listed = json.loads((REAL / "sets.json").read_text("utf-8"))
    assert {name: [*numbers(name, tmp_path)] for name in listed} == listed


def test_the_starter_is_what_lies_there(tmp_path: Path) -> None:
    """By number, also beyond six digits; programs and hidden files are no entries."""
    cache = fill_starter(tmp_path, ["A1000000", "A000045", "A382002"])
    for other in ("A000045.py", "README.md", ".A000045.json.1.tmp"):
        (tmp_path / STARTER / other).touch()
    assert cache.numbers(STARTER) == ("A000045", "A382002", "A1000000")
    assert [sequence.number for sequence in cache.sequences(STARTER)] == [*cache.numbers(STARTER)]


def test_a_misnamed_file_of_the_starter_is_an_error(tmp_path: Path) -> None:
    """A misnamed file in the starter set is an error, as it would be left out without a word."""
    fill_starter(tmp_path)
    (tmp_path / STARTER / "fibonacci.json").write_text("{}")
    with pytest.raises(BrokenEntry, match=r"fibonacci\.json: not named by an A-number"):
        Cache(tmp_path).numbers(STARTER)


def test_sets_read_from_different_folders(tmp_path: Path) -> None:
    """The same number in the starter and in a set of the paper is two files."""
    fill(tmp_path, ["A000045"], name="Of the OEIS.")
    cache = fill_starter(tmp_path)
    assert cache.entry("A000045").name == "Of the OEIS."
    assert cache.entry("A000045", "classic_easy").name == "Of the OEIS."
    assert cache.entry("A000045", STARTER).name == "Made for tests: A000045."


def test_nothing_is_read_twice(tmp_path: Path) -> None:
    """A cache reads each entry once: it stays what it was when its files are gone."""
    cache = fill(tmp_path, numbers("classic_easy", tmp_path))
    before = cache.sequences("classic_easy")
    for path in tmp_path.iterdir():
        path.unlink()
    assert all(one is other for one, other in zip(cache.sequences("classic_easy"), before, strict=True))
    assert cache.entry("A000045") in before


def test_missing_numbers_are_those_without_a_file(tmp_path: Path) -> None:
    """Numbers without a file are missing, in the order of the set, also where there is no folder."""
    listed = numbers("classic_easy", tmp_path)
    assert Cache(tmp_path / "none").missing("classic_easy") == [*listed]
    cache = fill(tmp_path / "some", listed[2:])
    assert cache.missing("classic_easy") == [*listed[:2]]
    assert not cache.is_complete("classic_easy")
    assert fill(tmp_path / "some", listed).is_complete("classic_easy")


def test_a_folder_that_cannot_be_listed_is_named(tmp_path: Path) -> None:
    """A link to itself is there, and leads nowhere."""
    (loop := tmp_path / "loop").symlink_to(loop)
    with pytest.raises(BrokenEntry, match=r"loop: the folder cannot be listed: ") as raised:
        Cache(loop).missing("classic_easy")
    assert "\n" not in str(raised.value)


def test_a_missing_entry_says_how_to_get_it(tmp_path: Path) -> None:
    """The error about a missing entry is one line, with the command that fetches it."""
    with pytest.raises(MissingEntry, match=r"A000045\.json' is not there; run llmarith oeis sync A000045 --cache "):
        Cache(tmp_path).entry("A000045")


def test_only_a_numbers_name_files(tmp_path: Path) -> None:
    """Only A-numbers name files, so that nothing leads out of the folder."""
    with pytest.raises(ValueError, match="no A-number"):
        Cache(tmp_path).entry("../A000045")


def test_programs_stand_beside_the_starter(tmp_path: Path) -> None:
    """The reference program of a sequence is the text of the file beside it, or None without one."""
    cache = fill_starter(tmp_path)
    (tmp_path / STARTER / "A000045.py").write_text("print('é')\n", encoding="utf-8")
    assert cache.starter_program("A000045") == "print('é')\n"
    assert cache.starter_program("A000040") is None


def test_the_digest_is_over_what_is_said(tmp_path: Path) -> None:
    """Not over how it is spelled, where it lies, or what nobody reads; the order of sets does not matter."""
    one, other = fill_starter(tmp_path / "one"), fill_starter(tmp_path / "other")
    (tmp_path / "other" / STARTER / "A000045.json").write_bytes(b'{"results":' + entry("A000045", author="x") + b"}")
    assert one.digest([STARTER]) == other.digest([STARTER])
    assert len(one.digest([STARTER])) == 16
    fill(tmp_path / "one", one.numbers("classic_easy"))
    both = ["classic_easy", STARTER]
    assert Cache(tmp_path / "one").digest(both) == Cache(tmp_path / "one").digest(both[::-1])


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Another."},
        {"comment": None},
        {"comment": ["First.", "Second, indented."]},
        {"comment": ["First.  Second, indented."]},
        {"data": "0,1,1,2,3,5,-9"},
        {"offset": "1,4"},
        {"keyword": "easy,sign"},
    ],
)
def test_the_digest_sees_every_field(changes: dict[str, Any], tmp_path: Path) -> None:
    """A change of any field changes the digest, so that hosts with other entries are told apart."""
    before = fill_starter(tmp_path, ["A000045"]).digest([STARTER])
    fill(tmp_path / STARTER, ["A000045"], **changes)
    assert Cache(tmp_path).digest([STARTER]) != before


def test_what_was_asked_for_is_taken(tmp_path: Path) -> None:
    """Sets that were asked for are taken once each, in that order."""
    fill_starter(tmp_path)
    cache = fill(tmp_path, numbers("classic_hard", tmp_path))
    assert checked_sets([STARTER, "classic_hard", STARTER], cache) == (STARTER, "classic_hard")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["classic_easy"], "classic_easy lacks 248 entries (A000004, A000005, A000006, ...)"),
        (["classic_easy"], "run llmarith oeis sync classic_easy --cache "),
        (["classic_hard", "classic_easy"], "run llmarith oeis sync classic_hard classic_easy --cache "),
        ([STARTER], "holds no entry"),
        (["clasic"], "'clasic' is no set of sequences; write one or more of classic_easy, "),
        ([""], "'' is no set"),
        ([], "'' is no set"),
    ],
)
def test_what_is_not_whole_cannot_be_asked_for(asked: list[str], said: str, tmp_path: Path) -> None:
    """One line: how many are missing, the first few, the command; or which sets there are."""
    cache = fill(tmp_path, ["A000002", "A000003"])
    with pytest.raises(ValueError, match=r"classic_easy|starter") as raised:
        checked_sets(asked, cache)
    assert said in str(raised.value)
    assert str(raised.value).isprintable()


def test_names_stand_for_numbers() -> None:
    """Sets and numbers mix, each number once; nothing named is both classic sets."""
    assert len(wanted_numbers([])) == 500
    assert wanted_numbers(["A000045", "classic_easy"])[:2] == ("A000045", "A000002")
    assert len(wanted_numbers(["A000045", "classic_easy"])) == 250


@pytest.mark.parametrize(
    ("made", "start", "found"),
    [
        ([], "a/b", "a/b/oeis_cache"),
        (["a/pyproject.toml"], "a/b", "a/oeis_cache"),
        (["a/pyproject.toml", "a/b/conftest.py"], "a/b", "a/oeis_cache"),
        (["a/conftest.py"], "a/b", "a/oeis_cache"),
        (["a/b/pyproject.toml", "a/oeis_cache/"], "a/b", "a/b/oeis_cache"),
        (["a/oeis_cache/"], "a/b", "a/oeis_cache"),
    ],
)
def test_the_cache_is_in_the_project(made: list[str], start: str, found: str, tmp_path: Path) -> None:
    """The nearest folder with a cache or a pyproject.toml, else with a conftest.py, else here."""
    (tmp_path / "a/b").mkdir(parents=True)
    for name in made:
        (tmp_path / name).mkdir() if name.endswith("/") else (tmp_path / name).touch()
    assert default_cache(tmp_path / start) == tmp_path / found


def test_the_command_names_a_cache_only_where_it_must(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command can be typed as it is, quoted for a shell, and names no cache that is the usual one."""
    monkeypatch.chdir(tmp_path)
    assert sync_command(["A000045"], Path("oeis_cache")) == "llmarith oeis sync A000045"
    assert sync_command(["A000045"], Path("my cache")) == "llmarith oeis sync A000045 --cache 'my cache'"


@pytest.mark.skipif(not REAL.is_dir(), reason="the real entries are not here")
def test_the_real_classic_sets_are_whole(tmp_path: Path) -> None:
    """The real classic sets hold 250 sequences each, of the right keyword, and have one digest."""
    for path in REAL.glob("*/A*.json"):
        os.symlink(path, tmp_path / path.name)
    cache = Cache(tmp_path)
    assert checked_sets(CLASSIC, cache) == CLASSIC
    assert [len(cache.sequences(name)) for name in CLASSIC] == [250, 250]
    for name in CLASSIC:
        assert all(name.removeprefix("classic_") in sequence.keywords for sequence in cache.sequences(name))
    assert cache.digest(CLASSIC) == Cache(tmp_path).digest(CLASSIC)
