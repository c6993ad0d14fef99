"""The store of replies: on disk, shared by processes, killed, locked, full, pruned."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_llmarith.models.store import RunStore, Store, StoreError
from pytest_llmarith.values import Reply, StoreMode

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
def path(tmp_path: Path) -> Path:
    return tmp_path / ".llmarith" / "store.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with closing(Store(path)) as opened:
        yield opened


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program is writing to the store."""
    Store(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


def test_a_reply_comes_back_whole(store: Store) -> None:
    """It is marked as stored; a price of the user's own and the retries of a run stay behind."""
    assert store.put({"k": replace(FULL, own_price=True)}) == 1
    assert store.fetch(["other", "k"]) == {"k": replace(FULL, stored=True)}


def test_a_stored_reply_stays_unless_it_is_overwritten(store: Store) -> None:
    """The second of two runs that asked the same question does not replace what the first one has paid for."""
    store.put({"k": Reply("old")})
    assert store.put({"k": Reply("new"), "l": Reply("")}) == 1
    assert store.fetch("k")["k"].text == "old"
    assert store.put({"k": Reply("new")}, overwrite=True) == 1
    assert store.fetch("k")["k"].text == "new"


def test_only_a_folder_that_the_store_makes_is_kept_out_of_git(store: Store, path: Path, tmp_path: Path) -> None:
    """In a folder that was there, a `*` in .gitignore would hide the user's files."""
    assert (path.parent / ".gitignore").read_text() == "*\n"
    Store(tmp_path / "store.sqlite").close()
    assert not (tmp_path / ".gitignore").exists()


def newer(path: Path) -> None:
    Store(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 2")


def no_store(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("a shopping list that is long enough to be no header of SQLite's" * 20)


def damaged(path: Path) -> None:
    with closing(Store(path)) as store:
        store.put({f"{number:05}": Reply("x" * 2000) for number in range(50)})
    content = bytearray(path.read_bytes())
    content[4096:-4096] = b"\xff" * len(content[4096:-4096])
    path.write_bytes(content)


def damaged_reply(path: Path) -> None:
    Store(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO replies (key, reply) VALUES ('k', '{\"text\": ')")
        db.commit()


UNUSABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "newer": (newer, "it has format 2, and this pytest-llmarith reads format 1; choose another folder"),
    "no store": (no_store, "it is not a store of replies; move it away or choose another folder"),
    "damaged": (damaged, "it is damaged; move it away to begin a new one"),
    "damaged reply": (damaged_reply, "the reply k is damaged"),
    "a file for its folder": (lambda path: path.parent.touch(), "it cannot be opened or created"),
    "a folder for its file": (lambda path: path.mkdir(parents=True), "it cannot be opened or created"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_store_that_cannot_be_used_says_so(name: str, path: Path) -> None:
    """One line with the file and the reason; the file stays as it is."""
    prepare, message = UNUSABLE[name]
    prepare(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError, match=message) as refused, closing(Store(path)) as store:
        store.fetch(["k", *(f"{number:05}" for number in range(50))])
    assert str(refused.value).startswith(f"store {path}: ")
    assert before == (path.read_bytes() if path.is_file() else None)


def test_a_locked_store_can_be_read(path: Path) -> None:
    """Writing waits for the other program, and says so if that takes too long."""
    with closing(Store(path)) as store:
        store.put({"k": FULL})
    with locked(path), closing(Store(path, busy_s=0.01)) as store:
        assert store.fetch("k")
        with pytest.raises(StoreError, match="another program keeps it locked"):
            store.put({"l": FULL})


def test_a_full_disk_keeps_what_was_there(store: Store) -> None:
    """A batch is written whole or not at all."""
    store.put({"k": FULL})
    store._db.execute("PRAGMA max_page_count = 5")
    with pytest.raises(StoreError, match="the disk is full"):
        store.put({str(number): Reply("x" * 1000) for number in range(100)})
    assert [one.replies for one in store.holdings()] == [1]


WRITER = """
import sys
from pathlib import Path
from pytest_llmarith.models.store import Store
from pytest_llmarith.values import Reply
name, path = sys.argv[1], Path(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
store = Store(path)
for number in range(int(sys.argv[3])):
    store.put({f"{name}-{number}": Reply(str(number)), str(number): Reply(name)})
    print(number, flush=True)
"""


@contextmanager
def writing(name: str, path: Path, count: int) -> Iterator[subprocess.Popen[str]]:
    """A process that is ready to open the store and to write this many replies of its own, and as many of all."""
    command = [sys.executable, "-c", WRITER, name, str(path), str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process


def test_two_processes_share_a_store_from_its_first_moment(path: Path) -> None:
    """Both make the file at the same time, nothing is lost, and of two replies with one key the first stays."""
    with writing("a", path, 50) as one, writing("b", path, 50) as other:
        for process in (one, other):
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        assert [process.communicate() and process.returncode for process in (one, other)] == [0, 0]
    with closing(Store(path)) as store:
        assert sum(one.replies for one in store.holdings()) == 150
        assert len(store.fetch(f"{name}-{number}" for name in "ab" for number in range(50))) == 100


def test_what_was_written_survives_a_kill(path: Path) -> None:
    """Every reply that the writer said it had written is there, and the store goes on."""
    with writing("a", path, 100_000) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        said = [process.stdout.readline() for _ in range(20)]
        process.kill()
        told = len(said) + process.communicate()[0].count("\n")
    with closing(Store(path)) as store:
        keys = {f"a-{number}" for number in range(told)}
        assert store.fetch(keys).keys() == keys
        store.put({"after": Reply("")})
        store.prune()
        assert store.holdings() == []


def test_pruning_needs_the_store_alone(store: Store, path: Path) -> None:
    """While a run has it open nothing is deleted; afterwards it is, and the file shrinks."""
    store.put({str(number): replace(FULL, reasoning="x" * 10_000) for number in range(20)})
    with closing(Store(path)) as other:
        with pytest.raises(StoreError, match="a run is using it; try again when that has ended"):
            other.prune()
        assert len(store.fetch(map(str, range(20)))) == 20
        store.close()
        other.prune(["openai/o4-mini"], "2026-11-23")
        assert other.holdings() == []
    assert path.stat().st_size < 20_000
    with closing(Store(path)) as opened:
        opened.put({"k": FULL})


def test_what_was_not_written_is_tried_again_at_the_end(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store may be free by then, or the disk have room."""
    monkeypatch.setattr("pytest_llmarith.models.store.BUSY_S", 0.1)

    async def put_while_locked() -> None:
        store = RunStore(path, StoreMode.ON)
        await store.prepare()
        with locked(path):
            with pytest.raises(StoreError, match="another program keeps it locked"):
                await store.put("a", Reply("a"), announced=True)
            assert (store.written, store.unwritten) == (set(), {"a": Reply("a")})
        await store.close()
        assert (store.written, store.unwritten) == ({"a"}, {})

    asyncio.run(put_while_locked())
    with closing(Store(path)) as store:
        assert store.fetch("a")


def test_nothing_is_asked_while_the_store_is_not_known_to_work(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All who want to ask wait for the first one's check, and hear of its failure."""
    monkeypatch.setattr("pytest_llmarith.models.store.BUSY_S", 0.1)

    async def prepare_while_locked() -> None:
        store = RunStore(path, StoreMode.ON)
        with locked(path):
            first = asyncio.create_task(store.prepare())
            await asyncio.sleep(0.02)
            for prepared in (store.prepare(), first, store.prepare()):
                with pytest.raises(StoreError, match="another program keeps it locked"):
                    await prepared
        await store.close()

    asyncio.run(prepare_while_locked())


def test_without_a_store_the_latest_replies_are_kept(path: Path) -> None:
    """In memory, up to a number, if the same question may come again."""

    async def put_many() -> None:
        store = RunStore(path, StoreMode.OFF)
        await store.prepare()
        for number in range(2_001):
            await store.put(str(number), Reply(""), announced=False)
        await store.put("announced", Reply(""), announced=True)
        assert store.fetch(["0", "1", "2000", "announced"]).keys() == {"1", "2000"}
        await store.close()

    asyncio.run(put_many())
    assert not path.parent.exists()
