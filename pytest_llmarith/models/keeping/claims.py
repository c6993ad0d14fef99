"""Which questions are being asked at this moment, by all runs that share a store. It does not know what a key
is made of, nor who waits.

A claim is a lock of the operating system's on one byte of an empty file beside the store: it costs a microsecond and
ends with the process that holds it, however that ends. Locks on bytes are not inherited, so nothing that a run has
started can hold its claims any longer than it lives. They stand between processes, not within one.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_llmarith.models.keeping.store import StoreError, make_folder

_FILE = "claims.lock"
# Every run that uses the store holds a seat, a byte in front of the claims; who wants the store alone takes them all.
_SEATS = 1_000
_CLAIMS = 2**31 - 1 - _SEATS  # Windows counts bytes to here; two keys on one byte only wait for each other

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int, start: int, length: int) -> None:
        os.lseek(file, start, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, length)

    def _unlock(file: int, start: int, length: int) -> None:
        os.lseek(file, start, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, length)

else:
    import fcntl

    def _lock(file: int, start: int, length: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)

    def _unlock(file: int, start: int, length: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_UN, length, start)


class Claims:
    """One run's claims, and its seat among the users of a store."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._held: set[int] = set()
        self._file = _opened(store)
        if not self._sit():
            self.close()
            raise StoreError(f"store {store}: llmarith store prune is at work on it; begin again when that has ended")

    def take(self, key: str) -> bool:
        """Whether the key is now claimed here; False where somebody else has it."""
        byte = _byte(key)
        if byte in self._held or not self._locks(byte):
            return False
        self._held.add(byte)
        return True

    def release(self, key: str) -> None:
        """Give a claim up that `take` has given."""
        byte = _byte(key)
        self._held.remove(byte)
        _unlock(self._file, byte, 1)

    def close(self) -> None:
        """Give everything up."""
        os.close(self._file)

    def _sit(self) -> bool:
        first = random.randrange(_SEATS)
        return any(self._locks((first + step) % _SEATS) for step in range(_SEATS))

    def _locks(self, byte: int) -> bool:
        return _locked(self._store, self._file, byte, 1)


@contextmanager
def alone(store: Path) -> Iterator[None]:
    """Keep every run away from the store; raises StoreError where one is using it."""
    file = _opened(store)
    try:
        if not _locked(store, file, 0, _SEATS):
            raise StoreError(f"store {store}: a run is using it; try again when that has ended")
        yield
    finally:
        os.close(file)


def _opened(store: Path) -> int:
    make_folder(store)
    try:
        return os.open(store.with_name(_FILE), os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StoreError(f"store {store}: {_FILE} beside it cannot be opened ({error.strerror})") from error


def _locked(store: Path, file: int, start: int, length: int) -> bool:
    try:
        _lock(file, start, length)
    except (BlockingIOError, PermissionError):  # EAGAIN or EACCES: somebody else holds a byte of these
        return False
    except OSError as error:
        raise StoreError(
            f"store {store}: this file system takes no locks ({error.strerror}); choose a folder on a local disk"
        ) from error
    return True


def _byte(key: str) -> int:
    """Keys are hexadecimal digests."""
    return _SEATS + int(key[:16], 16) % _CLAIMS
