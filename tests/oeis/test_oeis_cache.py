"""The cache, its sets, and which of them a run takes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.tasks.oeis.cache import (
    CLASSIC,
    SETS,
    STARTER,
    BrokenEntry,
    Cache,
    checked_sets,
    default_cache,
    sync_command,
    wanted_numbers,
)
from tests.oeis_site import entry

REAL = Path(__file__).parents[3] / "shared" / "oeis"


def fill(folder: Path, wanted: Iterable[str], **changes: Any) -> Cache:
    """A cache with entries of these numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in wanted:
        (folder / f"{number}.json").write_bytes(entry(number, **changes))
    return Cache(folder)


def fill_starter(
    folder: Path, wanted: Iterable[str] = ("A000045", "A000040"), **changes: Any
) -> Cache:
    fill(folder / STARTER, wanted, **changes)
    return Cache(folder)


def test_the_sets_of_the_paper(tmp_path: Path) -> None:
    sets = {name: Cache(tmp_path).numbers(name) for name in SETS if name != STARTER}
    assert [len(listed) for listed in sets.values()] == [250] * 4
    assert len({number for listed in sets.values() for number in listed}) == 1_000
    assert all(sorted(listed) == [*listed] for listed in sets.values())
    assert len(wanted_numbers([])) == 500
    assert wanted_numbers(["A000045", "classic_easy"]) == (
        "A000045",
        *(n for n in sets["classic_easy"] if n != "A000045"),
    )
    if REAL.is_dir():
        assert {name: [*listed] for name, listed in sets.items()} == json.loads(
            (REAL / "sets.json").read_text("utf-8")
        )


def test_the_starter_is_what_is_in_its_folder(tmp_path: Path) -> None:
    """By number, also beyond six digits; programs and hidden files are no entries, and
    a misnamed file is an error.
    """
    cache = fill_starter(tmp_path, ["A1000000", "A000045", "A382002"])
    fill(tmp_path, ["A000045"], name="Of the OEIS.")
    (tmp_path / STARTER / "A000045.py").write_text("print('é')\n", encoding="utf-8")
    (tmp_path / STARTER / ".A000045.json.1.tmp").touch()
    assert [sequence.number for sequence in cache.sequences(STARTER)] == [
        "A000045",
        "A382002",
        "A1000000",
    ]
    assert cache.starter_program("A000045") == "print('é')\n"
    assert cache.starter_program("A382002") is None
    assert (
        cache.entry("A000045", STARTER).name
        != cache.entry("A000045", "classic_easy").name
        == "Of the OEIS."
    )
    (tmp_path / STARTER / "fibonacci.json").write_text("{}")
    with pytest.raises(
        BrokenEntry, match=r"fibonacci\.json: the name is not an A-number"
    ):
        cache.numbers(STARTER)


def test_the_digest_is_that_of_the_content(tmp_path: Path) -> None:
    """Other folders, formats, unused fields and orders of sets give the same digest; a
    change of any field another.
    """
    before = fill_starter(tmp_path / "one", ["A000045"]).digest([STARTER])
    other = fill_starter(tmp_path / "other", [])
    (tmp_path / "other" / STARTER / "A000045.json").write_bytes(
        b'{"results":' + entry("A000045", author="x") + b"}"
    )
    assert (other.digest([STARTER]), len(before)) == (before, 16)
    changes: list[dict[str, Any]] = [
        {"name": "x"},
        {"comment": None},
        {"data": "0,-9"},
        {"offset": "1,4"},
        {"keyword": "sign"},
    ]
    for change in changes:
        assert (
            fill_starter(tmp_path / "one", ["A000045"], **change).digest([STARTER])
            != before
        )
    fill(tmp_path / "other", Cache(tmp_path).numbers("classic_easy"))
    assert other.digest(["classic_easy", STARTER]) == other.digest(
        [STARTER, "classic_easy"]
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            ["classic_easy"],
            "classic_easy lacks 248 entries (A000004, A000005, A000006, ...)",
        ),
        (
            ["classic_hard", "classic_easy"],
            "run llmarith oeis sync classic_hard classic_easy --cache ",
        ),
        ([STARTER], "has no entry"),
        (
            ["clasic"],
            "'clasic' is not a set of sequences; write one or more of classic_easy, ",
        ),
    ],
)
def test_incomplete_and_unknown_sets_are_refused(
    asked: list[str], said: str, tmp_path: Path
) -> None:
    cache = fill(tmp_path, ["A000002", "A000003"])
    with pytest.raises(ValueError, match=r"classic_easy|starter") as raised:
        checked_sets(asked, cache)
    assert said in str(raised.value)
    assert str(raised.value).isprintable()
    with pytest.raises(
        BrokenEntry,
        match=r"A000005\.json: missing; run llmarith oeis sync A000005 --cache ",
    ):
        cache.entry("A000005")


def test_a_command_names_the_cache_if_it_has_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache of the project that contains this folder is the default, and is not
    named.
    """
    (tmp_path / "a/oeis_cache").mkdir(parents=True)
    (tmp_path / "a/b").mkdir()
    monkeypatch.chdir(tmp_path / "a/b")
    cache = default_cache(tmp_path / "a/b")
    assert cache == tmp_path / "a/oeis_cache"
    assert sync_command(["A000045"], cache) == "llmarith oeis sync A000045"
    assert (
        sync_command(["A000045"], Path("my cache"))
        == "llmarith oeis sync A000045 --cache 'my cache'"
    )


@pytest.mark.skipif(not REAL.is_dir(), reason="the real entries are not here")
def test_the_real_classic_sets_are_complete(tmp_path: Path) -> None:
    """250 sequences each, of the right keyword; a run takes each set once, in the order
    in which they were named.
    """
    for path in REAL.glob("*/A*.json"):
        os.symlink(path, tmp_path / path.name)
    cache = Cache(tmp_path)
    assert checked_sets([*CLASSIC, CLASSIC[0]], cache) == CLASSIC
    for name in CLASSIC:
        keyword = name.removeprefix("classic_")
        assert [keyword in sequence.keywords for sequence in cache.sequences(name)] == [
            True
        ] * 250
