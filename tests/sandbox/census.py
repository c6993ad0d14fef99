"""The processes below one, as /proc lists them: changing the session or the parent hides none."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

_SET_CHILD_SUBREAPER = 36
_END_S = 5


def adopt() -> None:
    """Make this process the parent of descendants that outlive their parents."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(of: int | None = None) -> set[int]:
    """The processes below this one or another, without zombies."""
    children: dict[int, list[int]] = {}
    for pid, state, parent in _all():
        if state != "Z":
            children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    below = children.get(of or os.getpid(), [])
    while below:
        found.update(below)
        below = [child for pid in below for child in children.get(pid, [])]
    return found


def gone(processes: set[int], within_s: float) -> bool:
    """Wait until none of these is alive; False if that takes longer."""
    return _until(lambda: not processes & {pid for pid, state, _ in _all() if state != "Z"}, within_s)


def stayed(known: set[int], within_s: float) -> set[int]:
    """The unknown descendants, once there are none, or after this time. A process that forks and ends is seen, too."""
    return set() if _until(lambda: not _unknown(known), within_s) else _unknown(known)


def end(known: set[int]) -> None:
    """Kill the unknown descendants until there are none."""

    def ended() -> bool:
        for pid in (left := _unknown(known)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not left

    _until(ended, _END_S)


def _unknown(known: set[int]) -> set[int]:
    """Two looks: the first may miss a process that forks meanwhile, and its child."""
    return descendants() - known or descendants() - known


def _until(holds: Callable[[], bool], within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        for pid, state, parent in _all():
            if state == "Z" and parent == os.getpid():
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
        if holds():
            return True
        time.sleep(0.01)
    return False


def _all() -> Iterator[tuple[int, str, int]]:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            state, parent = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[:2]
            yield int(pid), state, int(parent)
