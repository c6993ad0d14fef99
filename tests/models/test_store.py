"""The store of replies: its keys, its file, and how it is shared by processes, killed,
locked, full and pruned.
"""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.models.store import (
    RunStore,
    Store,
    StoreError,
    key_of,
    key_of_sent,
)
from pytest_llmarith.records import Reply, Request
from pytest_llmarith.types import Message, Model, Question, StoreMode
from tests.models.scripted import (
    Scripted,
    announce,
    ask,
    broker_of,
    counted,
    in_no_time,
    put,
    questions,
)

MODEL = Model(
    "m",
    "openai/x",
    {"temperature": 0, "thinking": {"a": 1, "b": 2}},
    "http://h/v1",
    "Be brief.",
)
QUESTION = Question("m", "1 + 1", 0)
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
    sent=Request("openai/o4-mini", None, [Message("user", "1 + 1")], {"n": None}),
)


# --- keys -----------------------------------------------------------------------------


def with_params(**params: Any) -> Model:
    return replace(MODEL, params=params)


def test_everything_that_can_change_a_reply_changes_its_key() -> None:
    """Also a header whose value is written down nowhere."""
    models = [
        MODEL,
        replace(MODEL, target="openai/y"),
        with_params(temperature=1),
        with_params(),
        replace(MODEL, api_base="http://other/v1"),
        replace(MODEL, api_base=None),
        replace(MODEL, system_prompt=None),
        with_params(extra_headers={"beta": "a"}),
        with_params(extra_headers={"beta": "b"}),
    ]
    keys = {key_of(model, QUESTION) for model in models}
    keys |= {
        key_of(MODEL, replace(QUESTION, **{name: 2}))  # type: ignore[arg-type]
        for name in ("trial", "repeat")
    }
    keys.add(key_of(MODEL, replace(QUESTION, prompt="1 + 2")))
    assert len(keys) == len(models) + 3


@pytest.mark.parametrize(
    "same",
    [
        replace(MODEL, name="another name"),
        with_params(thinking={"b": 2, "a": 1}, temperature=0),
        replace(MODEL, api_base="http://h/v1/"),
    ],
    ids=["name in this run", "order of parameters", "final slash"],
)
def test_what_cannot_change_a_reply_leaves_its_key(same: Model) -> None:
    assert key_of(MODEL, QUESTION) == key_of(same, QUESTION)
    assert (
        key_of(same, QUESTION)
        == "82efde769d6d3edf767abfbd4283c50f2b0bbb3cb40a793b0aa885726710b546"
    )


def test_the_key_of_a_request_that_was_written_down() -> None:
    """It is the key of its question, whose headers alone are hidden.

    Later questions of a search are other trials.
    """
    model = with_params(extra_headers={"X-Title": "t"}, top_k=1)
    sent = sent_of(model, "1 + 1")
    assert sent == Request(
        "openai/x",
        "http://h/v1",
        [Message("system", "Be brief."), Message("user", "1 + 1")],
        {"extra_headers": {"X-Title": "[hidden]"}, "top_k": 1},
    )
    sent = structs.replace(sent, params={**model.params})
    assert key_of(model, QUESTION) == key_of_sent(sent, 0, 0)
    assert key_of(MODEL, replace(QUESTION, before=2)) == key_of(
        MODEL, replace(QUESTION, trial=2)
    )


@pytest.mark.parametrize(
    ("target", "params", "seeds"),
    [
        ("llmarith/oracle", {}, [None, 1, 2]),
        ("llmarith/oracle", {"seed": 7}, [7, 8, 9]),
        ("openai/x", {}, [None] * 3),
        ("openai/x", {"seed": 7}, [7, 8, 9]),
        ("gguf/x", {"seed": 0}, [0, 1, 2]),
        ("openai/x", {"seed": -1}, [-1] * 3),
        ("openai/x", {"seed": "7"}, ["7"] * 3),
    ],
)
def test_every_repeat_has_a_seed_of_its_own(
    target: str, params: dict[str, Any], seeds: list[Any]
) -> None:
    asked = [
        Model("m", target, params).for_question(replace(QUESTION, repeat=repeat))
        for repeat in range(3)
    ]
    assert [model.params.get("seed") for model in asked] == seeds


