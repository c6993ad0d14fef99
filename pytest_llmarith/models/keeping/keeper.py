"""The store as a loop sees it. It knows when the store may be read, not what is asked.

Reading takes a moment and never waits for a writer, so it happens on the loop; writing waits for the disk, so it
happens on a thread, and replies that arrive meanwhile are written together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from pytest_llmarith.models.keeping.claims import Claims
from pytest_llmarith.models.keeping.memory import Memory
from pytest_llmarith.models.keeping.store import Store, StoreError
from pytest_llmarith.values import Reply, StoreMode

AskAgain = Callable[[Reply], bool]
_LAST_TRY_S = 2.0


class Keeper:
    """Keeps a run's replies. Replies that this very run wrote are read in every mode and are not `stored`: where there
    is no store, those that may be asked for again are kept in memory.

    One that only looks takes no seat among the users of the store.
    """

    def __init__(
        self, path: Path | None, mode: StoreMode, ask_again: AskAgain | None, *, only_looks: bool = False
    ) -> None:
        self._path = None if mode is StoreMode.OFF else path
        self._only_looks = only_looks
        self._reads_older = mode in (StoreMode.ON, StoreMode.ONLY)
        self._ask_again = ask_again or (lambda reply: False)
        self._writer_thread = ThreadPoolExecutor(1, thread_name_prefix="llmarith-store")
        self._reader: Store | None = None
        self._writer: Store | None = None
        self._fresh: set[str] = set()
        self._memory = Memory()
        self._batch: list[tuple[str, Reply, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._claims: Claims | None = None
        self._readiness: asyncio.Future[None] | None = None
        self._unsaved: dict[str, Reply] = {}
        self.kept = 0  # replies of this run that are on disk

    @property
    def waits_for_others(self) -> bool:
        """Whether what another run is asking will do for this one."""
        return self._reads_older

    async def ready(self) -> None:
        """Find out that replies can be written, once and before the first is paid for. Raises StoreError."""
        if self._path is None:
            return
        if self._readiness is None:
            self._take_seat(self._path)
            self._readiness = asyncio.ensure_future(self._on_thread(self._open_writer))
            self._readiness.add_done_callback(_heard)
        await asyncio.shield(self._readiness)

    def claim(self, key: str) -> bool:
        """Whether this run may ask, as no other is asking the same; `release` gives the claim up."""
        return self._claims is None or self._claims.take(key)

    def release(self, key: str) -> None:
        if self._claims is not None:
            self._claims.release(key)

    def known(self, keys: list[str]) -> set[str]:
        """Which of these keys need not be asked."""
        return set(self.usable(keys))

    def usable(self, keys: list[str]) -> dict[str, Reply]:
        """The stored replies because of which these keys need not be asked."""
        store = self._read()
        if store is None:
            return {key: reply for key in keys if (reply := self._memory.get(key)) is not None}
        found = store.get_all(keys if self._reads_older else self._fresh.intersection(keys))
        return {key: reply for key, reply in found.items() if key in self._fresh or not self._ask_again(reply)}

    def get(self, key: str) -> tuple[Reply | None, bool]:
        """A reply that may be used; and whether there is one that is to be asked again."""
        if self._path is None:
            return self._memory.get(key), False
        store = self._read() if self._reads_older or key in self._fresh else None
        reply = None if store is None else store.get(key)
        if reply is None:
            return None, False
        if key in self._fresh:
            return replace(reply, stored=False), False
        return (None, True) if self._ask_again(reply) else (reply, False)

    async def put(self, key: str, reply: Reply, *, announced: bool = False) -> None:
        """Returns when the reply is on disk. Nobody asks again for what was `announced`: all who will are known."""
        if self._path is None:
            if not announced:
                self._memory.put(key, reply)
            return
        written = asyncio.get_running_loop().create_future()
        self._batch.append((key, reply, written))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await asyncio.shield(written)
        self._fresh.add(key)

    def unsaved(self) -> set[str]:
        """Keys of replies that the store has not taken; with the next one they are tried again."""
        return set(self._unsaved)

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
        if self._claims is not None:
            self._claims.close()

    async def _write(self) -> None:
        while self._batch:
            batch, self._batch = self._batch, []
            self._unsaved |= {key: reply for key, reply, _ in batch}
            try:
                await self._on_thread(partial(self._put_all, dict(self._unsaved)))
            except Exception as error:
                _settle(batch, error)
            else:
                self._unsaved = {}
                _settle(batch, None)

    def _put_all(self, replies: Mapping[str, Reply]) -> None:
        """Runs on the writer's thread, to which its store belongs."""
        assert self._writer is not None
        self._writer.put_all(replies)
        self.kept += len(replies)

    def _open_writer(self) -> None:
        """Runs on the writer's thread."""
        assert self._path is not None
        self._writer = Store(self._path)
        self._writer.probe()

    def _close_writer(self) -> None:
        """Runs on the writer's thread. The disk may have room again, the store be free."""
        if self._writer is None:
            return
        if self._unsaved:
            with suppress(StoreError):
                self._writer.patience(_LAST_TRY_S)
                self._put_all(self._unsaved)
                self._unsaved = {}
        self._writer.close()

    def _read(self) -> Store | None:
        if self._reader is None and self._path is not None:
            if not self._only_looks:
                self._take_seat(self._path)
            self._reader = Store(self._path)
        return self._reader

    def _take_seat(self, path: Path) -> None:
        if self._claims is None:
            self._claims = Claims(path)

    async def _on_thread(self, work: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._writer_thread, work)


def _heard(done: asyncio.Future[None]) -> None:
    """Whoever wanted to know may be gone: nobody is to complain of that."""
    if not done.cancelled():
        done.exception()


def _settle(batch: list[tuple[str, Reply, asyncio.Future[None]]], error: Exception | None) -> None:
    for _, _, written in batch:
        if written.done():
            continue
        if error is None:
            written.set_result(None)
        else:
            written.set_exception(error)
            _heard(written)
