"""Runs as processes of their own and their store: two at a time, killed, and on stores and disks that fail.

The disks that are full here, or read-only, are real ones: small file systems in memory that only the run sees.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.store import Store
from tests.disks import own_disk
from tests.llm_server import PATIENCE_S

ROOT = Path(__file__).parents[2]
COUNT, IN_FLIGHT = 60, 4

SMALL_FILES = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (2**21, 2**21))
os.execv(sys.argv[1], sys.argv[1:])
"""


class Runs:
    """Runs that share a store, and what all of them have asked."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "store" / "store.sqlite"
        self._requests = folder / "requests"
        self._begun: list[subprocess.Popen[str]] = []

    def begin(self, *settings: str, before: Sequence[str] = ()) -> subprocess.Popen[str]:
        command = [*before, sys.executable, "-m", "tests.models.small_run", str(self.path), str(self._requests)]
        self._begun.append(subprocess.Popen([*command, *settings], cwd=ROOT, stdout=subprocess.PIPE, text=True))
        return self._begun[-1]

    def run(self, *settings: str, before: Sequence[str] = ()) -> dict[str, Any]:
        """What a run says in the end."""
        return told_by(self.begin(*settings, before=before))

    def end(self) -> None:
        for run in self._begun:
            run.kill()
            with run:
                pass

    def requests(self) -> Counter[str]:
        return Counter(self._requests.read_text().split() if self._requests.exists() else ())

    def wait_for_requests(self, count: int) -> None:
        give_up_at = time.monotonic() + PATIENCE_S
        while self.requests().total() < count:
            assert time.monotonic() < give_up_at
            time.sleep(0.005)

    def stored(self) -> int:
        with closing(Store(self.path)) as store:
            return sum(one.replies for one in store.holdings())


def told_by(run: subprocess.Popen[str]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(run.communicate(timeout=PATIENCE_S)[0])
    return told


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    made.end()


def test_two_runs_at_a_time_have_all_replies(runs: Runs) -> None:
    """Each question is asked once by one of them or by both, and each has one reply in the store."""
    both = [runs.begin(f"--count={COUNT}", "--seconds=0.02") for _ in "ab"]
    told = [told_by(run) for run in both]
    assert [len(one["replies"]) for one in told] == [COUNT, COUNT]
    asked = runs.requests()
    assert asked.keys() == {f"q{number}" for number in range(COUNT)}
    assert max(asked.values()) <= 2
    assert sum(one["progress"]["answered"] for one in told) == asked.total()
    assert runs.stored() == COUNT


def test_a_killed_run_is_resumed(runs: Runs) -> None:
    """The same run again asks only what was in flight or not asked, and nothing of the dead run is in its way."""
    killed = runs.begin(f"--count={COUNT}", "--seconds=0.02")
    runs.wait_for_requests(COUNT // 2)
    killed.kill()
    killed.communicate()
    asked, kept = runs.requests().total(), runs.stored()
    assert asked - kept <= IN_FLIGHT
    told = runs.run(f"--count={COUNT}")
    assert (len(told["replies"]), told["stored"]) == (COUNT, kept)
    assert runs.requests().total() == COUNT + asked - kept


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
def test_a_store_that_cannot_be_written_is_told_before_anything_is_paid(name: str, mode: str, runs: Runs) -> None:
    """One message and no request; once the store is free again the same run gets its replies."""
    prepare, disk, message = REFUSED[name]
    other = prepare(runs.path)
    told = runs.run(f"--mode={mode}", "--busy-s=0.1", before=own_disk(disk, runs.path.parent) if disk else [])
    assert runs.requests().total() == 0
    assert told["replies"] == []
    assert told["stopped"] == f"store {runs.path}: {message}"
    assert set(told["failures"]) <= {told["stopped"], f"run stopped: {told['stopped']}"}
    if other is not None:
        other.close()
        assert len(runs.run(f"--mode={mode}")["replies"]) == 8


def test_a_disk_that_fills_up_loses_no_reply(runs: Runs) -> None:
    """Nothing more is asked, and every reply that was paid for still reaches the item that asked for it."""
    disk = own_disk("size=2m", runs.path.parent)
    told = runs.run("--count=40", "--size=100_000", "--seconds=0.01", before=disk)
    assert told["stopped"].endswith("store.sqlite: the disk is full (database or disk is full)")
    assert 4 < runs.requests().total() < 40
    assert sorted(told["replies"]) == sorted(runs.requests())
    assert set(told["failures"]) == {f"run stopped: {told['stopped']}"}
    assert 1 <= told["progress"]["unsaved"] <= 4


def test_a_limit_on_the_size_of_files_is_a_full_disk_too(runs: Runs) -> None:
    """As a quota is; the system has no word for it that SQLite knows."""
    pytest.importorskip("resource", reason="limits the size of files, as only POSIX can")
    told = runs.run("--count=40", "--size=100_000", before=[sys.executable, "-c", SMALL_FILES])
    assert told["stopped"].endswith("store.sqlite: the disk reports an error (disk I/O error)")
    asked = runs.requests()
    assert 4 < asked.total() < 40
    assert sorted(told["replies"]) == sorted(asked)
    assert runs.stored() >= asked.total() - 4


def test_a_run_that_finds_all_replies_needs_no_writing(runs: Runs) -> None:
    """A store that another program keeps locked can be replayed."""
    runs.run()
    with closing(locked(runs.path)):
        assert runs.run("--mode=only", "--busy-s=0.1")["stored"] == 8
    assert runs.requests().total() == 8
