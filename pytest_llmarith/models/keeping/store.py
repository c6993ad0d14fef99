"""Replies on disk, by key, in SQLite. It does not know what a key is made of, nor who asks.

Two processes may share one file. What `put` has taken is on disk when it returns, and survives a kill.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from pytest_llmarith.values import Reply

STORE_FORMAT = 1
BUSY_S = 30.0
_BATCH = 500  # SQLite takes no more than 999 parameters on old builds
_ROOM = 2**20  # bytes that the disk must have left before anything is paid for
_FIELDS = tuple(name for name in Reply("").fields() if name not in ("stored", "own_price"))

_ADVICE = {
    "SQLITE_BUSY": "another program keeps it locked",
    "SQLITE_LOCKED": "another program keeps it locked",
    "SQLITE_FULL": "the disk is full",
    "SQLITE_READONLY": "it cannot be written",
    "SQLITE_CANTOPEN": "it cannot be opened or created",
    "SQLITE_PERM": "it cannot be written",
    "SQLITE_IOERR": "the disk reports an error",
    "SQLITE_NOTADB": "it is not a store of replies; move it away or choose another folder",
    "SQLITE_CORRUPT": "it is damaged; move it away to begin a new one",
}


class StoreError(Exception):
    """The store cannot be used. The message is one line for people."""


class Store:
    """The replies of all runs. It belongs to the thread that opened it."""

    def __init__(self, path: Path, *, busy_s: float | None = None) -> None:
        self.path = path
        self._busy_s = BUSY_S if busy_s is None else busy_s
        make_folder(path)
        with self._troubles():
            self._db = sqlite3.connect(path, timeout=self._busy_s, isolation_level=None)
        try:
            with self._troubles():
                self._set_up()
        except StoreError:
            self.close()
            raise

    def get(self, key: str) -> Reply | None:
        return self.get_all([key]).get(key)

    def get_all(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The stored replies among these keys."""
        found: dict[str, Reply] = {}
        for batch in _batches(keys):
            for key, row in self._select("key, reply", batch):
                found[key] = self._reply(key, row)
        return found

    def known(self, keys: Iterable[str]) -> set[str]:
        """Which of these keys have a stored reply."""
        return {row[0] for batch in _batches(keys) for row in self._select("key", batch)}

    def count(self) -> int:
        """How many replies there are."""
        with self._troubles():
            (count,) = self._db.execute("SELECT COUNT(*) FROM replies").fetchone()
        return int(count)

    def put(self, key: str, reply: Reply) -> None:
        """Write a reply, over an older one; it is on disk when this returns."""
        self.put_all({key: reply})

    def put_all(self, replies: Mapping[str, Reply]) -> None:
        """Write replies in one go: all or none."""
        self._write("INSERT OR REPLACE", replies)

    def add_all(self, replies: Mapping[str, Reply]) -> int:
        """Write those of the replies in whose place there is none, and return how many these were."""
        return self._write("INSERT OR IGNORE", replies)

    def rows(self, condition: str, values: Sequence[str]) -> Iterator[tuple[str | None, str | None, str]]:
        """Model, date and the reply as it is written, of those that fulfil a condition of SQL: one by one."""
        with self._troubles():
            yield from self._db.execute(f"SELECT model, asked_at, reply FROM replies WHERE {condition}", values)

    def has_model(self, model: str) -> bool:
        """Whether there is a reply of this model."""
        with self._troubles():
            return bool(self._db.execute("SELECT 1 FROM replies WHERE model = ? LIMIT 1", (model,)).fetchone())

    def delete(self, condition: str, values: Sequence[str]) -> None:
        """Take those out that fulfil a condition of SQL."""
        with self._troubles(), self._transaction():
            self._db.execute(f"DELETE FROM replies WHERE {condition}", values)

    def compact(self) -> None:
        """Give the room of what was taken out back to the disk."""
        with self._troubles():
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def probe(self) -> None:
        """Find out that replies can be written, before there is one: the file and the disk are really written to."""
        with self._troubles(), self._transaction():
            self._db.execute(f"PRAGMA user_version = {STORE_FORMAT}")
        try:
            with tempfile.TemporaryFile(dir=self.path.parent) as room:
                room.write(bytes(_ROOM))
                room.flush()
                os.fsync(room.fileno())
        except OSError as error:
            raise StoreError(f"store {self.path}: its disk takes no more ({error.strerror})") from error

    def patience(self, busy_s: float) -> None:
        """How long to wait for others from now on."""
        with self._troubles():
            self._db.execute(f"PRAGMA busy_timeout = {int(1000 * busy_s)}")

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._db.close()

    # --- the file ---------------------------------------------------------------------------------------------------

    def _set_up(self) -> None:
        """A store that is there is opened without waiting for whoever writes to it."""
        self._check_format()
        self._db.execute("PRAGMA synchronous = FULL")
        if self._is_there():
            return
        self._use_wal()
        with self._transaction():
            self._check_format()
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS replies "
                "(key TEXT PRIMARY KEY, model TEXT, asked_at TEXT, reply TEXT NOT NULL) WITHOUT ROWID"
            )
            self._db.execute(f"PRAGMA user_version = {STORE_FORMAT}")

    def _is_there(self) -> bool:
        return bool(self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone())

    def _check_format(self) -> None:
        (found,) = self._db.execute("PRAGMA user_version").fetchone()
        if found > STORE_FORMAT:
            raise StoreError(
                f"store {self.path}: it was written by a newer pytest-llmarith (format {found}, this one knows "
                f"{STORE_FORMAT}); update pytest-llmarith or choose another folder"
            )

    def _use_wal(self) -> None:
        """SQLite does not wait when two processes switch a new file at the same moment, so we do."""
        give_up_at = time.monotonic() + self._busy_s
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > give_up_at:
                    raise
                time.sleep(0.01)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def _troubles(self) -> Iterator[None]:
        """SQLite's errors as one line for people."""
        try:
            yield
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "")
            advice = next((words for code, words in _ADVICE.items() if name.startswith(code)), "it cannot be used")
            raise StoreError(f"store {self.path}: {advice} ({error})") from error

    def _write(self, insert: str, replies: Mapping[str, Reply]) -> int:
        rows = [(key, reply.sent.get("model"), reply.asked_at, _row(reply)) for key, reply in replies.items()]
        with self._troubles(), self._transaction():
            return self._db.executemany(
                f"{insert} INTO replies (key, model, asked_at, reply) VALUES (?, ?, ?, ?)", rows
            ).rowcount

    def _select(self, columns: str, keys: Sequence[str]) -> list[Any]:
        marks = ",".join("?" * len(keys))
        with self._troubles():
            return self._db.execute(f"SELECT {columns} FROM replies WHERE key IN ({marks})", keys).fetchall()

    def _reply(self, key: str, row: str) -> Reply:
        try:
            stored = json.loads(row)
            return Reply(**{name: stored[name] for name in _FIELDS if name in stored}, stored=True)
        except (ValueError, TypeError, AttributeError) as error:
            raise StoreError(f"store {self.path}: the reply {key[:12]} is damaged ({error})") from error


def _row(reply: Reply) -> str:
    return json.dumps({name: getattr(reply, name) for name in _FIELDS})  # `asdict` would copy every message first


def make_folder(path: Path) -> None:
    """A folder that we make keeps itself out of git; somebody else's folder is left as it is."""
    try:
        path.parent.mkdir(parents=True)
    except FileExistsError:
        return
    except OSError as error:
        raise StoreError(f"store {path}: its folder cannot be made ({error.strerror or error})") from error
    with suppress(OSError):
        (path.parent / ".gitignore").write_text("*\n", encoding="utf-8")


def _batches(keys: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(keys)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
