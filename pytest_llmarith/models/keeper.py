"""Room: the store as a loop sees it. It knows when the store may be read, not what is asked.

Reading takes a moment and never waits for a writer, so it happens on the loop; writing waits for the disk, so it
happens on a thread, and replies that arrive meanwhile are written together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from pytest_llmarith.models.store import Store
from pytest_llmarith.values import Reply, StoreMode

AskAgain = Callable[[Reply], bool]


class Keeper:
    """Keeps a run's replies. Replies that this very run wrote are read in every mode and are not `stored`."""

    def __init__(self, path: Path | None, mode: StoreMode, ask_again: AskAgain | None) -> None:
        self._path = None if mode is StoreMode.OFF else path
        self._reads_older = mode in (StoreMode.ON, StoreMode.ONLY)
        self._ask_again = ask_again or (lambda reply: False)
        self._writer_thread = ThreadPoolExecutor(1, thread_name_prefix="llmarith-store")
        self._reader: Store | None = None
        self._writer: Store | None = None
        self._fresh: set[str] = set()
        self._batch: list[tuple[str, Reply, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    def known(self, keys: list[str]) -> set[str]:
        """Which of these keys need not be asked."""
        store = self._read()
        if store is None:
            return set()
        known = store.known(keys if self._reads_older else self._fresh.intersection(keys))
        again = {key for key, reply in store.get_all(known - self._fresh).items() if self._ask_again(reply)}
        return known - again

    def get(self, key: str) -> tuple[Reply | None, bool]:
        """A reply that may be used; and whether there is one that is to be asked again."""
        store = self._read() if self._reads_older or key in self._fresh else None
        reply = None if store is None else store.get(key)
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

    def let_go(self) -> None:
        """Close what was only read."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    async def close(self) -> None:
        """Finish what is being written, and let go of the file."""
        if self._writing is not None:
            await self._writing
        self.let_go()
        await self._on_thread(self._close_writer)
        self._writer_thread.shutdown(wait=True)

    async def _write(self) -> None:
        while self._batch:
            batch, self._batch = self._batch, []
            try:
                await self._on_thread(partial(self._put_all, {key: reply for key, reply, _ in batch}))
            except Exception as error:
                _settle(batch, error)
            else:
                _settle(batch, None)

    def _put_all(self, replies: Mapping[str, Reply]) -> None:
        """Runs on the writer's thread, to which its store belongs."""
        if self._writer is None:
            assert self._path is not None
            self._writer = Store(self._path)
        self._writer.put_all(replies)

    def _read(self) -> Store | None:
        if self._reader is None and self._path is not None:
            self._reader = Store(self._path)
        return self._reader

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()

    async def _on_thread(self, work: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._writer_thread, work)


def _settle(batch: list[tuple[str, Reply, asyncio.Future[None]]], error: Exception | None) -> None:
    for _, _, written in batch:
        if written.done():
            continue
        if error is None:
            written.set_result(None)
        else:
            written.set_exception(error)
            written.exception()  # whoever wanted to know may be gone
