"""Room on the machine to run a term: lock files that all harnesses of a user share, so that terms do not crowd.

A lock vanishes with the process that holds it. Waiting is the kernel's business: nothing here polls.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

_FOLDER = "llmarith-slots"


def count() -> int:
    """One core is left to whoever watches the terms."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


class Slots:
    """So many lock files in a folder of this user's own."""

    def __init__(self, folder: Path | None = None, size: int | None = None) -> None:
        self._folder = folder
        self.size = size or count()

    @contextmanager
    def one(self) -> Iterator[None]:
        """Hold any slot; a free one is taken, else one is waited for."""
        with ExitStack() as held:
            folder = held.enter_context(_opened(self._folder or _runtime_folder()))
            order = [(os.getpid() + step) % self.size for step in range(self.size)]
            if not any(_lock(held, folder, number, fcntl.LOCK_EX | fcntl.LOCK_NB) for number in order):
                _lock(held, folder, order[0], fcntl.LOCK_EX)
            yield

    @contextmanager
    def all(self) -> Iterator[None]:
        """Hold every slot. They are taken in order, and whoever holds one waits for no other: there is no circle."""
        with ExitStack() as held:
            folder = held.enter_context(_opened(self._folder or _runtime_folder()))
            for number in range(self.size):
                _lock(held, folder, number, fcntl.LOCK_EX)
            yield


def _lock(held: ExitStack, folder: int, number: int, how: int) -> bool:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(f"{number}.lock", flags, 0o600, dir_fd=folder)
    try:
        fcntl.flock(descriptor, how)
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError):
            return False
        raise
    held.callback(os.close, descriptor)
    return True


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """A folder that is certainly ours; raises OSError where somebody else got there first."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if not _is_ours(os.fstat(descriptor)):
            raise PermissionError(f"{folder} must belong to this user and to nobody else: remove it, or set TMPDIR")
        yield descriptor
    finally:
        os.close(descriptor)


def _runtime_folder() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    with suppress(OSError):
        if runtime and _is_ours(os.stat(runtime)):
            return Path(runtime) / _FOLDER
    return Path(tempfile.gettempdir()) / f"{_FOLDER}-{os.geteuid()}"


def _is_ours(found: os.stat_result) -> bool:
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
