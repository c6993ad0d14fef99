"""A store that fails: nothing is paid for before it is known to work, and nothing that was paid for is lost with it.

The disks that are full here, or read-only, are real ones: small file systems in memory that only the run sees.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.store import Store
from tests.disks import own_disk

ROOT = Path(__file__).parents[2]

SMALL_FILES = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (2**21, 2**21))
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "store.sqlite"


def run(path: Path, *settings: str, before: Sequence[str] = ()) -> tuple[dict[str, Any], list[str]]:
    """What a small run says in the end, and what it and earlier ones have asked."""
    requests = path.parent.parent / "requests"
    command = [*before, sys.executable, "-m", "tests.models.small_run", str(path), str(requests), *settings]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    assert done.stderr == ""
    return told, requests.read_text().split()


def locked(path: Path) -> sqlite3.Connection:
    Store(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    return other


def no_store(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("a shopping list that is long enough to be no header of SQLite's" * 20)


REFUSED: dict[str, tuple[Callable[[Path], Any], str, str]] = {
    "locked": (locked, "", "another program keeps it locked (database is locked)"),
    "no store": (
        no_store,
        "",
        "it is not a store of replies; move it away or choose another folder (file is not a database)",
    ),
    "read-only": (lambda path: None, "ro", "it cannot be opened or created (unable to open database file)"),
    "full": (lambda path: None, "size=512k", "its disk takes no more (No space left on device)"),
}


@pytest.mark.parametrize("mode", ["on", "refresh"])
@pytest.mark.parametrize("name", REFUSED)
def test_a_store_that_cannot_be_written_is_told_before_anything_is_paid(name: str, mode: str, path: Path) -> None:
    """One message and no request; once the store is free again the same run gets its replies."""
    prepare, disk, message = REFUSED[name]
    other = prepare(path)
    told, requests = run(path, f"--mode={mode}", "--busy-s=0.1", before=own_disk(disk, path.parent) if disk else [])
    assert (requests, told["replies"]) == ([], [])
    assert told["stopped"] == f"store {path}: {message}"
    assert set(told["failures"]) <= {told["stopped"], f"run stopped: {told['stopped']}"}
    if other is not None:
        other.close()
        assert len(run(path, f"--mode={mode}")[0]["replies"]) == 8


def test_a_disk_that_fills_up_loses_no_reply(path: Path) -> None:
    """Nothing more is asked, and every reply that was paid for still reaches the item that asked for it."""
    disk = own_disk("size=2m", path.parent)
    told, requests = run(path, "--count=40", "--size=100_000", "--seconds=0.01", before=disk)
    assert told["stopped"].endswith("store.sqlite: the disk is full (database or disk is full)")
    assert 4 < len(requests) < 40
    assert sorted(told["replies"]) == sorted(requests)
    assert set(told["failures"]) == {f"run stopped: {told['stopped']}"}
    assert 1 <= told["progress"]["unsaved"] <= 4


def test_a_run_that_finds_all_replies_needs_no_writing(path: Path) -> None:
    """A store that another program keeps locked can be replayed."""
    run(path)
    with closing(locked(path)):
        told, requests = run(path, "--mode=only", "--busy-s=0.1")
    assert (told["stored"], len(requests)) == (8, 8)
