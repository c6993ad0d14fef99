"""Room: the store as a loop sees it. SQLite works on a thread of its own, and replies that arrive while the disk is
busy are written together. It knows when the store may be read, not what is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from pytest_llmarith.models.store import Store
from pytest_llmarith.values import Reply, StoreMode

T = TypeVar("T")
AskAgain = Callable[[Reply], bool]


class Keeper:
    """Keeps a run's replies. Replies that this very run wrote are read in every mode and are not `stored`."""

    def __init__(self, path: Path | None, mode: StoreMode, ask_again: AskAgain | None) -> None:
        self._path = None if mode is StoreMode.OFF else path
        self._reads_older = mode in (StoreMode.ON, StoreMode.ONLY)
        self._ask_again = ask_again or (lambda reply: False)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="llmarith-store")
        self._store: Store | None = None
        self._fresh: set[str] = set()
        self._batch: list[tuple[str, Reply, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def known(self, keys: list[str]) -> set[str]:
        """Which of these keys need not be asked."""
        if self._path is None:
            return set()
        readable = keys if self._reads_older else [key for key in keys if key in self._fresh]
        return await self._on_thread(self._known, readable)

    async def get(self, key: str) -> tuple[Reply | None, bool]:
        """A reply that may be used; and whether there is one that was to be asked again."""
        if self._path is None or not (self._reads_older or key in self._fresh):
            return None, False
        reply = await self._on_thread(lambda: self._opened().get(key))
        if reply is None:
            return None, False
        if key in self._fresh:
            return replace(reply, stored=False), False
        return (None, True) if self._ask_again(reply) else (reply, False)

    async def put(self, key: str, reply: Reply) -> None:
        """Returns when the reply is on disk."""
        if self._path is None:
            return
        written = asyncio.get_running_loop().create_future()
        self._batch.append((key, reply, written))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await asyncio.shield(written)
        self._fresh.add(key)

    async def close(self) -> None:
        """Finish what is being written, and let go of the file."""
        if self._writing is not None:
            await self._writing
        if self._store is not None:
            await self._on_thread(self._store.close)
        self._thread.shutdown(wait=True)

    async def _write(self) -> None:
        while self._batch:
            batch, self._batch = self._batch, []
            replies = {key: reply for key, reply, _ in batch}
            try:
                await self._on_thread(lambda replies=replies: self._opened().put_all(replies))
            except Exception as error:
                _settle(batch, error)
            else:
                _settle(batch, None)

    def _known(self, keys: Iterable[str]) -> set[str]:
        keys = list(keys)
        known = self._opened().known(keys)
        older = known - self._fresh
        again = {key for key, reply in self._opened().get_all(older).items() if self._ask_again(reply)}
        return known - again

    def _opened(self) -> Store:
        """The store, opened at first need by the thread that it is going to belong to."""
        if self._store is None:
            assert self._path is not None
            self._store = Store(self._path)
        return self._store

    async def _on_thread(self, work: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)


def _settle(batch: list[tuple[str, Reply, asyncio.Future[None]]], error: Exception | None) -> None:
    for _, _, written in batch:
        if written.done():
            continue
        if error is None:
            written.set_result(None)
        else:
            written.set_exception(error)
            written.exception()  # whoever wanted to know may be gone
