"""Replies that come in as rows of results: read, and taken into the store."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from pytest_llmarith.models.batch_providers import BatchRow, row_of
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.provider_errors import diagnose, is_filtered
from pytest_llmarith.models.redact import model_of
from pytest_llmarith.models.reservations import Reservations
from pytest_llmarith.records import Reply, Request

_PER_WRITE = 500


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a file of results, which may be compressed by gzip.

    A file that was cut ends with the half line that is there. Raises OSError.
    """
    with path.open("rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        if not is_gzip:
            yield from file
            return
        try:
            yield from gzip.GzipFile(fileobj=file)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            yield b"{"  # what follows cannot be read


@dataclass
class Intake:
    """Takes rows of results into the store, each question's reply once.

    `sent` is the request of a question, None if it is not one of these. `new` and
    `stored` count the replies that were taken and those that were in the store,
    `foreign` the rows of other questions, `damaged` the lines that cannot be read;
    `responses` are the keys of rows with a response, also of other questions,
    `answered` those of these questions with a reply; `failures` says why others have
    none.
    """

    client: Client
    db: Reservations
    sent: Callable[[str], Request | None]
    asked_at: str
    new: int = 0
    stored: int = 0
    foreign: int = 0
    damaged: int = 0
    responses: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    failures: dict[str, str] = field(default_factory=dict)

    def take(self, lines: Iterable[bytes]) -> None:
        """Store the replies in these lines. Raises StoreError."""
        replies: dict[str, Reply] = {}
        for line in lines:
            if not line.strip():
                continue
            row = row_of(line)
            if row is None:
                self.damaged += 1
                continue
            if row.error is None:
                self.responses.add(row.key)
            sent = self.sent(row.key)
            if sent is None:
                self.foreign += 1
                continue
            if row.key in self.answered:
                continue  # twice
            reply = self._reply(row, sent)
            if isinstance(reply, str):
                self.failures[row.key] = reply
                continue
            self.answered.add(row.key)
            self.failures.pop(row.key, None)
            replies[row.key] = structs.replace(
                reply, batched=True, asked_at=self.asked_at, sent=sent
            )
            if len(replies) == _PER_WRITE:
                self._write(replies)
                replies = {}
        self._write(replies)

    @property
    def why(self) -> str:
        """The usual reason for a row without a reply; empty if there is none."""
        for why, _ in Counter(self.failures.values()).most_common(1):
            return f": {why}"
        return ""

    def _reply(self, row: BatchRow, sent: Request) -> Reply | str:
        """The reply of a row, or why there is none."""
        model = model_of(sent)
        try:
            if row.error is not None:
                raise row.error
            return self.client.read(model, row.body or {})
        except Exception as error:
            if is_filtered(error):
                return Reply("", finish_reason="content_filter")
            return diagnose(error, model).message

    def _write(self, replies: dict[str, Reply]) -> None:
        written = self.db.settle(replies)
        self.new += written
        self.stored += len(replies) - written
