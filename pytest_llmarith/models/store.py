"""The store of replies: keys, the SQLite file, and its use by one run.

Several processes may use one store concurrently; SQLite serializes their writes.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs

from pytest_llmarith.models.asking import AWAITED
from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.records import Reply, Request, as_dict, convert, encode
from pytest_llmarith.types import Failure, Model, Question, StoreMode

BUSY_S = 30.0  # how long to wait for the lock of another process
_LAST_TRY_BUSY_S = 2.0
_FORMAT = 3
_TABLES = (
    "CREATE TABLE IF NOT EXISTS replies "
    "(key TEXT PRIMARY KEY, model TEXT, asked_at TEXT, reply TEXT NOT NULL) WITHOUT "
    "ROWID",
    # Questions that are asked elsewhere, without a reply yet (`models.reservations`).
    "CREATE TABLE IF NOT EXISTS awaited "
    "(key TEXT PRIMARY KEY, since TEXT NOT NULL, intent TEXT NOT NULL, "
    "sent TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS awaited_by_intent ON awaited (intent)",
)
_FREE_BYTES = 2**20  # free disk space required before the first request

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))

# SQLite's errors that need advice; the others explain themselves.
_ADVICE = {
    "SQLITE_NOTADB": "it is not a store of replies; move it away or choose another "
    "folder",
    "SQLITE_CORRUPT": "it is damaged; move it away to begin a new one",
}

# A reply without a date is never older than a given time.
_MATCHING = """
    (:models IS NULL OR model IN (SELECT value FROM json_each(:models))) AND (:before IS NULL OR asked_at < :before)
"""
_HOLDINGS = f"""
    SELECT model, api_base, min(asked_at), max(asked_at), count(*),
        sum(cost), count(*) - count(cost), sum(coalesce(prompt + completion, prompt, completion))
    FROM (
        SELECT model, asked_at, json_extract(reply, '$.sent.api_base') AS api_base,
            json_extract(reply, '$.cost_usd') AS cost, json_extract(reply, '$.prompt_tokens') AS prompt,
            json_extract(reply, '$.completion_tokens') AS completion
        FROM replies WHERE {_MATCHING}
    )
    GROUP BY 1, 2 ORDER BY 1, 2
