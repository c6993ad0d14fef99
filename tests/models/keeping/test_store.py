"""Replies on disk: alone, side by side with another process, and after a kill."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.models.keeping.store import STORE_FORMAT, Store, StoreError
from pytest_llmarith.values import Reply

FULL = Reply(
    "42\n\x00\udfff",
    reasoning="hm",
    finish_reason="stop",
    served_model="o4-mini-2025",
    prompt_tokens=7,
    completion_tokens=3,
    reasoning_tokens=2,
    cost_usd=0.1,
    latency_s=1.5,
    attempts=2,
    asked_at="2026-11-22T00:00:00.000+00:00",
    sent={"model": "openai/o4-mini", "params": {"n": None}},
)


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    opened = Store(path)
    yield opened
    opened.close()


def test_a_reply_comes_back_whole_and_marked_as_stored(store: Store) -> None:
    """Latency, cost and date are those of the run that paid."""
    store.put("k", FULL)
    reply = store.get("k")
    assert reply is not None
    assert reply.stored
    assert reply.fields() == FULL.fields() | {"stored": True}


def test_what_is_not_there_is_none(store: Store) -> None:
    """A new store holds no reply: it counts 0, and any key gets None."""
    assert store.get("k") is None
    assert store.count() == 0


def test_a_newer_reply_replaces_the_older(store: Store) -> None:
    """A second reply under the same key replaces the first, as --llm-store=refresh has it."""
    store.put("k", Reply("old"))
    store.put("k", Reply("new"))
    assert store.get("k") == Reply("new", stored=True)


@given(st.sets(st.integers(0, 2000)), st.sets(st.integers(0, 2000)))
def test_known_keys_are_found_in_batches_of_any_size(there: set[int], wanted: set[int]) -> None:
    """SQLite's limit on parameters is nobody else's business."""
    store = Store(Path(":memory:"))
    store.put_all({str(key): Reply("") for key in there})
    assert store.known(str(key) for key in wanted) == {str(key) for key in there & wanted}
    store.close()


def test_a_folder_of_ours_keeps_itself_out_of_git(store: Store, path: Path) -> None:
    """The store's folder holds a .gitignore, so that nobody commits replies by accident."""
    assert (path.parent / ".gitignore").read_text() == "*\n"


def test_somebody_elses_folder_is_left_as_it_is(tmp_path: Path) -> None:
    """A `*` in a project's own folder would hide the project from git."""
    Store(tmp_path / "store.sqlite").close()
    assert not (tmp_path / ".gitignore").exists()


def test_a_newer_format_is_refused(path: Path) -> None:
    """The message says which format it is and what to do."""
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {STORE_FORMAT + 1}")
    db.close()
    with pytest.raises(StoreError) as refused:
        Store(path)
    assert str(refused.value) == (
        f"store {path}: it was written by a newer pytest-llmarith (format 2, this one knows 1); "
        "update pytest-llmarith or choose another folder"
    )


def test_a_file_that_is_no_store_is_refused(path: Path) -> None:
    """A file that is no store is refused with a line that says so, and is not overwritten."""
    path.parent.mkdir()
    path.write_text("a shopping list that is long enough to be no header of SQLite's" * 20)
    with pytest.raises(StoreError, match="it is not a store of replies; move it away or choose another folder"):
        Store(path)
    assert path.read_text().startswith("a shopping list")


def test_a_damaged_store_says_so(path: Path) -> None:
    """A store with damaged pages raises an error, and hands out no rubbish for replies."""
    store = Store(path)
    store.put_all({f"{number:05}": Reply("x" * 2000) for number in range(50)})
    store.close()
    content = bytearray(path.read_bytes())
    content[4096:-4096] = b"\xff" * len(content[4096:-4096])
    path.write_bytes(content)
    store = Store(path)
    with pytest.raises(StoreError, match="it is damaged; move it away to begin a new one"):
        store.get_all(f"{number:05}" for number in range(50))
    store.close()


def test_a_damaged_reply_says_so(store: Store, path: Path) -> None:
    """A damaged row in a sound file raises an error that names the reply."""
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO replies (key, reply) VALUES ('k', '{\"text\": ')")
    db.close()
    with pytest.raises(StoreError, match="the reply k is damaged"):
        store.get("k")


def test_a_locked_store_says_so(path: Path) -> None:
    """Where a lock outlasts the waiting, the error names it; once it is gone the store goes on."""
    store = Store(path, busy_s=0.01)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="another program keeps it locked"):
        store.put("k", Reply(""))
    other.close()
    store.put("k", Reply(""))
    store.close()


def test_a_full_disk_says_so_and_what_was_there_stays(store: Store, path: Path) -> None:
    """The limit on pages is SQLite's own way to be full."""
    store.put("k", Reply("kept"))
    store._db.execute("PRAGMA max_page_count = 5")
    with pytest.raises(StoreError, match="the disk is full"):
        store.put_all({str(number): Reply("x" * 1000) for number in range(100)})
    assert store.get("k") == Reply("kept", stored=True)
    assert store.count() == 1


def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    """Where a file stands in the way of the store's folder, the error says that it cannot be made."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="its folder cannot be made"):
        Store(tmp_path / "file" / "sub" / "store.sqlite")


def test_a_store_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    """Where a folder stands in place of the store's file, the error says that it cannot be opened."""
    (tmp_path / "store.sqlite").mkdir()
    with pytest.raises(StoreError, match="it cannot be opened or created"):
        Store(tmp_path / "store.sqlite")


WRITER = """
import sys
from pathlib import Path
from pytest_llmarith.models.keeping.store import Store
from pytest_llmarith.values import Reply
name, path = sys.argv[1], Path(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
store = Store(path)
for number in range(int(sys.argv[3])):
    store.put(f"{name}-{number}", Reply(str(number)))
    print(number, flush=True)
"""


def writer(name: str, path: Path, count: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, name, str(path), str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def test_two_processes_share_one_store_from_its_first_moment(path: Path) -> None:
    """Both make the file at the same time, and nothing is lost."""
    processes = [writer(name, path, 50) for name in "ab"]
    for process in processes:
        go(process)
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0, 0]
    store = Store(path)
    assert store.count() == 100
    store.close()


def test_what_put_has_taken_survives_a_kill(path: Path) -> None:
    """Whatever the writer said it has written is there, and the store opens as if nothing had happened."""
    process = writer("a", path, 100_000)
    go(process)
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(20)]
    process.kill()
    rest, _ = process.communicate()
    told = len(said) + rest.count("\n")
    store = Store(path)
    assert {f"a-{number}" for number in range(told)} <= store.known(f"a-{number}" for number in range(told + 1))
    store.put("after", Reply(""))
    store.close()
