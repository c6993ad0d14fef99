"""The questions that are in batches, in the store.

They are reserved before a batch is created, until it has ended. Each batch has an
intent, which is written with the reservations of its questions in one transaction,
before anything is sent. `creating` is written directly before the request that creates
the batch, and `created` adds the provider's id after it. So an intent without
`creating` was not sent, and one with `creating` and without an id may exist at the
provider. Only the process that holds `submitting` creates batches; the lock ends with
its process.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from pytest_llmarith.models import redact
from pytest_llmarith.models.store import Store
from pytest_llmarith.records import Reply, Request, convert, encode
from pytest_llmarith.types import Model

_LOCK_FILE = "submitting.sqlite"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS batches "
    "(intent TEXT PRIMARY KEY, made_at TEXT NOT NULL, "
    "creating_at REAL, id TEXT) WITHOUT ROWID"
)
_BATCHES = """
    SELECT intent, min(sent), made_at, creating_at, id, count(*) FROM batches JOIN awaited USING (intent)
    GROUP BY intent ORDER BY made_at, intent
"""


class Locked(Exception):
    """Another process submits batches."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch that has not ended.

    `model` has what its requests share.

    `questions` counts those without a reply, `creating_at` is in seconds since 1970,
    and `id` is the provider's.
    """

    intent: str
    model: Model
    made_at: str
    creating_at: float | None
    id: str | None
    questions: int

    @property
    def parameters(self) -> str:
        """The parameters of its requests as text without keys."""
        named = [f"{name}={value}" for name, value in self.model.params.items()]
        return redact.one_line(", ".join(named), os.environ) or "none"


class Reservations(Store):
    """A store, opened to reserve questions and to write the replies of batches."""

    def _set_up(self) -> None:
        super()._set_up()
        self._db.execute(_TABLE)

    @contextmanager
    def submitting(self) -> Iterator[None]:
        """Hold the lock of the process that submits.

        Raises Locked at once if another process holds it.
        """
        path = self.path.with_name(_LOCK_FILE)
        with (
            self._errors(),
            closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as lock,
        ):
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname.startswith("SQLITE_BUSY"):
                    raise Locked from None
                raise
            yield

    def free(self, keys: Iterable[str]) -> list[str]:
        """Those of these keys that are neither stored nor reserved."""
        wanted = list(keys)
        there = self.stored(wanted) | self.awaited(wanted).keys()
        return [key for key in wanted if key not in there]

    def reserve(self, questions: Mapping[str, Request]) -> str | None:
        """Reserve these questions, whose requests differ in their messages only.

        Returns their intent; None if one of them is not free any more.
        """
        intent = uuid4().hex
        # To the microsecond, as batches are sorted by it.
        made_at = datetime.now(UTC).isoformat()
        rows = [(key, made_at, intent, encode(sent)) for key, sent in questions.items()]
        with self._transaction():
            if len(self.free(questions)) < len(questions):
                return None
            self._db.execute(
                "INSERT INTO batches (intent, made_at) VALUES (?, ?)",
                (intent, made_at),
            )
            self._db.executemany(
                "INSERT INTO awaited (key, since, intent, sent) VALUES (?, ?, ?, ?)",
                rows,
            )
        return intent

    def batches(self) -> list[Batch]:
        """The batches that have questions without a reply."""
        with self._errors():
            rows = self._db.execute(_BATCHES).fetchall()
        return [
            Batch(intent, redact.model_of(_request(sent)), *others)
            for intent, sent, *others in rows
        ]

    def questions(self, intent: str) -> dict[str, Request]:
        """The questions of a batch that have no reply, by key."""
        with self._errors():
            rows = self._db.execute(
                "SELECT key, sent FROM awaited WHERE intent = ?", (intent,)
            ).fetchall()
        return {key: _request(sent) for key, sent in rows}

    def creating(self, intent: str) -> None:
        """Note that the batch is about to be created."""
        with self._transaction():
            self._db.execute(
                "UPDATE batches SET creating_at = ? WHERE intent = ?",
                (time.time(), intent),
            )

    def created(self, intent: str, id_: str) -> None:
        """Note the provider's id of a batch."""
        with self._transaction():
            self._db.execute(
                "UPDATE batches SET id = ? WHERE intent = ?", (id_, intent)
            )

    def settle(self, replies: Mapping[str, Reply]) -> int:
        """Write replies, all or none, and end the reservations of their questions.

        Returns how many were new.
        """
        with self._transaction():
            written = self._insert(replies)
            self._db.executemany(
                "DELETE FROM awaited WHERE key = ?", [(key,) for key in replies]
            )
        return written

    def release(self, batch: Batch) -> None:
        """End the reservations that are left of a batch.

        They stay if another process has found its id meanwhile. Its id is kept, so
        that it is not taken for another batch.
        """
        this = "(SELECT intent FROM batches WHERE intent = ? AND id IS ?)"
        with self._transaction():
            self._db.execute(
                f"DELETE FROM awaited WHERE intent = {this}", (batch.intent, batch.id)
            )
            self._db.execute(
                f"DELETE FROM batches WHERE intent = {this} AND id IS NULL",
                (batch.intent, batch.id),
            )

    def ids(self) -> list[str]:
        """The provider's ids of all batches of this store, also of ended ones."""
        select = "SELECT id FROM batches WHERE id IS NOT NULL"
        with self._errors():
            return [id_ for (id_,) in self._db.execute(select)]


def _request(sent: str) -> Request:
    return convert(json.loads(sent), Request)
