"""Which processes descend from one: asked of /proc, so that nobody can hide by changing sessions or parents.

Whoever calls `adopt` becomes the parent of orphans below it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

_SET_CHILD_SUBREAPER = 36
_PATIENCE_S = 5


def adopt() -> None:
    """Let descendants that outlive their parents become children of this process, not of the machine's first."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(of: int | None = None) -> set[int]:
    """The processes below this one or another, apart from dead ones that nobody has asked after."""
    children: dict[int, list[int]] = {}
    for pid, state, parent in _all():
        if state != "Z":
            children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    below = children.get(os.getpid() if of is None else of, [])
    while below:
        found.update(below)
        below = [child for pid in below for child in children.get(pid, [])]
    return found


def peak_mb(generations: int) -> int:
    """The most memory that this process, or one of so many generations below it, has had at a time until now."""
    pids, peak_kb = {os.getpid()}, 0
    for _ in range(1 + generations):
        for pid in pids:
            with suppress(OSError):
                peak_kb = max(peak_kb, *_high_water_kb(pid))
        pids = {pid for pid, _, parent in _all() if parent in pids}
    return peak_kb >> 10


def _high_water_kb(pid: int) -> list[int]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return [0, *(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))]


def gone(processes: set[int], within_s: float) -> bool:
    """Wait until none of these is alive; False if that takes longer."""
    return _until(lambda: not processes & {pid for pid, state, _ in _all() if state != "Z"}, within_s)


def stayed(known: set[int], within_s: float) -> set[int]:
    """The descendants apart from known ones, once there are none, or as many as there are after so long.

    Asked again and again, never of those seen first alone: who forks and ends is survived by somebody whom nobody saw.
    """
    return set() if _until(lambda: not strangers(known), within_s) else strangers(known)


def strangers(known: set[int]) -> set[int]:
    """The descendants apart from known ones. Looked for twice: who forks during a look may be missed with its child."""
    return descendants() - known or descendants() - known


def end(known: set[int]) -> None:
    """Kill the descendants apart from known ones, and see them go."""

    def ended() -> bool:
        for pid in (left := strangers(known)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return not left

    _until(ended, _PATIENCE_S)


def _until(holds: Callable[[], bool], within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        _bury()
        if holds():
            return True
        time.sleep(0.01)
    return False


def _bury() -> None:
    """Ask after orphans that came here to die."""
    for pid, state, parent in _all():
        if state == "Z" and parent == os.getpid():
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                continue


def _all() -> Iterator[tuple[int, str, int]]:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            state, parent = Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        yield int(pid), state, int(parent)