"""


class StoreError(Exception):
    """The store cannot be used; the message is one line."""


# --- keys -----------------------------------------------------------------------------


def key_of(model: Model, question: Question) -> str:
    """The key of a reply: a digest of everything that can change the reply.

    It includes the values of headers, but not the name of the model in this run.
    """
    sent = structs.replace(sent_of(model, question.prompt), params={**model.params})
    return key_of_sent(sent, question.trial + question.before, question.repeat)


def key_of_sent(sent: Request, trial: int, repeat: int) -> str:
    """The key of a reply from its recorded request.

    The request must not have hidden headers.
    """
    identity = as_dict(sent) | {"trial": trial, "repeat": repeat}
    if sent.api_base is not None:
        identity["api_base"] = sent.api_base.rstrip("/")
    return hashlib.sha256(_CANONICAL.encode(identity).encode()).hexdigest()


def awaited_since(since: str) -> Failure:
    """Why a question that is asked elsewhere has no reply yet."""
    return Failure(f"since {minute(since)} UTC {AWAITED}")


def minute(since: str) -> str:
    """Such as `2026-11-24 02:39` of a time in the store."""
    return since[:16].replace("T", " ")


# --- the file -------------------------------------------------------------------------


class Holding(NamedTuple):
    """The replies in a store for one model at one base URL. `None` means unknown."""

    model: str | None
    api_base: str | None
    first: str | None
    last: str | None
    replies: int
    cost_usd: float | None
    unpriced: int
    tokens: int | None


class Store:
    """Replies on disk, by key.

    An object belongs to the thread that opened it; every method raises StoreError.

    `check_writable` tests whether replies can be written, by writing to the file and
    its disk.
    """

    def __init__(
        self, path: Path, *, busy_s: float | None = None, check_writable: bool = False
    ) -> None:
        self.path = path
        self._busy_s = BUSY_S if busy_s is None else busy_s
        self._make_folder()
        with self._errors():
            self._db = sqlite3.connect(path, timeout=self._busy_s, isolation_level=None)
        try:
            with self._errors():
                self._set_up()
            if check_writable:
                self._check_writable()
        except StoreError:
            self.close()
            raise

    def fetch(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The stored replies among these keys."""
        select = (
            "SELECT key, reply FROM replies WHERE key IN (SELECT value FROM "
            "json_each(?))"
        )
        with self._errors():
            rows = self._db.execute(select, (json.dumps(list(keys)),)).fetchall()
        return {key: self._decode(key, row) for key, row in rows}

    def put(self, replies: Mapping[str, Reply], *, overwrite: bool = False) -> int:
        """Write replies to disk, all or none.

        Stored replies are kept unless `overwrite`.

        Returns how many were written.
        """
        with self._transaction():
            return self._insert(replies, overwrite=overwrite)

    def stored(self, keys: Sequence[str]) -> set[str]:
        """Those of these keys that have a stored reply."""
        select = "SELECT key FROM replies WHERE key IN (SELECT value FROM json_each(?))"
        with self._errors():
            return {key for (key,) in self._db.execute(select, (json.dumps(keys),))}

    def awaited(self, keys: Sequence[str]) -> dict[str, str]:
        """The keys that are asked elsewhere, with the time since when."""
        select = (
            "SELECT key, since FROM awaited WHERE key IN (SELECT value FROM "
            "json_each(?))"
        )
        with self._errors():
            return dict(self._db.execute(select, (json.dumps(keys),)))

    def find(self, key: str) -> tuple[Reply | None, str | None]:
        """The stored reply of one key, and since when the key is asked elsewhere."""
        select = (
            "SELECT (SELECT reply FROM replies WHERE key = :key), "
            "(SELECT since FROM awaited WHERE key = :key)"
        )
        with self._errors():
            row, since = self._db.execute(select, {"key": key}).fetchone()
        return None if row is None else self._decode(key, row), since

    def holdings(
        self, models: Sequence[str] = (), before: str | None = None
    ) -> list[Holding]:
        """The contents by model and base URL.

        Optionally only these models and replies asked before a time.
        """
        with self._errors():
            rows = self._db.execute(_HOLDINGS, _criteria(models, before)).fetchall()
        return [Holding(*row) for row in rows]

    def prune(self, models: Sequence[str] = (), before: str | None = None) -> None:
        """Delete the replies that `holdings` counts, all or none.

        This frees their disk space. Raises StoreError while another process has the
        store open, because a run would lose replies.
        """
        busy = "a run is using it; rerun the command when that run has ended"
        with self._errors(busy):
            # SQLITE_BUSY unless this is the only connection.
            self._db.execute("PRAGMA journal_mode = DELETE")
        delete = f"DELETE FROM replies WHERE {_MATCHING}"
        with self._transaction("EXCLUSIVE"):
            self._db.execute(delete, _criteria(models, before))

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._db.close()

    def _make_folder(self) -> None:
        """Create the folder with a .gitignore; an existing folder is not changed."""
        try:
            self.path.parent.mkdir(parents=True)
        except FileExistsError:
            return
        except OSError as error:
            raise StoreError(
                f"store {self.path}: its folder cannot be created "
                f"({error.strerror or error})"
            ) from error
        with suppress(OSError):
            (self.path.parent / ".gitignore").write_text("*\n", encoding="utf-8")

    def _set_up(self) -> None:
        """Create the schema of a new store.

        An existing store is not written to, so it opens while locked.
        """
        (found,) = self._db.execute("PRAGMA user_version").fetchone()
        if found not in (0, _FORMAT):
            raise StoreError(
                f"store {self.path}: it has format {found}, and this pytest-llmarith "
                f"reads format {_FORMAT}; choose another folder"
            )
        if found == 0:
            # Deleted replies free their disk space.
            self._db.execute("PRAGMA auto_vacuum = FULL")
        self._use_wal()
        self._db.execute("PRAGMA synchronous = FULL")
        if found == 0:
            for table in _TABLES:
                self._db.execute(table)
            self._db.execute(f"PRAGMA user_version = {_FORMAT}")

    def _check_writable(self) -> None:
        with self._transaction():
            self._db.execute(f"PRAGMA user_version = {_FORMAT}")
        try:
            with tempfile.TemporaryFile(dir=self.path.parent) as file:
                file.write(bytes(_FREE_BYTES))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(
                f"store {self.path}: its disk cannot be written ({error.strerror}); "
                f"free space, then rerun"
            ) from error

    def _use_wal(self) -> None:
        """Switch to WAL.

        SQLite does not wait for a lock here, so this retries if another process creates
        the store.
        """
        end = time.monotonic() + self._busy_s
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                is_busy = error.sqlite_errorname.startswith("SQLITE_BUSY")
                if not is_busy or time.monotonic() > end:
                    raise
            time.sleep(0.01)

    def _insert(self, replies: Mapping[str, Reply], *, overwrite: bool = False) -> int:
        conflict = "NOTHING"
        if overwrite:
            conflict = (
                "UPDATE SET model = excluded.model, asked_at = excluded.asked_at, "
                "reply = excluded.reply"
            )
        insert = (
            "INSERT INTO replies (key, model, asked_at, reply) VALUES (?, ?, ?, ?) "
            f"ON CONFLICT (key) DO {conflict}"
        )
        rows = [
            (key, reply.sent and reply.sent.model, reply.asked_at, _encode(reply))
            for key, reply in replies.items()
        ]
        return self._db.executemany(insert, rows).rowcount

    @contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[None]:
        with self._errors():
            self._db.execute(f"BEGIN {kind}")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _errors(self, busy: str = "another process has locked it") -> Iterator[None]:
        """Turn SQLite's errors into StoreError."""
        try:
            yield
        except sqlite3.Error as error:
            what = str(error)
            name = getattr(error, "sqlite_errorname", "")
            for code, advice in {"SQLITE_BUSY": busy, **_ADVICE}.items():
                if name.startswith(code):
                    what = f"{advice} ({error})"
            raise StoreError(f"store {self.path}: {what}") from error

    def _decode(self, key: str, row: str) -> Reply:
        try:
            return convert({**json.loads(row), "stored": True}, Reply)
        except (ValueError, TypeError) as error:
            raise StoreError(
                f"store {self.path}: the reply {key[:12]} is damaged ({error})"
            ) from error


