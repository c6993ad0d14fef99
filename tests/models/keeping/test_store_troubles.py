"""A store that fails: nothing is paid for before it is known to work, and nothing that was paid for is lost with it.

The disks that are full here, or read-only, are real ones: small file systems in memory that only the run sees.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.keeping.keeper import Keeper
from pytest_llmarith.models.keeping.store import STORE_FORMAT, Store, StoreError
from pytest_llmarith.values import Reply, StoreMode
from tests.disks import own_disk
from tests.models.other_run import OtherRun

ROOT = Path(__file__).parents[3]

SMALL_FILES = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (2**21, 2**21))
os.execv(sys.argv[1], sys.argv[1:])
"""


def run(path: Path, *settings: str, before: Sequence[str] = ()) -> tuple[dict[str, Any], list[str]]:
    """What a small run says in the end, and what it has asked."""
    requests = path.parent.parent / "requests"
    command = [*before, sys.executable, "-m", "tests.models.small_run", str(path), str(requests), *settings]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    assert done.stderr == ""
    return told, requests.read_text().split()


def is_refused(told: dict[str, Any], requests: list[str], message: str) -> None:
    """One message, and no request."""
    assert requests == []
    assert told["stopped"].endswith(message), told["stopped"]
    assert "\n" not in told["stopped"]
    assert set(told["failures"]) <= {told["stopped"], f"run stopped: {told['stopped']}"}
    assert told["replies"] == []


@pytest.fixture(params=["on", "refresh"])
def mode(request: pytest.FixtureRequest) -> str:
    return f"--mode={request.param}"


def test_a_store_that_another_program_keeps_locked(path: Path, mode: str) -> None:
    """A run is refused while another process locks the store, and gets all its replies afterwards."""
    with OtherRun(path) as other:
        other.does("lock")
        told, requests = run(path, mode, "--busy-s=0.1")
        is_refused(told, requests, "store.sqlite: another program keeps it locked (database is locked)")
        other.does("unlock")
        assert len(run(path, mode, "--busy-s=0.1")[0]["replies"]) == 8


def test_a_store_of_a_newer_format(path: Path, mode: str) -> None:
    """A run refuses a store that a newer version has written, and says how to go on."""
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {STORE_FORMAT + 1}")
    db.close()
    is_refused(*run(path, mode), "update pytest-llmarith or choose another folder")


def test_a_store_that_is_none(path: Path, mode: str) -> None:
    """A run refuses a file that is no store, and does not write over it."""
    path.parent.mkdir()
    path.write_text("a shopping list that is long enough to be no header of SQLite's" * 20)
    told, requests = run(path, mode)
    is_refused(told, requests, "move it away or choose another folder (file is not a database)")


def test_a_folder_that_cannot_be_written(path: Path, mode: str) -> None:
    """On a read-only file system a run is refused with the name of the file and the system's own words."""
    told, requests = run(path, mode, before=own_disk("ro", path.parent))
    is_refused(told, requests, "claims.lock beside it cannot be opened (Read-only file system)")


def test_a_disk_that_is_full_from_the_beginning(path: Path, mode: str) -> None:
    """The store could be made, and there is no room for replies."""
    told, requests = run(path, mode, before=own_disk("size=512k", path.parent))
    is_refused(told, requests, "store.sqlite: its disk takes no more (No space left on device)")


def test_a_disk_that_fills_up_in_the_middle(path: Path, mode: str) -> None:
    """Nothing more is asked; every reply that was paid for still reaches whoever asked for it."""
    disk = own_disk("size=2m", path.parent)
    told, requests = run(path, mode, "--count=40", "--size=100_000", "--seconds=0.01", before=disk)
    assert told["stopped"].endswith("store.sqlite: the disk is full (database or disk is full)")
    assert 4 < len(requests) < 40
    assert sorted(told["replies"]) == sorted(requests)
    assert set(told["failures"]) == {f"run stopped: {told['stopped']}"}
    assert 1 <= told["progress"]["unsaved"] <= 4


def test_a_limit_on_the_size_of_files_is_a_full_disk_too(path: Path) -> None:
    """As a quota is; the system has no word for it that SQLite knows."""
    pytest.importorskip("resource", reason="limits the size of files, as only POSIX can")
    told, requests = run(path, "--count=40", "--size=100_000", before=[sys.executable, "-c", SMALL_FILES])
    assert told["stopped"].endswith("store.sqlite: the disk reports an error (disk I/O error)")
    assert 4 < len(requests) < 40
    assert sorted(told["replies"]) == sorted(requests)
    store = Store(path)
    assert store.count() >= len(requests) - 4
    store.close()


def test_a_run_that_has_all_it_wants_is_not_troubled(path: Path) -> None:
    """A replay writes nothing, so that a store that is locked will do."""
    run(path)
    with OtherRun(path) as other:
        other.does("lock")
        told, requests = run(path, "--mode=only", "--busy-s=0.1")
    assert told["stored"] == 8
    assert len(requests) == 8


def test_what_the_store_did_not_take_is_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the next reply, and once more at the end: the disk may have room by then."""
    monkeypatch.setattr("pytest_llmarith.models.keeping.store.BUSY_S", 0.1)

    async def put_while_locked(other: OtherRun) -> None:
        keeper = Keeper(path, StoreMode.ON, None)
        await keeper.ready()
        for key, next_key in (("a", "b"), ("c", None)):
            other.does("lock")
            with pytest.raises(StoreError, match="another program keeps it locked"):
                await keeper.put(key, Reply(key))
            assert keeper.unsaved() == {key}
            other.does("unlock")
            if next_key:
                await keeper.put(next_key, Reply(next_key))
                assert keeper.unsaved() == set()
        await keeper.close()

    with OtherRun(path) as other:
        asyncio.run(put_while_locked(other))
    store = Store(path)
    assert store.known("abc") == set("abc")
    store.close()
