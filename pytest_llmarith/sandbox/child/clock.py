"""Measures the time of a term that counts against a limit.

It is wall time, minus the time in which no thread of the term ran although at least one
was ready to run. Sleeping counts, waiting for a processor does not, and threads that
run side by side count once.

Linux counts how long each thread has run and how long it was ready without running, in
the first two fields of /proc/PID/task/TID/schedstat. These sums do not say whether two
threads ran, or waited, at the same moment. So the zygote takes a sample every few
milliseconds, and evaluates each interval between two samples:

- If on average two or more threads worked or were ready to work, and two or more are
  ready at the average sample, the processor time of the term is divided by their
  number, or by the number of processors if that is smaller: on a busy machine they run
  in turns, on a free one side by side. A thread works if it runs for long enough: one
  that wakes up to ask for Python's lock does not. Many threads that wake up together,
  run for a moment and wait for each other seem to work all the time, but few samples
  find them ready; the time between two samples is random, so that they cannot meet
  each, and a sample counts them as one more than the processors.
- What is left of the term's wall time is its gap: no thread ran. For a single thread
  that is exact; threads that hand work to each other run one after the other, and their
  times add up.
- The time that the threads waited is taken off the gap, at most as much as the gap has,
  and no more than the longest wait or the interval. So a thread that waits while
  another one runs takes nothing off, and threads that wait for each other gain no time.
- The kernel counts a wait when it ends, and running at the next tick of the processor,
  so the gap is that of all intervals so far. A thread that is ready while nothing has
  run since the last sample is still waiting: its term is not stopped yet.
- What the busiest thread computed counts in full, whatever the others did.

The counts of a thread end with it. Its running is still in the processor time of the
term, but its waiting since the last sample is lost, and counts. Time that a hypervisor
takes from a virtual machine is in neither field: /proc/stat has it, for the whole
machine.
"""

from __future__ import annotations

import os
import time

SAMPLE_EVERY_NS = 10_000_000
# A sample takes longer the more threads there are. Sampling may take up to a twentieth
# of a processor.
_SAMPLING_SHARE = 20
# A thread that runs for less in an interval is not at work.
_WORK_NS = 250_000
# The average number of threads at work is over this many intervals.
_AVERAGED_INTERVALS = 16
_PROCESSORS = len(os.sched_getaffinity(0))
_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def ran_and_waited_ns(task: str) -> tuple[int, int]:
    """How long a thread has run, and been ready without running.

    Raises OSError if it has ended.
    """
    ran, waited, _ = _read(f"/proc/{task}/schedstat").split()
    return int(ran), int(waited)


def machine_ns() -> tuple[int, int]:
    """How long this machine's processors worked since its start, and were stolen.

    A hypervisor takes the stolen time from a virtual machine.
    """
    ticks = [int(field) for field in _read("/proc/stat").split()[1:9]]
    user, nice, system, _idle, _io, interrupts, soft_interrupts, stolen = ticks
    worked = user + nice + system + interrupts + soft_interrupts
    return worked * _TICK_NS, stolen * _TICK_NS


def taken_ns(cpu_ns: int, worked_ns: int, stolen_ns: int) -> int:
    """A term's share of the stolen time, the same as its share of the work."""
    return stolen_ns * cpu_ns // max(worked_ns, cpu_ns, 1)


