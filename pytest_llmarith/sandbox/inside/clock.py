"""The time of a term that counts against a limit: wall time without the time spent waiting for a processor.

The kernel keeps the latter in the second field of /proc/PID/schedstat. Where it does not, CPU time counts instead.
"""

from __future__ import annotations

import os
import time

UNKNOWN = (1 << 64) - 1
_PROCESSORS = len(os.sched_getaffinity(0))


def waited_ns(process: str) -> int:
    """How long a process has been ready to run and did not get to; `UNKNOWN` where the kernel does not say."""
    try:
        descriptor = os.open(f"/proc/{process}/schedstat", os.O_RDONLY)
    except OSError:
        return UNKNOWN
    try:
        return int(os.read(descriptor, 100).split()[1])
    except (OSError, IndexError, ValueError):
        return UNKNOWN
    finally:
        os.close(descriptor)


class Clock:
    """The clock of one term. `started_ns` and `waited_before_ns` are what it read of itself at its start."""

    def __init__(self, pid: int, started_ns: int, waited_before_ns: int) -> None:
        self._pid = pid
        self._started_ns = started_ns
        self._waited_before_ns = waited_before_ns
        self.counted_ns = self.wall_ns = self.cpu_ns = self.waited_ns = 0

    def read(self, late_ns: int = 0) -> None:
        """Take the time, of a term that runs or of one that is dead and not yet reaped.

        `late_ns` is how long the reader itself waited for a processor since the moment in question, at most: it comes
        off, but for the time in which the term was at work.
        """
        self.wall_ns = max(0, time.monotonic_ns() - self._started_ns)
        self.cpu_ns = self._cpu_ns()
        waited = waited_ns(str(self._pid))
        if UNKNOWN in (waited, self._waited_before_ns):
            self.counted_ns = self.cpu_ns
            return
        present_ns = max(0, self.wall_ns - max(0, waited - self._waited_before_ns))
        # Only the first thread's waiting is known, and it may have waited for the others.
        at_least_ns = max(min(self.cpu_ns, present_ns), self.cpu_ns // _PROCESSORS)
        self.counted_ns = min(self.wall_ns, max(present_ns - late_ns, at_least_ns))
        self.waited_ns = self.wall_ns - self.counted_ns

    def _cpu_ns(self) -> int:
        """By the clock that Linux derives from a pid, see clock_getcpuclockid(3)."""
        try:
            return time.clock_gettime_ns(~self._pid << 3 | 2)
        except OSError:
            return self.cpu_ns