def _encode(reply: Reply) -> str:
    """The reply, without what is true of this run alone."""
    return encode(structs.replace(reply, stored=False, own_price=False, retries=()))


def _criteria(models: Sequence[str], before: str | None) -> dict[str, str | None]:
    return {"models": json.dumps(models) if models else None, "before": before}


# --- the store of a run ---------------------------------------------------------------


class RunStore:
    """The store of one run, for its event loop.

    `--llm-store` determines what is read and written.

    Reads are fast and never wait for a writer, so they run on the loop. Writes wait for
    the disk, so they run on a thread, and replies that arrive meanwhile are written
    together. After a failed write, only `close` tries again.

    `written` holds the keys of this run's replies on disk, `unwritten` its replies that
    are not yet on disk. `path` is None if no store is used; then this run's replies are
    kept in memory, as a question that is asked again gets the first reply.

    The loop and the thread share no state. The loop alone reads and changes `written`,
    `unwritten` and everything else here; the thread alone uses the connection
    `_writer`. The thread gets a copy of the replies that it writes, and the loop moves
    them to `written` once the thread has returned, even if the question has been
    cancelled meanwhile.
    """

    def __init__(self, path: Path | None, mode: StoreMode) -> None:
        self.written: set[str] = set()
        self.unwritten: dict[str, Reply] = {}
        self.path = None if mode is StoreMode.OFF else path
        self._in_memory: dict[str, Reply] = {}
        self._refresh = mode is StoreMode.REFRESH
        self._reader: Store | None = None
        self._writer: Store | None = None
        self._prepared = self.path is None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="llmarith-store")
        self._lock = asyncio.Lock()
        self._next_write: asyncio.Task[None] | None = None  # waits for the lock
        self._error: StoreError | None = None

    def awaited(self, keys: Sequence[str]) -> dict[str, str]:
        """The keys that are asked elsewhere, with the time since when.

        Raises StoreError.
        """
        if self.path is None or not keys:
            return {}
        self._reader = self._reader or Store(self.path)
        return self._reader.awaited(keys)

    def fetch(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The stored replies among these keys. Raises StoreError.

        Those of this run are not marked `stored`.
        """
        wanted = [key for key in keys if not self._refresh or key in self.written]
        if self.path is None or not wanted:
            return {}
        self._reader = self._reader or Store(self.path)
        found = self._reader.fetch(wanted)
        return {
            key: structs.replace(reply, stored=key not in self.written)
            for key, reply in found.items()
        }

    def find(self, key: str) -> tuple[Reply | None, str | None]:
        """The stored reply of one key, as `fetch` returns it, and since when the key is
        asked elsewhere.

        Raises StoreError.
        """
        if self.path is None:
            return self._in_memory.get(key), None
        self._reader = self._reader or Store(self.path)
        reply, since = self._reader.find(key)
        if reply is None or (self._refresh and key not in self.written):
            return None, since
        return structs.replace(reply, stored=key not in self.written), since

    async def prepare(self) -> None:
        """Check that replies can be written, before the first request.

        Raises StoreError.
        """
        if not self._prepared:
            async with self._lock:
                await self._on_thread(self._open_writer)
                self._prepared = True

    async def put(self, key: str, reply: Reply) -> None:
        """Write a reply; it is on disk when this returns. Raises StoreError."""
        if self.path is None:
            self._in_memory[key] = reply
            return
        self.unwritten[key] = reply
        if self._next_write is None:
            self._next_write = asyncio.create_task(self._write_next())
        await asyncio.shield(self._next_write)

    async def close(self) -> None:
        """Write the replies that are not on disk, and close the file."""
        if self._reader is not None:
            self._reader.close()
        async with self._lock:
            self._error = None
            with suppress(StoreError):
                await self._write(self._write_and_close)
        self._thread.shutdown()

    # --- on the loop ------------------------------------------------------------------

    async def _write_next(self) -> None:
        """Write all replies that arrived during the previous write."""
        async with self._lock:
            self._next_write = None
            if self.unwritten:
                await self._write(self._write_replies)

    async def _write(self, work: Callable[[Mapping[str, Reply]], None]) -> None:
        replies = dict(self.unwritten)
        await self._on_thread(work, replies)
        self.written.update(replies)
        for key in replies:
            del self.unwritten[key]

    async def _on_thread(self, work: Callable[..., None], *arguments: Any) -> None:
        if self._error is not None:
            raise self._error
        try:
            await asyncio.get_running_loop().run_in_executor(
                self._thread, work, *arguments
            )
        except StoreError as error:
            self._error = error
            raise

    # --- on the thread ----------------------------------------------------------------

    def _open_writer(self) -> None:
        if self._writer is None and self.path is not None:
            self._writer = Store(self.path, check_writable=True)

    def _write_replies(self, replies: Mapping[str, Reply]) -> None:
        assert self._writer is not None
        self._writer.put(replies, overwrite=self._refresh)

    def _write_and_close(self, replies: Mapping[str, Reply]) -> None:
        if self._writer is not None:
            self._writer.close()
        if replies and self.path is not None:
            with closing(Store(self.path, busy_s=_LAST_TRY_BUSY_S)) as self._writer:
                self._write_replies(replies)