# --- the file -------------------------------------------------------------------------


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


def test_a_reply_comes_back_whole(store: Store, path: Path, tmp_path: Path) -> None:
    """A stored one stays unless it is overwritten; a price of the user's own is not
    kept.

    Only a new folder is hidden from git.
    """
    assert store.put({"k": structs.replace(FULL, own_price=True)}) == 1
    assert store.fetch(["other", "k"]) == {"k": structs.replace(FULL, stored=True)}
    assert store.put({"k": Reply("new"), "l": Reply("")}) == 1
    assert store.fetch("k")["k"].text == FULL.text
    assert store.put({"k": Reply("new")}, overwrite=True) == 1
    assert store.fetch("k")["k"].text == "new"
    assert (path.parent / ".gitignore").read_text() == "*\n"
    Store(tmp_path / "store.sqlite").close()
    assert not (tmp_path / ".gitignore").exists()


def newer(path: Path) -> None:
    Store(path).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 4")


def no_store(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(
        "a shopping list that is long enough to be no header of SQLite's" * 20
    )


def damaged(path: Path) -> None:
    with closing(Store(path)) as store:
        store.put({f"{number:05}": Reply("x" * 2000) for number in range(50)})
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 8192) + content[-4096:])


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (
            newer,
            "it has format 4, and this pytest-llmarith reads format 3; choose another folder",
        ),
        (
            no_store,
            "it is not a store of replies; move it away or choose another folder",
        ),
        (damaged, "it is damaged; move it away to begin a new one"),
        (lambda path: path.mkdir(parents=True), "unable to open"),
    ],
)
def test_a_store_that_cannot_be_used(
    prepare: Callable[[Path], object], message: str, path: Path
) -> None:
    prepare(path)
    before = path.read_bytes() if path.is_file() else None
    with (
        pytest.raises(StoreError, match=message) as refused,
        closing(Store(path)) as store,
    ):
        store.fetch(f"{number:05}" for number in range(50))
    assert str(refused.value).startswith(f"store {path}: ")
    assert before == (path.read_bytes() if path.is_file() else None)


