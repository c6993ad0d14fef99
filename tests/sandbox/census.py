"""The processes below one, as /proc lists them: changing the session or the parent
hides none.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_SET_CHILD_SUBREAPER = 36


def adopt() -> None:
    """Make this process the parent of descendants that outlive their parents."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def parents() -> dict[int, int]:
    """All processes that are no zombies, with their parents."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            state, parent = (
                Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[:2]
            )
            if state != "Z":
                found[int(pid)] = int(parent)
    return found


def descendants(of: int | None = None) -> set[int]:
    """The processes below this one or another."""
    known, found, below = parents(), set[int](), {of or os.getpid()}
    while below := {pid for pid, parent in known.items() if parent in below}:
        found |= below
    return found


def wait_until(holds: Callable[[], bool], within_s: float) -> bool:
    """Whether this holds within that time."""
    until = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True
