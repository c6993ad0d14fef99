"""The time of a term that counts against a limit: wall time without the time spent waiting for a processor.

The kernel keeps the latter in the second field of /proc/PID/schedstat. Where it does not, CPU time counts instead.
What a hypervisor takes from a virtual machine is in neither: /proc/stat has it, for the machine as a whole.
"""

from __future__ import annotations

import os
import time

UNKNOWN = (1 << 64) - 1
_PROCESSORS = len(os.sched_getaffinity(0))
_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


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


def machine_ns() -> tuple[int, int]:
    """How long this machine's processors were at work, and how long a hypervisor kept them from it, since its start.

    Both are 0 where the kernel does not say.
    """
    try:
        descriptor = os.open("/proc/stat", os.O_RDONLY)
    except OSError:
        return 0, 0
    try:
        ticks = [int(field) for field in os.read(descriptor, 200).split()[1:9]]
        user, nice, system, _idle, _io, interrupts, soft_interrupts, stolen = ticks
    except (OSError, ValueError):
        return 0, 0
    finally:
        os.close(descriptor)
    return (user + nice + system + interrupts + soft_interrupts) * _TICK_NS, stolen * _TICK_NS


def taken_ns(cpu_ns: int, worked_ns: int, stolen_ns: int) -> int:
    """A term's part of what was stolen: as large as its part of the machine's work, so that who sleeps has none."""
    return stolen_ns * cpu_ns // max(worked_ns, cpu_ns, 1)


def counted_ns(wall_ns: int, cpu_ns: int, waited_ns: int, *, late_ns: int, taken_ns: int) -> int:
    """What counts of a term's wall time.

    What others are to blame for comes off, but for the time in which the term was at work: what it waited for a
    processor, what its reader came too late, and what the hypervisor took from it.
    """
    present_ns = max(0, wall_ns - waited_ns)
    # Only the first thread's waiting is known, and it may have waited for the others.
    at_least_ns = max(min(cpu_ns, present_ns), cpu_ns // _PROCESSORS)
    return min(wall_ns, max(present_ns - late_ns - taken_ns, at_least_ns))


class Clock:
    """The clock of one term. `started_ns` and `waited_before_ns` are what it read of itself at its start."""

    def __init__(self, pid: int, started_ns: int, waited_before_ns: int) -> None:
        self._pid = pid
        self._started_ns = started_ns
        self._waited_before_ns = waited_before_ns
        self._machine_before_ns = machine_ns()
        self.counted_ns = self.wall_ns = self.cpu_ns = self.waited_ns = 0

    def read(self, late_ns: int = 0) -> None:
        """Take the time, of a term that runs or of one that is dead and not yet reaped.

        `late_ns` is how long the reader itself waited for a processor since the moment in question, at most.
        """
        self.wall_ns = max(0, time.monotonic_ns() - self._started_ns)
        self.cpu_ns = self._cpu_ns()
        waited = waited_ns(str(self._pid))
        if UNKNOWN in (waited, self._waited_before_ns):
            self.counted_ns = self.cpu_ns
            return
        waited = max(0, waited - self._waited_before_ns)
        worked, stolen = (
            max(0, now - before) for now, before in zip(machine_ns(), self._machine_before_ns, strict=True)
        )
        taken = taken_ns(self.cpu_ns, worked, stolen)
        self.counted_ns = counted_ns(self.wall_ns, self.cpu_ns, waited, late_ns=late_ns, taken_ns=taken)
        self.waited_ns = self.wall_ns - self.counted_ns

    def _cpu_ns(self) -> int:
        """By the clock that Linux derives from a pid, see clock_getcpuclockid(3)."""
        try:
            return time.clock_gettime_ns(~self._pid << 3 | 2)
        except OSError:
            return self.cpu_ns