@pytest.mark.parametrize("trouble", ["locked", "no store"])
@in_no_time
async def test_nothing_is_asked_before_the_store_is_known_to_work(
    path: Path, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One message for all questions.

    Stored replies are read while another program writes.
    """
    monkeypatch.setattr("pytest_llmarith.models.store.BUSY_S", 0.1)
    put(path, []) if trouble == "locked" else no_store(path)
    client = Scripted()
    with locked(path) if trouble == "locked" else closing(path.open()):
        broker = broker_of(client, path=path)
        announce(broker, questions(8))
        outcomes = await ask(broker, questions(8))
        await broker.close()
    assert broker.stopped is not None
    assert broker.stopped.message.startswith(f"store {path}: ")
    assert counted(outcomes).keys() <= {
        broker.stopped.message,
        f"run stopped: {broker.stopped.message}",
    }
    assert client.order == []
    if trouble == "locked":
        put(path, questions(8))
        with locked(path):
            broker = broker_of(client, path=path)
            assert counted(await ask(broker, questions(8))) == {"reply": 8}
            await broker.close()
        assert client.order == []


@in_no_time
async def test_what_was_not_written_is_tried_again_at_the_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_llmarith.models.store.BUSY_S", 0.1)
    store = RunStore(path, StoreMode.ON)
    await store.prepare()
    with locked(path):
        with pytest.raises(StoreError, match="another process has locked it"):
            await store.put("a", Reply("a"))
        assert (store.written, store.unwritten) == (set(), {"a": Reply("a")})
    await store.close()
    assert (store.written, store.unwritten) == ({"a"}, {})
    with closing(Store(path)) as reopened:
        reopened._db.execute("PRAGMA max_page_count = 5")
        with pytest.raises(StoreError, match="disk is full"):
            reopened.put({str(number): Reply("x" * 1000) for number in range(100)})
        assert [one.replies for one in reopened.holdings()] == [1]


@pytest.fixture
def busy_threads() -> Iterator[None]:
    """Threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("busy_threads")
@in_no_time
async def test_the_replies_that_are_not_on_disk_change_only_while_the_loop_waits(
    path: Path,
) -> None:
    """The loop looks through them while a thread writes them, and each reply is written
    once.
    """
    store = RunStore(path, StoreMode.ON)
    await store.prepare()
    for count in range(1000, 11_000, 1000):
        keys = [str(number) for number in range(count - 1000, count)]
        writing = asyncio.gather(*(store.put(key, Reply(key)) for key in keys))
        while not writing.done():
            assert not any(key is None for key in store.unwritten)
            await asyncio.sleep(0)
        assert (len(store.written), store.unwritten) == (count, {})
    await store.close()


@in_no_time
async def test_the_reply_of_a_question_that_is_given_up_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, whether it is given up while the thread writes or before; the run knows
    that the reply is on disk.
    """
    begun, goes_on = threading.Event(), threading.Event()
    put_at_once = Store.put
    keys = list[str]()

    def put_late(self: Store, replies: Any, *, overwrite: bool) -> int:
        keys.extend(replies)
        begun.set()
        assert goes_on.wait(60)
        return put_at_once(self, replies, overwrite=overwrite)

    monkeypatch.setattr(Store, "put", put_late)
    store = RunStore(path, StoreMode.ON)
    await store.prepare()
    writing = [asyncio.create_task(store.put(key, Reply(key))) for key in "abc"]
    with ThreadPoolExecutor() as other:
        assert await asyncio.get_running_loop().run_in_executor(other, begun.wait, 60)
    for task in writing:
        task.cancel()
    await asyncio.gather(*writing, return_exceptions=True)
    goes_on.set()
    await store.close()
    assert store.written == {"a", "b", "c"}
    assert store.unwritten == {}
    assert sorted(keys) == ["a", "b", "c"]


WRITER = """
import sys
from pathlib import Path
from pytest_llmarith.models.store import Store
from pytest_llmarith.records import Reply
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
    """A process that is ready to open the store and to write this many replies of its
    own, and as many of all.
    """
    command = [sys.executable, "-c", WRITER, name, str(path), str(count)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process


def test_two_processes_share_a_store_from_its_first_moment(path: Path) -> None:
    """Both make the file at the same time, nothing is lost, and of two replies with one
    key the first stays.
    """
    with writing("a", path, 50) as one, writing("b", path, 50) as other:
        assert [
            process.communicate("\n") and process.returncode for process in (one, other)
        ] == [0, 0]
    with closing(Store(path)) as store:
        assert sum(one.replies for one in store.holdings()) == 150
        assert (
            len(
                store.fetch(f"{name}-{number}" for name in "ab" for number in range(50))
            )
            == 100
        )


def test_pruning_needs_the_store_alone(store: Store, path: Path) -> None:
    store.put(
        {
            str(number): structs.replace(FULL, reasoning="x" * 10_000)
            for number in range(20)
        }
    )
    with closing(Store(path)) as other:
        with pytest.raises(
            StoreError,
            match="a run is using it; rerun the command when that run has ended",
        ):
            other.prune()
        assert len(store.fetch(map(str, range(20)))) == 20
        store.close()
        other.prune(["openai/o4-mini"], "2026-11-23")
        assert other.holdings() == []
    assert path.stat().st_size < 40_000