class Waiting:
    """Adds up the time in which a term ran, and in which it waited.

    It waits while no thread of it runs although one is ready.
    """

    def __init__(self, processors: int) -> None:
        self._processors = processors
        # Of the last intervals: their length, the time that threads worked or were
        # ready to, and the ready threads.
        self._span_ns = 0
        self._wanted_ns = 0
        self._ready_ns = 0
        self._wall_ns = 0
        self.ran_ns = 0
        self.waited_ns = 0

    def add(
        self, length_ns: int, cpu_ns: int, threads: list[tuple[int, int]], ready: int
    ) -> None:
        """Evaluate an interval: the term's processor time, and that of each thread.

        `threads` have their running and waiting. `ready` is the number of threads that
        run or wait at the end of the interval.
        """
        self._wall_ns += length_ns
        side_by_side = self._side_by_side(length_ns, threads, ready)
        self.ran_ns += min(cpu_ns // side_by_side, self._gap_ns())
        if threads:
            waited_ns = [waited for _, waited in threads]
            longest_ns = max(length_ns, *waited_ns)
            taken_off_ns = min(sum(waited_ns), longest_ns, self._gap_ns())
            self.waited_ns += max(0, taken_off_ns)

    def _gap_ns(self) -> int:
        return self._wall_ns - self.ran_ns - self.waited_ns

    def _side_by_side(
        self, length_ns: int, threads: list[tuple[int, int]], ready: int
    ) -> int:
        """How many of the threads would run at once on a machine that is idle."""
        wanted_ns = 0
        for ran_ns, waited_ns in threads:
            if ran_ns >= _WORK_NS:
                wanted_ns += ran_ns + waited_ns
        ready_ns = min(ready, self._processors + 1) * length_ns
        self._span_ns += length_ns - self._span_ns // _AVERAGED_INTERVALS
        self._wanted_ns += wanted_ns - self._wanted_ns // _AVERAGED_INTERVALS
        self._ready_ns += ready_ns - self._ready_ns // _AVERAGED_INTERVALS
        at_once = min(self._wanted_ns, self._ready_ns) // max(1, self._span_ns)
        return max(1, min(at_once, self._processors))


class Clock:
    """The clock of one term, which was forked at `started_ns`."""

    def __init__(self, pid: int, started_ns: int) -> None:
        self._pid = pid
        self._started_ns = started_ns
        self._sampled_ns = started_ns
        self._threads = {f"{pid}": (0, 0)}
        self._waiting = Waiting(_PROCESSORS)
        self._idle = False
        self._busiest_ns = 0
        self._worked_before_ns, self._stolen_before_ns = machine_ns()
        self.counted_ns = 0
        self.wall_ns = 0
        self.cpu_ns = 0
        self.next_sample_ns = started_ns + SAMPLE_EVERY_NS

    def sample(self, late_ns: int = 0) -> None:
        """Measure a term that runs, or that has ended and is not yet reaped.

        `late_ns` is how long at most the zygote waited for a processor after the term
        ended.
        """
        cpu_ns = self._cpu_ns()
        now_ns = time.monotonic_ns()
        length_ns = max(0, now_ns - self._sampled_ns)
        before = self._threads
        self._threads = self._read_threads()
        deltas = []
        for thread, (ran_ns, waited_ns) in self._threads.items():
            ran_before_ns, waited_before_ns = before.get(thread, (0, 0))
            deltas.append((ran_ns - ran_before_ns, waited_ns - waited_before_ns))
            self._busiest_ns = max(self._busiest_ns, ran_ns)
        used_ns = max(0, cpu_ns - self.cpu_ns)
        self._waiting.add(length_ns, used_ns, deltas, self._ready())
        self._idle = cpu_ns == self.cpu_ns
        self.cpu_ns = cpu_ns
        self._sampled_ns = now_ns
        self.wall_ns = max(0, now_ns - self._started_ns)
        self._count(late_ns)
        done_ns = time.monotonic_ns()
        apart_ns = max(SAMPLE_EVERY_NS, (done_ns - now_ns) * _SAMPLING_SHARE)
        # Threads that wake up at the same moments must not meet each sample, or miss
        # each.
        random_ns = apart_ns * os.urandom(1)[0] // 256
        self.next_sample_ns = done_ns + apart_ns // 2 + random_ns

    def is_waiting(self) -> bool:
        """Whether a thread is ready, and nothing ran between the last two samples."""
        return self._idle and self._ready() > 0

    def _ready(self) -> int:
        """How many threads run, or wait for a processor, at this moment."""
        tasks = [f"{self._pid}/task/{thread}" for thread in self._threads]
        return sum(_state(task) == b"R" for task in tasks)

    def _read_threads(self) -> dict[str, tuple[int, int]]:
        try:
            threads = os.listdir(f"/proc/{self._pid}/task")
        except OSError:
            return {}
        found = {}
        for thread in threads:
            try:
                times = ran_and_waited_ns(f"{self._pid}/task/{thread}")
            except (OSError, ValueError):
                continue  # it has ended
            found[thread] = times
        return found

    def _count(self, late_ns: int) -> None:
        others_ns = self._waiting.waited_ns + late_ns
        # The machine counts in ticks: too coarse for a short term, and slow to read.
        if self.wall_ns >= _TICK_NS:
            worked_now_ns, stolen_now_ns = machine_ns()
            worked_ns = max(0, worked_now_ns - self._worked_before_ns)
            stolen_ns = max(0, stolen_now_ns - self._stolen_before_ns)
            others_ns += taken_ns(self.cpu_ns, worked_ns, stolen_ns)
        own_ns = max(self.wall_ns - others_ns, self._waiting.ran_ns, self._busiest_ns)
        self.counted_ns = min(self.wall_ns, own_ns)

    def _cpu_ns(self) -> int:
        """By the clock of a process id, see clock_getcpuclockid(3)."""
        try:
            return time.clock_gettime_ns(~self._pid << 3 | 2)
        except OSError:
            return self.cpu_ns


def _state(task: str) -> bytes:
    """The letter of a thread's state in Linux."""
    try:
        return _read(f"/proc/{task}/stat").rpartition(b") ")[2][:1]
    except OSError:
        return b""


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 1000)
    finally:
        os.close(descriptor)
