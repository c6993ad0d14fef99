"""The machine that programs run on: its description, and its slots.

A slot is a lock file that all runs of a user share; a term runs only while it holds one, so that terms do not slow each
other down. The kernel releases the locks of a process that ends.
"""

from __future__ import annotations

import fcntl
import os
import platform
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

_FOLDER = "llmarith-slots"


def machine_facts() -> dict[str, Any]:
    """The interpreter of the programs and the machine, for records of times."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    return {
        "host": platform.node(),
        "interpreter": f"{platform.python_implementation()} {platform.python_version()}",
        "machine": platform.machine(),
        "processor": next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None),
        "kernel": f"{platform.system()} {platform.release()}",
        "cores": len(os.sched_getaffinity(0)),
        "slots": slot_count(),
    }


def slot_count() -> int:
    """One for each core except one, which the zygotes use."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


class Slots:
    """`size` lock files in a private folder of this user."""

    def __init__(self, folder: Path | None = None, size: int | None = None) -> None:
        self._folder = folder or _default_folder()
        self.size = size or slot_count()

    @contextmanager
    def hold(self, *, every: bool = False) -> Iterator[None]:
        """Hold one slot or every slot, once they are free."""
        order = [(os.getpid() + step) % self.size for step in range(self.size)]
        with ExitStack() as held:
            folder = self._open_folder(held)
            if every:
                for number in range(self.size):  # in this order, so that two runs cannot deadlock
                    _lock(held, folder, number, fcntl.LOCK_EX)
            elif not any(_lock(held, folder, number, fcntl.LOCK_EX | fcntl.LOCK_NB) for number in order):
                _lock(held, folder, order[0], fcntl.LOCK_EX)
            yield

    def _open_folder(self, held: ExitStack) -> int:
        """A descriptor of the folder; raises OSError if other users could write in it."""
        with suppress(FileExistsError):
            self._folder.mkdir(mode=0o700)
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        held.callback(os.close, folder)
        if not _is_private(os.fstat(folder)):
            raise PermissionError(f"{self._folder} must be a private folder of this user: remove it, or set TMPDIR")
        return folder


def _lock(held: ExitStack, folder: int, number: int, operation: int) -> bool:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(f"{number}.lock", flags, 0o600, dir_fd=folder)
    held.callback(os.close, descriptor)
    try:
        fcntl.flock(descriptor, operation)
    except BlockingIOError:
        return False
    return True


def _default_folder() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    with suppress(OSError):
        if runtime and _is_private(os.stat(runtime)):
            return Path(runtime) / _FOLDER
    return Path(tempfile.gettempdir()) / f"{_FOLDER}-{os.geteuid()}"


def _is_private(found: os.stat_result) -> bool:
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
